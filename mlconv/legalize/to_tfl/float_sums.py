"""Sums of products of plain integers that are read as floats: computed as floats, which have them without casts.

What is quantized by its own range (ONNX DynamicQuantizeLinear) stays the whole number that it is before it is a byte.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import MAX_RANK
from mlconv.legalize.to_tfl.integer_products import EXACT, image, signed, stored_numbers, sums_of_stored, total, weights
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, constant_array
from mlconv.rewrite.whole_numbers import OwnRange, in_4_bits, is_whole, own_range, whole_source

RULES = Rules()
_MOVING = (core.Transpose, core.Reverse)
_LARGEST = 1 << 20  # bytes of weights that XNNPACK may hold as floats, four times as fast as BATCH_MATMUL of int8
_MOST = 255  # of a byte, less its zero point


@RULES.rule(core.Cast)
def floats_of_sums(op: core.Cast, e: TflBuilder) -> Value | NoMatch:
    """Convolutions; matrices: small ones and those with a zero point; others where float32 has their sums."""
    made = op.x.producer
    if op.dtype is not DType.F32 or not op.x.has_one_use:
        return NOT_MEANT
    if isinstance(made, core.IntegerConv):
        found = _found(made.x, made.x_zero)
        x = image(made, e) if found is None else _centred(made.x, found, e)
        return e.y(core.Conv(x, weights(made, e), **made.attributes))
    return _matrices(made, e) if isinstance(made, core.IntegerMatMul) else NOT_MEANT


def _found(x: Value, zero: Value | None) -> OwnRange | None:
    made = x.producer
    return _found(made.x, zero) if isinstance(made, _MOVING) else own_range(x, zero)


def _centred(x: Value, found: OwnRange, e: TflBuilder) -> Value:
    """Steps from 0: no more than 255 above the least one."""
    made = x.producer
    if isinstance(made, _MOVING):
        return e.y(type(made)(_centred(made.x, found, e), **made.attributes))
    if found.low is None:
        return found.steps
    least = e.y(core.Round(e.y(core.Div(found.low, found.step))))
    most = e.y(core.Add(least, e.asarray(_MOST, least)))
    return e.y(core.Minimum(found.steps, most))


def _matrices(op: core.IntegerMatMul, e: TflBuilder) -> Value | NoMatch:
    a, b, stored = op.a, op.b, const_of(op.b)
    if stored is None or max(len(shape_of(v)) for v in (a, b)) > MAX_RANK["matmul"]:
        return NoMatch("no known weights")
    found = _found(a, op.a_zero)
    if found is None:
        return _of_4_bits(op, stored, e)
    zeros = np.zeros(()) if op.b_zero is None else constant_array(op.b_zero)
    if stored.dtype is DType.U8 or zeros is None or zeros.any() or stored.nbytes <= _LARGEST:
        axis = len(stored.shape) - (2 if op.transpose_b else 1)
        if zeros is None or zeros.size not in (1, stored.shape[axis]):
            return NoMatch("weights have a zero point for each row")
        points = zeros.reshape(-1) if zeros.size > 1 else zeros.reshape(())
        numbers = stored_numbers(stored, points, axis, e)
        centred = _centred(a, found, e)
        return e.y(core.MatMul(centred, numbers, transpose_a=op.transpose_a, transpose_b=op.transpose_b))
    depth = stored.shape[-1 if op.transpose_b else -2]
    if stored.dtype is not DType.I8 or depth * _MOST * 128 > EXACT:
        return NoMatch(f"float32 has no sums of {depth} products")
    sums = sums_of_stored(op, signed(a, e), b, e)
    read = e.cast(sums, DType.F32)
    columns = constant_array(total(b, b.tensor.rank or 2, op.transpose_b, 1, e))
    if columns is None:
        raise refuse("weights are not known")
    zero = None if op.a_zero is None else whole_source(op.a_zero)
    if zero is None:  # -128
        return e.y(core.Add(read, e.constant(columns.astype(np.float32) * recipes.SIGN)))
    return e.y(core.Sub(read, e.y(core.Mul(zero, e.constant(columns.astype(np.float32))))))


def _of_4_bits(op: core.IntegerMatMul, stored: Const, e: TflBuilder) -> Value | NoMatch:
    """Whole numbers times weights of 4 bits, which products of integers do not take as they are (batch_matmul.cc)."""
    numbers = _within_bytes(op.a)
    if numbers is None or op.a_zero is not None or op.b_zero is not None:
        return NoMatch("no floats that are quantized by their own range, nor bytes that are whole numbers")
    narrow, depth = in_4_bits(stored), stored.shape[-1 if op.transpose_b else -2]
    if narrow is None or len(stored.shape) != 2 or depth * 128 * 8 > EXACT:
        return NoMatch("no weights of 4 bits whose sums float32 has")
    weights = e.constant(narrow, element=QuantType.of(DType.I4, 1.0))
    options = {"transpose_a": op.transpose_a, "transpose_b": op.transpose_b}
    return e.y(core.MatMul(numbers, e.y(core.Dequantize(weights)), **options))


def _within_bytes(x: Value) -> Value | None:
    """The whole numbers that int8 is made of, none of which lies outside of it."""
    made = x.producer
    if not isinstance(made, core.Cast) or (made.x.tensor.dtype, made.dtype) != (DType.F32, DType.I8):
        return None
    if not is_whole(made.x):
        return None
    limited = made.x.producer
    return made.x if isinstance(limited, core.Clamp) and limited.lo >= -128 and limited.hi <= 127 else None
