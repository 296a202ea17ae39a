"""`sample.square` says what it means, `sample.square_kernel` is a call of generated code."""

from __future__ import annotations

from typing import Any, NamedTuple

from mlconv.plugin import (
    Dialect,
    Elementwise,
    KernelOp,
    OpDef,
    TensorType,
    Value,
    attr,
    attribute,
    op,
    operand,
    result,
)


@op("sample.square", traits=[Elementwise])
class Square(OpDef):
    """y = x * x, elementwise."""

    x: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor

    def eval(self, x: Any) -> Any:
        return x * x


@attribute("sample.squares")
class Squares(NamedTuple):
    """How many numbers are squared."""

    count: int


@op("sample.square_kernel")
class SquareKernel(KernelOp):
    """Squares the numbers of a buffer."""

    x: Value = operand()
    problem: Squares = attr()
    y: Value = result()


_OPS = {cls.name: cls for cls in (Square, SquareKernel)}
NAMES = frozenset(name.removeprefix("sample.") for name in _OPS)
DIALECT = Dialect("sample", _OPS.get, {"sample.squares": Squares}, names=NAMES)
