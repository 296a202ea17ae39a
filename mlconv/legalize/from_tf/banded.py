"""Matrices of few diagonals.  Source: tensorflow/core/ops/linalg_ops.cc, math_ops.cc; tensorflow/core/kernels/linalg
(tridiagonal_matmul_op.cc, tridiagonal_solve_op.cc, banded_triangular_solve_op.cc).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.linalg import real_matrices
from mlconv.legalize.from_tf.operands import static_shape, tf_rules
from mlconv.legalize.matrices import each_column, places, row, triangular
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder

RULES: Final = tf_rules()


def _shifted(n: CoreBuilder, x: Value, by: int) -> Value:
    """Rows moved up (positive) or down by one, 0 where none comes."""
    axis = n.rank(x) - 2
    kept = n.slice_axis(x, axis, 1, None) if by > 0 else n.slice_axis(x, axis, None, -1)
    pads = [(0, 0)] * n.rank(x)
    pads[axis] = (0, 1) if by > 0 else (1, 0)
    return n.pad(kept, pads)


@RULES.rule("TridiagonalMatMul")
def tridiagonal_matmul(n: SourceNode) -> Value:
    """Operands: superdiagonal, diagonal, subdiagonal [..., 1, m], matrix [..., m, k].  The last number of the first and
    the first of the third do not count.
    """
    above, middle, below, x = n.operands()
    total: Value | None = None
    for part, moved in ((middle, x), (above, _shifted(n, x, 1)), (below, _shifted(n, x, -1))):
        rank = n.rank(part)
        term = n.mul(n.transpose(part, [*range(rank - 2), rank - 1, rank - 2]), moved)
        total = term if total is None else n.add(total, term)
    return x if total is None else total


@RULES.rule("TridiagonalSolve")
def tridiagonal_solve(n: SourceNode) -> Value:
    """Operands: diagonals [..., 3, m] (above, middle, below), right sides [..., m, k].  Elimination row by row, which
    exchanges neighbours where `partial_pivoting`; what is left has up to two numbers above the diagonal.
    """
    diagonals, right = real_matrices(n), real_matrices(n, 1)
    rank = n.rank(diagonals)
    above, middle, below = (n.transpose(row(n, diagonals, n.constant(i, DType.I32)), _swap(rank)) for i in range(3))
    size = n.dim(right, -2)
    if not isinstance(size, int):
        raise n.unsupported("matrices of an open size")
    if size == 1:
        return n.div(right, middle)
    exchange = bool(n.attr("partial_pivoting", True))
    ends = n.equal(places(n, middle, -2), size - 1)
    above = n.where(ends, 0.0, above)

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        u0, u1, u2, rest, *current = values
        following = b.add(k, 1)
        other = [row(b, v, following) for v in (below, middle, above, right)]
        mine = [*current[:2], b.mul(current[0], 0.0), current[2]]
        if exchange:
            swap = b.less(b.y(core.Abs(mine[0])), b.y(core.Abs(other[0])))
            mine, other = (
                [b.where(swap, q, p) for p, q in zip(mine, other, strict=True)],
                [b.where(swap, p, q) for p, q in zip(mine, other, strict=True)],
            )
        factor = b.div(other[0], mine[0])
        new = [b.sub(q, b.mul(factor, p)) for p, q in zip(mine[1:], other[1:], strict=True)]
        here = b.equal(places(b, u0, -2), k)
        kept = [b.where(here, p, old) for p, old in zip(mine, (u0, u1, u2, rest), strict=True)]
        return [*kept, *new]

    first = n.constant(0, DType.I32)
    start = [middle, n.mul(middle, 0.0), n.mul(middle, 0.0), right, *(row(n, v, first) for v in (middle, above, right))]
    u0, u1, u2, rest, *last = each_column(n, size - 1, start, step)
    end = n.equal(places(n, u0, -2), size - 1)
    u0, u1, u2 = n.where(end, last[0], u0), n.where(end, 0.0, u1), n.where(end, 0.0, u2)
    return _back(n, [u0, u1, u2, n.where(end, last[2], rest)], size)


def _swap(rank: int) -> list[int]:
    return [*range(rank - 2), rank - 1, rank - 2]


def _back(n: CoreBuilder, system: Sequence[Value], size: int) -> Value:
    """Substitution from the last row on."""
    u0, u1, u2, right = system

    def step(b: CoreBuilder, turn: Value, values: Sequence[Value]) -> Sequence[Value]:
        made, next_, second = values
        k = b.sub(b.constant(size - 1, DType.I32), turn)
        known = b.add(b.mul(row(b, u1, k), next_), b.mul(row(b, u2, k), second))
        x = b.div(b.sub(row(b, right, k), known), row(b, u0, k))
        return [b.where(b.equal(places(b, made, -2), k), x, made), x, next_]

    zero = n.mul(row(n, right, n.constant(0, DType.I32)), 0.0)
    return each_column(n, size, [n.mul(right, 0.0), zero, zero], step)[0]


@RULES.rule("BandedTriangularSolve")
def banded_triangular_solve(n: SourceNode) -> Value:
    """Operands: diagonals [..., k, m], right sides.  The first row is the diagonal of a lower matrix, the last that
    of an upper one; number i of a row stands in row i of the matrix.
    """
    diagonals, right = real_matrices(n), real_matrices(n, 1)
    count, size = static_shape(diagonals, "the diagonals")[-2:]
    lower, adjoint = bool(n.attr("lower", True)), bool(n.attr("adjoint", False))
    i = n.expand_dims(n.cast(n.arange(size), DType.I32), 1)
    j = n.cast(n.arange(size), DType.I32)
    matrix: Value | None = None
    for number in range(count):
        numbers = n.slice_axis(diagonals, n.rank(diagonals) - 2, number, number + 1)
        place = n.equal(n.sub(i, j), number) if lower else n.equal(n.sub(j, i), count - 1 - number)
        numbers = n.transpose(numbers, _swap(n.rank(diagonals)))
        matrix = n.where(place, numbers, 0.0) if matrix is None else n.where(place, numbers, matrix)
    if matrix is None:
        raise n.unsupported("a matrix without diagonals")
    matrix = n.transpose(matrix, _swap(n.rank(matrix))) if adjoint else matrix
    return triangular(n, matrix, right, lower != adjoint)
