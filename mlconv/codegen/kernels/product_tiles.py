"""Register tiles of sums of products whose operands are not packed: some rows by some vectors that lie side by side.
What a row of the one operand is multiplied by is read once for all rows of the other.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mlconv.codegen.kernels.arrange import certainly_below
from mlconv.codegen.kernels.transposed_tiles import Pointers
from mlconv.codegen.kernels.views import view_of
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Instr, Step
from mlconv.ir.dtypes import DType

_ROWS = 4
_BUSY = 8  # sums: two units, and four cycles before a sum can be added to
_F32 = DType.F32
Advance = Callable[[Pointers, int, Value], Pointers]
Finish = Callable[[Value, Pointers], None]


class Tile(NamedTuple):
    """rows, and vectors of each.  row, column: the loads of the body by number: of a number of each row, and of what
    lies along the vectors and serves all rows.
    """

    rows: int
    vectors: int
    row: int
    column: int


def product_tile(step: Step, lanes: int, cpu: Cpu) -> Tile | None:
    """The tile of the two innermost kept axes of a sum of products of float32; None for other steps, and for few rows.
    lanes: of a vector along the innermost one.
    """
    kept = len(step.kept)
    if step.reduced == 0 or step.combine != "add" or kept < 2 or step.out.strides[-1] != 1:
        return None
    if [i.opcode for i in step.body] != ["load", "load", "mul"] or any(i.dtype is not _F32 for i in step.body):
        return None
    along = [_column_of(i, kept) for i in step.body[:2]]
    if sorted(step.body[2].args) != [0, 1] or None in along or along[0] == along[1]:
        return None
    room = cpu.registers // 2 * cpu.lanes(_F32) // lanes  # vectors in half of the registers
    rows = next((n for n in (_ROWS, _ROWS // 2) if n <= room), 0)
    if not rows or certainly_below(step.extents[kept - 2], rows):
        return None
    parts = max(1, lanes // cpu.lanes(_F32))  # registers of a vector
    vectors = min(room // rows, max(1, _BUSY // (rows * parts)))
    while vectors and certainly_below(step.extents[kept - 1], vectors * lanes):
        vectors -= 1
    return Tile(rows, vectors, along.index(False), along.index(True)) if vectors else None


def _column_of(instr: Instr, kept: int) -> bool | None:
    """A load lies along the vectors and is the same for all rows, or one number for each row; else None."""
    by_row, along = view_of(instr).strides[kept - 2 : kept]
    if along == 1 and by_row == 0:
        return True
    return False if along == 0 and by_row != 0 else None


class ProductTiles:
    """Emits the sums of one step.  advance: pointers at an index of an axis.  finish: writes one vector of sums."""

    def __init__(self, b: Builder, step: Step, tile: Tile, lanes: int, advance: Advance, finish: Finish) -> None:
        self.b, self.step, self.shape, self.lanes, self.advance, self.finish = b, step, tile, lanes, advance, finish
        self.axis = len(step.kept) - 2

    @property
    def width(self) -> int:
        """Neighbours of a row in a tile."""
        return self.shape.vectors * self.lanes

    def run(self, pointers: Pointers, nothing: Value) -> None:
        """One tile, whose first place the pointers are at.  nothing: what a vector of sums starts from."""
        rows, vectors, row, column = self.shape
        places = [self.advance(pointers, self.axis, index(r)) for r in range(rows)]
        starts = [pointers[column], *(p[row] for p in places)]
        totals = self._reduce(self.axis + 2, starts, [nothing] * (rows * vectors))
        for r, there in enumerate(places):
            for v in range(vectors):
                at = self.advance(there, self.axis + 1, index(v * self.lanes))
                self.finish(totals[r * vectors + v], at)

    def _reduce(self, axis: int, starts: Pointers, totals: Carried) -> Carried:
        """Sums over an axis and the ones inside it.  starts: of the columns, then of each row."""
        b, (_, _, row, column) = self.b, self.shape
        if axis == len(self.step.extents):
            return self._step(starts, totals)
        ways = [view_of(self.step.body[i]).strides[axis] for i in (column, *[row] * self.shape.rows)]

        def body(at: Value, carried: Carried) -> Carried:
            moved = [
                b.offset(start, memory_type(_F32), at, way) if way != 0 else start
                for start, way in zip(starts, ways, strict=True)
            ]
            return self._reduce(axis + 1, moved, carried)

        return b.loop(0, self.step.extents[axis], 1, totals, body)

    def _step(self, starts: Pointers, totals: Carried) -> Carried:
        b, vectors, ops = self.b, self.shape.vectors, Scalars(self.b, self.lanes)
        first, *rows = starts
        columns = [load(b, _F32, b.moved(first, memory_type(_F32), v * self.lanes), self.lanes) for v in range(vectors)]
        out = []
        for r, place in enumerate(rows):
            x = b.splat(load(b, _F32, place, 1), self.lanes)
            out += [ops.intrinsic("fma", _F32, [x, c, totals[r * vectors + v]]) for v, c in enumerate(columns)]
        return out
