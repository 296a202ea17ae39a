"""Generator of `kernel.gemm` of integers on tile registers (`Cpu.matrices`: AMX).

A block of tiles of sums stands in registers while the depth goes by: some tiles of rows times some panels of weights,
which lie in memory as the instruction takes them; those of 4 bits are put on the stack so, tile by tile.  Rows are read
where they are, by their stride, or from the stack where they must be laid side by side first.  Sums then go to the
stack, and from there through the epilogue.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots, upper_half
from mlconv.codegen.kernels.few_columns import by_number
from mlconv.codegen.kernels.indexing import Epilogue, Position, address, line
from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator
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
from mlconv.codegen.kernels.staging import Staging
from mlconv.codegen.kernels.tilings import GROUP, Tiling
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PANEL, TILE_ROW, Gemm, tail_lanes
from mlconv.ir.dims import Size, ceildiv
from mlconv.ir.estimates import estimate

_RESULT_NS = 0.1  # of what follows a sum: 12544 x 96 of 16 places take 160 microseconds, 784 x 192 of 32 22
_TILE_BYTES = ROWS * TILE_ROW
_WEIGHTS_NEAR = 512 << 10  # bytes of weights that stay in a second-level cache beside the rest


class Strip(NamedTuple):
    """Panels side by side.  first: where the first one begins; channel: its first one in the result.  lanes: columns of
    each; mask: how many of them count, 0 for all.
    """

    first: Value
    panels: int
    channel: Value
    lanes: int = PANEL
    columns: int = PANEL

    @property
    def mask(self) -> int:
        return self.columns if self.columns != self.lanes else 0


class Place(NamedTuple):
    """Where a tile of rows stands.  done: how many of its rows the one before it has done too."""

    at: Position
    done: Value


class TileGemmGenerator:
    """Emits one problem.  items: blocks of tiles of rows, or strips of panels where weights are many."""

    def __init__(self, b: Builder, problem: Gemm, cpu: Cpu, own: Tiling) -> None:
        self.b, self.problem, self.cpu, self.types, self.own = b, problem, cpu, problem.types, own
        self.reads, self.indexing = own.reads, own.reads.indexing
        types = self.types
        self.x_type, self.weights_type, self.sums_type = (memory_type(t) for t in (types.x, types.stored, types.sums))
        self.dots = Dots(self.types, problem.shift, cpu)
        self.staging = Staging(b, problem, own.reads, self.dots, cpu)
        self.depth, self.stored = problem.depth, problem.stored_depth
        self.whole, self.tail = divmod(problem.indexing.channels, PANEL)
        self.count, self.width = own.block
        strided = problem.weight_strides != (0, 0)
        self.units: Size = own.lines if strided else 1  # whose tiles share weights
        self.unit_tiles: Size = own.per_line * (1 if strided else own.lines)
        image = own.rows * self.reads.run_length
        weights = self.stored * problem.indexing.channels
        self.by_strips = not (strided or own.staged) and weights > max(image, _WEIGHTS_NEAR)

    @property
    def blocks(self) -> Size:
        """Blocks of tiles of a unit."""
        return ceildiv(self.unit_tiles, self.count)

    @property
    def items(self) -> Size:
        """How many work items there are."""
        if self.by_strips:
            return -(-self.whole // self.width) + (self.tail > 0)
        return self.units * self.blocks

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        results = self.own.rows * self.problem.columns
        return results * (self.depth / 1000 + _RESULT_NS) / max(1, estimate(self.items))

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, packed weights, then those of the epilogue."""
        b, rows = self.b, self.indexing.rows
        if rows[0] != 1 or rows[1] != 1 or isinstance(rows[2], int):
            self._run_all(operands, out)
            return
        one = self.problem._replace(indexing=self.indexing._replace(rows=(1, 1, 1)), run=self.reads.run_length)
        alone = IntegerGemmGenerator(b, one, self.cpu)

        def single() -> None:
            first = b.binary("and", b.icmp("eq", b.begin, index(0)), b.icmp("slt", b.begin, b.end))
            b.when(first, lambda: alone.run_single(operands, out))

        by_number(b, rows[2], {1: single}, lambda: self._run_all(operands, out), asks=False)

    def _run_all(self, operands: Sequence[Value], out: Value) -> None:
        self.operands, b = operands, self.b
        self.epilogue = Epilogue(b, self.indexing, self.types, PANEL, operands, out)
        self.sums = b.room(self.sums_type, self.count * self.width * _TILE_BYTES // self.sums_type.size)
        self.apart = b.room(self.weights_type, self.width * _TILE_BYTES) if self.types.shared > 1 else None
        if self.own.staged:
            self.room = self.staging.room(self.count * self.own.most_columns)
        self._set_shapes(PANEL)
        if self.by_strips:
            b.work_items(self._strip_item)
        else:
            b.work_items(self._block_item)
        release(b)

    def _set_shapes(self, columns: int) -> None:
        """For panels of so many columns."""
        sums = [TileShape(self.own.columns, columns * self.sums_type.size)] * (self.count * self.width)
        x = [TileShape(self.own.columns, self.own.step)] * self.count
        weights = [TileShape(self.own.step // GROUP, columns * GROUP)] * self.width
        configure(self.b, dict(enumerate([*sums, *x, *weights])))

    # -- items -------------------------------------------------------------------------------------

    def _block_item(self, number: Value) -> None:
        """A block of tiles of rows, all panels."""
        b = self.b
        unit = index(0) if self.units == 1 else b.udiv(number, b.number(self.blocks))
        block = number if self.units == 1 else b.urem(number, b.number(self.blocks))

        def done(count: int) -> None:
            places = self._places(unit, block, count)
            weights = self._weights(places[0].at)
            self._over_strips(weights, lambda strip: self._block(places, strip))

        self._by_count(block, done)

    def _by_count(self, block: Value, body: Callable[[int], None]) -> None:
        """body(count) for a block of so many tiles."""
        b, rest = self.b, self.unit_tiles % self.count
        if rest == 0:
            body(self.count)
            return
        if isinstance(rest, int) and self.blocks == 1:
            body(rest)
            return
        whole = b.number(self.unit_tiles // self.count)  # a block that is not has a tile
        b.when(b.icmp("slt", block, whole), lambda: body(self.count))
        b.when(b.icmp("sge", block, whole), lambda: body(rest if isinstance(rest, int) else 1))

    def _strip_item(self, number: Value) -> None:
        """A strip of panels, all rows."""
        b, weights, full = self.b, self.operands[1], self.whole // self.width

        def done(strip: Strip) -> None:
            whole, rest = self.unit_tiles // self.count, self.unit_tiles % self.count
            if whole != 0:
                b.each(0, whole, 1, lambda i: self._block(self._places(index(0), i, self.count), strip))
            if isinstance(rest, int):
                if rest:
                    self._block(self._places(index(0), b.number(whole), rest), strip)
                return
            more = b.icmp("ne", b.number(rest), index(0))
            b.when(more, lambda: self._block(self._places(index(0), b.number(whole), 1), strip))

        if full:
            b.when(b.icmp("slt", number, index(full)), lambda: done(self._strip(weights, number, self.width)))
        if self.whole % self.width:
            rest = self._strip(weights, index(full), self.whole % self.width)
            b.when(b.icmp("eq", number, index(full)), lambda: done(rest))
        if self.tail:
            b.when(b.icmp("eq", number, index(self.items - 1)), lambda: self._last(weights, done))

    def _over_strips(self, weights: Value, body: Callable[[Strip], None]) -> None:
        full, rest = divmod(self.whole, self.width)
        if full:
            self.b.each(0, full, 1, lambda i: body(self._strip(weights, i, self.width)))
        if rest:
            body(self._strip(weights, index(full), rest))
        if self.tail:
            self._last(weights, body)

    def _strip(self, weights: Value, number: Value, panels: int) -> Strip:
        first = self.b.offset(weights, self.weights_type, number, self.width * self.stored * PANEL)
        return Strip(first, panels, self.b.mul(number, index(self.width * PANEL)))

    def _last(self, weights: Value, body: Callable[[Strip], None]) -> None:
        """The panel that is not full."""
        first = self.b.moved(weights, self.weights_type, self.whole * self.stored * PANEL)
        self._set_shapes(self.tail)
        body(Strip(first, 1, index(self.whole * PANEL), tail_lanes(self.tail), self.tail))
        self._set_shapes(PANEL)

    def _weights(self, at: Position) -> Value:
        """Those of a batch and row."""
        weights = self.operands[1]
        for place, stride in zip((at.batch, at.row), self.problem.weight_strides, strict=True):
            weights = self.b.offset(weights, self.weights_type, place, stride) if stride != 0 else weights
        return weights

    def _places(self, unit: Value, block: Value, count: int) -> list[Place]:
        """Those of the tiles of a block."""
        first = self.b.mul(block, index(self.count))
        return [self._place(unit, self.b.add(first, index(i))) for i in range(count)]

    def _place(self, unit: Value, tile: Value) -> Place:
        """A tile of a unit; the last one of a line ends where the line does."""
        b, per_line, own = self.b, self.own.per_line, self.own
        columns, number = own.length, unit
        if self.units == 1 and own.lines != 1:
            number = tile if per_line == 1 else b.udiv(tile, b.number(per_line))
            tile = index(0) if per_line == 1 else b.urem(tile, b.number(per_line))
        batch, row = line(b, self.indexing, number)
        begin = b.mul(tile, b.number(own.columns)) if per_line != 1 else index(0)
        if columns % own.columns == 0:
            return Place(Position(batch, row, begin, index(0)), index(0))
        start = b.least(begin, b.number(columns - own.columns))
        return Place(Position(batch, row, start, index(0)), b.sub(begin, start))

    # -- blocks ------------------------------------------------------------------------------------

    def _block(self, places: Sequence[Place], strip: Strip) -> None:
        """Sums over the whole depth, then the epilogue."""
        for tile in range(len(places) * strip.panels):
            clear(self.b, tile)
        if self.own.staged:
            stride: Size = self.staging.pitch
            x = [self._staged(i, place) for i, place in enumerate(places)]
            self._run(x, stride, strip, strip.first, self.depth)
        else:
            stride = self.indexing.x.strides[2] * self.x_type.size
            x = [address(self.b, self.operands[0], self.types.x, self.indexing.x, p.at) for p in places]
            self._windows(0, x, stride, strip, strip.first)
        for tile in range(len(places) * strip.panels):
            store_tile(self.b, tile, self._room_of(tile), TILE_ROW)
        for i, place in enumerate(places):
            self._finish(place, i * strip.panels, strip)

    def _staged(self, number: int, place: Place) -> Value:
        first = number * self.own.most_columns * self.staging.pitch
        room = self.b.moved(self.room, memory_type(self.own.matrix.x), first)
        self.staging.lay(self.operands[0], place.at, self.own.columns, room)
        return room

    def _windows(self, axis: int, x: Sequence[Value], stride: Size, strip: Strip, weights: Value) -> None:
        """Sums over window axes from `axis` on, and over the run inside them."""
        b, window = self.b, self.indexing.window
        if axis == len(window):
            self._run(x, stride, strip, weights, self.reads.run_length)
            return
        inside = self.reads.length // self.types.shared * math.prod(window[axis + 1 :])

        def turn(i: Value) -> None:
            moved = [b.offset(v, self.x_type, i, self.indexing.window_strides[axis]) for v in x]
            there = b.offset(weights, self.weights_type, i, inside * strip.columns)
            self._windows(axis + 1, moved, stride, strip, there)

        b.each(0, window[axis], 1, turn)

    def _run(self, x: Sequence[Value], stride: Size, strip: Strip, weights: Value, length: int) -> None:
        """Sums over a run."""
        b, panels = self.b, strip.panels
        first_x, first_weights = self.count * self.width, self.count * self.width + self.count
        shared = self.types.shared

        def step(k: Value) -> None:
            there = b.offset(weights, self.weights_type, k, strip.columns)
            for j in range(panels):
                tile = self._whole(b.moved(there, self.weights_type, j * self.stored * PANEL), j, strip.columns)
                load_tile(b, first_weights + j, tile, strip.columns * GROUP)
                for i, pointer in enumerate(x):
                    if j == 0:
                        load_tile(b, first_x + i, b.offset(pointer, self.x_type, k, shared), stride)
                    add_products(b, self.own.matrix, i * panels + j, first_x + i, first_weights + j)

        b.each(0, length // shared, self.own.step // shared, step)

    def _whole(self, weights: Value, number: int, columns: int) -> Value:
        """Where a tile of weights lies as the instruction takes it."""
        b, size = self.b, columns * GROUP
        if self.apart is None:
            return weights
        room = b.moved(self.apart, self.weights_type, number * _TILE_BYTES)
        for group in range(self.own.step // self.types.step):
            found = b.load(self.weights_type.of_lanes(size), b.moved(weights, self.weights_type, group * size), 1)
            for half in range(self.types.shared):
                place = b.moved(room, self.weights_type, (group * self.types.shared + half) * size)
                b.store(upper_half(b, found, half), place, 1)
        return room

    def _room_of(self, tile: int) -> Value:
        return self.b.moved(self.sums, self.sums_type, tile * _TILE_BYTES // self.sums_type.size)

    def _finish(self, place: Place, first: int, strip: Strip) -> None:
        """The epilogue of a tile of rows, whose sums are those of the tiles from `first` on."""
        b, epilogue, sums = self.b, self.epilogue.at(strip.lanes), self.sums_type

        def row(i: Value) -> None:
            column = b.add(place.at.column, i)
            starts = epilogue.start(place.at._replace(column=column, channel=strip.channel))
            for j in range(strip.panels):
                there = b.offset(self._room_of(first + j), sums, i, TILE_ROW // sums.size)
                total = b.load(sums.of_lanes(strip.lanes), there, sums.align)
                epilogue.finish(self.dots.less(b, total), starts, 0, j * PANEL, strip.mask)

        b.over_each(place.done, b.number(self.own.columns), row)
