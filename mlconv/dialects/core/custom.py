"""Pass-through ops: the target has them under their own name, when the user asks for it."""

from __future__ import annotations

from mlconv.ir.core import Value
from mlconv.ir.spec import OpDef, attr, op, operands, results
from mlconv.ir.traits import Impure
from mlconv.ir.types import TensorType


@op("core.custom", traits=[Impure])
class Custom(OpDef):
    """An op that only the user's runtime knows.  code: its name there; options: bytes that go along; types: of the
    results, as the source states them.

    It cannot be evaluated, and nothing about it is assumed.  Source: TFLite custom operators and Select TensorFlow
    operators.
    """

    xs: list[Value] = operands()
    code: str = attr()
    options: bytes = attr()
    types: tuple[TensorType, ...] = attr()
    ys: list[Value] = results()

    def infer(self) -> list[TensorType]:
        return list(self.types)
