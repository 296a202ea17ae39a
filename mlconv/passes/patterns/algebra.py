"""Elementwise algebra that holds exactly in floating point."""

from __future__ import annotations

from typing import TypeGuard

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.base import broadcast_shapes
from mlconv.dialects.core.binary import Binary
from mlconv.ir.constants import Splat
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import MATRIX
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise
from mlconv.rewrite import NoMatch, Rewriter, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_SMALL = 1 << 12


def uniform(value: Value) -> float | None:
    """The number that every element of a constant is; None for others, and for constants too large to look at."""
    producer = value.producer
    if not isinstance(producer, core.Constant):
        return None
    c = producer.value
    if c.dtype.is_complex or c.dtype is DType.STRING or c.size == 0:
        return None
    if isinstance(c, Splat):
        return float(c.value)
    if c.size > _SMALL:
        return None
    flat = c.view().reshape(-1)
    return float(flat[0]) if flat[0] == flat[-1] and np.all(flat == flat[0]) else None


@rewrite(core.Add, core.Sub, core.Mul, core.Div)
def drop_neutral_operand(op: Binary, rw: Rewriter) -> Replacement | NoMatch:
    """x * 1, x / 1, x - 0, x + 0 are x where the shape stays."""
    neutral = 1.0 if isinstance(op, (core.Mul, core.Div)) else 0.0
    pairs = [(op.a, op.b)] if isinstance(op, (core.Sub, core.Div)) else [(op.a, op.b), (op.b, op.a)]
    for x, other in pairs:
        if x.type == op.y.type and uniform(other) == neutral:
            return x
    return NoMatch("no operand is neutral")


@rewrite(core.Add, core.Sub)
def take_sign(op: core.Add | core.Sub, rw: Rewriter) -> Replacement | NoMatch:
    """a + -b is a - b, and a - -b is a + b."""
    plus = isinstance(op, core.Add)
    for x, other in ((op.a, op.b), (op.b, op.a)) if plus else ((op.a, op.b),):
        minus = other.producer
        if isinstance(minus, core.Neg) and other.tensor.quant is None and x.producer is not minus:
            rw.fuse(minus, by="take-sign")
            return rw.emit((core.Sub if plus else core.Add)(x, minus.x)).y
    return NoMatch("no operand is the negative of a value")


@rewrite(core.Neg)
def negate_twice(op: core.Neg, rw: Rewriter) -> Replacement | NoMatch:
    """-(-x) is x."""
    inner = op.x.producer
    if not isinstance(inner, core.Neg) or op.x.tensor.quant is not None:
        return NoMatch("operand is not the negative of a value")
    rw.fuse(inner, by="negate-twice")
    return inner.x


@rewrite(core.Cast)
def simplify_cast(op: core.Cast, rw: Rewriter) -> Replacement | NoMatch:
    """A cast to the own type is dropped; a cast after one that loses nothing skips it."""
    if op.x.tensor.dtype is op.dtype:
        return op.x
    inner = op.x.producer
    if isinstance(inner, core.Cast) and _is_lossless(inner.x.tensor.dtype, inner.dtype):
        rw.fuse(inner, by="join-casts")
        return rw.emit(core.Cast(inner.x, dtype=op.dtype, saturate=op.saturate)).y
    return NoMatch("operand is not a lossless cast")


@rewrite(core.Cast)
def cast_truncates(op: core.Cast, rw: Rewriter) -> Replacement | NoMatch:
    """A cast to integers of sign(x) * floor(|x|) is one of x, which leaves the fraction out itself: bounds of windows
    that PyTorch divides with `rounding_mode="trunc"`.
    """
    product = op.x.producer
    if not op.dtype.is_int or not isinstance(product, core.Mul):
        return NoMatch("no cast of a product to integers")
    for sign, whole in ((product.a.producer, product.b.producer), (product.b.producer, product.a.producer)):
        size = whole.x.producer if isinstance(whole, core.Floor) else None
        if (
            isinstance(sign, core.Sign)
            and isinstance(size, core.Abs)
            and sign.x is size.x
            and op.x.tensor.dtype.is_float
        ):
            return rw.emit(core.Cast(sign.x, dtype=op.dtype, saturate=op.saturate)).y
    return NoMatch("not of a sign and the floor of what it was taken from")


def _is_lossless(a: DType, b: DType) -> bool:
    """Every value of a is a value of b."""
    if a is DType.BOOL:
        return True
    if a.is_int and b.is_int:
        return (b.bits > a.bits and (b.is_signed_int or a.is_unsigned_int)) or (
            b.bits == a.bits and a.is_signed_int == b.is_signed_int
        )
    if a.is_float and b.is_float:
        return b is DType.F64 or (b is DType.F32 and a is not DType.F64)
    return a.is_int and ((b is DType.F64 and a.bits <= 32) or (b is DType.F32 and a.bits <= 16))


@rewrite(core.Clamp)
def merge_clamps(op: core.Clamp, rw: Rewriter) -> Replacement | NoMatch:
    """clamp(clamp(x)) has the intersection of both ranges, where they meet."""
    if op.lo == -np.inf and op.hi == np.inf:
        return op.x
    inner = op.x.producer
    if not isinstance(inner, core.Clamp):
        return NoMatch("operand is not a clamp")
    lo, hi = max(op.lo, inner.lo), min(op.hi, inner.hi)
    if lo > hi:
        return NoMatch(f"ranges [{inner.lo}, {inner.hi}] and [{op.lo}, {op.hi}] do not meet")
    rw.fuse(inner, by="merge-clamps")
    return rw.emit(core.Clamp(inner.x, lo=lo, hi=hi)).y


@rewrite(core.Maximum, core.Minimum)
def constant_bound_is_clamp(op: core.Maximum | core.Minimum, rw: Rewriter) -> Replacement | NoMatch:
    """max(x, c) and min(x, c) with one number c are clamps: the form that activations are recognised in."""
    for x, other in ((op.a, op.b), (op.b, op.a)):
        bound = uniform(other)
        if bound is not None and x.type == op.y.type and op.y.tensor.dtype.is_float and not np.isnan(bound):
            low = isinstance(op, core.Maximum)
            return rw.emit(core.Clamp(x, lo=bound if low else -np.inf, hi=np.inf if low else bound)).y
    return NoMatch("no operand is one number")


@rewrite(core.Select)
def fold_select(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """A select with a constant condition is the side that it takes, where the shape stays."""
    cond = uniform(op.cond)
    if cond is None:
        return NoMatch("condition is not one constant")
    side = op.a if cond else op.b
    return side if side.type == op.y.type else NoMatch(f"{side.type} is broadcast")


@rewrite(core.MatMul)
def column_is_row(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """A constant matrix times one column is a row times the matrix, as dense layers are."""
    matrix, column = op.a.tensor.shape, op.b.tensor.shape
    if not isinstance(op.a.producer, core.Constant) or isinstance(op.b.producer, core.Constant):
        return NoMatch("not a constant matrix times something")
    one = None if column is None or len(column) != 2 else column[0 if op.transpose_b else 1]
    if matrix is None or len(matrix) != 2 or one != 1:
        return NoMatch(f"{op.b.type} is not one column")
    e = CoreBuilder(rw)
    row = e.reshape(op.b, [1, -1])
    return e.reshape(e.y(core.MatMul(row, op.a, transpose_b=not op.transpose_a)), [-1, 1])


@rewrite(core.MatMul)
def one_matrix(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """A constant batch of one matrix is that matrix, as dense layers have it."""
    made, rank = op.b.producer, op.b.tensor.rank or 0
    if not isinstance(made, core.Constant) or made.element is not None or rank <= MATRIX:
        return NoMatch("no constant batch of matrices")
    if (op.a.tensor.rank or 0) < rank or any(n != 1 for n in made.value.shape[:-MATRIX]):
        return NoMatch(f"{op.b.type} is no batch of one matrix, or gives the result its axes")
    matrix = rw.emit(core.Constant(value=made.value.reshape(made.value.shape[-MATRIX:]))).y
    return rw.emit(core.MatMul(op.a, matrix, **op.attributes)).y


_BROADCASTING = tuple(cls for cls in core.OPS if Elementwise in cls.spec.traits and len(cls.spec.operands) > 1)


@rewrite(*_BROADCASTING)
def drop_broadcast_before_elementwise(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """An operand need not be broadcast explicitly when the other operands give the same shape."""
    for i, v in enumerate(op.operands):
        inner = None if v is None else v.producer
        if not isinstance(inner, core.BroadcastTo) and not _repeats_units(inner):
            continue
        operands = [inner.x if j == i else o for j, o in enumerate(op.operands)]
        shape = broadcast_shapes(*(o.tensor.shape for o in operands if o is not None))
        if shape is not None and shape == op.results[0].tensor.shape:
            rw.fuse(inner, by="drop-broadcast")
            return list(rw.emit(remake(op, operands)).results)
    return NoMatch("no operand is a broadcast that the others make")


def _repeats_units(op: Op | None) -> TypeGuard[core.Tile]:
    """Whether a tile repeats nothing but axes of size 1."""
    before, after = (op.x.tensor.shape, op.y.tensor.shape) if isinstance(op, core.Tile) else (None, None)
    return before is not None and after is not None and all(a in (1, b) for a, b in zip(before, after, strict=True))


@rewrite(*_BROADCASTING)
def drop_repeated_number(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """A constant of one repeated number is that number where the other operands give the shape: what is filled for
    both sides of a choice.  Vectors stay, as biases are.
    """
    for i, v in enumerate(op.operands):
        made = None if v is None else v.producer
        if not isinstance(made, core.Constant) or made.element is not None or not isinstance(made.value, Splat):
            continue
        shape = made.value.shape
        others = [o.tensor.shape for j, o in enumerate(op.operands) if o is not None and j != i]
        if sum(n > 1 for n in shape) <= 1 or broadcast_shapes(*others) != op.results[0].tensor.shape:
            continue
        one = rw.emit(core.Constant(value=made.value.reshape(()))).y
        operands = [one if j == i else o for j, o in enumerate(op.operands)]
        return list(rw.emit(remake(op, operands)).results)
    return NoMatch("no operand is a repeated number that the others give the shape")


PATTERNS = (
    drop_neutral_operand,
    take_sign,
    negate_twice,
    simplify_cast,
    cast_truncates,
    merge_clamps,
    constant_bound_is_clamp,
    fold_select,
    column_is_row,
    one_matrix,
    drop_broadcast_before_elementwise,
    drop_repeated_number,
)
