"""Matrix products.  Source: tensorflow/core/ops/math_ops.cc."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.operands import dtype_of, rank_of, tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("MatMul", "SparseMatMul")
def matmul(n: SourceNode) -> Value:
    return n.emit(
        core.MatMul(n.operand(0), n.operand(1), transpose_a=n.attr("transpose_a"), transpose_b=n.attr("transpose_b"))
    ).y


@RULES.rule("BatchMatMul", "BatchMatMulV2", "BatchMatMulV3")
def batch_matmul(n: SourceNode) -> Value:
    """adj_x, adj_y: transposed, and conjugated when complex."""
    a, b = n.operand(0), n.operand(1)
    if n.kind == "BatchMatMulV3":
        a, b = n.cast(a, dtype_of(n, "Tout")), n.cast(b, dtype_of(n, "Tout"))
    if not a.tensor.dtype.is_complex:
        return n.emit(core.MatMul(a, b, transpose_a=n.attr("adj_x"), transpose_b=n.attr("adj_y"))).y
    return n.emit(core.MatMul(_adjoint(n, a) if n.attr("adj_x") else a, _adjoint(n, b) if n.attr("adj_y") else b)).y


def _adjoint(n: SourceNode, x: Value) -> Value:
    rank = rank_of(x)
    turned = n.transpose(x, (*range(rank - 2), rank - 1, rank - 2))
    imag = n.emit(core.Neg(n.emit(core.Imag(turned)).y)).y
    return n.emit(core.Complex(n.emit(core.Real(turned)).y, imag)).y
