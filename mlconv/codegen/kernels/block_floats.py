"""Products of many rows with weights of 4 bits, on instruction sets without sums of four products of bytes: parts of
integers of 22 bits take more instructions there than floats do, once the weights of a block have been made floats for
all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.block_products import PLACES
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import I8, I32, Value, index, integer, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL, BlockGemm
from mlconv.ir.dtypes import DType

MOST_ROWS = 128  # whose sums lie on the stack
_AT_ONCE = 128  # places whose weights lie on the stack
_TILE_ROWS = 14
_UNROLLED = 4
F32 = memory_type(DType.F32)
Finish = Callable[[Value, int, Sequence[Value]], None]


class Range(NamedTuple):
    """Rows from the first one to the one before `stop`."""

    first: Value
    stop: Value

    def size(self, b: Builder) -> Value:
        return b.sub(self.stop, self.first)


class Span(NamedTuple):
    """Blocks of the depth: the first, and how many."""

    first: Value
    length: Value


def blocks_at_once(problem: BlockGemm) -> int:
    """Blocks of the depth whose weights lie on the stack."""
    return max(1, _AT_ONCE // problem.block)


def places_at_once(problem: BlockGemm) -> int:
    """Places of these, which a row has side by side."""
    return blocks_at_once(problem) * problem.block


def room_of(problem: BlockGemm) -> int:
    """Elements of a row of floats."""
    return -(-problem.depth // places_at_once(problem)) * places_at_once(problem)


def tile_rows(cpu: Cpu, vectors: int) -> int:
    """Rows of a register tile of so many vectors."""
    return max(1, min(_TILE_ROWS, (cpu.registers - vectors - 1) // vectors))


class BlockFloats:
    """Sums of some panels and rows.  lanes: columns of a vector; vectors: of the panels that are done at once."""

    def __init__(self, b: Builder, problem: BlockGemm, cpu: Cpu, lanes: int, panels: int) -> None:
        self.b, self.problem, self.lanes = b, problem, lanes
        self.vectors = panels * PANEL // lanes
        self.rows = tile_rows(cpu, self.vectors)
        self.blocks, self.pitch = blocks_at_once(problem), places_at_once(problem)
        self.type = F32.of_lanes(lanes)
        self.weights = b.room(F32, self.pitch * panels * PANEL)
        self.sums = b.room(F32, MOST_ROWS * panels * PANEL)

    def panels(self, rows: Range, panel: Value, x: Value, operands: Sequence[Value], finish: Finish) -> None:
        """Panels from a number on, of all rows of a range.  x: rows as floats.  finish: is given the sums of some rows,
        and the first of them.
        """
        b, blocks = self.b, self.problem.blocks
        self.operands, self.first, pitch = operands, rows.first, self.vectors * self.lanes
        b.over_each(index(0), rows.size(b), lambda i: self._clear(b.offset(self.sums, F32, i, pitch)))

        def step(first: Value) -> None:
            span = Span(first, b.least(b.sub(index(blocks), first), index(self.blocks)))
            self._weights(panel, span)
            place = _of_rows(b, self.problem, x, first)
            depth = b.mul(span.length, index(self.problem.block))
            self._over(rows, lambda row, count: self._tile(row, count, place, depth))

        b.each(0, blocks, self.blocks, step)
        self._over(rows, lambda row, count: finish(row, count, self._loaded(self._sums(row), count)))

    def _over(self, rows: Range, tile: Callable[[Value, int], None]) -> None:
        """Tiles of rows; what is left in smaller ones."""
        b, begin = self.b, rows.first
        for count in sorted({self.rows, max(1, self.rows // 2), 1}, reverse=True):
            end = b.sub(rows.stop, b.urem(b.sub(rows.stop, begin), index(count)))

            def rows_of(row: Value, count: int = count) -> None:
                tile(row, count)

            b.over_each(begin, end, rows_of, count)
            begin = end

    # -- sums --------------------------------------------------------------------------------------

    def _sums(self, row: Value) -> Value:
        return self.b.offset(self.sums, F32, self.b.sub(row, self.first), self.vectors * self.lanes)

    def _clear(self, sums: Value) -> None:
        for n in range(self.vectors):
            self.b.store(zero(self.type), self.b.moved(sums, F32, n * self.lanes), F32.align)

    def _loaded(self, sums: Value, rows: int) -> list[Value]:
        b, count = self.b, rows * self.vectors
        return [b.load(self.type, b.moved(sums, F32, n * self.lanes), F32.align) for n in range(count)]

    def _tile(self, row: Value, count: int, x: Value, depth: Value) -> None:
        """Sums of a register tile, and products with the weights that are floats."""
        b, pitch = self.b, self.vectors * self.lanes
        sums = self._sums(row)
        source = b.offset(x, F32, row, self.pitch)

        def places(k: Value, totals: Carried) -> Carried:
            at, there = b.offset(self.weights, F32, k, pitch), b.offset(source, F32, k)
            for turn in range(_UNROLLED):
                totals = self._place(b.moved(at, F32, turn * pitch), b.moved(there, F32, turn), count, totals)
            return totals

        nothing: Carried = [zero(self.type)] * (count * self.vectors)  # long sums lose less in parts
        totals, before = b.over(index(0), depth, nothing, places, _UNROLLED), self._loaded(sums, count)
        for n, total in enumerate(totals):
            b.store(b.fadd(total, before[n]), b.moved(sums, F32, n * self.lanes), F32.align)

    def _place(self, weights: Value, x: Value, rows: int, totals: Carried) -> Carried:
        """Products of one place of the depth."""
        b, out = self.b, list[Value]()
        factors = self._loaded(weights, 1)
        for row in range(rows):
            wide = b.splat(b.load(F32, b.moved(x, F32, row * self.pitch), F32.align), self.lanes)
            for n, factor in enumerate(factors):
                total = totals[row * self.vectors + n]
                out.append(b.call(self.type, f"llvm.fma.{self.type.name}", [factor, wide, total]))
        return out

    # -- weights -----------------------------------------------------------------------------------

    def _weights(self, panel: Value, span: Span) -> None:
        """Weights of some blocks as floats, a place after another, each with those of all columns."""
        b, block = self.b, self.problem.block

        def one(number: Value) -> None:
            at = b.add(span.first, number)
            target = b.offset(self.weights, F32, b.mul(number, index(block)), self.vectors * self.lanes)
            for n in range(self.vectors):
                self._column(panel, at, n * self.lanes, b.moved(target, F32, n * self.lanes))

        b.over_each(index(0), span.length, one)

    def _column(self, panel: Value, number: Value, start: int, target: Value) -> None:
        """Those of a vector of columns in a block."""
        b, problem, pitch = self.b, self.problem, self.vectors * self.lanes
        behind, start = divmod(start, PANEL)
        own = b.add(panel, index(behind))
        scale, middle = scales_of(b, problem, self.operands, own, number, start, self.lanes)
        least = integer(I32.of_lanes(self.lanes), problem.zero) if middle is None else middle
        lowest = b.convert("sitofp", least, self.type)
        source = b.moved(b.offset(self.operands[1], I8, own, problem.depth * problem.place), I8, start * PLACES)
        source = b.offset(source, I8, b.mul(number, index(problem.block)), problem.place)

        def group(k: Value) -> None:
            words = words_of(b, problem, b.offset(source, I8, k, problem.place), self.lanes)
            out = b.offset(target, F32, k, pitch)
            for place in range(BLOCK_GROUP):
                half, byte = divmod(place, PLACES)
                word = words[half % len(words)]
                low = integer(word.type, 8 * byte + (problem.bits * half if len(words) == 1 else 0))
                bits = b.and_(b.binary("lshr", word, low), integer(word.type, (1 << problem.bits) - 1))
                weight = b.fmul(b.fsub(b.convert("sitofp", bits, self.type), lowest), scale)
                b.store(weight, b.moved(out, F32, place * pitch), F32.align)

        b.each(0, problem.block, BLOCK_GROUP, group)


def words_of(b: Builder, problem: BlockGemm, place: Value, lanes: int) -> list[Value]:
    """Weights of a group of places of a vector of columns: in one word of 32 bits each, or in two."""
    type_, size = I32.of_lanes(lanes), PANEL * PLACES
    return [b.load(type_, b.moved(place, I8, i * size), I8.align) for i in range(problem.place * BLOCK_GROUP // size)]


def _of_rows(b: Builder, problem: BlockGemm, room: Value, block: Value) -> Value:
    """Where the rows lie from a block on, which is a first one of those at once."""
    return b.offset(room, F32, b.mul(block, index(problem.block)), problem.indexing.rows[2])


def float_row(b: Builder, problem: BlockGemm, x: Value, scales: Value, number: Value, room: Value) -> None:
    """A row of integers as floats: first the places that are multiplied at once, of all rows, then the next ones."""
    view, together = problem.indexing.x, index(blocks_at_once(problem))
    source = b.offset(b.moved(x, I32, view.offset), I32, number, view.strides[2])
    lanes = BLOCK_GROUP  # a block has a multiple of them
    wide = F32.of_lanes(lanes)

    def block(at: Value) -> None:
        scale = b.load(F32, b.offset(scales, F32, b.add(b.mul(number, index(problem.blocks)), at)), F32.align)
        behind = b.urem(at, together)
        target = b.offset(_of_rows(b, problem, room, b.sub(at, behind)), F32, number, places_at_once(problem))
        here, there = b.offset(source, I32, at, problem.block), b.offset(target, F32, behind, problem.block)

        def piece(k: Value) -> None:
            found = b.load(I32.of_lanes(lanes), b.offset(here, I32, k), I32.align)
            made = b.fmul(b.convert("sitofp", found, wide), b.splat(scale, lanes))
            b.store(made, b.offset(there, F32, k), F32.align)

        b.each(0, problem.block, lanes, piece)

    b.each(0, problem.blocks, 1, block)


def scales_of(
    b: Builder,
    problem: BlockGemm,
    operands: Sequence[Value],
    panel: Value,
    number: Value,
    start: int,
    lanes: int,
    ask: Callable[[Value], None] | None = None,
) -> tuple[Value, Value | None]:
    """Scales and zero points of a block of columns, where they have their own.  ask: is told what is read."""
    place = b.mul(panel, index(problem.scale_blocks))
    block = number if problem.spread == 1 else b.udiv(number, index(problem.spread))
    place = b.add(b.mul(b.add(place, block), index(PANEL)), index(start))

    def found(operand: int, dtype: DType, wanted: DType) -> Value:
        pointer = b.offset(operands[operand], memory_type(dtype), place)
        if ask is not None:
            ask(pointer)
        return Scalars(b, lanes).cast(load(b, dtype, pointer, lanes), dtype, wanted)

    return found(4, problem.scales, DType.F32), found(5, DType.U8, DType.I32) if problem.zeros else None
