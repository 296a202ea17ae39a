"""How quantized tensors are stored: 8 bits with a sign, as kernels take them, and under their type wherever that is
known.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, Splat, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, Zeros
from mlconv.passes.quantized.borders import is_unsigned, readings, shifted, signed
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
    return next((v for v in readings(op.x) if v.type == op.y.type), NOT_MEANT)


@rewrite(core.StorageCast)
def picked_from_quantized(op: core.StorageCast, rw: Rewriter) -> Replacement | NoMatch:
    """Rows that are picked from a table of integers, and then read as numbers, are those of a quantized table."""
    made, quant = op.x.producer, op.y.tensor.quant
    table = const_of(made.x) if isinstance(made, core.Gather) else None
    if not isinstance(made, core.Gather) or table is None or quant is None or not op.x.has_one_use:
        return NOT_MEANT
    if not quant.is_per_tensor:
        return NoMatch(f"{quant} has more than one scale")
    short = is_unsigned(quant)
    value, element = (recipes.signed(table), signed(quant)) if short else (table, quant)
    stored = rw.emit(core.Constant(value=value, element=element)).y
    rows = rw.emit(core.Gather(stored, made.indices, **made.attributes)).y
    return requantized(rw, rows, quant) if short else rows


@rewrite(core.Requantize)
def sign_in_front(op: core.Requantize, rw: Rewriter) -> Replacement | NoMatch:
    """The sign of integers that are read under other parameters than they were made with is theirs before that."""
    first = next(reversed([*readings(op.x)]), None)
    quant = None if first is None else first.tensor.quant
    if first is None or quant is None or shifted(op.y) is None or not (is_unsigned(quant) and quant.is_per_tensor):
        return NOT_MEANT
    before = shifted(first) or requantized(rw, first, signed(quant))
    return rw.emit(core.StorageCast(before, element=op.element)).y


@rewrite(core.Dequantize)
def constant_signed(op: core.Dequantize, rw: Rewriter) -> Replacement | NoMatch:
    """Constants of 4 and 8 bits have a sign, whatever their scales are."""
    quant, value = op.x.tensor.quant, const_of(op.x)
    storage = _SIGNED.get(op.x.tensor.dtype)
    if quant is None or value is None or storage is None:
        return NOT_MEANT
    half = 1 << (storage.bits - 1)
    if (quant.qmin, quant.qmax) != (0, 2 * half - 1):
        return NoMatch(f"{quant} has limits of its own")
    numbers = quant.zero_array() - half
    zeros: Zeros = make_const(numbers.astype(storage.numpy), storage) if numbers.any() else 0
    element = QuantType(storage, quant.expressed, quant.scheme, quant.scales, zeros)
    return rw.emit(core.Dequantize(rw.emit(core.Constant(value=_less(value, half, storage), element=element)).y)).y


@rewrite(core.Dequantize)
def narrow_as_bytes(op: core.Dequantize, rw: Rewriter) -> Replacement | NoMatch:
    """What is rounded to fewer than 8 bits is limited and rounded to bytes of the same scale: no kernel has activations
    of fewer.
    """
    made = op.x.producer
    if not isinstance(made, core.Quantize) or made.element.storage.bits >= DType.I8.bits:
        return NOT_MEANT
    quant = made.element
    if not quant.is_per_tensor:
        return NoMatch(f"{quant} has more than one scale")
    scale, zero = float(quant.scales.view()), int(quant.zero_array())
    rw.fuse(made, by="quant-lower")
    limited = rw.emit(core.Clamp(made.x, lo=(quant.qmin - zero) * scale, hi=(quant.qmax - zero) * scale)).y
    element = QuantType.of(DType.I8, scale, zero, expressed=quant.expressed)
    return rw.emit(core.Dequantize(rw.emit(core.Quantize(limited, element=element)).y)).y


@rewrite(core.MatMul)
def blocks_last(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """Constant weights with blocks along columns are turned, so that a block lies in one piece."""
    border = op.b.producer
    value = const_of(border.x) if isinstance(border, core.Dequantize) else None
    if not isinstance(border, core.Dequantize) or value is None or op.b.tensor.rank != 2:
        return NOT_MEANT
    quant = quantized(border.x)
    if not isinstance(quant.scheme, Blocked) or quant.scheme.axis != 0:
        return NOT_MEANT
    element = quant.transposed((1, 0))
    turned = rw.emit(core.Constant(value=recipes.transpose(value, (1, 0)), element=element)).y
    numbers = rw.emit(core.Dequantize(turned)).y
    return rw.emit(core.MatMul(op.a, numbers, transpose_a=op.transpose_a, transpose_b=not op.transpose_b)).y


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
    if quant is None or not is_unsigned(quant) or const_of(op.x) is not None:
        return NOT_MEANT
    wanted, before = signed(quant), shifted(op.x)
    if before is not None:
        return rw.emit(core.Dequantize(before)).y
    if not quant.is_per_tensor:
        return NoMatch(f"{quant} is data")
    return rw.emit(core.Dequantize(requantized(rw, op.x, wanted))).y


_SIGNED = {DType.U8: DType.I8, DType.U4: DType.I4}


def _less(value: Const, number: int, storage: DType) -> Const:
    if storage is DType.I8:
        return recipes.signed(value)
    wide = recipes.binary("sub", recipes.cast(value, DType.I16), Splat(number, DType.I16, value.shape))
    return recipes.cast(wide, storage)


def requantized(rw: Rewriter, x: Value, element: QuantType) -> Value:
    return rw.emit(core.Requantize(x, element=element, lo=element.qmin, hi=element.qmax)).y


PATTERNS = (
    quantized_constant,
    picked_from_quantized,
    constant_signed,
    narrow_as_bytes,
    blocks_last,
    cast_back,
    sign_in_front,
    shift_back,
    quantize_signed,
    dequantize_signed,
)
