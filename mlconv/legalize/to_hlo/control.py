"""Control flow.  Regions keep using the values around them; the exporter hands these along."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.rewrite import Rules, edit

RULES = Rules()


@RULES.rule(core.If)
def if_(op: core.If, e: HloBuilder) -> list[Value]:
    """conditional."""
    return e.hlo("conditional", [e.reshape(op.cond, ())], [y.type for y in op.ys], edit.take_regions(op))


@RULES.rule(core.While)
def while_(op: core.While, e: HloBuilder) -> list[Value]:
    """while; the test gives a scalar."""
    end = op.cond.block.terminator
    test = end.operands[0]
    if test is not None and dims(test):
        inside = HloBuilder(e.builder.at(op.cond.block, end), e.op_type, e.sizes)
        edit.set_operand(end, 0, inside.reshape(test, ()))
    return e.hlo("while", op.inits, [y.type for y in op.ys], edit.take_regions(op))
