"""Products of many rows with weights of 4 or 8 bits by tiles of matrices: a block of 16 rows and a panel at a time, one
tile of sums for each part of the rows.  Weights of 4 bits become bytes on the stack once for all rows.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple

from mlconv.codegen.kernels.block_floats import Range, words_of
from mlconv.codegen.kernels.block_products import PLACES
from mlconv.codegen.kernels.matrix_tiles import (
    ROWS,
    TileShape,
    add_products,
    clear,
    configure,
    load_tile,
    release,
    store_tile,
)
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I8, I32, Value, index, integer, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Matrix
from mlconv.dialects.kernel import BLOCK_GROUP, PANEL, TILE_ROW, BlockGemm
from mlconv.ir.dtypes import DType

MOST_ROWS = 8 * ROWS  # whose sums lie on the stack
_AT_ONCE = 512  # places whose weights lie on the stack
_LEAST = 1 << 15  # weights: fewer are multiplied sooner than tiles are configured
_NIBBLE = 4
F32 = memory_type(DType.F32)


class TileSums(NamedTuple):
    """What tiles ask of the product.  columns: of a panel and a block, the scale of columns and their zero point.
    rows: where scales and sums of a row lie, from its number.  add: the total of a row and what a block adds to it; it
    is given where those lie, the number of the block, sums of parts, and of the columns the scale and the zero point,
    where that is not off yet.
    """

    columns: Callable[[Value, Value], tuple[Value, Value]]
    rows: Callable[[Value], Sequence[Value]]
    add: Callable[[Sequence[Value], Value, Sequence[Value], Value, Value | None, Value], Value]


class TilePanels(NamedTuple):
    """How many panels are done at once, and the weights of the first one."""

    weights: Value
    size: int


class _Part(NamedTuple):
    """Some blocks of all rows.  x: parts of these."""

    rows: Range
    blocks: Range
    x: Value
    sums: TileSums


FinishRow = Callable[[Value, Value, Value], None]  # takes a panel, a row, and its sums


def tiles_of(cpu: Cpu, bits: int) -> Matrix | None:
    """The product of rows of bytes and weights of so many bits: those of 4, less their zero points, have a sign."""
    weights = DType.I8 if bits == _NIBBLE else DType.U8
    return next((m for m in cpu.signed_matrices if m.weights is weights), None)


def fills_tiles(b: Builder | None, problem: BlockGemm, cpu: Cpu) -> Value | bool:
    """Whether there are rows for a tile, and weights that are worth its configuration.  b: asks, where the number of
    rows is known at run time only; without it, that is taken for true.
    """
    rows, weights = problem.indexing.rows[2], problem.depth * problem.indexing.channels
    if tiles_of(cpu, problem.bits) is None or (isinstance(rows, int) and rows < ROWS) or weights < _LEAST:
        return False
    return True if isinstance(rows, int) or b is None else b.icmp("sge", b.number(rows), index(ROWS))


class BlockTiles:
    """Sums of some panels and of many rows, at least 16.  parts: of a row, one behind the other; pitch: bytes from one
    row to the next; panels: at once, at most, for which a tile of rows stays in the first-level cache.
    """

    def __init__(self, b: Builder, problem: BlockGemm, matrix: Matrix, parts: int, pitch: int, panels: int) -> None:
        self.b, self.problem, self.matrix, self.parts = b, problem, matrix, parts
        self.pitch = pitch
        self.blocks = max(1, _AT_ONCE // problem.block)
        self.size = self.blocks * problem.block * PANEL  # of weights that are multiplied before the next ones
        self.bytes = b.room(I8, panels * self.size) if problem.bits == _NIBBLE else None
        self.made = b.room(I32, parts * ROWS * PANEL)
        self.sums = b.room(F32, panels * MOST_ROWS * PANEL)
        self._sum, self._x, self._weights = 0, parts, 2 * parts  # numbers of tiles

    def within(self, body: Callable[[], None]) -> None:
        """body() with tiles of such blocks."""
        block = self.problem.block
        shapes = {self._sum + i: TileShape(ROWS) for i in range(self.parts)}
        shapes |= {self._x + i: TileShape(ROWS, block) for i in range(self.parts)}
        configure(self.b, shapes | {self._weights: TileShape(block // PLACES)})
        body()
        release(self.b)

    def panels(self, rows: Range, x: Value, group: TilePanels, sums: TileSums, finish: FinishRow) -> None:
        """rows: at most `MOST_ROWS`.  x: parts of all rows."""
        b, blocks, count = self.b, self.problem.blocks, group.size
        size, nothing = rows.size(b), zero(F32.of_lanes(PANEL))
        clear_all = index(count * MOST_ROWS)
        b.over_each(index(0), clear_all, lambda i: b.store(nothing, b.offset(self.sums, F32, i, PANEL), F32.align))

        def step(first: Value) -> None:
            length = b.least(b.sub(index(blocks), first), index(self.blocks))
            part = _Part(rows, Range(first, b.add(first, length)), x, sums)
            if self.bytes is not None:
                b.each(0, count, 1, lambda i: self._unpack(part, group, i))
            tiles = partial(self._tile, part, group)
            b.over_each(index(0), size, lambda at: b.each(0, count, 1, lambda i: tiles(at, i)), ROWS)

        b.each(0, blocks, self.blocks, step)
        b.over_each(index(0), size, lambda at: b.each(0, count, 1, lambda i: self._finish(rows, at, i, finish)), ROWS)

    def _of_panel(self, part: _Part, group: TilePanels, i: Value) -> Value:
        """Where weights of a panel lie, as they are stored, from the first block on."""
        b, depth, place = self.b, self.problem.depth, self.problem.place
        own = b.offset(group.weights, I8, i, depth * place)
        return b.offset(own, I8, b.mul(part.blocks.first, index(self.problem.block)), place)

    def _start(self, rows: Range, at: Value) -> Value:
        """The first row of a tile: the last one ends where the rows do, and has some that the one before has, too."""
        return self.b.least(self.b.add(rows.first, at), self.b.sub(rows.stop, index(ROWS)))

    def _unpack(self, part: _Part, group: TilePanels, i: Value) -> None:
        """Bytes of some blocks of a panel, less their zero points."""
        b, block, blocks = self.b, self.problem.block, part.blocks
        assert self.bytes is not None
        target, weights = b.offset(self.bytes, I8, i, self.size), self._of_panel(part, group, i)
        bytes_ = I8.of_lanes(PANEL * PLACES)

        def one(number: Value) -> None:
            zero_point = b.mul(part.sums.columns(i, number)[1], integer(I32.of_lanes(PANEL), 0x01010101))
            at = b.mul(b.sub(number, blocks.first), index(block))

            def group(k: Value) -> None:
                place = b.add(at, k)
                (word,) = words_of(b, self.problem, b.offset(weights, I8, place, self.problem.place), PANEL)
                there = b.offset(target, I8, place, PANEL)
                for half in range(BLOCK_GROUP // PLACES):
                    bits = b.binary("lshr", word, integer(word.type, _NIBBLE)) if half else word
                    low = b.and_(bits, integer(word.type, 0x0F0F0F0F))
                    made = b.sub(b.bitcast(low, bytes_), b.bitcast(zero_point, bytes_))
                    b.store(made, b.moved(there, I8, half * TILE_ROW), I8.align)

            b.each(0, block, BLOCK_GROUP, group)

        b.over_each(blocks.first, blocks.stop, one)

    def _tile(self, part: _Part, group: TilePanels, at: Value, i: Value) -> None:
        """Sums of some blocks and 16 rows.  Tiles of a block are multiplied while sums of the one before, which were
        stored, are added: what a product gives comes late.
        """
        b, problem, (rows, blocks, x, sums) = self.b, self.problem, part
        last, start = b.sub(blocks.stop, index(1)), self._start(rows, at)
        weights = self._of_panel(part, group, i) if self.bytes is None else b.offset(self.bytes, I8, i, self.size)
        source = b.offset(x, I8, start, self.pitch)
        of_rows = [sums.rows(b.add(start, index(row))) for row in range(ROWS)]
        totals = self._sums(at, i)

        def multiplied(number: Value) -> None:
            place = b.mul(number, index(problem.block))
            behind = b.mul(b.sub(number, blocks.first), index(problem.block))
            load_tile(b, self._weights, b.offset(weights, I8, behind, PANEL), TILE_ROW)
            for k in range(self.parts):
                load_tile(b, self._x + k, b.offset(b.moved(source, I8, k * problem.depth), I8, place), self.pitch)
                clear(b, self._sum + k)
                add_products(b, self.matrix, self._sum + k, self._x + k, self._weights)

        def block(number: Value) -> None:
            for k in range(self.parts):
                store_tile(b, self._sum + k, b.moved(self.made, I32, k * ROWS * PANEL), TILE_ROW)
            multiplied(b.least(b.add(number, index(1)), last))
            scale, zero_point = sums.columns(i, number)
            for row, of_row in enumerate(of_rows):
                parts = [
                    b.load(I32.of_lanes(PANEL), b.moved(self.made, I32, (k * ROWS + row) * PANEL), I32.align)
                    for k in range(self.parts)
                ]
                total = b.moved(totals, F32, row * PANEL)
                before = b.load(F32.of_lanes(PANEL), total, F32.align)
                rest = None if self.bytes is not None else zero_point
                b.store(sums.add(of_row, number, parts, scale, rest, before), total, F32.align)

        multiplied(blocks.first)
        b.over_each(blocks.first, blocks.stop, block)

    def _sums(self, at: Value, i: Value) -> Value:
        b = self.b
        return b.offset(self.sums, F32, b.add(b.mul(i, index(MOST_ROWS)), at), PANEL)

    def _finish(self, rows: Range, at: Value, i: Value, finish: FinishRow) -> None:
        """The rows of a tile that the one before has not."""
        b, start = self.b, self._start(rows, at)
        first, sums = b.add(rows.first, at), self._sums(at, i)

        def row(number: Value) -> None:
            there = b.offset(sums, F32, b.sub(number, start), PANEL)
            finish(i, number, b.load(F32.of_lanes(PANEL), there, F32.align))

        b.over_each(first, b.least(b.add(first, index(ROWS)), rows.stop), row)
