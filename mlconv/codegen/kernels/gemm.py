"""Generator of `kernel.gemm`: register tiles of rows x channels over packed weights."""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.few_columns import by_number, of_few_columns
from mlconv.codegen.kernels.indexing import (
    Epilogue,
    Part,
    Position,
    address,
    finish_columns,
    joined_runs,
    merged,
)
from mlconv.codegen.kernels.products import Multiplier, panel_vectors
from mlconv.codegen.kernels.register_tiles import Group, TileChoice, costs_of, groups_of, numbers_at_once, tile_shape
from mlconv.codegen.kernels.row_items import EachTile, RowItems
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import Value, index, memory_type, number_of, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PANEL, Gemm, OutputIndexing, tail_lanes
from mlconv.ir.dims import Size, ceildiv, maximum, minimum, product
from mlconv.ir.estimates import estimate

_MANY = 840  # columns, for a number of them that is known at run time
_WEIGHTS_NEAR = 384 << 10  # bytes of packed weights that stay in a second-level cache beside the rest
_ASKERS = 2, 64  # tiles of rows, of weights that are asked for ahead: a single row asks for its own
_NEAR, _FAR = 1 << 10, 4 << 10  # bytes ahead, to the first-level cache and to the second-level one
_LINE = 64  # bytes
# Bytes of packed weights of a single row, and of all weights of the object, that lie in memory: from a cache they come
# sooner unasked (4 MB from one of 32 MB in 44 microseconds for 57).
_STREAMED, _UNCACHED = 3 << 20, 16 << 20
_PAGE, _BLOCK = 4 << 10, 48 << 10  # bytes
_GROUPS = 8  # of panels, that threads share evenly


class Panel(NamedTuple):
    """Weights of a place: where they begin, and how many elements there are from one to the next."""

    start: Value
    columns: Size


class Weights(NamedTuple):
    """Of a group: its first panel; its last one, where that is not full.  ahead: those of the next group, which are
    asked for meanwhile, where they lie far away: each tile asks for an equal part.
    """

    first: Panel
    last: Panel | None
    ahead: Panel | None


EmitGroup = Callable[[Value, Group], None]  # emits a group of panels from panel number so and so


class GemmGenerator:
    """Emits one problem.  items: lines, column tiles, or groups of panels.  by_lines: lines
    of the problem in any case.  some: only so many panels, all of them full, from panel number `first` on.
    weights_of_all: bytes, of the object.
    """

    weights_of_all = 0

    def __init__(
        self,
        b: Builder,
        tile: Gemm,
        cpu: Cpu,
        choice: Sequence[int] = (),
        by_lines: bool = False,
        some: int = 0,
    ) -> None:
        self.b, self.cpu, self.types, self.product = b, cpu, tile.types, Multiplier(tile.types, cpu)
        self.problem = tile
        types = tile.types
        self.x_type, self.weights_type, self.sums_type = (
            memory_type(t) for t in (tile.source, types.stored, types.sums)
        )
        self.weight_strides = tile.weight_strides
        indexing, self.run_length = joined_runs(tile.indexing, tile.run, tile.joins)
        self.indexing: OutputIndexing = indexing if by_lines else merged(indexing, tile.weight_strides)
        self.depth = tile.depth
        place = PANEL // types.shared  # elements of a place of a panel
        self.place, self.panel = (tile.pitch, PANEL) if tile.pitch else (place, tile.depth * place)  # of weights
        self.panels, self.tail = some or -(-tile.indexing.channels // PANEL), tile.indexing.channels % PANEL
        self.some = some
        self.first: Value = index(0)
        # of a last panel that is not full: of vectors, and of its weights
        self.tail_lanes, self.tail_columns = tail_lanes(self.tail), tile.columns % PANEL // types.shared or place
        self.columns = self.indexing.rows[2]
        many = self.columns if isinstance(self.columns, int) else _MANY
        chosen = TileChoice(*(choice or self._tile_shape(cpu, many)))
        self.rows, self.count, self.inside = chosen
        self.at_once = numbers_at_once(types, cpu)
        self.groups = self.shares = groups_of(self.panels, self.count, self.tail > 0)
        self.mode = "lines" if by_lines else self._mode()
        self.row_items = RowItems(b, self.indexing, self.rows, self.mode)

    def _tile_shape(self, cpu: Cpu, columns: int) -> tuple[int, int]:
        """Rows and panels of a register tile."""
        return tile_shape(cpu, columns, self.panels, self.types)

    def _mode(self) -> str:
        n, r, c = self.indexing.rows
        if self._divides_weights:
            return "panels"
        if n * r != 1 or self.weight_strides != (0, 0):
            return "lines"
        return "columns" if not isinstance(c, int) or c // self.rows >= 4 else "panels"

    @property
    def _divides_weights(self) -> bool:
        """Threads read all of x and a part each of the weights, which are more and stay in no near cache."""
        image, weights = self._bytes
        few = self.weight_strides == (0, 0) and self.groups[0].repeat >= _GROUPS and self.types.group == 1
        return few and self.inside != 1 and weights > max(_WEIGHTS_NEAR, 2 * image)

    @property
    def _bytes(self) -> tuple[int, int]:
        """Of x, and of packed weights."""
        image = estimate(product(self.indexing.rows)) * self.run_length * self.x_type.size
        return image, self.panels * self.place * self.depth * self.weights_type.size

    @property
    def items(self) -> Size:
        """How many work items there are."""
        return self.shares[0].repeat if self.mode == "panels" else self.row_items.number

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        return (
            estimate(product(self.indexing.rows)) * self.panels * PANEL * self.depth / max(1, estimate(self.items)) / 50
        )

    @property
    def has_order(self) -> bool:
        """Rows may be outside or inside."""
        return self.mode != "panels" and self.weight_strides == (0, 0) and len(self.groups) * self.groups[0].repeat > 1

    @property
    def weights_inside(self) -> bool:
        """All panels for a few rows, then the next rows: when weights stay near and the image does not, or results do
        not, which are then written from end to end.
        """
        if self.inside >= 0:
            return self.inside == 1
        image, weights = self._bytes
        made = estimate(product(self.indexing.rows)) * self.panels * PANEL * self.sums_type.size
        return self.weight_strides != (0, 0) or weights <= _WEIGHTS_NEAR < max(image, made)

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, packed weights, then those of the epilogue."""
        self.operands = operands
        self.epilogue = Epilogue(self.b, self.indexing, self.types, PANEL, operands, out)
        few = self._few_columns
        for own in few:
            own.operands, own.epilogue, own.weights_of_all = operands, self.epilogue, self.weights_of_all
        if self.mode == "panels":
            self.shares = groups_of(self.panels, max([self.count, *(own.count for own in few)]), self.tail > 0)
            self._over_shares(lambda panel, group: self._any_columns(few, panel, group))
            return
        by_number(self.b, self.columns, {own.rows: own._in_one_tile for own in few}, self._in_tiles, asks=True)

    def _in_one_tile(self) -> None:
        """All columns, which are a register tile."""
        self._all_groups(self._all_lines, self.groups)

    def _in_tiles(self) -> None:
        if self.weights_inside:
            self._rows_first()
        else:
            self._all_groups(lambda panel, group: self._over_items(lambda emit: emit(panel, group)), self.groups)

    @property
    def has_few(self) -> bool:
        """A few columns may have code of their own: `_all_lines` does no more than their tiles."""
        return True

    @property
    def _few_columns(self) -> list[GemmGenerator]:
        """Generators of so many columns, where their number is known at run time: the register tiles of what is left of
        many wait for their sums, and those have more panels.
        """
        if isinstance(self.columns, int) or self.mode == "lines" or self.some or not self.has_few:
            return []
        return of_few_columns(self, self.columns, self._of_columns)

    def _of_columns(self, columns: int, kind: type[GemmGenerator] | None = None) -> GemmGenerator:
        """The same with so many columns.  Threads share the panels of many evenly.  kind: of generator, this one's."""
        indexing = self.indexing._replace(rows=(*self.indexing.rows[:2], columns))
        problem = self.problem._replace(indexing=indexing, run=self.run_length)
        rows, count = self._tile_shape(self.cpu, columns)
        most = max(1, self.panels // _GROUPS) if self.mode == "panels" else count
        return (kind or type(self))(self.b, problem, self.cpu, TileChoice(rows, min(count, most)))

    def cycles(self, tiles: Sequence[int]) -> float:
        """Of a step along the depth, for tiles of so many columns each."""
        costs, per_panel = costs_of(self.cpu, self.types), panel_vectors(self.types, self.cpu)
        return sum(g.repeat * costs.cycles(rows, g.width * per_panel) for g in self.groups for rows in tiles)

    def _any_columns(self, few: Sequence[GemmGenerator], panel: Value, group: Group) -> None:
        """All columns of panels that are an item."""
        bodies = {own.rows: functools.partial(own._in_groups, panel, group) for own in few}
        by_number(self.b, self.columns, bodies, lambda: self._in_groups(panel, group), asks=False)

    def _in_groups(self, panel: Value, group: Group) -> None:
        """Panels of an item in groups of a register tile, each with all columns."""
        for part in groups_of(group.width, self.count, group.masked):
            for start in range(part.start, part.start + part.width * part.repeat, part.width):
                self._all_lines(self.b.add(panel, index(start)) if start else panel, part)

    def _rows_first(self) -> None:
        """All panels for an item, then the next item."""
        if self.mode == "lines" and self._together > 1:
            self.row_items.run(self._in_blocks)
        else:
            self._over_items(lambda emit: self._all_groups(emit, self.groups))

    @property
    def _together(self) -> int:
        """Groups of panels that each register tile of rows is multiplied by before the next one is: their weights stay
        in a first-level cache, and what is made of a row lies on a page.
        """
        group = self.count * self.place * self.depth * self.weights_type.size
        return min(_PAGE // (self.count * PANEL * self.sums_type.size), _BLOCK // group)

    def _in_blocks(self, each_tile: EachTile) -> None:
        """All panels for a line, some groups of them after the other."""
        for group in self.groups:
            block, stop = self._together * group.width, group.start + group.width * group.repeat
            if stop - group.start <= block:
                self._block(each_tile, group, index(group.start), index(stop))
                continue

            def some(first: Value, group: Group = group, block: int = block, stop: int = stop) -> None:
                end = self.b.least(self.b.add(first, index(block)), index(stop))
                self._block(each_tile, group, first, end)

            self.b.each(group.start, stop, block, some)

    def _block(self, each_tile: EachTile, group: Group, first: Value, stop: Value) -> None:
        """All columns of a line, each register tile of them with these panels."""

        def tile(at: Position, rows: int) -> None:
            def one(panel: Value) -> None:
                self._tile(at, self._from_first(panel), group, rows)

            if group.repeat == 1:
                one(first)
            else:
                self.b.over_each(first, stop, one, group.width)

        each_tile(tile)

    def _over_shares(self, body: EmitGroup) -> None:
        """Shares as work items; the last one does those that differ."""
        first, b = self.shares[0], self.b
        b.work_items(lambda i: body(b.mul(i, index(first.width)), first))
        if len(self.shares) > 1:
            b.when(b.icmp("eq", b.end, index(first.repeat)), lambda: self._all_groups(body, self.shares[1:]))

    def _all_groups(self, body: EmitGroup, groups: Sequence[Group]) -> None:
        for group in groups:
            stop = group.start + group.width * group.repeat

            def repeat(panel: Value, group: Group = group) -> None:
                body(self._from_first(panel), group)

            self.b.each(group.start, stop, group.width, repeat)

    def _from_first(self, panel: Value) -> Value:
        return panel if number_of(self.first) == 0 else self.b.add(panel, self.first)

    def _over_items(self, body: Callable[[EmitGroup], None]) -> None:
        """body(emit) for every line, or column tile, where emit(panel, group) emits the tiles of a group of
        panels there.
        """

        def item(each_tile: EachTile) -> None:
            def emit(panel: Value, group: Group) -> None:
                each_tile(lambda at, rows: self._tile(at, panel, group, rows))

            body(emit)

        self.row_items.run(item)

    def _all_lines(self, panel: Value, group: Group) -> None:
        b, (n, r, _) = self.b, self.indexing.rows
        b.each(0, n, 1, lambda i: b.each(0, r, 1, lambda j: self._columns(i, j, panel, group)))

    def _columns(self, batch: Value, row: Value, panel: Value, group: Group) -> None:
        """All columns of a line."""
        self.row_items.all_of(batch, row, lambda at, rows: self._tile(at, panel, group, rows))

    def _tile(self, at: Position, panel: Value, group: Group, rows: int) -> None:
        """One register tile: sums over the whole depth, then the epilogue."""
        b = self.b
        first = b.offset(self.operands[1], self.weights_type, panel, self.panel)
        for place, stride in zip((at.batch, at.row), self.weight_strides, strict=True):
            first = b.offset(first, self.weights_type, place, stride) if stride != 0 else first
        first = b.freeze(first)
        last = b.moved(first, self.weights_type, (group.width - 1) * self.panel)
        narrow = Panel(last, self.tail_columns) if group.masked else None
        weights = Weights(Panel(first, self.place), narrow, self._following(at, first, group))
        x = self._x(at)
        widths = [PANEL] * group.width
        if group.masked:
            widths[-1] = self.tail_lanes
        nothing: Carried = [zero(self.sums_type.of_lanes(lanes)) for lanes in widths]
        totals = self._window(0, x, weights, rows, widths, nothing * rows)
        number = number_of(panel)
        channel = b.mul(panel, index(PANEL)) if number is None else index(number * PANEL)
        starts = self.epilogue.start(at._replace(channel=channel))
        parts = [Part(self.epilogue.at(lanes), j * PANEL) for j, lanes in enumerate(widths)]
        if group.masked and self.tail != widths[-1]:
            parts[-1] = parts[-1]._replace(mask=self.tail)
        finish_columns(parts, totals, starts)

    def _following(self, at: Position, first: Value, group: Group) -> Panel | None:
        """What a tile asks for.  first: where the weights of its own group begin."""
        if (group is self.groups[-1] and group.repeat == 1) or not self._are_far:
            return None
        b, number = self.b, self.b.number(0)
        for place, count, stride in zip((at.batch, at.row), self.indexing.rows, self.weight_strides, strict=False):
            number = b.add(b.mul(number, b.number(count)), place) if stride == 0 else number
        per_line = b.number(ceildiv(self.indexing.rows[2], self.rows))
        number = b.add(b.mul(number, per_line), b.udiv(at.column, index(self.rows)))
        tiles = self._tiles_of_weights
        has_others = minimum(maximum(tiles - 1, 0), 1)
        each = ceildiv(group.width * self.place, maximum(tiles, 1)) * has_others
        following = b.moved(first, self.weights_type, group.width * self.panel)
        return Panel(b.offset(following, self.weights_type, number, each * self.depth), each)

    @property
    def _tiles_of_weights(self) -> Size:
        """Tiles that are multiplied by the same weights."""
        (n, r, c), (batch, row) = self.indexing.rows, self.weight_strides
        return (n if batch == 0 else 1) * (r if row == 0 else 1) * ceildiv(c, self.rows)

    @property
    def _are_far(self) -> bool:
        """Weights stay in no near cache from one call to the next, and are not used for long."""
        nearby = self.weights_inside and self.weight_strides == (0, 0)
        tiles = self._tiles_of_weights
        asks = not isinstance(tiles, int) or _ASKERS[0] <= tiles <= _ASKERS[1]  # how many there are may be few
        return asks and not nearby and self._are_many

    @property
    def _streams(self) -> bool:
        """A single row reads weights from memory."""
        own = self._bytes[1]
        far = own > _STREAMED and max(own, self.weights_of_all) > _UNCACHED
        return self.indexing.rows == (1, 1, 1) and self._are_many and far

    @property
    def _are_many(self) -> bool:
        """Packed weights stay in no near cache from one call to the next."""
        (n, r, _), (batch, row) = self.indexing.rows, self.weight_strides
        copies = estimate((n if batch != 0 else 1) * (r if row != 0 else 1))
        return self.place == PANEL // self.types.shared and self._bytes[1] * copies > _WEIGHTS_NEAR

    def _x(self, at: Position) -> Value:
        """Where a tile reads x."""
        return address(self.b, self.operands[0], self.types.x, self.indexing.x, at)

    def _window(
        self, axis: int, x: Value, weights: Weights, rows: int, widths: Sequence[int], totals: Carried
    ) -> Carried:
        """Sums over window axes from `axis` on, and over the run inside them.  widths: lanes of each panel."""
        b, window = self.b, self.indexing.window
        if axis == len(window):

            def innermost(k: Value, values: Carried) -> Carried:
                return self._step(x, self._moved(weights, k), k, rows, widths, values)

            def several(k: Value, values: Carried) -> Carried:
                return self._steps(x, self._moved(weights, k), k, rows, widths, values)

            rest = self.run_length % self.at_once if self.at_once > 1 else self.run_length
            if self.run_length > rest:
                totals = b.loop(0, self.run_length - rest, self.at_once, totals, several)
            return b.loop(self.run_length - rest, self.run_length, 1, totals, innermost) if rest else totals
        inside = self.run_length * math.prod(window[axis + 1 :])

        def body(i: Value, values: Carried) -> Carried:
            moved = b.offset(x, self.x_type, i, self.indexing.window_strides[axis])
            return self._window(axis + 1, moved, self._moved(weights, i, inside), rows, widths, values)

        return b.loop(0, window[axis], 1, totals, body)

    def _moved(self, weights: Weights, at: Value, places: int = 1) -> Weights:
        """Weights `at` times so many places on."""

        def panel(p: Panel) -> Panel:
            return p._replace(start=self.b.offset(p.start, self.weights_type, at, places * p.columns))

        first, last, ahead = weights
        return Weights(panel(first), last and panel(last), ahead and panel(ahead))

    def _ask(self, first: Value, k: Value, panels: int) -> None:
        """For lines of a single row's weights, each once.  first: those of the first panel's place k.

        What limits a product that reads its weights once is how many lines a core waits for.
        """
        b, size = self.b, self.weights_type.size
        shared = max(1, _LINE // (self.place * size))  # places that share a line: each asks for one of another panel
        turn = b.and_(k, index(shared - 1)) if shared > 1 else index(0)
        line = b.offset(first, self.weights_type, turn, -self.place)
        for start in range(0, panels, shared):
            number = b.least(turn, index(min(shared, panels - start) - 1)) if shared > 1 else turn
            there = b.offset(
                b.moved(line, self.weights_type, start * self.panel), self.weights_type, number, self.panel
            )
            for level, distance in enumerate((_NEAR, _FAR), 1):
                b.prefetch(b.moved(there, self.weights_type, distance // size), level)

    def _step(self, x: Value, weights: Weights, k: Value, rows: int, widths: Sequence[int], values: Carried) -> Carried:
        """One k: a row of weights times a column of x."""
        b, product = self.b, self.product
        if self._streams:
            self._ask(weights.first.start, k, len(widths))
        here = b.offset(x, self.x_type, k)
        places = self._places(weights, len(widths))
        columns = [product.column(b, self.types.weights, p, n) for p, n in zip(places, widths, strict=True)]
        out: Carried = []
        for i in range(rows):
            place = b.moved(here, self.x_type, i * self.indexing.x.strides[2])
            wide = {lanes: product.spread(b, place, lanes) for lanes in dict.fromkeys(widths)}
            for j, lanes in enumerate(widths):
                out.append(product.added(b, wide[lanes], columns[j], values[i * len(widths) + j]))
        return out

    def _steps(
        self, x: Value, weights: Weights, k: Value, rows: int, widths: Sequence[int], values: Carried
    ) -> Carried:
        """As many k as numbers of x are loaded at once: each multiplies a row of weights."""
        b, product = self.b, self.product
        here = b.offset(x, self.x_type, k)
        stride = self.indexing.x.strides[2]
        numbers = [product.numbers(b, b.moved(here, self.x_type, i * stride), self.at_once) for i in range(rows)]
        for place in range(self.at_once):
            if self._streams:
                self._ask(weights.first.start, b.add(k, index(place)), len(widths))
            places = self._places(weights, len(widths))
            columns = [product.column(b, self.types.weights, p, n) for p, n in zip(places, widths, strict=True)]
            pairs = [(b.chosen(x, [place] * c.type.lanes), c) for x in numbers for c in columns]
            values = [product.added(b, *pair, value) for pair, value in zip(pairs, values, strict=True)]
            weights = self._moved(weights, index(1))
        return values

    def _places(self, weights: Weights, count: int) -> list[Value]:
        """Where those of a place lie, by panel; the next group's are asked for."""
        if weights.ahead is not None:
            self.b.prefetch(weights.ahead.start)
        places = [self.b.moved(weights.first.start, self.weights_type, j * self.panel) for j in range(count)]
        return places if weights.last is None else [*places[:-1], weights.last.start]
