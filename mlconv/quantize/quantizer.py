"""Quantization of a module of core ops: rules, calibration, equalization, borders."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module, clone_function
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Plumbing, has_trait
from mlconv.passes.check_finite import bad_number
from mlconv.passes.dce import eliminate_dead_code
from mlconv.provenance.locations import first_name
from mlconv.quantize import equalize
from mlconv.quantize.affine import join_affine, multiply_by_reciprocals
from mlconv.quantize.apply import apply
from mlconv.quantize.assign import Assignment, assigned, wanted
from mlconv.quantize.calibrate import calibrated, counted
from mlconv.quantize.choose import PRODUCTS, Choice, choose, is_float, walk_floats, walk_real
from mlconv.quantize.clip import chosen_ranges, is_scored
from mlconv.quantize.collect import Collector
from mlconv.quantize.describe import Described, constant_bytes, described, tell_losses
from mlconv.quantize.factor_gains import mean_squares
from mlconv.quantize.given import is_given
from mlconv.quantize.halves import store_halves
from mlconv.quantize.input_factors import inputs_of_floats, multiply_inputs, multiply_made
from mlconv.quantize.interface import interface_values, quantize_interface, quantize_pixels, widen_interface
from mlconv.quantize.islands import also, stays_float
from mlconv.quantize.joined import snapshot
from mlconv.quantize.made_up import weights_of
from mlconv.quantize.masks import store_masks
from mlconv.quantize.measure import measure
from mlconv.quantize.moments import Moments, moments
from mlconv.quantize.portable import lacks_of
from mlconv.quantize.ranges import USUAL, Range, met
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.report import FLOAT, Report, RuleUse
from mlconv.quantize.scheme import SCHEMES, Scheme
from mlconv.quantize.select import matches_nothing
from mlconv.quantize.shared import sharing
from mlconv.quantize.split import pull_biases, split_products
from mlconv.quantize.store import (
    as_numbers,
    integers_of,
    needs_moments,
    rounded_finely,
    store_integers,
    store_tables,
    weighted,
)
from mlconv.quantize.unchanged import ANSWERS, equalized

PLAIN, EQUALIZED, LIMITED, STORED = "plain", "equalized", "limited", "stored"
SchemeOf = Callable[[Op], Scheme]


class Limit(NamedTuple):
    """The number beyond which a clamp let nothing, before its result was divided by factors; none where by 1."""

    number: float
    factors: Array | None


class Floats(NamedTuple):
    """A function that is ready to be quantized, with what is known of it.  state: whether channels were brought to like
    ranges, and whether limits could go for that, or channels of weights to like sizes.  stale: values that changed
    then, and whose ranges are not those that they had before.  limits: of clamps that have none any more.
    """

    function: Function
    ranges: dict[Value, Range]
    moments: dict[OpDef, Moments]
    state: str = PLAIN
    stale: Mapping[Value, None] = MappingProxyType({})
    limits: Mapping[core.Clamp, Limit] = MappingProxyType({})

    def stage(self, what: str) -> str:
        """Under which what is found of the function is saved."""
        return f"{what}-{self.state}"


def copied(floats: Floats) -> tuple[Floats, dict[Op, Op]]:
    """A copy, and which op each of its ops is a copy of."""
    mapping: dict[Value, Value] = {}
    function = clone_function(floats.function, mapping)
    originals = dict(zip(walk(function.block), walk(floats.function.block), strict=True))
    copies = {old: new for new, old in originals.items()}
    ranges = {mapping[value]: span for value, span in floats.ranges.items()}
    known = {copies[op]: found for op, found in floats.moments.items()}
    found = {op: one for op, one in known.items() if isinstance(op, OpDef)}
    stale = dict.fromkeys(mapping[value] for value in floats.stale)
    limits = {clamp: limit for old, limit in floats.limits.items() if isinstance(clamp := copies[old], core.Clamp)}
    return Floats(function, ranges, found, floats.state, stale, limits), originals


@dataclass
class Quantizer:
    """recipe: what is asked.  collector: has samples to calibrate with; None where there are none.  dynamic: the target
    has products that quantize what they read when they run; dynamic_blocks: those with scales in blocks do.  symmetric:
    zero points of activations are 0 there.  measures: the report says what is lost.  keeps_given: the target
    has no ops over integers, and is given those of the source as they are spelled.  nearest: weights of few bits are
    rounded one by one, which takes no time and is enough to see what ops cost.  report, described: of the last module.
    floats: ops of it that rules keep from integers.
    """

    recipe: Recipe
    collector: Collector | None
    dynamic: bool = True
    dynamic_blocks: bool = False
    symmetric: bool = False
    measures: bool = False
    keeps_given: bool = False
    nearest: bool = False
    report: Report = field(default_factory=lambda: Report(""))
    described: Described = field(default_factory=Described)
    floats: Collection[Op] = ()

    def quantize(self, module: Module) -> None:
        """Raises ConversionError: CalibrationMissing, RuleMatchesNothing, and what reading samples and
        running the model raise.
        """
        self.report = Report(self.recipe.scheme.name, profile=self.recipe.profile)
        schemes = Schemes(module, self.recipe, self.report, self.keeps_given)
        self.check(module)
        _check_weights(module.main, schemes.of)
        floats = self.prepared(module.main, schemes.of)
        self.finish(floats, schemes.of, self.recipe.scheme.interface)
        self.floats = [op for op in walk_real(module.main) if schemes.keeps(op)]

    def check(self, module: Module) -> None:
        """Raises ConversionError CalibrationMissing, UsageError."""
        static = next((scheme for scheme in self.recipe.schemes if scheme.is_static), None)
        if static is not None and self.collector is None:
            raise ConversionError(
                Code.CalibrationMissing,
                f"scheme {static.name} needs ranges of activations, and there is no calibration data",
                help="give samples of what the model will see with --calibration DIR|FILE.npz|FILE.npy|module:function",
            )
        if len(module.functions) > 1:
            raise ConversionError(
                Code.UsageError, "a model with several signatures is quantized one at a time", help="give --signature"
            )

    def prepared(self, function: Function, scheme_of: SchemeOf) -> Floats:
        """A function as it is quantized, in place, still of floats: products apart, channels of like ranges, with the
        ranges that are needed.
        """
        if self.recipe.scheme.interface is not None:
            widen_interface(function)
        if any(scheme.rounds for scheme in self.recipe.schemes):
            as_numbers(function, scheme_of)
            multiply_by_reciprocals(function, lambda op: scheme_of(op).is_static)
            pull_biases(function)
            eliminate_dead_code(function.block)
            split_products(function)
            join_affine(function, lambda op: scheme_of(op).is_static)
            eliminate_dead_code(function.block)
        needed = wanted(choose(function, scheme_of, lacks_of(self.recipe.profile)))
        if self.recipe.scheme.interface is not None:
            needed |= interface_values(function)
        if self.collector is None:
            return Floats(function, {}, {})
        floats = self._balanced(function, needed, self.collector)
        kept = interface_values(function) if self.collector.kept is not None else {}
        counts: dict[Value, Array] = {}
        scores = self._scores_ranges(floats, needed, self.collector)
        if scores or self.collector.kept is not None:
            counts = counted(function, {**needed, **kept}, self.collector, floats.stage("counts"))
        if scores:
            own = {value: counts[value] for value in needed if value in counts}
            self._choose_ranges(floats, own, scheme_of, self.collector)
        return floats

    def _scores_ranges(self, floats: Floats, needed: Iterable[Value], collector: Collector) -> bool:
        asked = self.recipe.ranges
        if not self.recipe.is_static or (asked == USUAL and not self.recipe.ends_early):
            return False
        return is_scored(asked, floats.function, needed, collector, floats.stage("losses"))

    def _balanced(self, function: Function, needed: dict[Value, None], collector: Collector) -> Floats:
        """Ranges of values, in a function with channels of like ranges where that is wanted."""
        axes: dict[Value, int | None] = {**needed}
        rounds = any(scheme.rounds for scheme in self.recipe.schemes)
        if rounds:
            axes |= equalize.wanted(function)
        equalizes = rounds and self.recipe.equalize
        answers = ANSWERS if equalizes or collector.kept is not None else 0
        floats = Floats(function, self._ranges(function, axes, answers=answers), {})
        _check_ranges(floats, collector)
        before = None if collector.kept is None else copied(floats)[0]
        state = EQUALIZED if self.recipe.ends_early else STORED if self.recipe.is_stored else LIMITED
        if equalizes:
            floats = self._equalize(floats, state, collector, needed)
        if before is not None:
            replace(self, report=Report(""))._find_all(before, floats, collector)
        return floats

    def _find_all(self, before: Floats, floats: Floats, collector: Collector) -> None:
        """What is saved tells of all values, equalized and not: another run may have other rules, or look for them.
        They are found apart: code that shows more values rounds others differently.
        """
        function = before.function
        made = (v for op in walk_floats(function) for v in (*op.inputs, *op.results) if const_of(v) is None)
        axes: dict[Value, int | None] = dict.fromkeys(v for v in (*function.inputs, *made) if is_float(v))
        axes |= equalize.wanted(function)
        before.ranges.update(self._ranges(function, {v: a for v, a in axes.items() if v not in before.ranges}))
        for state in (EQUALIZED, LIMITED, STORED):
            if state != floats.state:
                self._equalize(copied(before)[0], state, collector, None)
        rest = dict.fromkeys(v for v in floats.stale if v not in floats.ranges)
        self._ranges(floats.function, rest, floats.stage("ranges"))

    def _equalize(self, floats: Floats, state: str, collector: Collector, needed: dict[Value, None] | None) -> Floats:
        """In place.  needed: values whose ranges are found again, and what takes their place; None for all."""
        stage = f"undone-{state}"
        unlimits, stored = state == EQUALIZED, state == STORED
        known = met(floats.ranges)
        multiplied = self._multiply_unlike(floats._replace(ranges=known), state, collector)
        if needed is not None:
            needed.update(dict.fromkeys(y for x, y in multiplied.items() if x in needed))
        done, back = equalized(floats.function, known, unlimits, collector, stage, stored)
        floats.ranges.update(known)
        self.report.equalized, self.report.taken_back, self.report.limits = done.number, len(back), len(done.limits)
        for value in done.stale:
            floats.ranges.pop(value, None)
        limits = {clamp: Limit(number, done.factors.get(clamp)) for clamp, number in done.limits.items()}
        found = floats._replace(state=state, stale=done.stale, limits=limits)
        again = [v for v in done.stale if needed is None or v in needed]
        found.ranges.update(self._ranges(floats.function, dict.fromkeys(again), found.stage("ranges")))
        return found

    def _multiply_unlike(self, floats: Floats, state: str, collector: Collector) -> dict[Value, Value]:
        """Inputs, where they are floats, and what ops of floats make that products of bytes would read, whatever
        schemes say, as another run that finds what is saved may have others.
        """
        function, known = floats.function, floats.ranges

        def made() -> dict[Value, None]:
            choice = choose(function, lambda op: SCHEMES["int8"], lacks_of(self.recipe.profile))
            return {v: None for v in wanted(choice) if v.producer is not None and not choice.is_integer(v)}

        are_floats = self.recipe.scheme.interface is None
        inputs = inputs_of_floats(function) if are_floats else frozenset[Value]()
        found = multiply_made(
            function, known, made, inputs, lambda axes: mean_squares(function, axes, collector, f"squares-{state}")
        )
        return found | (multiply_inputs(function, known) if are_floats else {})

    def _choose_ranges(
        self, floats: Floats, counts: Mapping[Value, Array], scheme_of: SchemeOf, collector: Collector
    ) -> None:
        """Ranges of values that were counted may leave out the outermost numbers."""
        quiet = replace(self, measures=False, report=Report(""))

        def quantized(ranges: Mapping[Value, Range]) -> Module:
            copy, originals = copied(floats._replace(ranges=dict(ranges)))
            quiet.finish(copy, lambda op: scheme_of(originals.get(op, op)), None)
            eliminate_dead_code(copy.function.block)
            return Module([copy.function])

        self.complete(floats, scheme_of)
        known = met(floats.ranges)
        found = chosen_ranges(
            self.recipe.ranges,
            floats.function,
            known,
            {value: numbers for value, numbers in counts.items() if value in known},
            collector,
            quantized,
            floats.stage,
        )
        floats.ranges.update(found.ranges)
        self.report.ranges = found.name

    def complete(self, floats: Floats, scheme_of: SchemeOf) -> Choice:
        """Which ops compute with integers; what is needed for that and not yet known of the function is found."""
        function = floats.function
        choice = choose(function, scheme_of, lacks_of(self.recipe.profile))
        self._know(floats, choice)
        kept: dict[OpDef, str] = {}
        while found := stays_float(choice, floats.ranges, scheme_of):
            kept |= found
            choice = choose(function, scheme_of, also(lacks_of(self.recipe.profile), kept))
            self._know(floats, choice)
        asking = [op for op in weighted(function, scheme_of) if needs_moments(op, scheme_of(op))]
        asking = [op for op in (*asking, *rounded_finely(choice, scheme_of)) if op not in floats.moments]
        if asking and self.collector is not None and not self.nearest:
            stage = floats.stage("moments")
            told = self.collector.told(function, asking, stage)
            floats.moments.update(moments(function, told, self.collector, stage) if told else {})
        return choice

    def _know(self, floats: Floats, choice: Choice) -> None:
        """Find the ranges that a choice needs, and that are not known yet."""
        missing = [v for v in wanted(choice) if v not in floats.ranges]
        stale = [v for v in missing if v in floats.stale]
        known = dict.fromkeys(v for v in missing if v not in floats.stale)
        floats.ranges.update(self._ranges(floats.function, known))
        floats.ranges.update(self._ranges(floats.function, dict.fromkeys(stale), floats.stage("ranges")))

    def finish(self, floats: Floats, scheme_of: SchemeOf, interface: DType | None) -> None:
        """What was prepared computes with integers, in place.  interface: of inputs and outputs."""
        function = floats.function
        choice = self.complete(floats, scheme_of)
        _check_ranges(floats, self.collector, function.outputs if interface is not None else ())
        ranges = met(floats.ranges)
        known = {value: ranges[value] for value in wanted(choice) if value in ranges}
        assignment = assigned(choice, known, scheme_of, self.symmetric, [clamp.y for clamp in floats.limits])
        found = self._describe(function, choice, assignment, ranges, scheme_of)
        for clamp, limit in floats.limits.items():
            if (layer := found.layers.get(choice.fused.get(clamp, clamp))) is not None:
                layer.limit = limit.number
        outputs = list(function.outputs)
        old = snapshot(function) if self.measures else None
        self.report.float_bytes = constant_bytes(function.block)
        made = self._store(floats, scheme_of)
        finely = [op for op in rounded_finely(choice, scheme_of) if op in floats.moments]
        shared = sharing(finely, {op: scheme_of(op) for op in finely})
        weights = {op: integers_of(op, scheme_of(op), floats.moments, shared) for op in finely}
        rounded = apply(function, choice, assignment, scheme_of, self.symmetric, weights)
        store_masks(function, scheme_of)
        if old is not None and self.collector is not None and self.collector.give is not None:
            work = sum(layer.macs or 0 for layer in self.report.layers)
            measured = measure(old, function, found.sites({**made, **rounded}), made, ranges, self.collector, work)
            tell_losses(self.report, found, measured, function.output_names, self.recipe)
        for clamp, limit in floats.limits.items():
            if choice.fused.get(clamp, clamp) not in choice.integers:
                equalize.keep_limit(clamp, *limit)
        self.report.stored_bytes = constant_bytes(function.block)
        if interface is not None:
            renamed = dict(zip(function.outputs, outputs, strict=True))
            spans = {**ranges, **{v: ranges[o] for v, o in renamed.items() if o in ranges}}
            quantize_interface(function, interface, spans, self.symmetric)
        for op in [] if self.symmetric else quantize_pixels(function):
            found.tell_integers(op)

    def _store(self, floats: Floats, scheme_of: SchemeOf) -> dict[Value, Value]:
        """Weights of ops that compute with floats.  Returns what took the place of values."""
        function = floats.function
        made: dict[Value, Value] = {}
        schemes = {op: scheme_of(op) for op in weighted(function, scheme_of)}
        collector, stage = None if self.nearest else self.collector, floats.stage("made-up")
        for op, integers in weights_of(function, schemes, floats.moments, collector, stage).items():
            made |= store_integers(op, schemes[op], integers, self.dynamic, self.dynamic_blocks)
        made |= store_tables(function, scheme_of)
        store_halves(function, scheme_of)
        return made

    def _ranges(
        self, function: Function, values: dict[Value, int | None], stage: str = "ranges", answers: int = 0
    ) -> dict[Value, Range]:
        if not values or self.collector is None:
            return {}
        found = calibrated(function, values, self.collector, stage, answers)
        self.report.samples = self.collector.samples
        return found

    def _describe(
        self,
        function: Function,
        choice: Choice,
        assignment: Assignment,
        ranges: dict[Value, Range],
        scheme_of: SchemeOf,
    ) -> Described:
        self.described = described(function, choice, assignment, ranges, scheme_of, self.keeps_given)
        self.report.layers = list(self.described.layers.values())
        return self.described


class Schemes:
    """The scheme of each op, those too that are made later of ops that rules match.  keeps_given: what a source has
    quantized stays as it is.
    """

    def __init__(self, module: Module, recipe: Recipe, report: Report, keeps_given: bool) -> None:
        """Raises ConversionError RuleMatchesNothing."""
        self.default, self.rules, self.keeps_given = recipe.scheme, recipe.rules, keeps_given
        self.own: dict[Op, Scheme] = {}
        ops = [op for function in module.functions for op in walk_real(function)]
        for rule in recipe.rules:
            found = [op for op in ops if rule.selector.matches(op)]
            if not found:
                raise matches_nothing(str(rule), rule.selector, ops)
            report.rules.append(RuleUse(str(rule), len(found)))

    def of(self, op: Op) -> Scheme:
        if op not in self.own:
            stays = self.keeps_given and is_given(op)
            self.own[op] = SCHEMES[FLOAT] if stays else self._asked(op) or self.default
        return self.own[op]

    def keeps(self, op: OpDef) -> bool:
        """A rule says that the op, which is no product and does more than to give numbers another place, has floats."""
        computes = not isinstance(op, (*PRODUCTS, core.Dequantize)) and not has_trait(op, Plumbing)
        asked = self._asked(op) if computes else None
        return asked is not None and not asked.is_static

    def _asked(self, op: Op) -> Scheme | None:
        return next((rule.scheme for rule in reversed(self.rules) if rule.selector.matches(op)), None)


def _check_weights(function: Function, scheme_of: SchemeOf) -> None:
    """Raises ConversionError QuantizationInvalid for constants that a product which is quantized multiplies with, and
    that have no largest number.
    """
    for op in walk_floats(function):
        weights = const_of(op.operands[1]) if isinstance(op, PRODUCTS) and op.operands[1] is not None else None
        bad = None if weights is None or not scheme_of(op).rounds else bad_number(weights)
        if bad is not None:
            name = op.operands[1].name or first_name(op.location)  # type: ignore[union-attr]
            raise ConversionError(
                Code.QuantizationInvalid,
                f"weights {name!r} hold {bad}, and are to become integers",
                location=op.location,
                help="mend the model, or keep the op in floats with --quantize-rule",
            )


def _check_ranges(floats: Floats, collector: Collector | None, ends: Iterable[Value] = ()) -> None:
    """What only masks reach may have no end, inputs and `ends` aside.  Raises ConversionError QuantizationInvalid, for
    an input of the model where there is one.
    """
    function, ranges = floats.function, floats.ranges
    whole = {*function.inputs, *ends}
    endless = {v: _origin(v) for v, span in ranges.items() if span.is_met and not span.is_finite}
    origins = [o for v, o in endless.items() if not ranges[v].is_masking or not whole.isdisjoint((v, o))]
    if not origins:
        return
    first = next((value for value in origins if value in function.inputs), origins[0])
    maker = first.producer
    told = "" if collector is None else collector.first_endless(function)
    what = f"%{first.name}" if first.name else "a value of a loop" if maker is None else f"results of {maker.name}"
    raise ConversionError(
        Code.QuantizationInvalid,
        "calibration met numbers that are not finite: "
        + (f"input {first.name!r}" if first in function.inputs else what),
        location=None if maker is None else maker.location,
        notes=(told,) if told else (),
        help="look at the samples, or keep the op in floats with --quantize-rule",
    )


def _origin(value: Value) -> Value:
    """Where numbers come from that are only moved."""
    maker = value.producer
    if maker is None or not has_trait(maker, Plumbing) or not maker.operands or maker.operands[0] is None:
        return value
    return _origin(maker.operands[0])
