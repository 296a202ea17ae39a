"""Reads and writes of variables that change while the model runs; the importer has ordered them and named the
variable.
"""

from __future__ import annotations

from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_FREEZE = "freeze the model: convert_variables_to_constants_v2, or save it as a SavedModel and convert that"


def _variable(n: SourceNode) -> str:
    name = n.attr("variable", None)
    if not isinstance(name, str):
        raise ConversionError(
            Code.OpUnsupported,
            f"operator {n.kind} is not supported in a GraphDef: the file does not hold the variable's value",
            help=_FREEZE,
        )
    return name


@RULES.rule("ReadVariableOp")
def read_variable(n: SourceNode) -> Value:
    return n.emit(core.ReadVariable(variable=_variable(n), of=n.attr("of"))).y


@RULES.rule("AssignVariableOp")
def assign_variable(n: SourceNode) -> list[Value]:
    n.emit(core.AssignVariable(n.operand(0), variable=_variable(n)))
    return []
