"""Orthogonal factors, eigenvalues and singular values.

Eigenvalues and singular values are found by Jacobi's rotations: in each turn, as many as have no axis in common.
Source: tensorflow/core/ops/linalg_ops.cc; netlib.org/lapack.  The signs of vectors are open there.  Order of pairs: a
tournament in which each meets each (Brent and Luk, 1985).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np
import numpy.typing as npt

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.limits import check_table
from mlconv.legalize.matrices import column, diagonal, each_column, identity_like, places, row, turned
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.repeat import repeat

_SWEEPS: Final = {DType.F32: 8, DType.F64: 11}


def qr(n: CoreBuilder, a: Value, full: bool) -> tuple[Value, Value]:
    """By Householder's reflections, whose signs are Eigen's: the diagonal of r is negative where the matrix had a
    number that is not.  full: q is square.
    """
    rows, columns = n.dim(a, -2), n.dim(a, -1)

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        m, q = values
        i = places(b, m, -2)
        mine = column(b, m, k)
        head = row(b, mine, k)
        tail = b.where(b.less(k, i), mine, 0.0)
        squares = b.sum(b.mul(tail, tail), (b.rank(m) - 2,), keepdims=True)
        length = b.sqrt(b.add(squares, b.mul(head, head)))
        beta = b.where(b.less(head, 0.0), length, b.neg(length))
        v = b.where(b.equal(i, k), b.sub(head, beta), tail)
        norm = b.sum(b.mul(v, v), (b.rank(m) - 2,), keepdims=True)
        flat = b.less_equal(squares, 0.0)
        factor = b.where(flat, 0.0, b.div(2.0, b.where(flat, b.asarray(1.0, norm), norm)))
        m = b.sub(m, b.mul(b.mul(v, factor), b.matmul(v, m, transpose_a=True)))
        q = b.sub(q, b.mul(b.mul(b.matmul(q, v), factor), turned(b, v)))
        return [b.where(b.logical_and(b.less(k, i), b.equal(places(b, m, -1), k)), 0.0, m), q]

    square = n.broadcast_to(n.slice_axis(a, n.rank(a) - 1, 0, 1), [*n.dims(a)[:-1], rows])
    count = smaller(n, rows, columns)
    r, q = each_column(n, count, [a, identity_like(n, square)], step)
    if full:
        return q, r
    return n.slice_axis(q, n.rank(a) - 1, 0, count), n.slice_axis(r, n.rank(a) - 2, 0, count)


def smaller(n: CoreBuilder, a: Part, b: Part) -> Part:
    if isinstance(a, int) and isinstance(b, int):
        return min(a, b)
    first = n.vector([a]) if isinstance(a, int) else a
    return n.minimum(first, n.vector([b]) if isinstance(b, int) else b)


def tournament(size: int) -> npt.NDArray[np.int32]:
    """[turns, size]: with whom each is paired; with itself where it rests."""
    count = size + size % 2
    seats = list(range(count))
    turns: list[list[int]] = []
    for _ in range(max(count - 1, 1)):
        partner = list(range(size))
        for i in range(count // 2):
            a, b = seats[i], seats[count - 1 - i]
            if a < size and b < size:
                partner[a], partner[b] = b, a
        turns.append(partner)
        seats = [seats[0], seats[-1], *seats[1:-1]]
    return np.asarray(turns, np.int32)


def _rotation(n: CoreBuilder, a: Value, partner: Value) -> Value:
    """The matrix that rotates each pair of axes so that a symmetric matrix has 0 between them."""
    size = n.dim(a, -1)
    steps = n.cast(n.arange(size), DType.I32)
    meets = n.equal(n.expand_dims(partner, 1), steps)
    mine = diagonal(n, a)
    theirs = n.sum(n.where(meets, n.expand_dims(mine, n.rank(a) - 2), 0.0), (n.rank(a) - 1,))
    between = n.sum(n.where(meets, a, 0.0), (n.rank(a) - 1,))
    idle = n.logical_or(n.equal(between, 0.0), n.equal(partner, steps))
    tau = n.div(n.sub(theirs, mine), n.mul(n.where(idle, n.asarray(1.0, a), between), 2.0))
    first = n.where(n.less(steps, partner), n.asarray(1.0, a), -1.0)
    sign = n.where(n.equal(tau, 0.0), first, n.y(core.Sign(tau)))
    size_of = n.y(core.Abs(tau))
    t = n.div(sign, n.add(size_of, n.sqrt(n.add(n.mul(tau, tau), 1.0))))
    t = n.where(idle, 0.0, t)
    c = n.div(1.0, n.sqrt(n.add(n.mul(t, t), 1.0)))
    same = n.equal(n.expand_dims(steps, 1), steps)
    last = n.rank(a) - 1
    s = n.where(meets, n.expand_dims(n.mul(t, c), last), 0.0)
    return n.where(same, n.expand_dims(c, last), s)


def _swept(n: CoreBuilder, values: Sequence[Value], size: int, columns_of: bool) -> list[Value]:
    """A symmetric matrix made diagonal, or the columns of a matrix made orthogonal; the product of all rotations."""
    pairs = tournament(size)
    check_table(pairs.shape, "table of pairs")
    table = n.constant(pairs)
    turns = len(pairs) * _SWEEPS.get(values[0].tensor.dtype, _SWEEPS[DType.F32])

    def step(b: CoreBuilder, turn: Value, now: Sequence[Value]) -> Sequence[Value]:
        a, v = now
        partner = b.gather(table, b.y(core.FloorMod(turn, b.constant(len(pairs), DType.I32))))
        rotation = _rotation(b, b.matmul(a, a, transpose_a=True) if columns_of else a, partner)
        a = b.matmul(a, rotation) if columns_of else b.matmul(b.matmul(rotation, a, transpose_a=True), rotation)
        return [a, b.matmul(v, rotation)]

    return repeat(n, turns, values, step) if size > 1 else list(values)


def _sorted(n: CoreBuilder, keys: Value, matrices: Sequence[Value], size: int) -> tuple[Value, list[Value]]:
    """Keys [..., n] from the largest on, and the columns of matrices in that order."""
    found = n.emit(core.TopK(keys, n.constant(size, DType.I64), axis=n.rank(keys) - 1))
    order = n.expand_dims(found.indices, n.rank(keys) - 1)
    taken = [
        n.y(core.GatherElements(m, n.y(core.BroadcastTo(order, n.y(core.ShapeOf(m)))), axis=n.rank(m) - 1))
        for m in matrices
    ]
    return found.values, taken


def of_lower(n: CoreBuilder, x: Value) -> Value:
    """A symmetric matrix of the lower triangle."""
    i, j = (n.cast(n.arange(n.dim(x, axis)), DType.I32) for axis in (-2, -1))
    return n.where(n.less(n.expand_dims(i, 1), j), turned(n, x), x)


def eigen(n: CoreBuilder, x: Value, size: int) -> tuple[Value, Value]:
    """Eigenvalues of symmetric matrices [..., size, size], the least first, and vectors as columns."""
    made, vectors = _swept(n, [x, identity_like(n, x)], size, False)
    keys, (vectors,) = _sorted(n, n.neg(diagonal(n, made)), [vectors], size)
    return n.neg(keys), vectors


def singular(n: CoreBuilder, x: Value, rows: int, columns: int, full: bool) -> tuple[Value, Value, Value]:
    """Singular values of matrices [..., rows, columns], the largest first, u and v."""
    if rows < columns:
        s, v, u = singular(n, turned(n, x), columns, rows, full)
        return s, u, v
    square = n.slice_axis(x, n.rank(x) - 2, 0, columns)
    made, v = _swept(n, [x, identity_like(n, square)], columns, True)
    lengths = n.sqrt(n.sum(n.mul(made, made), (n.rank(x) - 2,)))
    s, (u, v) = _sorted(n, lengths, [made, v], columns)
    length = n.expand_dims(s, n.rank(x) - 2)
    flat = n.equal(length, 0.0)
    u = n.where(flat, 0.0, n.div(u, n.where(flat, n.asarray(1.0, x), length)))
    if full and rows > columns:
        q, _ = qr(n, u, True)
        u = n.concat([u, n.slice_axis(q, n.rank(x) - 1, columns, None)], n.rank(x) - 1)
    return s, u, v
