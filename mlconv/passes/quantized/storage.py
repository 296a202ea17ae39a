"""How quantized tensors are stored: 8 bits with a sign, as kernels take them, and under their type wherever that is
known.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.passes.quantized.borders import is_unsigned, shifted, signed
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


@rewrite(core.StorageCast)
def quantized_constant(op: core.StorageCast, rw: Rewriter) -> Replacement | NoMatch:
    """A constant under another element type is one of that type."""
    value = const_of(op.x)
    if value is None:
        return NOT_MEANT
    return rw.emit(core.Constant(value=value, element=op.y.tensor.quant)).y


@rewrite(core.StorageCast)
def cast_back(op: core.StorageCast, rw: Rewriter) -> Replacement | NoMatch:
    """Integers that are again what they were."""
    before = op.x.producer
    return before.x if isinstance(before, core.StorageCast) and before.x.type == op.y.type else NOT_MEANT


@rewrite(core.Requantize)
def shift_back(op: core.Requantize, rw: Rewriter) -> Replacement | NoMatch:
    """Another storage, and back."""
    before = shifted(op.x)
    return before if before is not None and before.type == op.y.type and shifted(op.y) is not None else NOT_MEANT


@rewrite(core.Quantize)
def quantize_signed(op: core.Quantize, rw: Rewriter) -> Replacement | NoMatch:
    """Unsigned integers are made of signed ones."""
    if not is_unsigned(op.element) or not op.element.is_per_tensor:
        return NOT_MEANT
    made = rw.emit(core.Quantize(op.x, element=signed(op.element))).y
    return requantized(rw, made, op.element)


@rewrite(core.Dequantize)
def dequantize_signed(op: core.Dequantize, rw: Rewriter) -> Replacement | NoMatch:
    """The numbers of unsigned integers are those of signed ones."""
    quant = op.x.tensor.quant
    if quant is None or not is_unsigned(quant):
        return NOT_MEANT
    wanted, before, value = signed(quant), shifted(op.x), const_of(op.x)
    if before is not None:
        return rw.emit(core.Dequantize(before)).y
    if value is not None:
        return rw.emit(core.Dequantize(rw.emit(core.Constant(value=_less_128(value), element=wanted)).y)).y
    if not quant.is_per_tensor:
        return NoMatch(f"{quant} is data")
    return rw.emit(core.Dequantize(requantized(rw, op.x, wanted))).y


def _less_128(value: Const) -> Const:
    wide = recipes.binary("sub", recipes.cast(value, DType.I16), Splat(128, DType.I16, value.shape))
    return recipes.cast(wide, DType.I8)


def requantized(rw: Rewriter, x: Value, element: QuantType) -> Value:
    return rw.emit(core.Requantize(x, element=element, lo=element.qmin, hi=element.qmax)).y


PATTERNS = (quantized_constant, cast_back, shift_back, quantize_signed, dequantize_signed)
