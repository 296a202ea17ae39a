"""Parts of rows of integers of 22 bits, as products with weights of 4 or 8 bits multiply them."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.kernels.block_products import block_products
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I32, Value, integer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import BLOCK_GROUP, BlockGemm
from mlconv.ir.dtypes import DType

LOW_BITS = 7  # of x, in each part but the first
FEW_ROWS = 4
ROW_BYTES = 4  # of a place of x, at most
_STACK = 48 << 10  # bytes for parts of few rows
_LINE = 64  # of a cache, bytes


class RowParts(NamedTuple):
    """The step ahead of a product of many rows: parts of all of them go to scratch memory."""

    product: BlockGemm


class Parts:
    """Writes parts of rows of a problem: upper bits, with their sign, and groups of lower ones."""

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu = b, problem, cpu
        products = block_products(cpu, problem.bits)
        self.parts, self.part = products.parts, products.part

    @property
    def row(self) -> int:
        """Elements that a row becomes.  Of many, neighbours begin in different sets of a cache."""
        size = self.parts * self.problem.depth
        apart = self.part is I8 and self.problem.depth >= 2 * _LINE and not few_rows(self.problem)
        return (-(-size // _LINE) | 1) * _LINE if apart else size

    def of(self, rows: Value, number: Value, room: Value) -> None:
        """Of a row."""
        b, depth, view = self.b, self.problem.depth, self.problem.indexing.x
        lanes = next(n for n in (self.cpu.lanes(DType.I32), BLOCK_GROUP) if depth % n == 0 and n > 1)
        source = b.offset(b.moved(rows, I32, view.offset), I32, number, view.strides[2])
        target = b.offset(room, self.part, number, self.row)

        def piece(k: Value) -> None:
            x = load(b, DType.I32, b.offset(source, I32, k), lanes)
            for part in range(self.parts):
                below = (self.parts - 1 - part) * LOW_BITS
                bits = b.binary("ashr", x, integer(x.type, below)) if below else x
                bits = b.and_(bits, integer(x.type, (1 << LOW_BITS) - 1)) if part else bits
                made = b.convert("trunc", bits, self.part.of_lanes(lanes))
                there = b.moved(target, self.part, part * depth)
                b.store(made, b.offset(there, self.part, k), self.part.align)

        b.each(0, depth, lanes, piece)


def few_rows(problem: BlockGemm) -> int:
    """Rows, where they are so few that their parts have room on the stack, else 0."""
    rows = problem.indexing.rows[2]
    return rows if isinstance(rows, int) and rows <= min(FEW_ROWS, _STACK // (ROW_BYTES * problem.depth)) else 0
