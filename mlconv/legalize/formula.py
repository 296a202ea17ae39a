"""Formulas written as formulas: a value with arithmetic, of any target, and the steps that recurrent ops share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from typing import Final, Self, TypeVar

from mlconv.dialects import core
from mlconv.dialects.core.recurrent import Activation

F = TypeVar("F", bound="Formula")
CORE_OPS: Final = {"add": core.Add, "subtract": core.Sub, "multiply": core.Mul, "divide": core.Div}
ERFC_T = (
    0.2820588293,
    0.2829741874,
    0.2376185208,
    0.2305537413,
    -0.1133883072,
    0.4502919926,
    -0.7059030355,
    0.4564828043,
    -0.1352132016,
    0.01452445236,
)
"""erfc(x) = t * P(t) * exp(-x * x) for x >= 0, t = 1 / (1 + x / 2): coefficients of P, our own fit for float32."""


class Formula(ABC):
    """A value; a target says what its numbers and its four operations are."""

    __slots__ = ()

    @abstractmethod
    def wrap(self, other: Self | float) -> Self:
        """A number as a value that goes with this one."""

    @abstractmethod
    def calculate(self, operation: str, other: Self | float) -> Self:
        """operation: add, subtract, multiply or divide."""

    def __add__(self, other: Self | float) -> Self:
        return self.calculate("add", other)

    def __sub__(self, other: Self | float) -> Self:
        return self.calculate("subtract", other)

    def __mul__(self, other: Self | float) -> Self:
        return self.calculate("multiply", other)

    def __truediv__(self, other: Self | float) -> Self:
        return self.calculate("divide", other)

    def __rsub__(self, other: float) -> Self:
        return self.wrap(other) - self

    def __rtruediv__(self, other: float) -> Self:
        return self.wrap(other) / self

    __radd__ = __add__
    __rmul__ = __mul__

    def poly(self, coefficients: Sequence[float]) -> Self:
        """The polynomial with these coefficients, lowest degree first."""
        total = self.wrap(coefficients[-1])
        for c in reversed(coefficients[:-1]):
            total = total * self + c
        return total


def lstm_cell(
    gates: Sequence[F],
    cell: F,
    peepholes: Sequence[F],
    activations: Sequence[Activation],
    clip: float,
    input_forget: bool,
    activate: Callable[[Activation, F, float], F],
) -> tuple[F, F]:
    """One step of an LSTM: the new output and cell.

    gates: i, o, f, c before their activations.  peepholes: weights of the cell for i, o, f, or none.  activations: of
    i, o and f; of c; of the output.
    Source: ONNX LSTM-14.
    """
    f, g, out = activations
    i_, o_, f_, c_ = gates
    pi, po, pf = peepholes or (None, None, None)
    i = activate(f, i_ if pi is None else i_ + pi * cell, clip)
    forget = 1.0 - i if input_forget else activate(f, f_ if pf is None else f_ + pf * cell, clip)
    c_new = forget * cell + i * activate(g, c_, clip)
    o = activate(f, o_ if po is None else o_ + po * c_new, clip)
    return o * activate(out, c_new, 0.0), c_new
