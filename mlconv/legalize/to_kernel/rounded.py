"""Ops over quantized tensors that say how they round: sums of integer products with their rounding behind them, maps
and reductions of integers.  To the bit what `eval` of these ops computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import Rounded
from mlconv.dialects.core.rounding import factors, fixed_point, narrowed, ratios
from mlconv.dialects.kernel import ProductTypes, View
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_kernel.arithmetic import Arithmetic, totals
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes
from mlconv.legalize.to_kernel.convolutions import channels_last, convolution
from mlconv.legalize.to_kernel.integers import (
    BYTE,
    clamped,
    handle_of,
    limited_integer,
    plain,
    rounded_number,
    zero_of,
)
from mlconv.legalize.to_kernel.products import product_of
from mlconv.legalize.to_kernel.shared_weights import stored
from mlconv.rewrite import Rules

RULES = Rules()
_INT32 = 1 << 31


@RULES.rule(core.QuantConv)
def quant_conv(op: core.QuantConv, e: KernelBuilder) -> Value:
    """Channels last; padding is the zero point."""
    order = channels_last(len(op.strides))
    if op.x_layout != order or op.y_layout != order:
        return _in_order(op, order, e)
    outputs = op.w_layout.index("O")
    depth = product(d for i, d in enumerate(sizes(op.w)) if i != outputs)
    if _can_fold(op.w, op.bias):
        by_channels = op.groups > 1 and op.groups == sizes(op.x)[-1]
        arithmetic = _folded(op, (op.x, op.w), op.bias, outputs, e, tiles=not by_channels)
    elif op.groups == 1 and _has_plain_sums(op, depth):
        x_zero, w_zero = _zeros(op.x, e), _zeros(op.w, e)
        total = op.unrounded(core.IntegerConv, plain(op.x, e), plain(op.w, e), x_zero=x_zero, w_zero=w_zero)
        return _rounded(op, e.y(total), _centred(op, (op.x, op.w), op.bias, depth, e), e)
    else:
        arithmetic = _centred(op, (op.x, op.w), op.bias, depth, e)
    return convolution(op, plain(op.x, e), plain(op.w, e), arithmetic, e)


def _in_order(op: core.QuantConv, order: str, e: KernelBuilder) -> Value:
    """The same with channels last, between transpositions of the integers."""
    x = e.transpose(plain(op.x, e), tuple(op.x_layout.index(c) for c in order))
    typed = e.y(core.StorageCast(x, element=quantized(op.x)))
    layouts = {"x_layout": order, "y_layout": order}
    y = e.y(core.QuantConv(typed, op.w, op.bias, **{**op.attributes, **layouts}))
    return e.transpose(plain(y, e), tuple(order.index(c) for c in op.y_layout))


@RULES.rule(core.QuantMatMul)
def quant_matmul(op: core.QuantMatMul, e: KernelBuilder) -> Value:
    """Weights are packed as they are stored; activations are centred before they are multiplied."""
    if op.b.tensor.rank == 2 and _can_fold(op.b, op.bias):
        arithmetic = _folded(op, (op.a, op.b), op.bias, 0 if op.transpose_b else 1, e)
        return product_of(op, (plain(op.a, e), plain(op.b, e)), arithmetic, op.y.tensor.stored, e)
    depth = sizes(op.a)[-2 if op.transpose_a else -1]
    arithmetic = _centred(op, (op.a, op.b), op.bias, depth, e)
    if op.b.tensor.rank == 2 and _has_plain_sums(op, depth):
        a_zero, b_zero = _zeros(op.a, e), _zeros(op.b, e)
        turned = {"transpose_a": op.transpose_a, "transpose_b": op.transpose_b}
        total = core.IntegerMatMul(plain(op.a, e), plain(op.b, e), a_zero=a_zero, b_zero=b_zero, **turned)
        return _rounded(op, e.y(total), arithmetic, e)
    values = [plain(op.a, e), plain(op.b, e)]
    if all(v.tensor.dtype.bits <= BYTE for v in values):
        values = [_less(v, zero, e) for v, zero in zip(values, arithmetic.zeros, strict=True)]
        types = arithmetic.types._replace(x=values[0].tensor.dtype, weights=values[1].tensor.dtype)
        arithmetic = arithmetic._replace(types=types, zeros=(0, 0))
    return product_of(op, (values[0], values[1]), arithmetic, op.y.tensor.stored, e)


def _has_plain_sums(op: core.QuantConv | core.QuantMatMul, depth: Size) -> bool:
    """Weights are constants with a zero point, and sums are those of ops over plain integers."""
    x, w = op.inputs[:2]
    bias = None if op.bias is None else handle_of(op.bias)
    is_known = handle_of(w) is not None and x.tensor.dtype is DType.I8
    return is_known and _sums(depth, (x, w), bias, op.bias is None) is DType.I32


def _zeros(value: Value, e: KernelBuilder) -> Value:
    """The zero point of integers."""
    return e.constant(Splat(zero_of(quantized(value)), value.tensor.dtype, ()))


def _rounded(op: Rounded, total: Value, arithmetic: Arithmetic, e: KernelBuilder) -> Value:
    """What becomes of sums."""
    shape = sizes(total)

    def build(x: Expr) -> int:
        x.load(total, broadcast(shape, shape))
        arithmetic.finish(x, View(0, (*(0,) * (len(shape) - 1), 1)))
        return len(x.code) - 1

    return e.map(op.result.tensor.stored, build)


def _less(value: Value, zero: int, e: KernelBuilder) -> Value:
    """Integers of 8 bits less a zero point, in 16 bits where there is one."""
    if not zero and value.tensor.dtype is DType.I8:
        return value
    shape = sizes(value)

    def build(x: Expr) -> int:
        return x.with_number("sub", x.cast(x.load(value, broadcast(shape, shape)), DType.I16), zero)

    return e.map(value.tensor.with_dtype(DType.I16), build)


def _can_fold(w: Value, bias: Value | None) -> bool:
    """What zero points add to a sum is known at conversion time, but for the sum itself."""
    known = handle_of(w) is not None and (bias is None or handle_of(bias) is not None)
    return known and not zero_of(quantized(w))


def _folded(
    op: Rounded, factors_: tuple[Value, Value], bias: Value | None, outputs: int, e: KernelBuilder, tiles: bool = True
) -> Arithmetic:
    """Products of the integers as they are stored, or of what they are without a sign: sum((x - zero) w) = sum((x + s)
    w) - (zero + s) sum(w), of which the last is a part of the bias.  outputs: axis of the output channels of w, a
    constant.  tiles: by register tiles.
    """
    (x, w), integers, padding = factors_, None if bias is None else handle_of(bias), zero_of(quantized(factors_[0]))
    shift = recipes.SIGN if e.forms.unsigned and tiles and x.tensor.dtype is DType.I8 else 0
    number, weights = padding + shift, handle_of(w)
    assert weights is not None
    depth = math.prod(n for i, n in enumerate(weights.shape) if i != outputs)
    sums = _sums(depth, factors_, integers)
    vector = None if integers is None else recipes.cast(integers, sums)
    moved: tuple[Value, int] | None = None
    if number and stored(w) in e.forms.shared.zeros:
        moved = e.constant(totals(weights, outputs, sums)), number
    elif number:
        channels = (weights.shape[outputs],)
        zero, nothing = (Splat(np.asarray(n, sums.numpy), sums, channels) for n in (number, 0))
        added = recipes.binary("mul", recipes.total_of_each(weights, outputs, sums), zero)
        vector = recipes.binary("sub", nothing if vector is None else vector, added)
    types = ProductTypes(x.tensor.dtype, w.tensor.dtype, sums, op.element.storage)
    if tiles and types.x is types.weights is DType.I8 and sums is DType.I32:
        types = types._replace(places=e.forms.places)
    finish = _finish(op, None if vector is None else e.constant(vector), x, w, e, moved)
    return Arithmetic(types, finish, padding=padding, shift=shift)


def _centred(
    op: Rounded, factors_: tuple[Value, Value], bias: Value | None, depth: Size, e: KernelBuilder
) -> Arithmetic:
    """Products of the integers less their zero points."""
    x, w = factors_
    sums = _sums(depth, factors_, None if bias is None else handle_of(bias), bias is None)
    types = ProductTypes(x.tensor.dtype, w.tensor.dtype, sums, op.element.storage)
    finish = _finish(op, None if bias is None else plain(bias, e), x, w, e)
    zeros = zero_of(quantized(x)), zero_of(quantized(w))
    return Arithmetic(types, finish, zeros, zeros[0])


def _sums(depth: Size, values: Sequence[Value], bias: Const | None, is_known: bool = True) -> DType:
    """int32 where it holds every sum and the bias behind it.  is_known: there is no bias besides."""
    if not isinstance(depth, int) or not (is_known or bias is not None):
        return DType.I64
    largest = math.prod(1 << v.tensor.dtype.bits for v in values)
    most = 0 if bias is None or not bias.nbytes else int(np.abs(bias.view().astype(np.int64)).max())
    return DType.I32 if depth * largest + most < _INT32 else DType.I64


def _finish(
    op: Rounded,
    bias: Value | None,
    x: Value,
    w: Value,
    e: KernelBuilder,
    moved: tuple[Value, int] | None = None,
) -> Callable[[Expr, View], None]:
    """What becomes of a sum: the bias is added, then it is rounded.  moved: a vector and a number, whose product is
    taken off first.
    """
    round_ = _rounding(op, x, w, e)

    def finish(after: Expr, along: View) -> None:
        last = len(after.code) - 1
        if moved is not None:
            total = after.cast(after.load(moved[0], along), after.code[last].dtype)
            last = after.op("sub", last, after.with_number("mul", total, moved[1]))
        if bias is not None:
            last = after.op("add", last, after.cast(after.load(bias, along), after.code[last].dtype))
        round_(after, last, along)

    return finish


Rounding = Callable[[Expr, int, View], int]  # of a sum, with numbers for each channel


def _rounding(op: Rounded, x: Value, w: Value, e: KernelBuilder) -> Rounding:
    """As `rescaled`, `rescale_twice` and `rescale_far` of `dialects.core.rounding` do it."""
    quants = quantized(x), quantized(w), op.element
    if isinstance(op, core.QuantConv) and op.twice:
        return _by_twice(op, [fixed_point(float(r)) for r in _few(ratios(*quants))], e)
    if x.tensor.dtype is not DType.I16 and stored(w) in e.forms.shared.scales:
        return _by_scales(op, *quants[:2], e)
    if x.tensor.dtype is not DType.I16:
        return _by_float32(op, _few(factors(*quants)), e)
    if isinstance(op, core.QuantMatMul) and w.tensor.dtype is DType.I8:
        return _by_float64(op, _few(ratios(*quants)), e)
    pairs = [fixed_point(float(r)) for r in _few(ratios(*quants))]
    return _by_int64(op, [narrowed(q) for q, _ in pairs], [15 - shift for _, shift in pairs], e)


def _few(numbers: Array) -> Array:
    """One number where all are the same."""
    flat = numbers.reshape(-1)
    return flat[:1] if (flat == flat[0]).all() else flat


def _numbers(numbers: Sequence[float] | Array, dtype: DType, e: KernelBuilder) -> Callable[[Expr, View], int]:
    """One number, or one for each channel."""
    table = e.constant(np.asarray(numbers, dtype.numpy)) if len(numbers) > 1 else None

    def read(made: Expr, along: View) -> int:
        number = np.asarray(numbers[0], dtype.numpy).item()
        return made.const(dtype, number) if table is None else made.load(table, along)

    return read


def _by_scales(op: Rounded, x: QuantType, w: QuantType, e: KernelBuilder) -> Rounding:
    """As `_by_float32`, with `factors` of the scales of weights, which products share, and the two others."""
    scales = e.constant(w.scales.reshape((w.scales.size,)))
    of_x, of_y = (np.float32(q.scales.view()).item() for q in (x, op.element))

    def emit(made: Expr, total: int, along: View) -> int:
        number = made.with_number("mul", made.load(scales, along), of_x)
        number = made.with_number("div", number, of_y)
        return rounded_number(op, made, made.op("mul", made.cast(total, DType.F32), number), zero_of(op.element))

    return emit


def _by_float32(op: Rounded, scale: Array, e: KernelBuilder) -> Rounding:
    read = _numbers(scale, DType.F32, e)

    def emit(made: Expr, total: int, along: View) -> int:
        number = read(made, along)
        return rounded_number(op, made, made.op("mul", made.cast(total, DType.F32), number), zero_of(op.element))

    return emit


def _by_float64(op: Rounded, scale: Array, e: KernelBuilder) -> Rounding:
    """Halves away from zero."""
    read = _numbers(scale, DType.F64, e)

    def emit(made: Expr, total: int, along: View) -> int:
        y = made.op("mul", made.cast(total, DType.F64), read(made, along))
        negative = made.op("less", y, made.const(DType.F64, 0.0), dtype=DType.BOOL)
        half = made.op("select", negative, made.const(DType.F64, -0.5), made.const(DType.F64, 0.5), dtype=DType.F64)
        whole = clamped(made, made.op("trunc", made.op("add", y, half)), op.lo, op.hi)
        return made.op("nearest", made.cast(whole, DType.F32), dtype=op.element.storage)

    return emit


def _by_twice(op: Rounded, factors_: Sequence[tuple[int, int]], e: KernelBuilder) -> Rounding:
    """To the power of two of a factor, and to integers, halves up."""
    bits = [number << max(shift, 0) for number, shift in factors_]
    factor = _numbers(bits, DType.I32 if max(bits) < _INT32 else DType.I64, e)
    shift = _numbers([max(-shift, 0) for _, shift in factors_], DType.I8, e)

    def emit(made: Expr, total: int, along: View) -> int:
        number, places = (made.cast(read(made, along), DType.I64) for read in (factor, shift))
        product_ = made.op("mul", made.cast(total, DType.I64), number)
        whole = made.with_number("shr", made.with_number("add", product_, 1 << 30), 31)
        half = made.with_number("shr", made.op("shl", made.const(DType.I64, 1), places), 1)
        rounded = made.op("shr", made.op("add", whole, half), places)
        return limited_integer(op, made, made.with_number("add", rounded, zero_of(op.element)))

    return emit


def _by_int64(op: Rounded, bits: Sequence[int], shifts: Sequence[int], e: KernelBuilder) -> Rounding:
    """Halves up."""
    factor, shift = _numbers(bits, DType.I16, e), _numbers(shifts, DType.I8, e)

    def emit(made: Expr, total: int, along: View) -> int:
        number, places = (made.cast(read(made, along), DType.I64) for read in (factor, shift))
        half = made.op("shl", made.const(DType.I64, 1), made.with_number("sub", places, 1))
        product_ = made.op("mul", made.cast(total, DType.I64), number)
        return limited_integer(op, made, made.op("shr", made.op("add", product_, half), places))

    return emit
