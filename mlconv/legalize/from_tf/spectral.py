"""Eigenvalues, singular values, least squares.

Source: tensorflow/core/ops/linalg_ops.cc.  The signs of vectors are open there: they are those that Eigen happens to
find.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.ir.core import Value
from mlconv.legalize.from_tf.linalg import real_matrices
from mlconv.legalize.from_tf.operands import last_sizes, tf_rules
from mlconv.legalize.matrices import identity_like, solved
from mlconv.legalize.source import SourceNode
from mlconv.legalize.spectra import eigen, of_lower, singular

RULES: Final = tf_rules()


def _width(n: SourceNode, x: Value) -> tuple[int, int]:
    rows, columns = last_sizes(x, 2, "the matrices")
    return rows, columns


@RULES.rule("SelfAdjointEigV2")
def self_adjoint_eig(n: SourceNode) -> Sequence[Value]:
    """Results: eigenvalues, the least first, and vectors as columns (nothing without `compute_v`)."""
    x = real_matrices(n)
    size, _ = _width(n, x)
    values, vectors = eigen(n, of_lower(n, x), size)
    nothing = n.constant(np.zeros(0), x.tensor.dtype)
    return [values, vectors if n.attr("compute_v", True) else nothing]


@RULES.rule("Svd")
def svd_op(n: SourceNode) -> Sequence[Value]:
    x = real_matrices(n)
    s, u, v = singular(n, x, *_width(n, x), bool(n.attr("full_matrices", False)))
    if n.attr("compute_uv", True):
        return [s, u, v]
    nothing = n.constant(np.zeros(0), x.tensor.dtype)
    return [s, nothing, nothing]


@RULES.rule("MatrixSolveLs")
def matrix_solve_ls(n: SourceNode) -> Value:
    """Least squares: by the normal equations where `fast`, which alone are regularized, else by singular values."""
    a, b = real_matrices(n), real_matrices(n, 1)
    rows, columns = _width(n, a)
    if not n.attr("fast", True):
        s, u, v = singular(n, a, rows, columns, False)
        parts = n.div(n.matmul(u, b, transpose_a=True), n.expand_dims(s, n.rank(s)))
        return n.matmul(v, parts)
    wide = rows < columns
    product = n.matmul(a, a, transpose_a=not wide, transpose_b=wide)
    factor = n.cast(n.scalar(n.operand(2)), a.tensor.dtype)
    product = n.add(product, n.mul(identity_like(n, product), factor))
    if wide:
        return n.matmul(a, solved(n, product, b), transpose_a=True)
    return solved(n, product, n.matmul(a, b, transpose_a=True))
