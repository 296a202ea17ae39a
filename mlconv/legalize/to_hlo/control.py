"""Control flow.  Regions keep using the values around them; the exporter hands these along."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Region, Value
from mlconv.legalize.to_hlo.emit import Emit, dims
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.If)
def if_(op: core.If, e: Emit) -> list[Value]:
    """conditional."""
    return e.hlo("conditional", [e.reshape(op.cond, ())], [y.type for y in op.ys], _take(op))


@RULES.rule(core.While)
def while_(op: core.While, e: Emit) -> list[Value]:
    """while; the test gives a scalar."""
    end = op.cond.block.terminator
    test = end.operands[0]
    if test is not None and dims(test):
        inside = Emit(e.builder.at(op.cond.block, end), e.op_type, e.sizes)
        end.set_operand(0, inside.reshape(test, ()))
    return e.hlo("while", op.inits, [y.type for y in op.ys], _take(op))


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: Emit) -> Value:
    """dynamic-update-slice."""
    return e.one("dynamic-update-slice", [op.x, op.update, *op.begins], op.y.tensor)


def _take(op: core.If | core.While) -> list[Region]:
    """The regions, taken out of an op that is about to be erased."""
    regions, op.regions = op.regions, []
    return regions
