"""What functions of elements are written with, whatever the element type is."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import FLOAT, I32, TYPES, Literal, LlvmType, Value
from mlconv.ir.dtypes import DType

MAGIC = 1.5 * 2**23
"""Added to a float32 it leaves the nearest integer in the low bits of the sum."""


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
        """`fptosi` or `fptoui` that gives the nearest number that there is; of NaN 0."""
        t = self.type(target)
        if x.type.lanes > 1 and x.type.element is FLOAT and name == "fptosi" and target.bits <= I32.bits:
            return self._saturated(x, target)
        return self.b.call(t, f"llvm.{name}.sat.{t.name}.{x.type.name}", [x])

    def _saturated(self, x: Value, target: DType) -> Value:
        """Vectors of float32 as signed integers of up to 32 bits: LLVM 22 converts these one by one."""
        b, low, most = self.b, float(-(1 << target.bits - 1)), (1 << target.bits - 1) - 1
        wide = target.bits == I32.bits
        high = float(most - 127) if wide else float(most)  # 2^31 - 128 is the last float32 below 2^31
        y = b.select(b.fcmp("ord", x, x), x, self.literal(DType.F32, 0.0))
        for code, bound in (("olt", low), ("ogt", high)):
            limit = self.literal(DType.F32, bound)
            y = b.select(b.fcmp(code, y, limit), limit, y)
        made = b.convert("fptosi", y, self.type(DType.I32))
        if wide:
            return b.select(b.fcmp("ogt", x, self.literal(DType.F32, high)), self.literal(DType.I32, most), made)
        return b.convert("trunc", made, self.type(target))

    @abstractmethod
    def apply(self, opcode: str, dtype: DType, args: Sequence[Value], types: Sequence[DType]) -> Value:
        """opcode(args) with the result type `dtype`; types: those of args."""

    @abstractmethod
    def cast(self, x: Value, source: DType, target: DType) -> Value:
        """As numpy converts; floats to integers as C does by way of int64."""

    # -- of float32 ---------------------------------------------------------------------------------

    def binary(self, opcode: str, x: Value, y: Value, dtype: DType = DType.F32) -> Value:
        return self.apply(opcode, dtype, [x, y], [dtype, dtype])

    def f(self, value: float) -> Literal:
        return self.literal(DType.F32, value)

    def i(self, value: int) -> Literal:
        return self.literal(DType.I32, value)

    def fma(self, x: Value, y: Value, z: Value, dtype: DType = DType.F32) -> Value:
        return self.intrinsic("fma", dtype, [x, y, z])

    def horner(self, x: Value, coefficients: Sequence[float], dtype: DType = DType.F32) -> Value:
        acc: Value = self.literal(dtype, coefficients[-1])
        for c in reversed(coefficients[:-1]):
            acc = self.fma(acc, x, self.literal(dtype, c), dtype)
        return acc

    def where(self, condition: Value, x: Value, y: Value) -> Value:
        return self.apply("select", DType.F32, [condition, x, y], [DType.BOOL, DType.F32, DType.F32])

    def below(self, x: Value, limit: float) -> Value:
        return self.apply("less", DType.BOOL, [x, self.f(limit)], [DType.F32, DType.F32])
