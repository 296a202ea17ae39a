"""Variables that a model keeps from one run to the next.

A function lists its variables with their initial values in its attribute `variables`.  Reads and writes happen in the
order of the block.
Source: TensorFlow ReadVariableOp, AssignVariableOp; TFLite READ_VARIABLE, ASSIGN_VARIABLE.
"""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.traits import Effect, Impure, OfVariable
from mlconv.ir.types import TensorType

Store = dict[str, Array]


@op("core.read_variable", traits=[Impure, OfVariable])
class ReadVariable(OpDef):
    """The value that `variable` has now.  of: its type."""

    variable: str = attr()
    of: TensorType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        return self.of

    def eval_state(self, store: Store) -> Array:
        return store[self.variable]


@op("core.assign_variable", traits=[Effect, OfVariable])
class AssignVariable(OpDef):
    """Gives `variable` a value; there is no result."""

    x: Value = operand()
    variable: str = attr()

    def infer(self) -> list[TensorType]:
        if self.x.tensor.shape is None:
            raise ConversionError(
                Code.ShapeNotStatic, f"the rank of what variable {self.variable!r} is given must be known", operand=0
            )
        return []

    def eval_state(self, store: Store, x: Array) -> tuple[Array, ...]:
        store[self.variable] = x
        return ()


def assigned_variables(op: Op) -> list[str]:
    """Names of the variables that an op, or one in its regions, gives a value; each once, in order."""
    if isinstance(op, AssignVariable):
        return [op.variable]
    return list(
        dict.fromkeys(name for region in op.regions for inner in region.block.ops for name in assigned_variables(inner))
    )
