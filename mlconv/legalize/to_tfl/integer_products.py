"""Sums of products of plain integers.  BATCH_MATMUL has sums of int8 in int32, without zero points; convolutions of
integers are those of float32, which holds integers of 24 bits: as many products at a time as stay below.

Source: kernels/batch_matmul.cc, EvalInt8Int32.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_tfl.bits import one_step_each, tfl_type
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import MAX_RANK
from mlconv.rewrite import Rules, constant_array
from mlconv.rewrite.whole_numbers import whole_source

RULES = Rules()
EXACT = 1 << 24  # integers up to this are numbers of float32


@RULES.rule(core.IntegerMatMul)
def matmul(op: core.IntegerMatMul, e: TflBuilder) -> Value:
    """Sums of what is stored; zero points by the sums of rows and columns: ab - za sum(b) - zb sum(a) + k za zb."""
    short = all(v.tensor.dtype.bits == 8 for v in (op.a, op.b))
    rank_a, rank_b = len(shape_of(op.a)), len(shape_of(op.b))
    if not short or max(rank_a, rank_b) > MAX_RANK["matmul"]:
        return _by_int32(op, e)
    a, b = signed(op.a, e), signed(op.b, e)
    y = sums_of_stored(op, a, b, e)
    swaps = (op.transpose_a, op.transpose_b)
    za, zb = (_zero(x, z, swap, e) for x, z, swap in zip((op.a, op.b), (op.a_zero, op.b_zero), swaps, strict=True))
    if za is not None:
        y = e.y(core.Sub(y, e.y(core.Mul(za, total(b, rank_b, op.transpose_b, 1, e)))))
    if zb is not None:
        plain = op.a if op.a.tensor.dtype is DType.I8 else a
        rows = total(plain, rank_a, op.transpose_a, 0, e)
        if za is not None:
            rows = e.y(core.Sub(rows, e.y(core.Mul(za, _depth(op, rank_a, e)))))
        y = e.y(core.Sub(y, e.y(core.Mul(rows, zb))))
    return y


def sums_of_stored(op: core.IntegerMatMul, a: Value, b: Value, e: TflBuilder) -> Value:
    """BATCH_MATMUL of int8 as it is stored: where one factor has a scale of 1, the other has it too.  Constant weights
    are [channels, depth], to which the kernel would turn others, and in which rows are looked up.
    """
    element, weights = a.tensor.quant or b.tensor.quant, const_of(b)
    is_turned = weights is not None and len(weights.shape) == 2 and not op.transpose_b
    if weights is not None and is_turned:
        b = e.constant(recipes.transpose(weights, (1, 0)), element=b.tensor.quant)
    factors = [a, b] if element is None else [_under(v, element, e) for v in (a, b)]
    return e.one("BATCH_MATMUL", factors, op.y.tensor, adj_x=op.transpose_a, adj_y=op.transpose_b or is_turned)


def _under(x: Value, element: QuantType, e: TflBuilder) -> Value:
    constant = const_of(x)
    if x.tensor.quant is not None:
        return x
    return e.y(core.StorageCast(x, element=element)) if constant is None else e.constant(constant, element=element)


def _depth(op: core.IntegerMatMul, rank: int, e: TflBuilder) -> Value:
    size = shape_of(op.a)[rank - 2 if op.transpose_a else rank - 1]
    if isinstance(size, int):
        return e.i(size)
    raise refuse(f"the summed size of {op.a.type} is not known")


def total(x: Value, rank: int, swapped: bool, kept: int, e: TflBuilder) -> Value:
    """Sums along the summed axis, int32, as the other axis of the product lies: kept 0 for rows, 1 for columns."""
    axis = rank - 1 if (kept == 0) != swapped else rank - 2
    constant = const_of(x)
    if constant is None:
        sums = e.y(core.ReduceSum(e.cast(x, DType.I32), axes=(axis,), keepdims=True))
    else:
        shape = tuple(1 if i == axis else d for i, d in enumerate(constant.shape))
        sums = e.constant(recipes.total(constant, (axis,), DType.I32).reshape(shape))
    return e.transpose(sums, [*range(rank - 2), rank - 1, rank - 2]) if swapped else sums


def _zero(x: Value, zero: Value | None, swapped: bool, e: TflBuilder) -> Value | None:
    """The zero points of the signed integers, int32, that lie as the product does; None for 0."""
    moved = recipes.SIGN if x.tensor.dtype is DType.U8 else 0
    if zero is None:
        return e.i(-moved) if moved else None
    known = constant_array(zero)
    if known is not None:
        numbers = known.astype(np.int32) - moved
        if not numbers.any():
            return None
        turned = np.swapaxes(numbers, -1, -2) if swapped and numbers.ndim > 1 else numbers
        return e.constant(np.ascontiguousarray(turned))
    wide = _widened(zero, e)
    wide = e.y(core.Sub(wide, e.i(moved))) if moved else wide
    rank = wide.tensor.rank or 0
    return e.transpose(wide, [*range(rank - 2), rank - 1, rank - 2]) if swapped and rank > 1 else wide


def _widened(zero: Value, e: TflBuilder) -> Value:
    whole, dtype = whole_source(zero), zero.tensor.dtype
    if whole is None:
        return e.cast(zero, DType.I32)
    types = {"in_data_type": tfl_type(dtype), "out_data_type": tfl_type(DType.I32)}
    return e.one("CAST", [one_step_each(whole, dtype, e)], zero.tensor.with_dtype(DType.I32), **types)


def signed(x: Value, e: TflBuilder) -> Value:
    """int8 of the same places in the range."""
    whole = whole_source(x) if x.tensor.dtype is DType.I8 else None
    if whole is not None:
        return one_step_each(whole, DType.I8, e)
    if isinstance(x.producer, core.Reverse) and whole_source(x.producer.x) is not None:
        return e.y(core.Reverse(signed(x.producer.x, e), axes=x.producer.axes))
    if x.tensor.dtype is DType.I8:
        return x
    constant = const_of(x)
    if constant is not None:
        return e.constant(recipes.signed(constant))
    wide = e.y(core.Sub(e.cast(x, DType.I32), e.i(recipes.SIGN)))
    return e.cast(wide, DType.I8)


def _by_int32(op: core.IntegerMatMul, e: TflBuilder) -> Value:
    a, b = _centred(op.a, op.a_zero, e), _centred(op.b, op.b_zero, e)
    return e.y(core.MatMul(a, b, transpose_a=op.transpose_a, transpose_b=op.transpose_b))


def _centred(x: Value, zero: Value | None, e: TflBuilder) -> Value:
    """Integers less their zero points, int32."""
    wide = e.cast(x, DType.I32)
    return wide if zero is None else e.y(core.Sub(wide, e.cast(zero, DType.I32)))


@RULES.rule(core.IntegerConv)
def conv(op: core.IntegerConv, e: TflBuilder) -> Value:
    """One convolution of floats where only such are wanted of it, else one for so many input channels that it is
    exact.
    """
    x, w = image(op, e), weights(op, e)
    channels = shape_of(op.w)[op.w_layout.index("I")]
    window = [shape_of(op.w)[i] for i, c in enumerate(op.w_layout) if c not in "IO"]
    if not isinstance(channels, int) or not all(isinstance(n, int) for n in window):
        raise refuse(f"an integer convolution with the window {op.w.type}")
    area = math.prod(n for n in window if isinstance(n, int))
    most = _largest(op.x, op.x_zero) * _largest(op.w, op.w_zero) * area
    step = max(EXACT // most, 1) if most else channels
    floats = all(isinstance(user, core.Cast) and user.dtype is DType.F32 for user in op.y.users)
    if floats or step >= channels:
        return e.cast(e.y(core.Conv(x, w, **op.attributes)), DType.I32)
    if op.groups != 1 or most > EXACT:
        raise refuse(f"windows of {area} elements over {channels} channels in {op.groups} groups: float32 is not exact")
    y: Value | None = None
    for begin in range(0, channels, step):
        ends = begin, min(begin + step, channels)
        parts = _part(x, op.x_layout.index("C"), ends, e), _part(w, op.w_layout.index("I"), ends, e)
        made = e.cast(e.y(core.Conv(*parts, **op.attributes)), DType.I32)
        y = made if y is None else e.y(core.Add(y, made))
    assert y is not None
    return y


def image(op: core.IntegerConv, e: TflBuilder) -> Value:
    """The numbers of x."""
    wide = e.cast(op.x, DType.F32)
    known = None if op.x_zero is None else constant_array(op.x_zero)
    if op.x_zero is None or (known is not None and not known.any()):
        return wide
    return e.y(core.Sub(wide, e.cast(op.x_zero, DType.F32)))


def weights(op: core.IntegerConv, e: TflBuilder) -> Value:
    """The numbers of w: those of stored integers where they are constants."""
    constant, axis = const_of(op.w), op.w_layout.index("O")
    known = np.zeros(()) if op.w_zero is None else constant_array(op.w_zero)
    if constant is None or known is None or constant.dtype is DType.I16:
        wide = e.cast(op.w, DType.F32)
        if op.w_zero is None:
            return wide
        zero = e.cast(op.w_zero, DType.F32)
        if zero.tensor.rank:
            zero = e.reshape(zero, [shape_of(op.w)[axis] if c == "O" else 1 for c in op.w_layout])
        return e.y(core.Sub(wide, zero))
    return stored_numbers(constant, known, axis, e)


def stored_numbers(constant: Const, known: Array, axis: int, e: TflBuilder) -> Value:
    """Constant bytes less their zero points, one or those of an axis."""
    zeros = known.astype(np.int64)
    if constant.dtype is DType.U8:
        constant, zeros = recipes.signed(constant), zeros - recipes.SIGN
    ones = np.ones(zeros.shape, np.float32)
    element = QuantType.of(DType.I8, ones, zeros, axis if zeros.ndim else None)
    return e.y(core.Dequantize(e.constant(constant, element=element)))


def _part(x: Value, axis: int, ends: tuple[int, int], e: TflBuilder) -> Value:
    """Some channels of an image, or of stored weights."""
    stored = x.producer.x if isinstance(x.producer, core.Dequantize) else None
    constant = None if stored is None else const_of(stored)
    if stored is None or constant is None:
        return e.slice_axis(x, axis, *ends)
    begin, end = [0] * len(constant.shape), list(constant.shape)
    begin[axis], end[axis] = ends
    part = recipes.slices(constant, tuple(begin), tuple(end))
    return e.y(core.Dequantize(e.constant(part, element=stored.tensor.quant)))


def _largest(x: Value, zero: Value | None) -> int:
    """The largest size of an integer less its zero point."""
    low, high = (0, 255) if x.tensor.dtype is DType.U8 else (-128, 127)
    if x.tensor.dtype is DType.I16:
        low, high = -(1 << 15), (1 << 15) - 1
    known = np.zeros((), np.int64) if zero is None else constant_array(zero)
    if known is None:
        return high - low
    return max(int((high - known.astype(np.int64)).max()), int((known.astype(np.int64) - low).max()))
