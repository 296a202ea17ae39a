"""Ops that move numbers, or choose among them, do so with integers."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import make_const
from mlconv.ir.core import Op, Value, clone_op
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.passes.quantized.borders import has_one_live_use, is_wide, shifted, stored
from mlconv.passes.quantized.storage import requantized
from mlconv.passes.quantized.weights import MOVING
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, edit, rewrite
from mlconv.rewrite.pattern import Pattern, Replacement

MOVEMENT = tuple(cls for cls in core.OPS if cls.spec.quant.carries)


def _is_movement(op: OpDef) -> bool:
    return op.spec.quant.carries and op.moves_integers()


def _is_moved(quant: QuantType) -> bool:
    """Kernels move such integers."""
    return quant.storage.bits == 8 or is_wide(quant)


def _floats(op: OpDef) -> list[int]:
    return [i for i, v in enumerate(op.operands) if v is not None and v.tensor.dtype.is_float and v.type.quant is None]


@rewrite(*MOVEMENT)
def move_integers(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """Numbers of integers are moved as integers, and are numbers behind it."""
    places = _floats(op) if _is_movement(op) else []
    sources = {i: stored(op.operands[i]) for i in places}
    first = next((v for v in sources.values() if v is not None), None)
    if first is None or first.tensor.quant is None or not _is_moved(first.tensor.quant):
        return NOT_MEANT
    try:
        found = {i: v or _as_stored(rw, op.operands[i], first.tensor.quant) for i, v in sources.items()}
        if any(v is None for v in found.values()):
            return NoMatch("an operand has no integers of that scale")
        made = _over(op, found, rw)
    except ConversionError as error:
        return NoMatch(str(error))
    return [rw.emit(core.Dequantize(v)).y if v.type.quant is not None else v for v in made]


@rewrite(core.Dequantize)
def numbers_of_constant(op: core.Dequantize, rw: Rewriter) -> Replacement | NoMatch:
    """Numbers of a constant of 16 bits, moved and then rounded to the same integers, are what they were: users of one
    constant read one.
    """
    quant, rounded = quantized(op.x), op.x.producer
    if not isinstance(rounded, core.Quantize) or quant.storage.bits != DType.I16.bits or not quant.is_per_tensor:
        return NOT_MEANT
    maker = rounded.x.producer
    while isinstance(maker, MOVING):
        maker = maker.inputs[0].producer
    if not isinstance(maker, core.Dequantize) or const_of(maker.x) is None or quantized(maker.x) != quant:
        return NOT_MEANT
    return rounded.x


@rewrite(core.MatMul)
def product_by_table(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """A table of 16 bits that others read, too, is read as it lies where its transpose is multiplied with."""
    turned = op.b.producer
    border = turned.x.producer if isinstance(turned, core.Transpose) and turned.perm == (1, 0) else None
    if not isinstance(border, core.Dequantize) or const_of(border.x) is None or border.y.has_one_use:
        return NOT_MEANT
    if quantized(border.x).storage.bits != DType.I16.bits:
        return NOT_MEANT
    return rw.emit(core.MatMul(op.a, border.y, transpose_a=op.transpose_a, transpose_b=not op.transpose_b)).y


@rewrite(*MOVEMENT)
def move_under_cast(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """Plain integers of quantized tensors are moved as such."""
    cast = op.inputs[0].producer if op.inputs and _is_movement(op) else None
    if not isinstance(cast, core.StorageCast) or cast.x.tensor.quant is None or cast.y.tensor.quant is not None:
        return NOT_MEANT
    plain = cast.y.tensor.dtype
    if sum(v.tensor.dtype is plain for v in op.inputs) > 1 or [v.tensor.dtype for v in op.results] != [plain]:
        return NoMatch("other operands, or no result, are integers of that type")
    source = shifted(cast.x)
    try:
        (made,) = _over(op, {op.operands.index(cast.y): source or cast.x}, rw)
    except ConversionError as error:
        return NoMatch(str(error))
    if source is not None:
        made = requantized(rw, made, cast.x.tensor.quant)
    return rw.emit(core.StorageCast(made, element=plain)).y


def _as_stored(rw: Rewriter, value: Value | None, quant: QuantType) -> Value | None:
    """A small constant as integers, where they stand for just its numbers."""
    numbers = constant_array(value, 1 << 10)
    if numbers is None or not quant.is_per_tensor:
        return None
    integers = quant.quantize(numbers)
    if not np.array_equal(quant.dequantize(integers), numbers):
        return None
    return rw.emit(core.Constant(value=make_const(integers), element=quant)).y


def _over(op: OpDef, operands: dict[int, Value | None], rw: Rewriter) -> Sequence[Value]:
    """The op with other operands.  Raises ConversionError where it does not keep their quantization."""
    mapping = {old: new for i, new in operands.items() if (old := op.operands[i]) is not None and new is not None}
    made = rw.emit(clone_op(op, mapping))
    assert isinstance(made, OpDef)
    for value, inferred in zip(made.results, made.inferred(), strict=True):
        edit.retype(value, inferred)
    return made.results


@rewrite(core.Quantize)
def pull_rounding(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """What is moved and then rounded is rounded first."""
    maker = op.x.producer
    if not isinstance(maker, OpDef) or not _is_movement(maker) or not has_one_live_use(op.x) or len(maker.results) != 1:
        return NOT_MEANT
    places = _floats(maker)
    if not places or not op.element.is_per_tensor or not _is_moved(op.element):
        return NOT_MEANT
    if isinstance(maker, core.Select) and all(const_of(v) is None and stored(v) is None for v in (maker.a, maker.b)):
        return NoMatch("both that it chooses among are floats, which would be rounded in place of one")
    rw.fuse(maker, by="quant-lower")
    rounded: dict[int, Value | None] = {}
    for i in places:
        value = maker.operands[i]
        assert value is not None
        rounded[i] = _rounded(value, op.element, rw)
    (made,) = _over(maker, rounded, rw)
    return made


def _rounded(value: Value, element: QuantType, rw: Rewriter) -> Value:
    numbers = const_of(value)
    if numbers is None or numbers.dtype is not DType.F32:
        return rw.emit(core.Quantize(value, element=element)).y
    return rw.emit(core.Constant(value=element.stored(numbers), element=element)).y


def unless(floats: Collection[Op], pattern: Pattern) -> Pattern:
    """A pattern that leaves some ops to floats.  floats: these."""

    def apply(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
        if op in floats or (isinstance(op, core.Quantize) and op.x.producer in floats):
            return NoMatch("a rule keeps it in floats")
        return pattern.apply(op, rw)

    return Pattern(pattern.name, pattern.roots, apply)


PATTERNS = (pull_rounding, numbers_of_constant, product_by_table, move_integers, move_under_cast)
