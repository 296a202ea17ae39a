"""Generator of `kernel.block_gemm`: weights of 4 bits, read once and taken apart in registers, by rows of 22 bits.

Sums of a block are integers, and exact, on every instruction set: by instructions for sums of products of bytes, three
for a row, of its upper and of its lower bits, which lie on the stack; else by pairs of 16 bits, two for a row.  They
become floats behind the block.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots
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
    I16,
    I32,
    I64,
    POINTER,
    VOID,
    LlvmType,
    Value,
    index,
    integer,
    memory_type,
    zero,
)
from mlconv.codegen.machines.cpus import Cpu, Dot
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL, BlockGemm, ProductTypes
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

_PLACES = BLOCK_GROUP // 2  # of a column, that lie side by side
_LOW_BITS = 7  # of x, in each part but the first
_ROWS = 4  # at once, at most
_STACK = 48 << 10  # bytes for what rows are made of
_ROW_BYTES = 4  # of a place of x on the stack, at most
F32 = memory_type(DType.F32)
_UNROLLED = 4  # groups
_AHEAD = 12 << 10  # bytes of weights, and of their scales
_SCALES_AHEAD = 1 << 10
_IN_16_BITS = ProductTypes(DType.I16, DType.I8, DType.I32, DType.I32)


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


def _dot_of(cpu: Cpu) -> Dot | None:
    """The widest instruction that takes bytes of weights, without a sign or less than 16, and bytes of x."""
    fitting = [d for d in cpu.dots if d.weights is DType.I8 and d.lanes <= PANEL]
    return max(fitting, key=lambda d: d.lanes, default=None)


class BlockGemmGenerator:
    """Emits one problem, a panel at a time, from the first to the last byte of weights.  items: panels where there are
    few rows, else tiles of rows.
    """

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu, self.indexing = b, problem, cpu, problem.indexing
        self.dot, self.pairs = _dot_of(cpu), Dots(_IN_16_BITS, 0, cpu)
        self.parts, self.part = (3, I8) if self.dot is not None else (2, I16)  # of x, and what they are
        rows = self.indexing.rows[2]
        few = rows if isinstance(rows, int) else _ROWS
        self.shape = self._shape(max(1, min(few, _ROWS, _STACK // (_ROW_BYTES * problem.depth))))
        self.by_panels = isinstance(rows, int) and rows <= self.shape.rows
        self.row_items = RowItems(b, self.indexing, self.shape.rows, "columns")

    def _shape(self, rows: int) -> Shape:
        lanes = self.dot.lanes if self.dot is not None else min(PANEL, max(_PLACES, self.cpu.lanes(DType.I32)))
        return Shape(rows if self.cpu.registers >= 32 and lanes == PANEL else 1, lanes)

    @property
    def halves(self) -> int:
        """Sums of a vector that are added behind a block: of a single row, those of one half of each byte do not wait
        for those of the other.
        """
        return 2 if self.shape.rows == 1 else 1

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
        each = self._parts(shape)
        nothing: Carried = [zero(self._sums_type(shape))] * (shape.rows * shape.vectors * each * self.halves)
        step = BLOCK_GROUP * (_UNROLLED if problem.block % (BLOCK_GROUP * _UNROLLED) == 0 else 1)

        def groups(k: Value, values: Carried) -> Carried:
            for group in range(0, step, BLOCK_GROUP):
                values = self._group(shape, first, b.add(b.add(place, k), index(group)), values)
            return values

        sums = b.loop(0, problem.block, step, nothing, groups)
        out, scales = list[Value](), [self._of_columns(panel, number, j, shape) for j in range(shape.vectors)]
        for row in range(shape.rows):
            scale, of_x = self._of_row(at, row, number, shape.lanes)
            for j, (of_column, zeros) in enumerate(scales):
                n = row * shape.vectors + j
                total = self._total(sums, n * each, shape)
                total = b.sub(total, of_x if zeros is None else b.mul(of_x, zeros))
                wide = b.convert("sitofp", total, F32.of_lanes(shape.lanes))
                out.append(b.call(wide.type, f"llvm.fma.{wide.type.name}", [wide, b.fmul(scale, of_column), totals[n]]))
        return out

    def _parts(self, shape: Shape) -> int:
        """Sums of a vector."""
        return self.parts * (1 if self.dot is not None else self.pairs.parts(shape.lanes))

    def _sums_type(self, shape: Shape) -> LlvmType:
        if self.dot is not None:
            return I32.of_lanes(shape.lanes)
        return self.pairs.nothing(shape.lanes)[0].type

    def _group(self, shape: Shape, first: Value, k: Value, values: Carried) -> Carried:
        """Eight places of each column, from place k on."""
        b, out = self.b, list(values)
        group = b.offset(first, I8, k, PANEL // 2)
        each, half_way = self._parts(shape), shape.rows * shape.vectors * self._parts(shape) * (self.halves - 1)
        if shape.rows == 1:
            self._prefetch(group, _AHEAD)
        for j in range(shape.vectors):
            there = b.moved(group, I8, j * shape.lanes * _PLACES)
            words = b.load(I32.of_lanes(shape.lanes), there, I8.align)
            nibbles = integer(words.type, 0x0F0F0F0F)
            above = b.binary("lshr", words, integer(words.type, _PLACES))
            for half, found in enumerate((b.and_(words, nibbles), b.and_(above, nibbles))):
                weights = b.bitcast(found, I8.of_lanes(_PLACES * shape.lanes))
                place = b.add(k, index(half * _PLACES))
                for row in range(shape.rows):
                    first_sum = (row * shape.vectors + j) * each + half * half_way
                    self._multiply(row, place, weights, out, first_sum, shape.lanes)
        return out

    def _prefetch(self, pointer: Value, distance: int) -> None:
        """What comes so many bytes later: a page's first lines are not foreseen by processors."""
        ahead = self.b.moved(pointer, I8, distance)
        self.b.call(VOID, f"llvm.prefetch.{POINTER.name}", [ahead, integer(I32, 0), integer(I32, 2), integer(I32, 1)])

    def _multiply(self, row: int, place: Value, weights: Value, sums: Carried, n: int, lanes: int) -> None:
        """Four places of a row by those of each column go to the sums from n on."""
        b, dot = self.b, self.dot
        pieces = 1 if dot is not None else self.pairs.parts(lanes)
        each, word = lanes // pieces, I32 if dot is not None else I64
        for i in range(pieces):
            some = b.lanes(weights, i * each * _PLACES, each * _PLACES) if pieces > 1 else weights
            wide = some if dot is not None else b.convert("zext", some, I16.of_lanes(each * _PLACES))
            for part in range(self.parts):
                pointer = b.offset(self._place(row, part), self.part, place)
                x = b.bitcast(b.splat(b.load(word, pointer, self.part.align), each), wide.type)
                at, before = n + part * pieces + i, sums[n + part * pieces + i]
                if dot is not None:
                    sums[at] = b.call(before.type, dot.intrinsic, [before, wide, x])
                else:
                    sums[at] = self.pairs.added(b, x, wide, before)

    def _total(self, sums: Sequence[Value], first: int, shape: Shape) -> Value:
        """One integer for each column, of the sums from `first` on."""
        b, each = self.b, self._parts(shape)
        found = list(sums[first : first + each])
        if self.halves > 1:
            others = sums[len(sums) // 2 + first :][:each]
            found = [b.add(x, y) for x, y in zip(found, others, strict=True)]
        pieces = each // self.parts
        parts = [found[i : i + pieces] for i in range(0, each, pieces)]
        totals = [p[0] if self.dot is not None else self.pairs.total(b, p) for p in parts]
        total = totals[0]
        for more in totals[1:]:
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
        dot = _dot_of(cpu)
        return set() if dot is None else {dot.intrinsic}


BLOCK_GEMM = _BlockGemm()
