"""Factorizations of matrices: a step for each column, over all matrices of the batch at once.

Few columns are unrolled, more are a loop.  Source: tensorflow/core/kernels/linalg, which call Eigen (PartialPivLU,
LLT); LAPACK getrf pivots alike.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.repeat import repeat

_UNROLLED: Final = 4

Columns = Callable[[CoreBuilder, Value, Sequence[Value]], Sequence[Value]]


def turned(n: CoreBuilder, x: Value) -> Value:
    """Matrices transposed."""
    rank = n.rank(x)
    return n.transpose(x, [*range(rank - 2), rank - 1, rank - 2])


def each_column(n: CoreBuilder, count: Part, values: Sequence[Value], step: Columns) -> list[Value]:
    """step(builder, k, values) for every k below the count."""
    if isinstance(count, int) and count <= _UNROLLED:
        for k in range(count):
            values = step(n, n.constant(k, DType.I32), values)
        return list(values)
    return repeat(n, count, values, step)


def places(n: CoreBuilder, x: Value, axis: int) -> Value:
    """0, 1, ... along one of the last two axes, to be compared with k: int32 [rows, 1] or [columns]."""
    steps = n.cast(n.arange(n.dim(x, axis)), DType.I32)
    return n.expand_dims(steps, 1) if axis == -2 else steps


def column(n: CoreBuilder, x: Value, k: Value) -> Value:
    """Column k, with an axis of 1 behind."""
    rank = n.rank(x)
    return n.expand_dims(n.gather(x, k, axis=rank - 1), rank - 1)


def row(n: CoreBuilder, x: Value, k: Value) -> Value:
    """Row k, with an axis of 1 before the last."""
    rank = n.rank(x)
    return n.expand_dims(n.gather(x, k, axis=rank - 2), rank - 2)


def picked(n: CoreBuilder, x: Value, mask: Value, axis: int) -> Value:
    """The row or column that a mask tells, with an axis of 1."""
    return n.sum(n.where(mask, x, 0.0), (n.rank(x) + axis,), keepdims=True)


def _pivoted(n: CoreBuilder, a: Value, k: Value) -> tuple[Value, Value]:
    """Rows exchanged so that the largest number of column k, from row k on, stands at k; where it was [..., 1, 1]."""
    i = places(n, a, -2)
    size = n.where(n.less(i, k), -1.0, n.y(core.Abs(column(n, a, k))))
    best = n.y(core.ArgMax(size, axis=n.rank(a) - 2, dtype=DType.I32))
    # where all that is left is NaN, some runtimes' ArgMax is 0: rows that are done stay
    best = n.maximum(n.expand_dims(best, n.rank(a) - 1), k)
    here, there = n.equal(i, k), n.equal(i, best)
    moved = n.where(here, picked(n, a, there, -2), n.where(there, row(n, a, k), a))
    return moved, best


def lu(n: CoreBuilder, a: Value) -> tuple[Value, Value, Value]:
    """Both factors in one matrix, the order of rows [..., n] int32, and the sign of it [..., 1, 1]."""

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        m, order, sign = values
        m, best = _pivoted(b, m, k)
        i, j = places(b, m, -2), places(b, m, -1)
        here, there = b.equal(i, k), b.equal(i, best)
        other = b.sum(b.where(there, order, 0), (b.rank(order) - 2,), keepdims=True)
        mine = row(b, order, k)
        order = b.where(here, other, b.where(there, mine, order))
        sign = b.where(b.equal(best, k), sign, b.neg(sign))
        pivot = column(b, row(b, m, k), k)
        factor = b.div(column(b, m, k), pivot)
        below, rest = b.less(k, i), b.sub(m, b.mul(factor, row(b, m, k)))
        # chosen, not multiplied by zero: what is done is kept where a factor or a row is not finite
        made = b.where(b.logical_and(below, b.equal(j, k)), factor, m)
        return [b.where(b.logical_and(below, b.less(k, j)), rest, made), order, sign]

    first = n.slice_axis(a, n.rank(a) - 1, 0, 1)
    rows = n.y(core.BroadcastTo(places(n, a, -2), n.y(core.ShapeOf(first))))
    ones = n.full_like(n.slice_axis(first, n.rank(a) - 2, 0, 1), 1.0)
    made, order, sign = each_column(n, n.dim(a, -1), [a, rows, ones], step)
    return made, n.squeeze(order, n.rank(a) - 1), sign


def solved(n: CoreBuilder, a: Value, b_: Value) -> Value:
    """x of a x = b, by Gauss and Jordan with exchanged rows."""
    size = n.dim(a, -1)

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        m, _ = _pivoted(b, values[0], k)
        mine = row(b, m, k)
        mine = b.div(mine, column(b, mine, k))
        here = b.equal(places(b, m, -2), k)
        return [b.where(here, mine, b.sub(m, b.mul(column(b, m, k), mine)))]

    both = n.concat([a, b_], n.rank(a) - 1)
    (made,) = each_column(n, size, [both], step)
    return n.slice_axis(made, n.rank(a) - 1, size, None)


def cholesky(n: CoreBuilder, a: Value) -> Value:
    """The lower factor; the upper triangle is not looked at."""

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        m, made = values
        i, j = places(b, m, -2), places(b, m, -1)
        mine = column(b, m, k)
        factor = b.where(b.less(i, k), 0.0, b.div(mine, b.sqrt(row(b, mine, k))))
        return [b.sub(m, b.mul(factor, turned(b, factor))), b.where(b.equal(j, k), factor, made)]

    return each_column(n, n.dim(a, -1), [a, n.full_like(a, 0.0)], step)[1]


def triangular(n: CoreBuilder, a: Value, b_: Value, lower: bool, unit: bool = False) -> Value:
    """x of a x = b by substitution; the other triangle is not looked at.  Batches broadcast.  unit: the diagonal is 1,
    and not looked at.
    """
    size = n.dim(a, -1)
    last = n.constant(size - 1, DType.I32) if isinstance(size, int) else n.sub(n.scalar(n.cast(size, DType.I32)), 1)

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        k = turn if lower else b.sub(last, turn)
        rest, made = values
        i = places(b, rest, -2)
        mine = row(b, rest, k) if unit else b.div(row(b, rest, k), column(b, row(b, a, k), k))
        ahead = b.less(k, i) if lower else b.less(i, k)
        rest = b.sub(rest, b.mul(b.where(ahead, column(b, a, k), 0.0), mine))
        return [rest, b.where(b.equal(i, k), mine, made)]

    start = n.add(b_, n.mul(n.slice_axis(a, n.rank(a) - 1, 0, 1), 0.0))
    return each_column(n, size, [start, start], step)[1]


def diagonal(n: CoreBuilder, a: Value) -> Value:
    """[..., n]."""
    return between(n, a, n.rank(a) - 2, n.rank(a) - 1)


def between(n: CoreBuilder, x: Value, first: int, second: int) -> Value:
    """The diagonal of two axes of equal size, where the first of them was: elements of a known number that stand one
    line and one element apart, else those of a mask.
    """
    sizes = [n.dim(x, axis) for axis in range(n.rank(x))]
    size = sizes[first]
    if second == first + 1 and isinstance(size, int) and size == sizes[second]:
        lines = n.reshape(x, [*sizes[:first], size * size, *sizes[second + 1 :]])
        return n.slice_axis(lines, first, None, None, size + 1)
    along = [[n.dim(x, axis) if axis == own else 1 for axis in range(len(sizes))] for own in (first, second)]
    on = n.equal(*(n.reshape(n.arange(own[axis]), own) for own, axis in zip(along, (first, second), strict=True)))
    return n.sum(n.where(on, x, 0), (second,))


def identity_like(n: CoreBuilder, a: Value) -> Value:
    """Unit matrices of the shape of square ones."""
    on = n.equal(places(n, a, -2), places(n, a, -1))
    return n.y(core.BroadcastTo(n.cast(on, a.tensor.dtype), n.y(core.ShapeOf(a))))


def determinants(n: CoreBuilder, a: Value) -> Value:
    """[...], of square matrices [..., n, n]."""
    rank = n.rank(a)
    made, _, sign = lu(n, a)
    product = n.y(core.ReduceProd(diagonal(n, made), axes=(rank - 2,)))
    return n.mul(product, n.squeeze(sign, rank - 2, rank - 1))
