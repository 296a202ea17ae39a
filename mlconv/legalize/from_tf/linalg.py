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
    determinants,
    diagonal,
    identity_like,
    lu,
    solved,
    triangular,
    turned,
)
from mlconv.legalize.source import SourceNode
from mlconv.legalize.spectra import qr

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


@RULES.rule("Qr")
def qr_op(n: SourceNode) -> Sequence[Value]:
    return qr(n, real_matrices(n), bool(n.attr("full_matrices", False)))
