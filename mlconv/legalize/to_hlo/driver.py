"""Core to HLO, over a whole module."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.module import Function, Module
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.legalize.strings import refuses_strings
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.broadcasting import repeat_at_run_time
from mlconv.legalize.to_hlo.dynamic_sizes.masking import mask_padding
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import NEAR, Sizes
from mlconv.provenance.locations import first_name
from mlconv.rewrite import NOT_MEANT, BackwardConversion, NoMatch, Rewriter, Rule, Rules

# literals are written in whole bytes
_NARROW = {DType.I4: DType.I8, DType.I2: DType.I8, DType.U4: DType.U8, DType.U2: DType.U8}

_TRIED = 1 << 12  # combinations of sizes


def legalize(module: Module, engine: DiagnosticEngine, more: Rules | None = None) -> None:
    """Make every op of the module an HLO op or a constant, in place.  Failures are collected in `engine`; their ops
    stay.

    Sizes with a range (`ranges` of the function) become inputs: see `bounds`.  more: rules that are asked first.
    """
    from mlconv.legalize.to_hlo.dynamic_sizes.legality import check_sizes

    for function in module.functions:
        if refuses_strings(function, engine, "HLO"):
            continue
        sizes = Sizes(function)
        if not _inputs_are_sized(function, sizes, engine) or not _ranges_are_taken(function, engine):
            continue
        sizes.start(function)
        _Driver(engine, sizes, check_sizes, more or Rules()).run(function.block)
        if sizes.used and not engine.has_errors:
            mask_padding(function.block, sizes, engine)
            sizes.finish(function)


def _inputs_are_sized(function: Function, sizes: Sizes, engine: DiagnosticEngine) -> bool:
    """Every size of every input is a number or has a range that HLO can have."""
    fine = True
    for value in function.inputs:
        why = sizes.objection(value)
        if why is None:
            continue
        name, fixed, ranged = value.name, _example(value, "1"), _example(value, "1..32")
        help_ = f"pin it with --shape {name}={fixed}" + (
            f" or give a range with --shape {name}={ranged}" if ranged != fixed else ""
        )
        error = ConversionError(why[0], f"input {name} is {value.type}: {why[1]}", help=help_)
        engine.add(error.with_context(function.location, name, f"input ({value.type})"))
        fine = False
    return fine


def _ranges_are_taken(function: Function, engine: DiagnosticEngine) -> bool:
    """The model takes sizes of the ranges, and those at the end of each, or beyond it; several need not be largest in
    one run.
    """
    fine, ranges = True, function.facts.where.ranges
    for condition in function.facts.conditions:
        spans = {s: range(ranges[s][0], ranges[s][1] + 1) for s in sorted(condition.symbols)}
        ends = {s: range(span.stop - 1, span.stop - 1 + NEAR) for s, span in spans.items()}
        if len(spans) == 1 and not _is_taken(condition, ends):
            (symbol,) = spans
            what = f"the largest sizes of the ranges are none that the model takes: at {symbol} = {ranges[symbol][1]}, "
        elif not _is_taken(condition, spans):
            what = "no sizes of the ranges are any that the model takes: "
        else:
            continue
        fine = False
        help_ = "give ranges with --shape NAME=D,LOW..HIGH,... that end where the model does"
        error = ConversionError(Code.ShapeMismatch, what + condition.text, help=help_)
        op = next((op for op in walk(function.block) if first_name(op.location) == condition.asked_by), None)
        location = function.location if op is None else op.location
        engine.add(error.with_context(location, condition.asked_by, "" if op is None else op.name))
    return fine


def _is_taken(condition: Condition, spans: Mapping[str, range]) -> bool:
    """Whether some sizes fulfil a condition; so where these are too many to be tried."""
    if math.prod(map(len, spans.values())) > _TRIED:
        return True
    tried = (dict(zip(spans, sizes, strict=True)) for sizes in itertools.product(*spans.values()))
    return any(condition.holds_at(sizes) is not False for sizes in tried)


def _example(value: Value, number: str) -> str:
    """A shape to show: `number` for what is not known."""
    shape = value.type.shape if isinstance(value.type, TensorType) else None
    return "D,D,..." if shape is None else ",".join(str(d) if isinstance(d, int) else number for d in shape)


class _Driver(BackwardConversion[HloBuilder]):
    """Core ops are to go, constants that HLO cannot write as they are included."""

    def __init__(
        self, engine: DiagnosticEngine, sizes: Sizes, check: Callable[[OpDef, Sizes], None], more: Rules
    ) -> None:
        super().__init__(engine)
        self.sizes, self.check, self.more = sizes, check, more
        self.constant, self.nothing = Rule("constant", _constant), Rule("nothing", _nothing)

    def is_dead(self, op: Op) -> bool:
        return isinstance(op, OpDef) and is_pure(op) and not op.is_used

    def is_legal(self, op: Op) -> bool:
        if isinstance(op, core.Constant):
            return not (isinstance(op.value, Splat) and op.value.shape) and op.value.dtype not in _NARROW
        return not isinstance(op, OpDef)

    def accept(self, op: Op, values: Sequence[Value], rewriter: Rewriter) -> None:
        super().accept(op, values, rewriter)
        _check_types(op, values)
        for old, new in zip(op.results, values, strict=True):
            self.sizes.replaced(old, new, new.owner in rewriter.emitted)

    def rules_of(self, op: Op) -> Sequence[Rule]:
        from mlconv.legalize.to_hlo.rules import RULES

        return (
            (self.constant,)
            if isinstance(op, core.Constant)
            else (self.nothing, *self.more.find(op.name), *RULES.find(op.name))
        )

    def builder(self, op: Op, rewriter: Rewriter) -> HloBuilder:
        if isinstance(op, OpDef) and not isinstance(op, core.Constant):
            if self.sizes.used:
                repeat_at_run_time(op, self.sizes)
                self.check(op, self.sizes)
            for value in (*op.inputs, *op.results):
                dims(value)
        return HloBuilder(rewriter, op.name, self.sizes)

    def unsupported(self, op: Op, reasons: Sequence[str]) -> ConversionError:
        return ConversionError(Code.TargetLacksOp, f"HLO has no form for {op.name}", why=tuple(reasons))


def _constant(op: core.Constant, e: HloBuilder) -> Value:
    """A constant as HLO can write it."""
    if op.value.dtype in _NARROW:
        return e.convert(e.constant(recipes.cast(op.value, _NARROW[op.value.dtype])), op.value.dtype)
    if not op.value.size:
        return e.constant(_empty(op.y))
    return e.full(op.value.shape, op.value.view().reshape(-1)[0], op.value.dtype)


def _nothing(op: OpDef, e: HloBuilder) -> list[Value] | NoMatch:
    """Constants for the results of an op that makes no element at all."""
    if op.regions or not all(0 in dims(v) for v in op.results):
        return NOT_MEANT
    return [e.constant(_empty(v)) for v in op.results]


def _empty(value: Value) -> Inline:
    """A constant without elements."""
    return Inline(np.zeros(dims(value), value.tensor.dtype.numpy), value.tensor.dtype)


def _check_types(op: Op, values: Sequence[Value]) -> None:
    """A rule must give what the op promised.  Raises ConversionError InternalError when it does not."""
    for old, new in zip(op.results, values, strict=True):
        if old.tensor.dtype is not new.tensor.dtype or old.tensor.shape != new.tensor.shape:
            raise ConversionError(Code.InternalError, f"{op.name} promises {old.tensor}, its HLO form has {new.tensor}")
