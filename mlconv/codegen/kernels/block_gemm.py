"""Generator of `kernel.block_gemm`: weights of 4 bits, read once and taken apart in registers, by rows of 22 bits.

Sums of a block are integers, and exact, on every instruction set: each of the parts of a row, its upper and its lower
bits, which lie on the stack, is multiplied by itself (`block_products`).  They become floats behind the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.block_products import PLACES, block_products, dot_of
from mlconv.codegen.kernels.indexing import Epilogue, Position
from mlconv.codegen.kernels.kind import Call, KernelKind, Written
from mlconv.codegen.kernels.row_items import RowItems
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import (
    I8,
    I32,
    POINTER,
    VOID,
    Value,
    index,
    integer,
    memory_type,
    zero,
)
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL, BlockGemm
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

_LOW_BITS = 7  # of x, in each part but the first
_ROWS = 4  # at once, at most
_STACK = 48 << 10  # bytes for what rows are made of
_ROW_BYTES = 4  # of a place of x on the stack, at most
F32 = memory_type(DType.F32)
_AHEAD = 12 << 10  # bytes of weights, and of their scales
_SCALES_AHEAD = 1 << 10


class Shape(NamedTuple):
    """Of what is done at once: rows of a panel, columns of a vector."""

    rows: int
    lanes: int

    @property
    def vectors(self) -> int:
        """Vectors of columns of a panel."""
        return PANEL // self.lanes


class Panel(NamedTuple):
    """columns: that there are of it."""

    number: Value
    columns: int


class BlockGemmGenerator:
    """Emits one problem, a panel at a time, from the first to the last byte of weights.  items: panels where there are
    few rows, else tiles of rows.
    """

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu, self.indexing = b, problem, cpu, problem.indexing
        self.products = block_products(cpu)
        self.parts, self.part = self.products.parts, self.products.part
        rows = self.indexing.rows[2]
        few = rows if isinstance(rows, int) else _ROWS
        self.shape = self._shape(max(1, min(few, _ROWS, _STACK // (_ROW_BYTES * problem.depth))))
        self.by_panels = isinstance(rows, int) and rows <= self.shape.rows
        self.row_items = RowItems(b, self.indexing, self.shape.rows, "columns")

    def _shape(self, rows: int) -> Shape:
        lanes = self.products.lanes
        return Shape(rows if self.cpu.registers >= 32 and lanes == PANEL else 1, lanes)

    @property
    def items(self) -> Size:
        """How many work items there are."""
        return self.problem.panels if self.by_panels else self.row_items.number

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        work = estimate(product(self.indexing.rows)) * self.problem.panels * PANEL * self.problem.depth
        return work / max(1, estimate(self.items)) / 40

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: as `BlockGemm` has them."""
        b, shape, types = self.b, self.shape, self.problem.types
        self.operands = operands
        self.epilogue = Epilogue(b, self.indexing, types, shape.lanes, operands, out)
        self.room = b.room(self.part, self.parts * shape.rows * self.problem.depth)
        if not self.by_panels:
            self.row_items.run(lambda each_tile: each_tile(self._tile))
            return
        (rows,) = (n for n in self.indexing.rows[2:] if isinstance(n, int))
        at = Position(index(0), index(0), index(0), index(0))
        self._take_apart(at, rows)
        full, rest = divmod(self.indexing.channels, PANEL)

        def item(number: Value) -> None:
            if full:
                inside = b.icmp("slt", number, index(full))
                b.when(inside, lambda: self._panel(at, rows, Panel(number, PANEL)))
            if rest:
                b.when(b.icmp("eq", number, index(full)), lambda: self._panel(at, rows, Panel(index(full), rest)))

        b.work_items(item)

    def _tile(self, at: Position, rows: int) -> None:
        """Some rows, all panels."""
        self._take_apart(at, rows)
        full, rest = divmod(self.indexing.channels, PANEL)
        if full:
            self.b.each(0, full, 1, lambda i: self._panel(at, rows, Panel(i, PANEL)))
        if rest:
            self._panel(at, rows, Panel(index(full), rest))

    # -- x -----------------------------------------------------------------------------------------

    def _place(self, row: int, part: int) -> Value:
        """Where a part of a row lies on the stack."""
        return self.b.moved(self.room, self.part, (self.parts * row + part) * self.problem.depth)

    def _take_apart(self, at: Position, rows: int) -> None:
        """The upper bits of rows go to the stack, with their sign, and groups of lower ones."""
        b, depth, view = self.b, self.problem.depth, self.indexing.x
        lanes = next(n for n in (self.cpu.lanes(DType.I32), BLOCK_GROUP) if depth % n == 0 and n > 1)
        for row in range(rows):
            column = b.add(at.column, index(row))
            source = b.offset(b.moved(self.operands[0], I32, view.offset), I32, column, view.strides[2])

            def piece(k: Value, source: Value = source, row: int = row) -> None:
                x = load(b, DType.I32, b.offset(source, I32, k), lanes)
                for part in range(self.parts):
                    below = (self.parts - 1 - part) * _LOW_BITS
                    bits = b.binary("ashr", x, integer(x.type, below)) if below else x
                    bits = b.and_(bits, integer(x.type, (1 << _LOW_BITS) - 1)) if part else bits
                    made = b.convert("trunc", bits, self.part.of_lanes(lanes))
                    b.store(made, b.offset(self._place(row, part), self.part, k), self.part.align)

            b.each(0, depth, lanes, piece)

    # -- panels ------------------------------------------------------------------------------------

    def _panel(self, at: Position, rows: int, panel: Panel) -> None:
        """All blocks of a panel, then the epilogue."""
        b, problem, shape = self.b, self.problem, self.shape._replace(rows=rows)
        first = b.offset(self.operands[1], I8, panel.number, problem.depth * PANEL // 2)
        nothing: Carried = [zero(F32.of_lanes(shape.lanes))] * (rows * shape.vectors)

        def block(i: Value, totals: Carried) -> Carried:
            return self._block(at, shape, panel, first, i, totals)

        totals = b.loop(0, problem.blocks, 1, nothing, block)
        starts = self.epilogue.start(at._replace(channel=b.mul(panel.number, index(PANEL))))
        for row in range(rows):
            for j in range(shape.vectors):
                left = panel.columns - j * shape.lanes
                if left > 0:
                    total = totals[row * shape.vectors + j]
                    mask = left if left < shape.lanes else 0
                    self.epilogue.finish(total, starts, row, j * shape.lanes, mask)

    def _block(self, at: Position, shape: Shape, panel: Panel, first: Value, number: Value, totals: Carried) -> Carried:
        """Sums of a block, as floats."""
        b, problem = self.b, self.problem
        place = b.mul(number, index(problem.block))
        halves, each = self.products.halves(shape.rows, problem.block), self.parts * self.products.registers
        nothing: Carried = self.products.nothing() * (halves * shape.rows * shape.vectors * self.parts)
        unrolled = self.products.unrolled
        step = BLOCK_GROUP * (unrolled if problem.block % (BLOCK_GROUP * unrolled) == 0 else 1)

        def groups(k: Value, values: Carried) -> Carried:
            for group in range(0, step, BLOCK_GROUP):
                values = self._group(shape, first, b.add(b.add(place, k), index(group)), values)
            return values

        sums = b.loop(0, problem.block, step, nothing, groups)
        size = len(sums) // halves
        found = [sums[start : start + size] for start in range(0, len(sums), size)]
        out, scales = list[Value](), [self._of_columns(panel, number, j, shape) for j in range(shape.vectors)]
        for row in range(shape.rows):
            scale, of_x = self._of_row(at, row, number, shape.lanes)
            for j, (of_column, zeros) in enumerate(scales):
                n = row * shape.vectors + j
                total = self._total([half[n * each : (n + 1) * each] for half in found])
                total = b.sub(total, of_x if zeros is None else b.mul(of_x, zeros))
                wide = b.convert("sitofp", total, F32.of_lanes(shape.lanes))
                out.append(b.call(wide.type, f"llvm.fma.{wide.type.name}", [wide, b.fmul(scale, of_column), totals[n]]))
        return out

    def _group(self, shape: Shape, first: Value, k: Value, values: Carried) -> Carried:
        """Eight places of each column, from place k on."""
        b, out, each = self.b, list(values), self.parts * self.products.registers
        group = b.offset(first, I8, k, PANEL // 2)
        further = len(out) - shape.rows * shape.vectors * each  # 0, or the sums of the first half of bytes
        if shape.rows == 1:
            self._prefetch(group, _AHEAD)
        type_, words = I32.of_lanes(shape.lanes), list[Value]()
        for j in range(shape.vectors):
            words.append(b.load(type_, b.moved(group, I8, j * shape.lanes * PLACES), I8.align))
        for half in range(2):
            place = b.add(k, index(half * PLACES))
            for j, word in enumerate(words):
                bits = b.binary("lshr", word, integer(type_, PLACES)) if half else word
                bits = b.and_(bits, integer(type_, 0x0F0F0F0F))
                factors = self.products.factors(b, b.bitcast(bits, I8.of_lanes(PLACES * shape.lanes)))
                for row in range(shape.rows):
                    self._multiply(row, place, factors, out, (row * shape.vectors + j) * each + half * further)
        return out

    def _prefetch(self, pointer: Value, distance: int) -> None:
        """What comes so many bytes later: a page's first lines are not foreseen by processors."""
        ahead = self.b.moved(pointer, I8, distance)
        self.b.call(VOID, f"llvm.prefetch.{POINTER.name}", [ahead, integer(I32, 0), integer(I32, 2), integer(I32, 1)])

    def _multiply(self, row: int, place: Value, factors: Sequence[Value], sums: Carried, first: int) -> None:
        """Four places of a row by those of each column go to the sums from `first` on."""
        b, registers = self.b, self.products.registers
        for part in range(self.parts):
            at = slice(first + part * registers, first + (part + 1) * registers)
            x = b.offset(self._place(row, part), self.part, place)
            sums[at] = self.products.added(b, x, factors, sums[at])

    def _total(self, halves: Sequence[Carried]) -> Value:
        """One integer for each column, of the sums of its parts."""
        b, registers = self.b, self.products.registers
        parts = [
            self.products.total(b, [half[n * registers : (n + 1) * registers] for half in halves])
            for n in range(self.parts)
        ]
        total = parts[0]
        for more in parts[1:]:
            total = b.add(b.binary("shl", total, integer(total.type, _LOW_BITS)), more)
        return total

    # -- numbers of blocks -------------------------------------------------------------------------

    def _of_row(self, at: Position, row: int, number: Value, lanes: int) -> tuple[Value, Value]:
        """The scale of a block of a row, and its sum, times the zero point where all weights have one."""
        b = self.b
        place = b.add(b.mul(b.add(at.column, index(row)), index(self.problem.blocks)), number)
        scale = b.load(F32, b.offset(self.operands[2], F32, place), F32.align)
        total = b.load(I32, b.offset(self.operands[3], I32, place), I32.align)
        total = total if self.problem.zeros else b.mul(total, integer(I32, self.problem.zero))
        return b.splat(scale, lanes), b.splat(total, lanes)

    def _of_columns(self, panel: Panel, number: Value, j: int, shape: Shape) -> tuple[Value, Value | None]:
        """Scales and zero points of a block of columns, where they have their own."""
        b, problem, lanes = self.b, self.problem, shape.lanes
        place = b.mul(panel.number, index(problem.blocks // problem.spread))
        block = number if problem.spread == 1 else b.udiv(number, index(problem.spread))
        place = b.add(b.mul(b.add(place, block), index(PANEL)), index(j * lanes))
        scales = Scalars(b, lanes).cast(self._loaded(4, problem.scales, place, lanes), problem.scales, DType.F32)
        if not problem.zeros:
            return scales, None
        zeros = self._loaded(5, DType.U8, place, lanes)
        return scales, Scalars(b, lanes).cast(zeros, DType.U8, DType.I32)

    def _loaded(self, operand: int, dtype: DType, place: Value, lanes: int) -> Value:
        pointer = self.b.offset(self.operands[operand], memory_type(dtype), place)
        if self.shape.rows == 1:
            self._prefetch(pointer, _SCALES_AHEAD)
        return load(self.b, dtype, pointer, lanes)


class _BlockGemm(KernelKind[BlockGemm]):
    name = "kernel.block_gemm"

    def flops(self, problem: BlockGemm) -> int:
        results = estimate(product(problem.indexing.rows)) * problem.indexing.channels
        return results * (2 * problem.depth + program_flops(problem.indexing.after))

    def generate(self, b: Builder, problem: BlockGemm, call: Call) -> Written:
        generator = BlockGemmGenerator(b, problem, call.cpu)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def instructions(self, cpu: Cpu, problem: BlockGemm) -> set[str]:
        dot = dot_of(cpu)
        return set() if dot is None else {dot.intrinsic}


BLOCK_GEMM = _BlockGemm()
