"""How an instruction set multiplies integers of 4 or 8 bits with parts of integers of 22: exact sums in int32.

By instructions for sums of four products of bytes (`Cpu.dots`), else by those for two, whose sums of 16 bits hold half
a block (`Cpu.byte_pairs`), else by pairs of 16 bits (`Cpu.pairs`, or plain code).
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I16, I32, I64, LlvmType, Value, integer, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Dot, Instruction
from mlconv.dialects.kernel import BLOCK_GROUP, MOST_OF_BLOCK, PANEL, ProductTypes
from mlconv.ir.dtypes import DType

PLACES = BLOCK_GROUP // 2  # of a column, that lie side by side
_IN_16_BITS = ProductTypes(DType.I16, DType.I8, DType.I32, DType.I32)
_BYTE_PARTS, _WIDE_PARTS = 3, 2  # of 8 and two times 7 bits; of 8 bits, 7 behind them, and 7


class BlockProducts(ABC):
    """parts: that an integer of a row has, the upper bits first.  part: what they are.  lanes: columns of a vector.
    registers: that sums of a vector and a part take.  unrolled: groups of places that a loop takes at once.  plane:
    most bits of a weight that are multiplied at once.
    """

    parts: int = _BYTE_PARTS
    part: LlvmType = I8
    registers: int = 1
    unrolled: int = 4
    plane: int = 8

    def __init__(self, lanes: int) -> None:
        self.lanes = lanes

    def halves(self, rows: int, block: int) -> int:
        """Sums of a vector that are added behind a block, one for each half of the bytes of weights."""
        return 1

    @abstractmethod
    def nothing(self) -> list[Value]:
        """Sums of nothing, of a vector and a part."""

    def factors(self, b: Builder, weights: Value) -> list[Value]:
        """Bytes of planes, as they are multiplied."""
        return [weights]

    @abstractmethod
    def added(self, b: Builder, x: Value, factors: Sequence[Value], sums: Sequence[Value]) -> list[Value]:
        """sums, and products of factors with x: a part of `PLACES` elements of a row, as `spread` has them."""

    @abstractmethod
    def total(self, b: Builder, halves: Sequence[Sequence[Value]]) -> Value:
        """The sum of each column."""

    def spread(self, b: Builder, x: Value) -> Value:
        """The part of `PLACES` elements that lies at x, for each column that is multiplied at once."""
        word, lanes = I32 if self.part is I8 else I64, self.lanes // self.registers
        return b.bitcast(b.splat(b.load(word, x, self.part.align), lanes), self.part.of_lanes(lanes * PLACES))


class ByDots(BlockProducts):
    """Sums of four products of bytes."""

    def __init__(self, dot: Dot) -> None:
        super().__init__(dot.lanes)
        self.dot = dot
        self.plane = 8 if dot.x is DType.U8 else 4  # what has a sign holds no more

    def halves(self, rows: int, block: int) -> int:
        """Of a single row, sums of one half do not wait for those of the other."""
        return 2 if rows == 1 else 1

    def nothing(self) -> list[Value]:
        return [zero(I32.of_lanes(self.lanes))]

    def added(self, b: Builder, x: Value, factors: Sequence[Value], sums: Sequence[Value]) -> list[Value]:
        return [b.call(sums[0].type, self.dot.intrinsic, [sums[0], factors[0], x])]

    def total(self, b: Builder, halves: Sequence[Sequence[Value]]) -> Value:
        return _sum(b, [half[0] for half in halves])


class ByBytePairs(BlockProducts):
    """Sums of two products of bytes in 16 bits: eight of at most 2 * 15 * 127 fit."""

    unrolled = 2
    plane = 4

    def __init__(self, row: Instruction, in_pairs: Dots) -> None:
        super().__init__(row.lanes // 2)
        self.row, self.in_pairs = row, in_pairs

    def halves(self, rows: int, block: int) -> int:
        return 1 if block <= MOST_OF_BLOCK // 2 else 2

    def nothing(self) -> list[Value]:
        return [zero(I16.of_lanes(2 * self.lanes))]

    def added(self, b: Builder, x: Value, factors: Sequence[Value], sums: Sequence[Value]) -> list[Value]:
        products = b.call(sums[0].type, self.row.intrinsic, [factors[0], x])
        return [b.add(sums[0], products)]

    def total(self, b: Builder, halves: Sequence[Sequence[Value]]) -> Value:
        ones = integer(I16.of_lanes(2 * self.lanes), 1)
        return _sum(b, [self.in_pairs.of_pairs(b, half[0], ones) for half in halves])


class ByPairs(BlockProducts):
    """Sums of two products of 16 bits in 32."""

    parts = _WIDE_PARTS
    part = I16

    def __init__(self, cpu: Cpu, pairs: Dots) -> None:
        super().__init__(min(PANEL, max(PLACES, cpu.lanes(DType.I32))))
        self.pairs = pairs
        self.registers = pairs.parts(self.lanes)

    def halves(self, rows: int, block: int) -> int:
        return 2 if rows == 1 else 1

    def nothing(self) -> list[Value]:
        return self.pairs.nothing(self.lanes)

    def factors(self, b: Builder, weights: Value) -> list[Value]:
        size = weights.type.lanes // self.registers
        pieces = [b.lanes(weights, i, size) for i in range(0, weights.type.lanes, size)]
        return [b.convert("zext", piece, I16.of_lanes(size)) for piece in pieces]

    def added(self, b: Builder, x: Value, factors: Sequence[Value], sums: Sequence[Value]) -> list[Value]:
        return [self.pairs.added(b, x, f, total) for f, total in zip(factors, sums, strict=True)]

    def total(self, b: Builder, halves: Sequence[Sequence[Value]]) -> Value:
        return self.pairs.total(b, [_sum(b, pieces) for pieces in zip(*halves, strict=True)])


def _sum(b: Builder, values: Sequence[Value]) -> Value:
    total = values[0]
    for more in values[1:]:
        total = b.add(total, more)
    return total


def dot_of(cpu: Cpu) -> Dot | None:
    """The widest instruction that takes bytes of weights, without a sign or less than 16, and bytes of x."""
    fitting = [d for d in cpu.dots if d.weights is DType.I8 and d.lanes <= PANEL]
    return max(fitting, key=lambda d: d.lanes, default=None)


def block_products(cpu: Cpu, bits: int) -> BlockProducts:
    """How an instruction set multiplies weights of so many bits."""
    dot, pairs = dot_of(cpu), Dots(_IN_16_BITS, 0, cpu)
    if dot is not None:
        return ByDots(dot)
    rows = [row for row in cpu.byte_pairs if row.lanes <= 2 * PANEL and bits <= ByBytePairs.plane]
    return ByBytePairs(max(rows, key=lambda row: row.lanes), pairs) if rows else ByPairs(cpu, pairs)
