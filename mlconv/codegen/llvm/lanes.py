"""What functions of elements are written with, whatever the element type is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import TYPES, Literal, LlvmType, Value
from mlconv.ir.dtypes import DType


class Lanes(ABC):
    """Emits functions on values of `lanes` lanes (1: plain scalars).

    The families of functions (of integers, halves, complex numbers) are written in terms of it, and it has them all.
    """

    def __init__(self, b: Builder, lanes: int) -> None:
        self.b, self.lanes = b, lanes

    def type(self, dtype: DType) -> LlvmType:
        return TYPES[dtype].of_lanes(self.lanes)

    def wide(self, element: LlvmType) -> LlvmType:
        return element.of_lanes(self.lanes)

    def splat(self, scalar: Value) -> Value:
        """A scalar in every lane."""
        return self.b.splat(scalar, self.lanes)

    def literal(self, dtype: DType, value: float) -> Literal:
        """A constant in every lane."""
        return literal(dtype, value, self.lanes)

    def intrinsic(self, name: str, dtype: DType, arguments: Sequence[Value], flags: str = "") -> Value:
        """Call of an intrinsic of one type; flags: fast-math flags."""
        t = self.type(dtype)
        return self.b.call(t, f"llvm.{name}.{t.name}", arguments, flags)

    def saturated(self, name: str, x: Value, target: DType) -> Value:
        """`fptosi` or `fptoui` that gives the nearest number that there is."""
        t = self.type(target)
        return self.b.call(t, f"llvm.{name}.sat.{t.name}.{x.type.name}", [x])

    @abstractmethod
    def apply(self, opcode: str, dtype: DType, args: Sequence[Value], types: Sequence[DType]) -> Value:
        """opcode(args) with the result type `dtype`; types: those of args."""

    @abstractmethod
    def cast(self, x: Value, source: DType, target: DType) -> Value:
        """As numpy converts; floats to integers as C does by way of int64."""
