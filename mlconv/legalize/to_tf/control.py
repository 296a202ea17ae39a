"""Control flow.  Regions keep using the values around them; they become functions when the file is written.

Source: tensorflow/core/ops/functional_ops.cc.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.to_tf.builder import TfBuilder
from mlconv.rewrite import Rules, edit

RULES = Rules()


@RULES.rule(core.If)
def if_(op: core.If, e: TfBuilder) -> list[Value]:
    """If."""
    cond = e.scalar(op.cond)
    return e.control("If", [cond], [y.type for y in op.ys], edit.take_regions(op))


@RULES.rule(core.While)
def while_(op: core.While, e: TfBuilder) -> list[Value]:
    """While; its condition takes any tensor of one element."""
    types = [v.type for v in op.body.block.arguments]
    return e.control("While", op.inits, types, edit.take_regions(op))
