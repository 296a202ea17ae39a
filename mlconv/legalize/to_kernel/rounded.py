"""Ops over quantized tensors that say how they round: sums of integer products with their rounding behind them, maps
and reductions of integers.  To the bit what `eval` of these ops computes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.quant import quantized
from mlconv.dialects.core.rounded_base import Rounded, per_tensor
from mlconv.dialects.core.rounding import factors
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import LoopNestOp, ProductTypes, Step, View, dense
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_kernel.arithmetic import Arithmetic
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, refuse, sizes
from mlconv.legalize.to_kernel.convolutions import channels_last, convolution
from mlconv.legalize.to_kernel.products import product_of
from mlconv.rewrite import Rules

RULES = Rules()
_INT32 = 1 << 31
_BYTE = 8  # bits of integers that an int32 has room for


@RULES.rule(core.StorageCast)
def storage_cast(op: core.StorageCast, e: KernelBuilder) -> Value:
    """Kernels know integers only."""
    return op.x


@RULES.rule(core.QuantConv)
def quant_conv(op: core.QuantConv, e: KernelBuilder) -> Value:
    """Channels last; padding is the zero point."""
    order = channels_last(len(op.strides))
    if op.x_layout != order or op.y_layout != order:
        return _in_order(op, order, e)
    outputs = op.w_layout.index("O")
    depth = product(d for i, d in enumerate(sizes(op.w)) if i != outputs)
    if _can_fold(op.w, op.bias):
        arithmetic = _folded(op, (op.x, op.w), op.bias, outputs, e)
    else:
        arithmetic = _centred(op, (op.x, op.w), op.bias, depth, e)
    return convolution(op, _plain(op.x, e), _plain(op.w, e), arithmetic, e)


def _in_order(op: core.QuantConv, order: str, e: KernelBuilder) -> Value:
    """The same with channels last, between transpositions of the integers."""
    x = e.transpose(_plain(op.x, e), tuple(op.x_layout.index(c) for c in order))
    typed = e.y(core.StorageCast(x, element=quantized(op.x)))
    layouts = {"x_layout": order, "y_layout": order}
    y = e.y(core.QuantConv(typed, op.w, op.bias, **{**op.attributes, **layouts}))
    return e.transpose(_plain(y, e), tuple(order.index(c) for c in op.y_layout))


@RULES.rule(core.QuantMatMul)
def quant_matmul(op: core.QuantMatMul, e: KernelBuilder) -> Value:
    """Weights are packed as they are stored; activations are centred before they are multiplied."""
    if op.b.tensor.rank == 2 and _can_fold(op.b, op.bias):
        arithmetic = _folded(op, (op.a, op.b), op.bias, 0 if op.transpose_b else 1, e)
        return product_of(op, (_plain(op.a, e), _plain(op.b, e)), arithmetic, op.y.tensor.stored, e)
    depth = sizes(op.a)[-2 if op.transpose_a else -1]
    arithmetic = _centred(op, (op.a, op.b), op.bias, depth, e)
    values = [_plain(op.a, e), _plain(op.b, e)]
    if all(v.tensor.dtype.bits <= _BYTE for v in values):
        values = [_less(v, zero, e) for v, zero in zip(values, arithmetic.zeros, strict=True)]
        types = arithmetic.types._replace(x=values[0].tensor.dtype, weights=values[1].tensor.dtype)
        arithmetic = arithmetic._replace(types=types, zeros=(0, 0))
    return product_of(op, (values[0], values[1]), arithmetic, op.y.tensor.stored, e)


def _less(value: Value, zero: int, e: KernelBuilder) -> Value:
    """Integers of 8 bits less a zero point, in 16 bits where there is one."""
    if not zero and value.tensor.dtype is DType.I8:
        return value
    shape = sizes(value)

    def build(x: Expr) -> int:
        return x.with_number("sub", x.cast(x.load(value, broadcast(shape, shape)), DType.I16), zero)

    return e.map(value.tensor.with_dtype(DType.I16), build)


def _handle(value: Value) -> Const | None:
    """The integers of a constant."""
    made = value.producer
    return const_of(made.x if isinstance(made, core.StorageCast) else value)


def _plain(value: Value, e: KernelBuilder) -> Value:
    """The integers of a quantized tensor."""
    handle = _handle(value)
    if handle is not None:
        return e.constant(handle)
    return e.y(core.StorageCast(value, element=quantized(value).storage))


def _zero(quant: QuantType) -> int:
    """The zero point, of which there is one."""
    return int(quant.zero_array().reshape(-1)[0])


def _can_fold(w: Value, bias: Value | None) -> bool:
    """What zero points add to a sum is known at conversion time, but for the sum itself."""
    known = _handle(w) is not None and (bias is None or _handle(bias) is not None)
    return known and not _zero(quantized(w))


def _folded(
    op: Rounded, factors_: tuple[Value, Value], bias: Value | None, outputs: int, e: KernelBuilder
) -> Arithmetic:
    """Products of the integers as they are stored: sum((x - zero) w) = sum(x w) - zero sum(w), of which the last is a
    part of the bias.  outputs: axis of the output channels of w, a constant.
    """
    (x, w), integers, number = factors_, None if bias is None else _handle(bias), _zero(quantized(factors_[0]))
    weights = _handle(w)
    assert weights is not None
    axes = tuple(i for i in range(len(weights.shape)) if i != outputs)
    sums = _sums(math.prod(weights.shape[i] for i in axes), factors_, integers)
    vector = None if integers is None else recipes.cast(integers, sums)
    if number:
        channels = (weights.shape[outputs],)
        zero, nothing = (Splat(np.asarray(n, sums.numpy), sums, channels) for n in (number, 0))
        moved = recipes.binary("mul", recipes.total(weights, axes, sums), zero)
        vector = recipes.binary("sub", nothing if vector is None else vector, moved)
    types = ProductTypes(x.tensor.dtype, w.tensor.dtype, sums, op.element.storage)
    finish = _finish(op, None if vector is None else e.constant(vector), _factors(op, x, w), e)
    return Arithmetic(types, finish, padding=number)


def _centred(
    op: Rounded, factors_: tuple[Value, Value], bias: Value | None, depth: Size, e: KernelBuilder
) -> Arithmetic:
    """Products of the integers less their zero points."""
    x, w = factors_
    sums = _sums(depth, factors_, None if bias is None else _handle(bias), bias is None)
    types = ProductTypes(x.tensor.dtype, w.tensor.dtype, sums, op.element.storage)
    finish = _finish(op, None if bias is None else _plain(bias, e), _factors(op, x, w), e)
    zeros = _zero(quantized(x)), _zero(quantized(w))
    return Arithmetic(types, finish, zeros, zeros[0])


def _sums(depth: Size, values: Sequence[Value], bias: Const | None, is_known: bool = True) -> DType:
    """int32 where it holds every sum and the bias behind it.  is_known: there is no bias besides."""
    if not isinstance(depth, int) or not (is_known or bias is not None):
        return DType.I64
    largest = math.prod(1 << v.tensor.dtype.bits for v in values)
    most = 0 if bias is None or not bias.nbytes else int(np.abs(bias.view().astype(np.int64)).max())
    return DType.I32 if depth * largest + most < _INT32 else DType.I64


def _factors(op: Rounded, x: Value, w: Value) -> Array:
    """What sums are multiplied by: one number, or one for each output channel."""
    found = factors(quantized(x), quantized(w), op.element).reshape(-1)
    return found[:1] if (found == found[0]).all() else found


def _finish(op: Rounded, bias: Value | None, scale: Array, e: KernelBuilder) -> Callable[[Expr, View], None]:
    """What becomes of a sum: the bias is added, then it is rounded."""
    table = e.constant(scale) if scale.size > 1 else None

    def finish(after: Expr, along: View) -> None:
        last = len(after.code) - 1
        if bias is not None:
            last = after.op("add", last, after.cast(after.load(bias, along), after.code[last].dtype))
        number = after.const(DType.F32, scale[0].item()) if table is None else after.load(table, along)
        _rounded(op, after, after.op("mul", after.cast(last, DType.F32), number), _zero(op.element))

    return finish


def _rounded(op: Rounded, e: Expr, x: int, zero: int) -> int:
    """clamp(rint(x), lo - zero, hi - zero) + zero of float32 x, in the storage of the result.  x is limited before it
    is rounded: the limits are integers.
    """
    if op.element.storage.bits > 2 * _BYTE:
        raise refuse(f"it rounds to {op.element.storage.display}")
    for number, opcode in ((op.lo - zero, "less"), (op.hi - zero, "greater")):
        bound = e.const(DType.F32, float(number))
        x = e.op("select", e.op(opcode, x, bound, dtype=DType.BOOL), bound, x, dtype=DType.F32)
    x = e.op("nearest", x, dtype=DType.I32)
    return e.cast(e.with_number("add", x, zero) if zero else x, op.element.storage)


def _limited(op: Rounded, e: Expr, x: int) -> int:
    """An integer in the bounds and the storage of the result."""
    for opcode, bound in (("maximum", op.lo), ("minimum", op.hi)):
        x = e.with_number(opcode, x, bound)
    return e.cast(x, op.element.storage)


@RULES.rule(core.QuantBinary)
def quant_binary(op: core.QuantBinary, e: KernelBuilder) -> Value:
    """Products round as sums of products do; sums are fixed point numbers."""
    shape, values = sizes(op.y), [_plain(v, e) for v in (op.a, op.b)]
    quants = [per_tensor(v) for v in (op.a, op.b)]
    formula = _multiplied if op.kind == "mul" else _added

    def build(x: Expr) -> int:
        loaded = [x.load(v, broadcast(sizes(v), shape)) for v in values]
        return formula(op, x, loaded, quants)

    return e.map(op.y.tensor.stored, build)


def _multiplied(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    wide = _wide(quants, 2 * _BYTE)
    numbers = [e.with_number("sub", e.cast(x, wide), _zero(q)) for x, q in zip(loaded, quants, strict=True)]
    factor = float(factors(quants[0], quants[1], op.element))
    return _rounded(op, e, e.with_number("mul", e.cast(e.op("mul", *numbers), DType.F32), factor), _zero(op.element))


def _added(op: core.QuantBinary, e: Expr, loaded: Sequence[int], quants: Sequence[QuantType]) -> int:
    """a * A +- b * B + half, shifted: the parts of it that are known are one number."""
    ratios = [np.float32(q.scales.view()) / np.float32(op.element.scales.view()) for q in quants]
    shift = 21 - math.frexp(float(max(ratios)))[1]
    first, second = (int(np.rint(np.ldexp(np.float64(r), shift))) for r in ratios)
    second = second if op.kind == "add" else -second
    wide = _wide(quants, _BYTE) if 0 < shift < 31 else DType.I64
    fixed = (1 << (shift - 1)) - _zero(quants[0]) * first - _zero(quants[1]) * second
    parts = [e.with_number("mul", e.cast(x, wide), n) for x, n in zip(loaded, (first, second), strict=True)]
    total = e.with_number("add", e.op("add", *parts), fixed)
    return _limited(op, e, e.with_number("add", e.with_number("shr", total, shift), _zero(op.element)))


def _wide(quants: Sequence[QuantType], bits: int) -> DType:
    """int32 for integers of so many bits and less."""
    return DType.I32 if all(q.storage.bits <= bits for q in quants) else DType.I64


@RULES.rule(core.Requantize)
def requantize(op: core.Requantize, e: KernelBuilder) -> Value:
    """((x - zero) * ratio + 128) >> 8: the parts of it that are known are one number."""
    shape, x, of_x = sizes(op.y), _plain(op.x, e), per_tensor(op.x)
    ratio = np.float32(of_x.scales.view()) / np.float32(op.element.scales.view())
    number = int(np.rint(np.float32(256) * ratio))
    wide = _wide([of_x], _BYTE) if number < 1 << 16 else DType.I64

    def build(made: Expr) -> int:
        scaled = made.with_number("mul", made.cast(made.load(x, broadcast(shape, shape)), wide), number)
        total = made.with_number("shr", made.with_number("add", scaled, 128 - _zero(of_x) * number), 8)
        return _limited(op, made, made.with_number("add", total, _zero(op.element)))

    return e.map(op.y.tensor.stored, build)


@RULES.rule(core.QuantMean)
def quant_mean(op: core.QuantMean, e: KernelBuilder) -> Value:
    """rint(sum * ratio / count + offset), limited."""
    shape, x, of_x = sizes(op.x), _plain(op.x, e), per_tensor(op.x)
    axes = sorted({a % len(shape) for a in op.axes})
    kept = [a for a in range(len(shape)) if a not in axes]
    strides, extents = dense(shape), tuple(shape[a] for a in (*kept, *axes))
    count, operands = product(shape[a] for a in axes), list[Value]()
    small = isinstance(count, int) and count << of_x.storage.bits < _INT32
    body = Expr(operands)
    body.cast(body.load(x, View(0, tuple(strides[a] for a in (*kept, *axes)))), DType.I32 if small else DType.I64)
    after = Expr.after(operands, body.code[-1].dtype)
    ratio = np.float32(of_x.scales.view()) / np.float32(op.element.scales.view())
    offset = np.float32(_zero(op.element)) - np.float32(_zero(of_x)) * ratio
    factor = after.op("div", after.const(DType.F32, ratio.item()), after.size(DType.F32, count))
    total = after.op("mul", after.cast(0, DType.F32), factor)
    _rounded(op, after, after.with_number("add", total, offset.item()), 0)
    target, combine = View(0, dense(extents[: len(kept)])), "add" if axes else ""
    step = Step(extents, len(axes), combine, body.program(), after.program()[1:], target)
    return e.kernel(LoopNestOp(operands, (step,), op.y.tensor.stored))
