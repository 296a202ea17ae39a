"""What products compute with: factors as they are loaded, and how they are multiplied and added.

Floats are multiplied by the instruction that the table of an instruction set has, weights that are stored as integers
made floats before.  Integers are widened by code that
is the same for all of them: elements of up to 16 bits two by two, since many machines have an instruction for the sum
of two products of 16 bits (PMADDWD of x86-64), which LLVM finds, else one by one as int32.
"""

from __future__ import annotations

from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.codegen.machines.cpus import Cpu, MultiplyAdd
from mlconv.dialects.kernel import PANEL, ProductTypes
from mlconv.ir.dtypes import DType


class Multiplier:
    """Emits products.  pairs: neighbouring elements of x that are multiplied at once.  Raises ConversionError
    TargetLacksOp for floats that an instruction set has no row for.
    """

    def __init__(self, types: ProductTypes, cpu: Cpu, pairs: int = 1) -> None:
        self.types, self.pairs = types, pairs
        self.row: MultiplyAdd | None = None
        if types.sums.is_float:
            self.row = cpu.multiply_add(types.x, types.x, types.sums)
        self.factor = types.x if self.row else DType.I16 if pairs == 2 else DType.I32

    def spread(self, b: Builder, pointer: Value, lanes: int) -> Value:
        """An element of x, or neighbouring ones, in all lanes."""
        found = load(b, self.types.x, pointer, self.pairs)
        if self.pairs == 1:
            return b.splat(self._widened(b, found, self.types.x), lanes)
        return self._widened(b, b.chosen(found, [*range(self.pairs)] * lanes), self.types.x)

    def column(self, b: Builder, dtype: DType, pointer: Value, lanes: int) -> Value:
        """Elements of x or of the weights, each in its lane."""
        return self._widened(b, load(b, dtype, pointer, lanes * self.pairs), dtype)

    def added(self, b: Builder, x: Value, weights: Value, sums: Value) -> Value:
        """sums + x * weights, lane by lane."""
        if self.row is not None:
            return b.call(sums.type, f"{self.row.intrinsic}.{sums.type.name}", [x, weights, sums])
        lanes = sums.type.lanes
        total = b.mul(x, weights) if self.pairs == 1 else None
        if total is None:
            parts = [range(first, self.pairs * lanes, self.pairs) for first in range(self.pairs)]
            total = b.add(*(b.mul(self._part(b, x, part), self._part(b, weights, part)) for part in parts))
        return b.add(sums, Scalars(b, lanes).cast(total, DType.I32, self.types.sums))

    def _part(self, b: Builder, factors: Value, places: range) -> Value:
        """Some lanes of factors of 16 bits, as int32."""
        return Scalars(b, len(places)).cast(b.chosen(factors, places), self.factor, DType.I32)

    def _widened(self, b: Builder, value: Value, dtype: DType) -> Value:
        return Scalars(b, value.type.lanes).cast(value, dtype, self.factor)


def panel_vectors(types: ProductTypes, cpu: Cpu) -> int:
    """Registers that the sums of a panel take."""
    return max(1, PANEL // cpu.lanes(types.sums))
