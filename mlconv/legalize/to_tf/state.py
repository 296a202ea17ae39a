"""Variables: their handles are found by name when the file is written."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.to_tf.builder import TfBuilder
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.ReadVariable)
def read_variable(op: core.ReadVariable, e: TfBuilder) -> Value:
    """ReadVariableOp."""
    return e.raw("ReadVariableOp", [], [op.of], variable=op.variable, of=op.of)[0]


@RULES.rule(core.AssignVariable)
def assign_variable(op: core.AssignVariable, e: TfBuilder) -> list[Value]:
    """AssignVariableOp."""
    return e.raw("AssignVariableOp", [op.x], [], variable=op.variable)
