"""Sums of multiples, in vectors."""

from __future__ import annotations

from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.ir.dtypes import DType


class Linear:
    """Sums of multiples, in vectors of a float type."""

    def __init__(self, b: Builder, dtype: DType, lanes: int) -> None:
        self.scalars, self.dtype = Scalars(b, lanes), dtype

    def fma(self, factor: float, x: Value, y: Value) -> Value:
        return self.scalars.intrinsic("fma", self.dtype, [self.scalars.literal(self.dtype, factor), x, y])

    def scaled(self, factor: float, x: Value) -> Value:
        return self.scalars.binary("mul", self.scalars.literal(self.dtype, factor), x, self.dtype)

    def add(self, x: Value, y: Value) -> Value:
        return self.scalars.binary("add", x, y, self.dtype)

    def sub(self, x: Value, y: Value) -> Value:
        return self.scalars.binary("sub", x, y, self.dtype)
