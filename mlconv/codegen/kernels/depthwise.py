"""Generator of `kernel.depthwise`: a few neighbouring columns and vectors of channels at a time, each element of x
loaded once for all of them.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.indexing import (
    Epilogue,
    Part,
    Position,
    address,
    blocks,
    column_tiles,
    finish_columns,
    line,
    merged,
)
from mlconv.codegen.kernels.kind import Call, KernelKind, Written, roundings, tried
from mlconv.codegen.kernels.products import Multiplier, QuadMultiplier, pair_multiplier, quad_multiplier
from mlconv.codegen.kernels.tile_costs import by_hand, tile_costs
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import TYPES, Value, index, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Depthwise, Ints, known
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_REACH = 4 << 20  # bytes of an image and of its result whose pages processors find at once: 1024 of them
_STRETCH = 512  # bytes of the channels of a place that are read one after the other where images are larger
_PAIR_COLUMNS = 7  # columns of a column tile where bytes are multiplied two by two: measured on Zen 3
_GROUP_COLUMNS = 7  # columns of a column tile where groups have several members
_OPEN_COLUMNS = 4  # columns of a column tile, at most, where their number is known at run time: less code
_COLUMNS = (2, 3, 4, 5, 6, 7, 8, 10, 14)  # columns of a column tile, to try
_VECTORS = (1, 2, 4)  # of channels, to try
_LINES = 7  # that threads share: fewer of a large image leave some without
_SPARE = 4  # registers that hold no sums of several vectors
_VECTORS_PER_NS = 4  # of products, roughly


class ColumnTile(NamedTuple):
    """Columns that are done at once; whether items are blocks of channels, not lines; vectors of channels that are done
    at once: as many as a line of the cache has, where registers have room for their sums.
    """

    columns: int
    by_channels: bool
    vectors: int


Pairs = dict[Ints, list[Value]]  # weights of a block of channels by rows of the window, for a line


class Quads(NamedTuple):
    """weights: of each column, by rows of the window.  start: sums before the first product."""

    multiplier: QuadMultiplier
    weights: dict[Ints, list[Value]]
    start: Value


class DepthwiseGenerator:
    """Emits one problem.  items: blocks of channels when the pages of all their planes are near, else lines of some
    channels.  by_lines: of all channels, in any case.
    """

    def __init__(
        self,
        b: Builder,
        problem: Depthwise,
        cpu: Cpu,
        choice: Sequence[int] = (),
        by_lines: bool = False,
    ) -> None:
        self.b, self.indexing = b, problem.indexing if by_lines else merged(problem.indexing)
        types, self.pitch, self.times = problem.types, problem.pitch or problem.indexing.channels, problem.times
        self.members = problem.members
        self.types, self.cpu, self.product = types, cpu, Multiplier(types, cpu)
        self.x_type, self.weights_type = memory_type(types.x), memory_type(types.weights)
        vector = cpu.lanes(types.sums)
        columns = self.indexing.rows[2]
        costs = (tile_costs(cpu) if types.sums.is_float else by_hand(cpu)).columns
        few = math.prod(self.indexing.window) <= costs.taps
        limit = _PAIR_COLUMNS if self._takes_pairs else costs.few if few else costs.many
        if self.members > 1:
            few, limit = True, _GROUP_COLUMNS if cpu.registers >= 32 else costs.many
        self.tile_columns = (
            -(-columns // -(-columns // limit)) if isinstance(columns, int) else min(limit, _OPEN_COLUMNS)
        )
        channels = self.indexing.channels
        self.is_near = _reached(problem) <= _REACH and channels // vector >= 4  # blocks of channels may be items
        self.by_channels, vectors = self.is_near and not (by_lines or few or self._takes_pairs), costs.vectors
        if choice and not by_lines:
            self.tile_columns, self.by_channels, vectors = choice[0], bool(choice[1]), choice[2]
        self.lanes = vector * (vectors if self.members == 1 and channels >= vector * vectors else 1)
        stretch = -(-_STRETCH // self.x_type.size // self.lanes) * self.lanes
        self.stretch = channels if by_lines else min(stretch, channels)
        self.blocks = blocks(channels, self.lanes, vector)

    @property
    def _takes_pairs(self) -> bool:
        """Vectors of channels are eight bytes of each place: a block of them reads a whole line of a cache for few."""
        lanes = self.cpu.lanes(self.types.sums)
        quads = quad_multiplier(self.types, self.cpu, lanes)
        return quads is None and pair_multiplier(self.types, self.cpu, lanes) is not None

    @property
    def by_parts(self) -> bool:
        """Blocks of channels are gone through, and threads have lines: products before and behind go by these, and
        channels of one place share lines of caches.
        """
        return self.by_channels and estimate(self.lines) >= _LINES

    @property
    def items(self) -> Size:
        """How many work items there are."""
        if self.by_parts:
            return self.lines
        if self.by_channels:
            return self.indexing.channels // self.lanes
        return -(-self.indexing.channels // self.stretch) * self.lines

    @property
    def lines(self) -> Size:
        """How many lines the result has."""
        return self.indexing.rows[0] * self.indexing.rows[1]

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        products = estimate(product(self.indexing.rows)) * self.indexing.channels * math.prod(self.indexing.window)
        return (
            products * self.members / max(1, estimate(self.items)) / (_VECTORS_PER_NS * self.cpu.lanes(self.types.sums))
        )

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, weights, then those of the epilogue."""
        b = self.b
        if not self.by_channels:
            b.work_items(lambda i: self._stretch(operands, out, i))
            return
        if self.by_parts:
            self._part(operands, out)
            return
        b.work_items(lambda i: self._plane(operands, out, b.mul(i, index(self.lanes)), self.lanes))
        rest = self.blocks[1:]
        if rest:

            def tail() -> None:
                for lanes, start, stop in rest:

                    def block(channel: Value, lanes: int = lanes) -> None:
                        self._plane(operands, out, channel, lanes)

                    b.each(start, stop, lanes, block)

            b.when(b.icmp("eq", b.end, b.number(self.items)), tail)

    def _stretch(self, operands: Sequence[Value], out: Value, number: Value) -> None:
        """A line of some channels."""
        b, all_channels = self.b, self.stretch == self.indexing.channels
        place = number if all_channels else b.urem(number, b.number(self.lines))
        batch, row = line(b, self.indexing, place)
        for lanes, start, stop in self.blocks:

            def block(channel: Value, lanes: int = lanes) -> None:
                self._line(operands, out, batch, row, channel, lanes)

            if all_channels:
                b.each(start, stop, lanes, block)
                continue
            first = b.mul(b.udiv(number, b.number(self.lines)), index(self.stretch))
            last = b.add(first, index(self.stretch))
            b.over_each(b.most(first, index(start)), b.least(last, index(stop)), block, lanes)

    def _part(self, operands: Sequence[Value], out: Value) -> None:
        """The lines of a share: one block of channels after the other where that is all of them; else line by line, as
        another core has written much of what is read, or of what was at the places of the results, and places side by
        side are fetched sooner.
        """
        b = self.b
        whole = b.and_(b.icmp("eq", b.begin, index(0)), b.icmp("eq", b.end, b.number(self.items)))
        times = b.select(whole, index(1), b.sub(b.end, b.begin))

        def some(time: Value) -> None:
            first = b.add(b.begin, time)
            last = b.select(whole, b.end, b.add(first, index(1)))
            for lanes, start, stop in self.blocks:

                def block(channel: Value, lanes: int = lanes) -> None:
                    def one(number: Value) -> None:
                        self._line(operands, out, *line(b, self.indexing, number), channel, lanes)

                    b.over_each(first, last, one)

                b.each(start, stop, lanes, block)

        b.over_each(index(0), times, some)

    def _plane(self, operands: Sequence[Value], out: Value, channel: Value, lanes: int) -> None:
        """All lines of one block of channels."""
        n, r, _ = self.indexing.rows

        def batch(i: Value) -> None:
            self.b.each(0, r, 1, lambda j: self._line(operands, out, i, j, channel, lanes))

        self.b.each(0, n, 1, batch)

    def _line(
        self, operands: Sequence[Value], out: Value, batch: Value, row: Value, channel: Value, lanes: int
    ) -> None:
        """All columns of a line, a column tile at a time."""
        quads = quad_multiplier(self.types, self.cpu, lanes)
        kept = self._quads(quads, operands[1], channel) if quads else self._pairs(operands[1], channel, lanes)
        for start, stop, size in column_tiles(self.indexing.rows[2], self.tile_columns):

            def body(column: Value, size: int = size) -> None:
                self._tile(operands, out, Position(batch, row, column, channel), size, lanes, kept)

            self.b.each(start, stop, size, body)

    def _quads(self, quads: QuadMultiplier, weights: Value, channel: Value) -> Quads:
        """Weights of a block of channels."""
        b, columns = self.b, self.indexing.window[-1]
        first = b.offset(weights, self.weights_type, channel)

        def pointers(rows: Ints, column: int) -> list[Value]:
            places = [(r * columns + column) * self.pitch for r in rows]
            return [b.moved(first, self.weights_type, place) for place in places]

        groups = _groups(math.prod(self.indexing.window[:-1]), 4)
        found = {rows: [quads.weights(b, pointers(rows, j)) for j in range(columns)] for rows in groups}
        return Quads(quads, found, quads.start(b, [w for each in found.values() for w in each]))

    def _pairs(self, weights: Value, channel: Value, lanes: int) -> Pairs:
        """Weights of a block of channels that are multiplied two by two; none of others."""
        b, columns, pairs = self.b, self.indexing.window[-1], pair_multiplier(self.types, self.cpu, lanes)
        if pairs is None:
            return {}
        first, out = b.offset(weights, self.weights_type, channel), Pairs()
        for rows in _groups(math.prod(self.indexing.window[:-1]), 2):
            places = [[(r * columns + j) * self.pitch for r in rows] for j in range(columns)]
            pointers = [[b.moved(first, self.weights_type, p) for p in each] for each in places]
            out[rows] = [pairs.column(b, self.types.weights, each, lanes) for each in pointers]
        return out

    def _tile(
        self, operands: Sequence[Value], out: Value, at: Position, count: int, lanes: int, kept: Quads | Pairs
    ) -> None:
        """`count` neighbouring columns.  kept: weights, where several are multiplied at once."""
        b, indexing, types = self.b, self.indexing, self.types
        read = b.udiv(at.channel, index(self.times)) if self.times > 1 else at.channel
        if self.members > lanes:  # a part of a group
            read = b.sub(read, b.urem(read, index(self.members)))
        x = b.freeze(b.offset(address(b, operands[0], types.x, indexing.x, at), self.x_type, read))
        weights = b.freeze(b.offset(operands[1], self.weights_type, at.channel))
        nothing: Value = zero(TYPES[types.sums].of_lanes(lanes))
        totals = [kept.start if isinstance(kept, Quads) else nothing] * count
        if isinstance(kept, Quads):
            self._by_quads(x, kept, totals)
        elif self.members > 1:
            self._by_members(x, weights, lanes, totals)
        else:
            for rows in kept or _groups(math.prod(indexing.window[:-1]), 1):
                self._taps(x, weights, rows, kept, lanes, totals)
        epilogue = Epilogue(b, indexing, types, lanes, operands, out)
        finish_columns([Part(epilogue)], totals, epilogue.start(at))

    def _by_quads(self, x: Value, kept: Quads, totals: list[Value]) -> None:
        """The products of four rows of the window at once go to the totals."""
        b, indexing, quads = self.b, self.indexing, kept.multiplier
        for rows, weights in kept.weights.items():
            loaded, starts = dict[Size, Value](), [self._start(row) for row in rows]
            for j, w in enumerate(weights):
                for k in range(len(totals)):
                    where = k * indexing.x.strides[2] + j * indexing.window_strides[-1]
                    if where not in loaded:
                        pointers = [b.moved(x, self.x_type, start + where) for start in starts]
                        loaded[where] = quads.column(b, pointers, self.times)
                    totals[k] = quads.added(b, loaded[where], w, totals[k])

    def _by_members(self, x: Value, weights: Value, lanes: int, totals: list[Value]) -> None:
        """The products of the members of groups go to the totals, one member after the other, each moved to all lanes
        of its group for the columns of the window that it lies in.
        """
        b, indexing, columns = self.b, self.indexing, self.indexing.window[-1]
        users: dict[Size, list[tuple[int, int]]] = {}  # columns of the tile and of the window by where they read
        for k, j in itertools.product(range(len(totals)), range(columns)):
            users.setdefault(k * indexing.x.strides[2] + j * indexing.window_strides[-1], []).append((k, j))
        for row in range(math.prod(indexing.window[:-1])):
            pointers = {where: b.moved(x, self.x_type, self._start(row) + where) for where in users}
            whole = self.members <= lanes
            loaded = {p: self.product.column(b, self.types.x, p, lanes) for p in pointers.values()} if whole else {}
            for member in range(self.members):
                places = [((row * columns + j) * self.members + member) * self.pitch for j in range(columns)]
                moved = [b.moved(weights, self.weights_type, place) for place in places]
                own = [self.product.column(b, self.types.weights, pointer, lanes) for pointer in moved]
                lane_of = [i // self.members * self.members + member for i in range(lanes)]
                for where, pointer in pointers.items():
                    if whole:
                        found = b.chosen(loaded[pointer], lane_of)
                    else:
                        found = self.product.spread(b, b.moved(pointer, self.x_type, member), lanes)
                    for k, j in users[where]:
                        totals[k] = self.product.added(b, found, own[j], totals[k])

    def _taps(self, x: Value, weights: Value, rows: Ints, kept: Pairs, lanes: int, totals: list[Value]) -> None:
        """The products of a row of the window, or of two at once, go to the totals."""
        b, indexing, types = self.b, self.indexing, self.types
        pairs = pair_multiplier(types, self.cpu, lanes)
        loaded: dict[Size, Value] = {}

        def column(dtype: DType, base: Value, places: Sequence[Size], times: int = 1) -> Value:
            pointers = [b.moved(base, memory_type(dtype), place) for place in places]
            if pairs is not None:
                return pairs.column(b, dtype, pointers, lanes, times)
            return self.product.column(b, dtype, pointers[0], lanes, times)

        starts = [self._start(row) for row in rows]
        for j in range(indexing.window[-1]):
            places = [(r * indexing.window[-1] + j) * self.pitch for r in rows]
            w = kept[rows][j] if kept else column(types.weights, weights, places)
            for k in range(len(totals)):
                where = k * indexing.x.strides[2] + j * indexing.window_strides[-1]
                if where not in loaded:
                    loaded[where] = column(types.x, x, [start + where for start in starts], self.times)
                totals[k] = (pairs or self.product).added(b, loaded[where], w, totals[k])

    def _start(self, row: int) -> Size:
        """Where a row of the window begins."""
        indexing = self.indexing
        place = _place(row, indexing.window[:-1])
        return sum(p * s for p, s in zip(place, indexing.window_strides[:-1], strict=True))


def _reached(problem: Depthwise) -> int:
    """Bytes of the image and of the result."""
    (n, r, c), types = problem.indexing.rows, problem.types
    per_line = problem.indexing.x.strides[1] * types.x.itemsize, c * problem.indexing.channels * types.result.itemsize
    return estimate(n * r * (per_line[0] + per_line[1]))


def _groups(count: int, size: int) -> list[Ints]:
    """Numbers up to `count`, so many at a time."""
    return [tuple(range(i, min(i + size, count))) for i in range(0, count, size)]


def _place(index: int, extents: tuple[int, ...]) -> tuple[int, ...]:
    """Coordinates of a position in row-major order."""
    out = []
    for extent in reversed(extents):
        out.append(index % extent)
        index //= extent
    return tuple(reversed(out))


class _Depthwise(KernelKind[Depthwise]):
    """A choice: `ColumnTile`."""

    name = "kernel.depthwise"
    has_choices = True

    def flops(self, problem: Depthwise) -> int:
        indexing = problem.indexing
        results = estimate(product(indexing.rows)) * indexing.channels
        return results * (2 * math.prod(indexing.window) * problem.members + program_flops(indexing.after))

    def generate(self, b: Builder, problem: Depthwise, call: Call) -> Written:
        generator = DepthwiseGenerator(b, problem, call.cpu, call.choice)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def instructions(self, cpu: Cpu, problem: Depthwise) -> set[str]:
        blocks_of = blocks(problem.indexing.channels, cpu.lanes(problem.types.sums))
        found = [quad_multiplier(problem.types, cpu, lanes) for lanes, _, _ in blocks_of]
        return roundings(cpu, problem) | {q.dot.intrinsic for q in found if q is not None}

    def choices(self, cpu: Cpu, problem: Depthwise) -> list[Ints]:
        own = DepthwiseGenerator(Builder("own", [], {}, cpu), problem, cpu)
        columns = known(own.indexing.rows)[2]
        sizes = [-(-columns // -(-columns // limit)) for limit in _COLUMNS]
        orders = int(own.by_channels), int(not own.by_channels)
        vectors = own.lanes // cpu.lanes(problem.types.sums)
        others = itertools.product(sizes, orders, _VECTORS)
        return tried((own.tile_columns, orders[0], vectors), list(others), self, cpu, problem)

    def fits_choice(self, cpu: Cpu, problem: Depthwise, choice: Ints) -> bool:
        if len(choice) != len(ColumnTile._fields):
            return False
        columns, by_channels, vectors = choice
        wide = problem.indexing.channels >= cpu.lanes(problem.types.sums) * vectors
        sums = cpu.registers // 2 if vectors == 1 else cpu.registers - _SPARE
        several = wide and problem.members == 1 and problem.types.sums.is_float and vectors in _VECTORS
        has_room = vectors == 1 or several
        return columns >= 1 and columns * vectors <= sums and has_room and by_channels in (0, int(wide))


DEPTHWISE = _Depthwise()
