"""Products of widened bytes are sums of products of bytes."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


def _bytes(value: Value) -> Value | None:
    """What a value was before it was widened."""
    made = value.producer
    fits = isinstance(made, core.Cast) and made.x.tensor.dtype in (DType.I8, DType.U8) and made.x.tensor.quant is None
    return made.x if fits and isinstance(made, core.Cast) else None


@rewrite(core.MatMul, core.Conv)
def product_of_bytes(op: core.MatMul | core.Conv, rw: Rewriter) -> Replacement | NoMatch:
    """Both factors are bytes that were widened to int32, which sums of them wrap in as well."""
    a, b = (_bytes(v) for v in op.inputs[:2])
    if a is None or b is None or op.y.tensor.dtype is not DType.I32:
        return NOT_MEANT
    if isinstance(op, core.MatMul):
        return rw.emit(core.IntegerMatMul(a, b, **op.attributes)).y
    if op.bias is not None:
        return NoMatch("sums of bytes have no bias")
    return rw.emit(core.IntegerConv(a, b, **op.attributes)).y


PATTERNS = (product_of_bytes,)
