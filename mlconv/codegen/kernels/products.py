"""What products compute with: element types, and the instruction that multiplies and adds."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.codegen.machines.cpus import Cpu, MultiplyAdd
from mlconv.dialects.kernel import PANEL
from mlconv.ir.dtypes import DType


class ProductTypes(NamedTuple):
    """Element types: of x, of the weights, of the sums and of the result."""

    x: DType
    weights: DType
    sums: DType
    result: DType

    def multiply_add(self, cpu: Cpu) -> MultiplyAdd:
        """What an instruction set has for them.  Raises ConversionError TargetUnavailable."""
        return cpu.multiply_add(self.x, self.weights, self.sums)

    def panel_vectors(self, cpu: Cpu) -> int:
        """Registers that the sums of a panel take."""
        return max(1, PANEL // cpu.lanes(self.sums))


FLOAT32 = ProductTypes(DType.F32, DType.F32, DType.F32, DType.F32)


def multiplied(b: Builder, row: MultiplyAdd, x: Value, weights: Value, sums: Value) -> Value:
    """sums + x * weights, lane by lane."""
    return b.call(sums.type, f"{row.intrinsic}.{sums.type.name}", [x, weights, sums])
