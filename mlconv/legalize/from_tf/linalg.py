"""Factorizations of matrices and systems of equations (`legalize/matrices.py`).

Source: tensorflow/core/ops/linalg_ops.cc; tensorflow/core/kernels/linalg, which call Eigen (PartialPivLU, LLT,
HouseholderQR).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dtype_of, tf_rules
from mlconv.legalize.matrices import (
    cholesky,
    column,
    determinants,
    diagonal,
    each_column,
    identity_like,
    lu,
    places,
    row,
    solved,
    triangular,
    turned,
)
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder, Part

RULES: Final = tf_rules()


def real_matrices(n: SourceNode, i: int = 0) -> Value:
    """Operand i, matrices of real numbers.  Raises ConversionError for complex ones, and for less than two axes."""
    x = n.operand(i)
    if x.tensor.dtype.is_complex:
        raise n.unsupported(f"matrices of {x.tensor.dtype.display}")
    if n.rank(x) < 2:
        raise n.unsupported(f"{x.tensor}, which is no matrix")
    return x


@RULES.rule("Lu")
def lu_op(n: SourceNode) -> Sequence[Value]:
    """Results: both factors in one matrix, and which rows of the matrix stand in which place."""
    made, order, _ = lu(n, real_matrices(n))
    return [made, n.cast(order, dtype_of(n, "output_idx_type", DType.I32))]


@RULES.rule("MatrixDeterminant", "BatchMatrixDeterminant")
def determinant(n: SourceNode) -> Value:
    return determinants(n, real_matrices(n))


@RULES.rule("LogMatrixDeterminant")
def log_determinant(n: SourceNode) -> Sequence[Value]:
    """Results: sign, and logarithm of the absolute value."""
    x = real_matrices(n)
    made, _, sign = lu(n, x)
    along = diagonal(n, made)
    signs = n.y(core.ReduceProd(n.y(core.Sign(along)), axes=(n.rank(x) - 2,)))
    total = n.sum(n.y(core.Log(n.y(core.Abs(along)))), (n.rank(x) - 2,))
    return [n.mul(signs, n.squeeze(sign, n.rank(x) - 2, n.rank(x) - 1)), total]


@RULES.rule("MatrixInverse", "BatchMatrixInverse")
def inverse(n: SourceNode) -> Value:
    x = real_matrices(n)
    x = turned(n, x) if n.attr("adjoint", False) else x
    return solved(n, x, identity_like(n, x))


@RULES.rule("MatrixSolve", "BatchMatrixSolve")
def matrix_solve(n: SourceNode) -> Value:
    a, b = real_matrices(n), real_matrices(n, 1)
    return solved(n, turned(n, a) if n.attr("adjoint", False) else a, b)


@RULES.rule("Cholesky", "BatchCholesky")
def cholesky_op(n: SourceNode) -> Value:
    return cholesky(n, real_matrices(n))


@RULES.rule("MatrixTriangularSolve", "BatchMatrixTriangularSolve")
def matrix_triangular_solve(n: SourceNode) -> Value:
    a, b = real_matrices(n), real_matrices(n, 1)
    lower = bool(n.attr("lower", True))
    return triangular(n, turned(n, a), b, not lower) if n.attr("adjoint", False) else triangular(n, a, b, lower)


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


@RULES.rule("Qr")
def qr_op(n: SourceNode) -> Sequence[Value]:
    return qr(n, real_matrices(n), bool(n.attr("full_matrices", False)))
