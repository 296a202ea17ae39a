"""Matrix products.  `adj_x` of BatchMatMulV2 conjugates complex numbers too."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of
from mlconv.legalize.to_tf.shape import transposed
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: TfBuilder) -> Value:
    """MatMul of matrices, BatchMatMulV2 of more; rows of a batch times one matrix are rows of one matrix."""
    ranks = rank_of(op.a, "a factor"), rank_of(op.b, "a factor")
    if ranks == (2, 2):
        flags = {"transpose_a": bool(op.transpose_a), "transpose_b": bool(op.transpose_b)}
        return e.one("MatMul", [op.a, op.b], op.y.type, **flags)
    a, b, adjoint = op.a, op.b, [bool(op.transpose_a), bool(op.transpose_b)]
    if a.tensor.dtype.is_complex:
        a, b = (_swapped(e, x) if turned else x for x, turned in zip((a, b), adjoint, strict=True))
        adjoint = [False, False]
    return e.one("BatchMatMulV2", [a, b], op.y.type, adj_x=adjoint[0], adj_y=adjoint[1])


def _swapped(e: TfBuilder, x: Value) -> Value:
    """The last two axes exchanged."""
    rank = rank_of(x, "a factor")
    return transposed(e, x, [*range(rank - 2), rank - 1, rank - 2])


@RULES.rule(core.IntegerMatMul)
def integer_matmul(op: core.IntegerMatMul, e: TfBuilder) -> Value:
    """A product of int32, less the zero points."""
    wide = []
    for x, zero in ((op.a, op.a_zero), (op.b, op.b_zero)):
        number = e.cast(x, DType.I32)
        wide.append(number if zero is None else e.sub(number, e.cast(zero, DType.I32)))
    return e.matmul(*wide, transpose_a=op.transpose_a, transpose_b=op.transpose_b)
