"""Generator of `kernel.gemm` by tiles of matrices: two tiles of rows by two panels, over the whole depth; sums go
through the stack to the epilogue.

Tiles read rows of x where they are, with the stride from one to the next: nothing is packed, and nothing beyond a run
is read, since rows of tiles divide it (`tile_places`).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.bfloat16_gemm import Bfloat16GemmGenerator
from mlconv.codegen.kernels.gemm import EmitGroup, GemmGenerator
from mlconv.codegen.kernels.indexing import Position
from mlconv.codegen.kernels.matrix_tiles import (
    ROWS,
    TileShape,
    add_products,
    clear,
    configure,
    load_tile,
    matrix_of,
    release,
    store_tile,
)
from mlconv.codegen.kernels.register_tiles import Group
from mlconv.codegen.kernels.row_items import EachTile
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, number_of
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PANEL, TILE_ROW, Gemm, OutputIndexing, known, tile_places
from mlconv.ir.dims import Size

_SIDE = 2  # tiles of rows, and panels, of a block; of windows, twice the rows and a panel
_TALL = 4
_X, _WEIGHTS = 4, 6  # numbers of tiles: those of sums are the first
_LEAST_CYCLES = 8  # of a product of tiles, however few rows there are; else one a row
_BLOCK_CYCLES, _SHAPE_CYCLES = 5, 17  # of a block, and of another configuration, besides, for a tenth of the depth
_MIN_ROWS, _MIN_WEIGHTS = 4, 1 << 16  # of a product that is worth tiles: either
_FEW_ROWS = 128
_TOGETHER = 2  # rows of the epilogue that are done at once


def takes(problem: Gemm, cpu: Cpu) -> bool:
    """Products of tiles are worth it."""
    rows = math.prod(n if isinstance(n, int) else _MIN_ROWS for n in problem.indexing.rows)
    enough = rows >= _MIN_ROWS or problem.depth * problem.indexing.channels >= _MIN_WEIGHTS
    return matrix_of(problem.types, cpu) is not None and problem.depth > 0 and enough


def _block_rows(columns: int, tiles: int) -> int:
    """Rows of a block, of so many tiles or one, that need the fewest cycles for all columns."""

    def cycles(size: int) -> int:
        rest = columns % size
        return columns // size * _cycles(size) + (_cycles(rest) + _SHAPE_CYCLES if rest else 0)

    sizes = [n for n in range(1, tiles * ROWS + 1) if n <= min(columns, ROWS) or (n <= columns and n % _SIDE == 0)]
    return min(sizes, key=lambda n: (cycles(n), -n))


def _cycles(rows: int) -> int:
    """Of a block for one place of a row of tiles, roughly."""
    tiles = -(-rows // ROWS)
    return _SIDE * tiles * max(-(-rows // tiles), _LEAST_CYCLES) + _BLOCK_CYCLES


class LineBlocks(NamedTuple):
    """A few neighbouring lines of an image as a work item; the last item of an image has those that are left."""

    b: Builder
    indexing: OutputIndexing
    lines: int

    @property
    def number(self) -> Size:
        """How many work items there are."""
        batch, lines, _ = self.indexing.rows
        return batch * -(-lines // self.lines)

    def run(self, body: Callable[[EachTile], None]) -> None:
        """body(each_tile) for every item, where each_tile(tile) emits the tile that is there."""
        b, (lines, columns) = self.b, known(self.indexing.rows[1:])
        count, whole, rest = -(-lines // self.lines), lines // self.lines, lines % self.lines

        def one(number: Value) -> None:
            turn = b.urem(number, index(count))
            row = b.mul(turn, index(self.lines))
            at = Position(b.udiv(number, index(count)), row, index(0), index(0))

            def block(size: int) -> None:
                body(lambda tile: tile(at, size * columns))

            if not rest:
                block(self.lines)
                return
            b.when(b.icmp("slt", turn, index(whole)), lambda: block(self.lines))
            b.when(b.icmp("eq", turn, index(whole)), lambda: block(rest))

        b.work_items(one)


class MatrixGemmGenerator(Bfloat16GemmGenerator):
    """Emits one problem."""

    def __init__(self, b: Builder, tile: Gemm, cpu: Cpu, choice: Sequence[int] = (), by_lines: bool = False) -> None:
        matrix = matrix_of(tile.types, cpu)
        assert matrix is not None
        self.matrix = matrix
        super().__init__(b, tile, cpu, choice, by_lines)
        self.lines = self._lines()
        if self.lines > 1:
            self.blocks = LineBlocks(b, self.indexing, self.lines)
            self.rows = self.lines * self._line_rows
        runs, length = self.filled
        self.places = tile_places(length if runs > 1 and self.is_staged else self._run, self.laid.bits)

    @property
    def _few_columns(self) -> list[GemmGenerator]:
        """A single row, as where one is known to be all: where it waits for weights the next ones are asked for
        meanwhile; few weights are multiplied by vectors.
        """
        if isinstance(self.columns, int) or self.mode != "columns" or self.is_staged:
            return []
        if self.depth * self.indexing.channels < _MIN_WEIGHTS:
            return [self._of_columns(1, Bfloat16GemmGenerator)]
        return [self._of_columns(1)] if self._are_many else []

    def _in_one_tile(self) -> None:
        self.sums = self.b.room(self.sums_type, self.rows * self.count * PANEL)
        self._configure(self.rows)
        super()._in_one_tile()

    @property
    def _run(self) -> int:
        """Places that lie side by side in x as tiles read it."""
        return self.pitch if self.is_staged else self.run_length

    @property
    def _line_rows(self) -> int:
        """Of a line, where a block has several."""
        (columns,) = known(self.indexing.rows[2:])
        return columns

    def _lines(self) -> int:
        """Lines of a block, where they are short."""
        _, lines, columns = self.indexing.rows
        fixed = isinstance(columns, int) and isinstance(lines, int) and self.weight_strides == (0, 0)
        if self.mode != "lines" or not fixed or self.is_staged:
            return 1
        tiles = _SIDE if self.count > 1 else _TALL
        return max(1, min(tiles // -(-known((columns,))[0] // ROWS), known((lines,))[0]))

    @property
    def items(self) -> Size:
        return self.blocks.number if self.lines > 1 else super().items

    def _over_items(self, body: Callable[[EmitGroup], None]) -> None:
        if self.lines == 1:
            super()._over_items(body)
            return

        def item(each_tile: EachTile) -> None:
            body(lambda panel, group: each_tile(lambda at, rows: self._tile(at, panel, group, rows)))

        self.blocks.run(item)

    def _tile_shape(self, cpu: Cpu, columns: int) -> tuple[int, int]:
        """Windows of neighbouring places have much of x in common, which stays in the first-level cache, while weights
        come from the second one: blocks of more rows read them less often.
        """
        tall = math.prod(self.indexing.window) > 1 and not self.is_staged and self.panels > 1
        rows = _block_rows(columns, _TALL if tall else _SIDE)
        return (min(rows, self.most_rows) if self.is_staged else rows), 1 if tall else min(self.panels, _SIDE)

    def run(self, operands: Sequence[Value], out: Value) -> None:
        self.sums = self.b.room(self.sums_type, self.rows * self.count * PANEL)
        self._configure(self.rows)
        super().run(operands, out)
        release(self.b)

    def _tiles(self, rows: int) -> tuple[int, list[tuple[int, int]]]:
        """Rows of a tile, and the line and the first row of each; two may share rows."""
        lines, columns = (rows // self._line_rows, self._line_rows) if self.lines > 1 else (1, rows)
        count = -(-columns // ROWS)
        each = -(-columns // count)
        starts = [min(i * each, columns - each) for i in range(count)]
        return each, [(line, start) for line in range(lines) for start in starts]

    def _configure(self, rows: int) -> None:
        """Shapes of tiles for a block of so many rows."""
        each, _ = self._tiles(rows)
        sums, x = TileShape(each), TileShape(each, self.places * self.laid.size)
        weights = TileShape(self.places // self.types.group)
        shapes = dict.fromkeys(range(_X), sums) | dict.fromkeys(range(_X, _WEIGHTS), x)
        configure(self.b, shapes | dict.fromkeys(range(_WEIGHTS, _WEIGHTS + _SIDE), weights))

    # -- blocks ------------------------------------------------------------------------------------

    def _tile(self, at: Position, panel: Value, group: Group, rows: int) -> None:
        """One block: sums over the whole depth, then the epilogue."""
        changes = self._tiles(rows)[0] != self._tiles(self.rows)[0]
        if changes:
            self._configure(rows)
        _, starts = self._tiles(rows)
        numbers = [(i, j) for i in range(len(starts)) for j in range(group.width)]
        for i, j in numbers:
            clear(self.b, group.width * i + j)
        weights = self.b.offset(self.operands[1], self.weights_type, panel, self.depth * PANEL)
        for place, stride in zip((at.batch, at.row), self.weight_strides, strict=True):
            weights = self.b.offset(weights, self.weights_type, place, stride) if stride != 0 else weights
        self.ahead = self._ahead(at, group.width, rows)
        self._over_runs(0, self._x(at), weights, starts, group.width)
        columns = rows // (starts[-1][0] + 1)
        for i, j in numbers:
            row = starts[i][0] * columns + starts[i][1]
            place = self.b.moved(self.sums, self.sums_type, (row * self.count + j) * PANEL)
            store_tile(self.b, group.width * i + j, place, self.count * TILE_ROW)
        self._finish(at, panel, group, rows)
        if changes:
            self._configure(self.rows)

    def _over_runs(self, axis: int, x: Value, weights: Value, starts: Sequence[tuple[int, int]], width: int) -> None:
        """Products over window axes from `axis` on, and over the run inside them."""
        b, window = self.b, () if self.is_staged else self.indexing.window
        if axis == len(window):
            b.each(0, self._run, self.places, lambda k: self._tile_step(k, x, weights, starts, width))
            return
        inside = self.run_length * math.prod(window[axis + 1 :])

        def body(i: Value) -> None:
            moved = b.offset(x, self.x_type, i, self.indexing.window_strides[axis])
            self._over_runs(axis + 1, moved, b.offset(weights, self.weights_type, i, inside * PANEL), starts, width)

        b.each(0, window[axis], 1, body)

    def _tile_step(self, k: Value, x: Value, weights: Value, starts: Sequence[tuple[int, int]], width: int) -> None:
        """A row of tiles' worth of places."""
        b, size = self.b, self.laid.size
        stride: Size = self.pitch if self.is_staged else self.indexing.x.strides[2]
        here = b.offset(x, self.laid, k)
        there = b.offset(weights, self.weights_type, k, PANEL)
        if self.ahead is not None:
            self._fetch(b.offset(there, self.weights_type, self.ahead), self._share(width))
        for j in range(width):
            place = b.moved(there, self.weights_type, j * self.depth * PANEL)
            load_tile(b, _WEIGHTS + j, place, TILE_ROW, passing=bool(self.indexing.window))
        for i, (line, start) in enumerate(starts):
            apart, tile = start * stride, _X + i % _SIDE
            apart += line * self.indexing.x.strides[1] if line else 0
            load_tile(b, tile, b.moved(here, self.laid, apart), stride * size)
            for j in range(width):
                add_products(b, self.matrix, width * i + j, tile, _WEIGHTS + j)

    @property
    def _askers(self) -> int:
        """Blocks of each group of panels that ask for the weights of the next one meanwhile, which take as long to come
        as few rows to multiply: all, or of two blocks, of which one is shorter, the last.
        """
        batch, lines, columns = self.indexing.rows
        if not (batch == lines == 1 and isinstance(columns, int) and columns <= _FEW_ROWS) or self.weights_inside:
            return 0
        blocks = -(-columns // self.rows)
        return blocks if blocks > _SIDE else 1

    def _share(self, width: int) -> int:
        """Lines of the cache that a block asks for at each step: those of the next group, divided among its blocks."""
        lines, blocks = self.places // self.types.group, self._askers
        enough = (n for n in range(1, lines) if lines % n == 0 and n * blocks >= width * lines)
        return next(enough, lines)

    def _ahead(self, at: Position, width: int, rows: int) -> Value | None:
        """How far the weights that a block asks for lie from those of the same places, elements."""
        (columns,) = known(self.indexing.rows[2:]) if self._askers else (0,)
        is_last = rows == (columns % self.rows or self.rows)
        if not columns or (self._askers == 1 and not is_last):
            return None
        b, lines, share = self.b, self.places // self.types.group, self._share(width)
        if self._askers == 1:
            return index(width * self.depth * PANEL)
        block = b.udiv(at.column, index(self.rows))
        first = b.mul(b.least(block, index(width * lines // share - 1)), index(share))
        panel = b.add(b.udiv(first, index(lines)), index(width))
        line = b.mul(b.urem(first, index(lines)), index(PANEL * self.types.group))
        return b.add(b.mul(panel, index(self.depth * PANEL)), line)

    def _fetch(self, weights: Value, count: int) -> None:
        """Ask for lines, to the second-level cache: tiles that wait do not let others be loaded far ahead.  One
        block asks for those of each panel.
        """
        b, pair = self.b, PANEL * self.types.group
        panels = range(_SIDE if self._askers == 1 else 1)
        for panel in panels:
            for line in range(count):
                b.prefetch(b.moved(weights, self.weights_type, panel * self.depth * PANEL + line * pair))

    # -- the epilogue ------------------------------------------------------------------------------

    def _finish(self, at: Position, panel: Value, group: Group, rows: int) -> None:
        """Rows of sums to rows of the result."""
        number, lines = number_of(panel), self._tiles(rows)[1][-1][0] + 1
        channel = self.b.mul(panel, index(PANEL)) if number is None else index(number * PANEL)
        columns = rows // lines
        for i in range(lines):
            here = at._replace(row=self.b.add(at.row, index(i)) if i else at.row, channel=channel)
            sums = self.b.moved(self.sums, self.sums_type, i * columns * self.count * PANEL)
            self._finish_line(here, sums, group, columns)

    def _finish_line(self, at: Position, sums: Value, group: Group, rows: int) -> None:
        """Neighbouring columns of a line."""
        whole = rows // _TOGETHER * _TOGETHER
        for start, stop, count in ((0, whole, _TOGETHER), (whole, rows, 1)):
            if stop > start:

                def some(i: Value, count: int = count) -> None:
                    here = at._replace(column=self.b.add(at.column, i))
                    self._rows(self.b.offset(sums, self.sums_type, i, self.count * PANEL), here, group, count)

                self.b.each(start, stop, count, some)

    def _rows(self, sums: Value, at: Position, group: Group, count: int) -> None:
        starts = self.epilogue.start(at)
        for i in range(count):
            for j in range(group.width):
                place = self.b.moved(sums, self.sums_type, (i * self.count + j) * PANEL)
                last = group.masked and j == group.width - 1
                lanes = self.tail_lanes if last else PANEL
                total = self.b.load(self.sums_type.of_lanes(lanes), place, self.sums_type.align)
                self.epilogue.at(lanes).finish(
                    total, starts, i, j * PANEL, self.tail if last and lanes != self.tail else 0
                )
