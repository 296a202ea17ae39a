"""Matrix products."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.MatMul)
def matmul(op: core.MatMul, e: HloBuilder) -> Value:
    """dot; leading axes are batch axes, unless the second operand has none: then they go with the rows of the first."""
    a, b = op.a, op.b
    sa, sb = dims(a), dims(b)
    if len(sb) == 2:
        return (
            _dot(e, op, a, b, 0)
            if not op.transpose_a or len(sa) == 2
            else _dot(e, op, a, e.broadcast_to(b, (*sa[:-2], *sb)), len(sa) - 2)
        )
    lead = np.broadcast_shapes(sa[:-2], sb[:-2])
    return _dot(e, op, e.broadcast_to(a, (*lead, *sa[-2:])), e.broadcast_to(b, (*lead, *sb[-2:])), len(lead))


def _dot(e: HloBuilder, op: core.MatMul, a: Value, b: Value, batch: int) -> Value:
    """batch: how many leading axes both share."""
    last_a, last_b = len(dims(a)) - 1, len(dims(b)) - 1
    lead = tuple(range(batch))
    contracting = ((last_a - 1 if op.transpose_a else last_a,), (last_b if op.transpose_b else last_b - 1,))
    return e.one(
        "dot",
        [a, b],
        op.y.tensor,
        lhs_contracting=contracting[0],
        rhs_contracting=contracting[1],
        lhs_batch=lead,
        rhs_batch=lead,
    )
