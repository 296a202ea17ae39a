"""Sums of products of plain integers: register tiles over weights as they are stored, the zero points of x taken off
before, those of the weights by sums of x behind.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import ProductTypes, View
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import Arithmetic, totals
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder
from mlconv.legalize.to_kernel.convolutions import channels_last, convolution
from mlconv.legalize.to_kernel.integers import BYTE
from mlconv.legalize.to_kernel.products import product_of
from mlconv.rewrite import Rules
from mlconv.rewrite.fold import constant_array

RULES = Rules()
_DEPTH = 64  # of products from which on four bytes more for each column of weights are few


def _finish(after: Expr, along: View) -> None:
    """Sums stay as they are."""


def _sums(x: Value, w: Value, zero: int = 0) -> Arithmetic:
    types = ProductTypes(x.tensor.dtype, w.tensor.dtype, DType.I32, DType.I32)
    return Arithmetic(types, _finish, (0, zero))


def _less(x: Value, zero: Value | None, e: KernelBuilder) -> Value:
    """Integers less their zero points, in 16 bits where there are any, or there is no sign."""
    known = None if zero is None else constant_array(zero)
    if x.tensor.dtype is not DType.U8 and (zero is None or (known is not None and not known.any())):
        return x
    wide = e.y(core.Cast(x, dtype=DType.I16))
    return wide if zero is None else e.y(core.Sub(wide, e.y(core.Cast(zero, dtype=DType.I16))))


def _stored(w: Const, zero: Value | None) -> tuple[Const, Array | None] | None:
    """Constant weights with a sign, and the zero points that they have then, int32, where there are any; None for
    those whose zero points are data.
    """
    known = None if zero is None else constant_array(zero)
    if zero is not None and known is None:
        return None
    zeros = np.zeros((), np.int32) if known is None else known.astype(np.int32)
    if w.dtype is DType.U8:
        w, zeros = recipes.signed(w), zeros - recipes.SIGN
    return w, zeros if zeros.any() else None


@RULES.rule(core.IntegerMatMul)
def integer_matmul(op: core.IntegerMatMul, e: KernelBuilder) -> Value:
    """(a - za)(b - zb) = (a - za) b - zb times the sums of the rows of a - za."""
    weights, rest = const_of(op.b), None
    stored = None if weights is None else _stored(weights, op.b_zero)
    if stored is not None and _has_bytes(op, stored[0]):
        return _product_of_bytes(op, *stored, e)
    if weights is None and _are_bytes(op):
        return _product_of_data(op, e)
    a = _less(op.a, op.a_zero, e)
    if stored is None:
        b = _less(op.b, op.b_zero, e)
    else:
        b, zeros = e.constant(stored[0]), stored[1]
        rest = None if zeros is None else _of_rows(op, a, zeros, e)
    y = product_of(op, (a, b), _sums(a, b), op.y.tensor, e)
    return y if rest is None else e.y(core.Sub(y, rest))


def _has_bytes(op: core.IntegerMatMul, weights: Const) -> bool:
    """Both factors are, the second a matrix of constants of some depth, and zero points of rows of the first stand
    where rows do.
    """
    turned = op.transpose_a and op.a_zero is not None and bool(op.a_zero.tensor.rank)
    matrix = len(weights.shape) == 2 and weights.shape[int(op.transpose_b)] >= _DEPTH
    return op.a.tensor.dtype.bits == weights.dtype.bits == BYTE and matrix and not turned


def _product_of_bytes(op: core.IntegerMatMul, weights: Const, zeros: Array | None, e: KernelBuilder) -> Value:
    """Bytes are multiplied as they are stored, or without a sign where the machine wants them so: sum((a - za) b) =
    sum((a + s) b) - (s + za) sum(b), of which the last is known but for za.
    """
    shift = recipes.SIGN if e.forms.unsigned else 0
    a, zero = _with_sign(op.a, op.a_zero, e)
    b = e.constant(weights)
    y = product_of(op, (a, b), _sums(a, b)._replace(shift=shift), op.y.tensor, e)
    columns = e.y(core.Cast(e.constant(totals(weights, 1 - int(op.transpose_b), DType.I32)), dtype=DType.I32))
    if zero is not None or shift:
        number = e.constant(_number(shift)) if zero is None else e.y(core.Add(zero, e.constant(_number(shift))))
        y = e.y(core.Sub(y, e.y(core.Mul(number, columns))))
    if zeros is None:
        return y
    return e.y(core.Sub(y, _of_rows(op, a if zero is None else _centred_rows(a, zero, e), zeros, e)))


def _are_bytes(op: core.IntegerMatMul) -> bool:
    """Both factors are, none of them constant, of some depth, and neither is stored transposed."""
    depth = (op.a.tensor.shape or (0,))[-1]
    narrow = op.a.tensor.dtype.bits == op.b.tensor.dtype.bits == BYTE and const_of(op.a) is None
    return narrow and not (op.transpose_a or op.transpose_b) and not (isinstance(depth, int) and depth < _DEPTH)


def _product_of_data(op: core.IntegerMatMul, e: KernelBuilder) -> Value:
    """Bytes are multiplied as they are stored, or with the sign that the machine wants: sum((a - za) (b - zb)) =
    sum((a + s) b) - (s + za) sum(b) - zb sum(a - za), of which only products that are not by 0 are there.
    """
    shift = recipes.SIGN if e.forms.unsigned else 0
    (a, za), (b, zb) = _with_sign(op.a, op.a_zero, e), _with_sign(op.b, op.b_zero, e)
    y = product_of(op, (a, b), _sums(a, b)._replace(shift=shift), op.y.tensor, e)
    rank_a, rank_b = op.a.tensor.rank or 2, op.b.tensor.rank or 2
    if not _is_number(op.a, op.a_zero, -shift):
        number = e.constant(_number(shift)) if za is None else e.y(core.Add(za, e.constant(_number(shift))))
        columns = e.y(core.ReduceSum(e.y(core.Cast(b, dtype=DType.I32)), axes=(rank_b - 2,), keepdims=True))
        y = e.y(core.Sub(y, e.y(core.Mul(number, columns))))
    if zb is None or _is_number(op.b, op.b_zero, 0):
        return y
    rows = e.y(core.Cast(a, dtype=DType.I32)) if za is None else _centred_rows(a, za, e)
    rows = e.y(core.ReduceSum(rows, axes=(rank_a - 1,), keepdims=True))
    return e.y(core.Sub(y, e.y(core.Mul(rows, zb))))


def _is_number(x: Value, zero: Value | None, number: int) -> bool:
    """All zero points that x has as int8 are this number."""
    known = np.zeros((), np.int32) if zero is None else constant_array(zero)
    moved = recipes.SIGN if x.tensor.dtype is DType.U8 else 0
    return known is not None and bool((known.astype(np.int32) - moved == number).all())


def _with_sign(x: Value, zero: Value | None, e: KernelBuilder) -> tuple[Value, Value | None]:
    """Bytes as int8, and their zero point as int32, where there is one."""
    wide = None if zero is None else e.y(core.Cast(zero, dtype=DType.I32))
    if x.tensor.dtype is not DType.U8:
        return x, wide
    sign = _number(recipes.SIGN)
    x = e.y(core.Cast(e.y(core.Sub(e.y(core.Cast(x, dtype=DType.I32)), e.constant(sign))), dtype=DType.I8))
    return x, e.constant(_number(-recipes.SIGN)) if wide is None else e.y(core.Sub(wide, e.constant(sign)))


def _centred_rows(a: Value, zero: Value, e: KernelBuilder) -> Value:
    return e.y(core.Sub(e.y(core.Cast(a, dtype=DType.I32)), zero))


def _number(number: int) -> Const:
    return Splat(number, DType.I32, ())


def _of_rows(op: core.IntegerMatMul, a: Value, zeros: Array, e: KernelBuilder) -> Value:
    """Sums of the rows of a times zero points of columns."""
    rank = a.tensor.rank or 2
    turned = e.transpose(a, (*range(rank - 2), rank - 1, rank - 2)) if op.transpose_a else a
    sums = e.y(core.ReduceSum(e.y(core.Cast(turned, dtype=DType.I32)), axes=(rank - 1,), keepdims=True))
    columns = np.swapaxes(zeros, -1, -2) if op.transpose_b and zeros.ndim > 1 else zeros
    return e.y(core.Mul(sums, _short(columns, e)))


def _short(zeros: Array, e: KernelBuilder) -> Value:
    """Zero points as int32, which are stored in as few bits as hold them."""
    fits = (t for t in (np.int8, np.int16, np.int32) if (zeros.astype(t) == zeros).all())
    return e.y(core.Cast(e.constant(np.ascontiguousarray(zeros, next(fits))), dtype=DType.I32))


@RULES.rule(core.IntegerConv)
def integer_conv(op: core.IntegerConv, e: KernelBuilder) -> Value:
    """Channels last; zero points of weights by the sums of the windows, loops where there are groups."""
    order = channels_last(len(op.strides))
    if op.x_layout != order or op.y_layout != order:
        x = e.transpose(op.x, tuple(op.x_layout.index(c) for c in order))
        layouts = {"x_layout": order, "y_layout": order}
        y = e.y(core.IntegerConv(x, op.w, x_zero=op.x_zero, w_zero=op.w_zero, **{**op.attributes, **layouts}))
        return e.transpose(y, tuple(order.index(c) for c in op.y_layout))
    x, weights = _less(op.x, op.x_zero, e), const_of(op.w)
    stored = None if weights is None else _stored(weights, op.w_zero)
    if stored is None:
        w = _less(op.w, _of_outputs(op, e), e)
        return convolution(op, x, w, _sums(x, w), e)
    w, zeros = e.constant(stored[0]), stored[1]
    if zeros is None:
        return _convolved(op, x, stored[0], e)
    if op.groups == 1:
        y = convolution(op, x, w, _sums(x, w), e)
        return e.y(core.Sub(y, e.y(core.Mul(_of_windows(op, x, e), _short(zeros, e)))))
    if zeros.size == 1:
        return convolution(op, x, w, _sums(x, w, int(zeros.reshape(-1)[0])), e)
    w = e.constant(_centred(stored[0], zeros, op.w_layout.index("O")))
    return convolution(op, x, w, _sums(x, w), e)


def _convolved(op: core.IntegerConv, x: Value, weights: Const, e: KernelBuilder) -> Value:
    """Bytes without a sign where the machine wants them so."""
    w = e.constant(weights)
    narrow = x.tensor.dtype is weights.dtype is DType.I8 and op.groups == 1
    shift = recipes.SIGN if e.forms.unsigned and narrow else 0
    y = convolution(op, x, w, _sums(x, w)._replace(shift=shift), e)
    if not shift:
        return y
    columns = totals(weights, op.w_layout.index("O"), DType.I32)
    if columns.dtype is DType.I32:
        return e.y(core.Sub(y, e.constant(recipes.binary("mul", columns, Splat(shift, DType.I32, columns.shape)))))
    wide = e.y(core.Cast(e.constant(columns), dtype=DType.I32))
    return e.y(core.Sub(y, e.y(core.Mul(wide, e.constant(_number(shift))))))


def _of_windows(op: core.IntegerConv, x: Value, e: KernelBuilder) -> Value:
    """Sums of the windows of x, in one channel."""
    shape = tuple(1 if c == "O" else d for c, d in zip(op.w_layout, op.w.tensor.shape or (), strict=True))
    ones = e.constant(Splat(1, DType.I8, tuple(d for d in shape if isinstance(d, int))))
    return e.y(core.IntegerConv(x, ones, **op.attributes))


def _of_outputs(op: core.IntegerConv, e: KernelBuilder) -> Value | None:
    """Zero points of weights, so that they broadcast against them."""
    zero = op.w_zero
    if zero is None or not zero.tensor.rank:
        return zero
    outputs = (op.w.tensor.shape or ())[op.w_layout.index("O")]
    return e.reshape(zero, tuple(outputs if c == "O" else 1 for c in op.w_layout))


def _centred(w: Const, zeros: Array, axis: int) -> Const:
    """Weights less zero points of output channels, int16."""
    rows = []
    for i, zero in enumerate(zeros.tolist()):
        begin, end = [0] * len(w.shape), list(w.shape)
        begin[axis], end[axis] = i, i + 1
        row = recipes.cast(recipes.slices(w, tuple(begin), tuple(end)), DType.I16)
        rows.append(recipes.binary("sub", row, Splat(zero, DType.I16, row.shape)))
    return recipes.concat(tuple(rows), axis)
