"""Sums of products of plain integers, as arithmetic in int32."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder


def expand_integers(op: Op) -> bool:
    """Put arithmetic in the place of a sum of products of plain integers; False for others."""
    if not isinstance(op, (core.IntegerMatMul, core.IntegerConv)):
        return False
    rewriter = Rewriter(op)
    b = CoreBuilder(rewriter)
    if isinstance(op, core.IntegerMatMul):
        factors = _less(op.a, op.a_zero, b), _less(op.b, op.b_zero, b)
        made = b.matmul(*factors, transpose_a=op.transpose_a, transpose_b=op.transpose_b)
    else:
        zero = op.w_zero
        if zero is not None and zero.tensor.rank:
            zero = b.reshape(zero, [-1 if c == "O" else 1 for c in op.w_layout])
        made = b.y(core.Conv(_less(op.x, op.x_zero, b), _less(op.w, zero, b), **op.attributes))
    rewriter.replace(op, made)
    return True


def _less(x: Value, zero: Value | None, b: CoreBuilder) -> Value:
    wide = b.cast(x, DType.I32)
    return wide if zero is None else b.sub(wide, b.cast(zero, DType.I32))
