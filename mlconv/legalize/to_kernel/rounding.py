"""Numbers that are rounded to bfloat16 behind what only moves them are rounded in front of it: what makes them can do
so, and half of the bytes are moved.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.builder import KernelBuilder, sizes
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules

RULES = Rules()
_MOVING = (core.Reshape, core.Transpose, core.MaxPool)  # the largest of rounded numbers is the largest one rounded


@RULES.rule(core.Cast)
def rounded_early(op: core.Cast, e: KernelBuilder) -> Value | NoMatch:
    """Only where nothing else reads what is moved; inputs of the model are rounded while they are moved."""
    if op.dtype is not DType.BF16 or op.x.tensor.dtype is not DType.F32:
        return NOT_MEANT
    x, behind = op.x, list[core.Reshape | core.Transpose | core.MaxPool]()
    while isinstance(x.producer, _MOVING) and len(x.uses) == 1:
        behind.append(x.producer)
        x = x.producer.x
    if not behind or x.producer is None:
        return NoMatch("it is not behind data movement")
    y = e.y(core.Cast(x, dtype=op.dtype))
    for moving in reversed(behind):
        if isinstance(moving, core.Reshape):
            y = e.reshape(y, sizes(moving.y))
        elif isinstance(moving, core.Transpose):
            y = e.transpose(y, moving.perm)
        else:
            y = e.y(core.MaxPool(y, **moving.attributes))
    return y
