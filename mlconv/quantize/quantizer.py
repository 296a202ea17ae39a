"""Quantization of a module of core ops: rules, calibration, equalization, borders."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import islice

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function, Module
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize import equalize
from mlconv.quantize.apply import apply
from mlconv.quantize.assign import Assignment, assigned, wanted
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.choose import Choice, choose, walk_floats
from mlconv.quantize.collect import Collector, Sample
from mlconv.quantize.describe import Described, constant_bytes, described, tell_losses
from mlconv.quantize.halves import store_halves
from mlconv.quantize.interface import interface_values, quantize_interface
from mlconv.quantize.joined import snapshot
from mlconv.quantize.measure import measure
from mlconv.quantize.moments import moments
from mlconv.quantize.ranges import Range
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import Report, RuleUse
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.split import pull_biases, split_products
from mlconv.quantize.store import needs_moments, store_integers, store_tables, weighted

SchemeOf = Callable[[Op], Scheme]


@dataclass
class Quantizer:
    """recipe: what is asked.  collector: has samples to calibrate with; None where there are none.  dynamic: the target
    has products that quantize what they read when they run; dynamic_blocks: those with scales in blocks do.  report: of
    the last module.
    """

    recipe: Recipe
    collector: Collector | None
    dynamic: bool = True
    dynamic_blocks: bool = False
    measures: bool = False
    report: Report = field(default_factory=lambda: Report(""))

    def quantize(self, module: Module) -> None:
        """Raises ConversionError: CalibrationMissing, RuleMatchesNothing, FloatsLeft, and what reading samples and
        running the model raise.
        """
        self.report = Report(self.recipe.scheme.name)
        schemes = _Schemes(module, self.recipe, self.report)
        if self.recipe.is_static and self.collector is None:
            raise ConversionError(
                Code.CalibrationMissing,
                f"scheme {self.recipe.scheme.name} needs ranges of activations, and there is no calibration data",
                help="give samples of what the model will see with --calibration DIR|FILE.npz|FILE.npy|module:function",
            )
        if len(module.functions) > 1:
            raise ConversionError(
                Code.UsageError, "a model with several signatures is quantized one at a time", help="give --signature"
            )
        self._quantize(module.main, schemes.of)

    def some_samples(self, function: Function, count: int) -> tuple[Sample, ...]:
        """The first samples of the calibration; none where there is none."""
        return () if self.collector is None else tuple(islice(self.collector.give(function), count))

    def _quantize(self, function: Function, scheme_of: SchemeOf) -> None:
        if any(scheme.rounds for scheme in self.recipe.schemes):
            pull_biases(function)
            eliminate_dead_code(function.block)
            split_products(function)
            eliminate_dead_code(function.block)
        choice = choose(function, scheme_of)
        needed = wanted(choice)
        interface = self.recipe.scheme.interface
        outside = interface_values(function) if interface is not None else {}
        axes: dict[Value, int | None] = dict.fromkeys((*needed, *outside))
        balances = self.recipe.equalize and any(scheme.rounds for scheme in self.recipe.schemes)
        if balances and self.collector is not None:
            axes |= equalize.wanted(function)
        ranges = self._ranges(function, axes)
        if balances:
            done = equalize.equalize(function, ranges)
            self.report.equalized = done.number
            ranges |= self._ranges(function, dict.fromkeys(v for v in done.stale if v in needed or v in outside))
        _check_ranges(ranges)
        assignment = assigned(choice, ranges, scheme_of)
        found = self._describe(function, choice, assignment, ranges, scheme_of)
        outputs = list(function.outputs)
        old = snapshot(function) if self.measures and self.collector is not None else None
        self.report.float_bytes = constant_bytes(function.block)
        made = self._store(function, scheme_of)
        rounded = apply(function, choice, assignment, scheme_of)
        if old is not None and self.collector is not None:
            work = sum(layer.macs or 0 for layer in self.report.layers)
            measured = measure(old, function, found.sites({**made, **rounded}), made, ranges, self.collector, work)
            tell_losses(self.report, found, measured, function.output_names, self.recipe)
        self.report.stored_bytes = constant_bytes(function.block)
        if interface is not None:
            renamed = dict(zip(function.outputs, outputs, strict=True))
            quantize_interface(
                function, interface, {**ranges, **{v: ranges[o] for v, o in renamed.items() if o in ranges}}
            )

    def _store(self, function: Function, scheme_of: SchemeOf) -> dict[Value, Value]:
        """Weights of ops that compute with floats.  Returns what took the place of values."""
        products = weighted(function, scheme_of)
        asking = [op for op in products if needs_moments(op, scheme_of(op))]
        found = {}
        if asking and self.collector is not None:
            found = moments(function, asking, self.collector)
        made: dict[Value, Value] = {}
        for op in products:
            made |= store_integers(op, scheme_of(op), found, self.dynamic, self.dynamic_blocks)
        made |= store_tables(function, scheme_of)
        store_halves(function, scheme_of)
        return made

    def _ranges(self, function: Function, values: dict[Value, int | None]) -> dict[Value, Range]:
        if not values or self.collector is None:
            return {}
        found = calibrated(function, values, self.collector)
        self.report.samples = self.collector.samples
        if not self.report.samples:
            raise ConversionError(Code.CalibrationMissing, "the calibration data hold no sample")
        return found

    def _describe(
        self,
        function: Function,
        choice: Choice,
        assignment: Assignment,
        ranges: dict[Value, Range],
        scheme_of: SchemeOf,
    ) -> Described:
        found = described(function, choice, assignment, ranges, scheme_of)
        self.report.layers = list(found.layers.values())
        if self.recipe.only_integers:
            _refuse_floats(function, choice)
        return found


class _Schemes:
    """The scheme of each op."""

    def __init__(self, module: Module, recipe: Recipe, report: Report) -> None:
        self.default = recipe.scheme
        self.own: dict[Op, Scheme] = {}
        ops = [op for function in module.functions for op in walk_floats(function)]
        for rule in recipe.rules:
            found = [op for op in ops if rule.selector.matches(op)]
            if not found:
                raise ConversionError(
                    Code.RuleMatchesNothing,
                    f"the rule {rule} matches no op",
                    help="a rule selects by an op's type (conv), the name of a node (encoder/*), "
                    "or lines of source (model.py:120-145)",
                )
            self.own.update(dict.fromkeys(found, rule.scheme))
            report.rules.append(RuleUse(str(rule), len(found)))

    def of(self, op: Op) -> Scheme:
        return self.own.get(op, self.default)


def _refuse_floats(function: Function, choice: Choice) -> None:
    """Raises ConversionError FloatsLeft for each op that computes with floats."""
    engine = DiagnosticEngine()
    for op in walk_floats(function):
        if op not in choice.integers and op not in choice.fused and not op.regions:
            reason = choice.reasons.get(op, "it has no form over integers")
            engine.error(ConversionError(Code.FloatsLeft, f"{op.name} computes with floats: {reason}"), op.location)
    engine.raise_errors()


def _check_ranges(ranges: dict[Value, Range]) -> None:
    for value, span in ranges.items():
        if not span.is_finite:
            maker = value.producer
            raise ConversionError(
                Code.QuantizationInvalid,
                f"calibration met numbers that are not finite: %{value.name}",
                location=None if maker is None else maker.location,
                help="look at the samples, or keep the op in floats with --quantize-rule",
            )
