"""Generator of `kernel.gemm` of integers: register tiles of rows x columns over packed weights.

Elements of x that a tile reads are first laid side by side on the stack (`staging`); where that would be too much, they
are read where they are.
"""

from __future__ import annotations

import functools
import itertools
import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.few_columns import by_number, of_few_columns
from mlconv.codegen.kernels.indexing import Epilogue, Part, Position, address, finish_columns
from mlconv.codegen.kernels.row_items import RowItems
from mlconv.codegen.kernels.staging import Reads, Staging
from mlconv.codegen.kernels.wide_weights import PAIR, WideWeights, panels_at_once
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import I16, Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PANEL, Gemm, Ints, tail_lanes
from mlconv.ir.dims import Size, product
from mlconv.ir.estimates import estimate

_MANY = 840  # columns, for a number of them that is known at run time
_COUNTS = (1, 2, 3, 4)  # vectors of sums side by side
MOST_ROWS = 14
_WEIGHTS_NEAR = 512 << 10  # bytes of weights that stay in a second-level cache beside the rest
_SHALLOW = 96  # places of a product from which on the end of a tile takes little of its time
_TILE = 64  # cost of a register tile besides its products


class IntegerTile(NamedTuple):
    """Rows, and vectors of sums in a row, of a register tile."""

    rows: int
    vectors: int


class Strip(NamedTuple):
    """Columns of a register tile, side by side.  panel: where it begins, and how many columns a place has there.
    start: the first one in the panel; channel: in the result.  lanes: of each vector; of a single one, `read` have
    weights, and mask of them count, 0 for all.
    """

    panel: Value
    columns: int
    start: Value
    channel: Value
    lanes: Ints
    read: int
    mask: int = 0


class IntegerGemmGenerator:
    """Emits one problem.  items: lines, column tiles, or strips of columns where there are few rows; `by_lines`, lines
    in any case.
    """

    def __init__(self, b: Builder, problem: Gemm, cpu: Cpu, choice: Sequence[int] = (), by_lines: bool = False) -> None:
        self.b, self.types, self.problem, self.cpu = b, problem.types, problem, cpu
        self.dots = Dots(problem.types, problem.shift, cpu)
        self.x_type, self.weights_type = memory_type(problem.types.x), memory_type(problem.types.stored)
        self.depth, self.group, self.shared = problem.depth, problem.types.group, problem.types.shared
        self.stored = problem.stored_depth
        self.reads = Reads.of(problem, by_lines)
        self.indexing, self.run_length = self.reads.indexing, self.reads.run_length
        self.staging = Staging(b, problem, self.reads, self.dots, cpu)
        columns = self.indexing.rows[2]
        self.whole, self.tail = divmod(problem.indexing.channels, PANEL)
        many = columns if isinstance(columns, int) else _MANY
        limit = self.staging.limit
        self.is_staged = self._must_stage or (limit >= 1 and self._gains)
        if self._alternates:
            self.dots = self.staging.dots = Dots(problem.types, problem.shift, cpu, alternates=True)
        rows, self.count = IntegerTile(*choice[:2]) if choice else self._tile_shape(many)
        self.x_dtype = self.dots.staged if self.is_staged else problem.types.x  # as products read x
        self.element = memory_type(self.x_dtype)
        self.rows = min(rows, max(1, limit)) if self.is_staged else rows
        self.row_items = RowItems(b, self.indexing, self.rows, "lines" if by_lines else self._mode())
        self.wide = WideWeights(b, problem, self.dots, self._wide_panels)
        self.is_wide = self.dots.alternates and self.wide.panels > 0
        self.panels = self.whole + (self.tail > 0)
        self.first_channel: Value = index(0)  # of a part
        self.parts = self.panels // self.wide.panels if self.is_wide else 1
        self.whole //= self.parts  # panels of a part of the weights

    @property
    def _must_stage(self) -> bool:
        return self.run_length % self.problem.types.step != 0

    @property
    def _alternates(self) -> bool:
        """One sum for each column is worth reading the weights twice: there are few of them for a result, or they are
        taken apart in any case.
        """
        gains = self.depth <= _SHALLOW or self.shared > 1 or self._wide_panels > 0
        return self.is_staged and gains and not self._must_stage and self.dots.can_alternate()

    @property
    def _wide_panels(self) -> int:
        """Panels whose weights are widened at a time, where many rows are multiplied with them."""
        rows = estimate(product(self.indexing.rows))
        return panels_at_once(self.problem, self.stored, rows) if self.shared == 1 else 0

    @property
    def _gains(self) -> bool:
        return self.dots.staged is not self.types.x and self.cpu.has_vectors

    def _tile_shape(self, columns: int) -> IntegerTile:
        """The one that takes the fewest cycles for all columns, by the register rule."""
        dots, best = self.dots, (math.inf, IntegerTile(1, 1))
        vectors, steps = -(-self.problem.indexing.channels // dots.columns), max(1, self.depth // self.group)
        for count, places in itertools.product(counts(dots), {1, self._places}):
            each = count * dots.registers
            limit = min(MOST_ROWS, self.most_rows(each, places))
            if limit < 1 or count > max(1, vectors):
                continue
            rows = -(-columns // -(-columns // limit))
            turns = -(-columns // rows) * -(-vectors // count)
            cycles = turns * (self._cost(rows, each, self._together(rows, count)) + _TILE / steps)
            best = min(best, (cycles, IntegerTile(rows, count)), key=lambda t: t[0])
        return best[1]

    def most_rows(self, each: int, places: int = 1) -> int:
        """Rows that registers leave room for: sums, `each` of weights for each of these places, what a step needs
        besides, and several groups of a row where they are loaded at once.
        """
        own = 1 if self._at_once > 1 else 0
        return (_registers(self.cpu) - self.dots.others - places * each) // (each + own)

    def _cost(self, rows: int, each: int, places: int) -> float:
        """Of a step of a register tile, as `Dots.cost` says it."""
        return self.dots.cost(rows, each, places)

    @property
    def _at_once(self) -> int:
        """Groups of a row that are loaded at once."""
        return self.dots.at_once

    @property
    def _places(self) -> int:
        """Of a run, that neighbouring rows read too, each one place further."""
        step = self.indexing.x.strides[2]
        if self.is_staged or not self.dots.rows or self._at_once > 1 or not isinstance(step, int) or step <= 0:
            return 1
        return self.run_length // step if self.run_length % step == 0 and step % self.problem.types.step == 0 else 1

    def _together(self, rows: int, count: int) -> int:
        """Places whose weights stand in registers at once, so that x is loaded once for all; 1: without gain."""
        places, dots = self._places, self.dots
        each = count * dots.registers
        fits = (rows + places) * each + dots.others <= _registers(self.cpu)
        gains = dots.cost(rows, each, places) < dots.cost(rows, each)
        return places if fits and gains else 1

    def _mode(self) -> str:
        n, r, c = self.indexing.rows
        if self._far and not self.is_staged and isinstance(n, int) and isinstance(r, int):
            return "strips"
        if n * r != 1 or self.problem.weight_strides != (0, 0):
            return "lines"
        return "columns" if not isinstance(c, int) or c // self.rows >= 4 else "strips"

    @property
    def _far(self) -> bool:
        """Weights are more than what they are multiplied with, and would be fetched from far away for every line."""
        image = estimate(product(self.indexing.rows)) * self.run_length
        weights = self.problem.indexing.channels * self.stored
        return self.problem.weight_strides == (0, 0) and weights > max(_WEIGHTS_NEAR, image)

    @property
    def items(self) -> Size:
        """How many work items there are."""
        if self.row_items.mode != "strips":
            return self.row_items.number
        whole, more = self._vectors
        return whole // self.count + (whole % self.count + more > 0)  # the last one does what is left

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        results = estimate(product(self.indexing.rows)) * self.panels * PANEL
        return results * self.depth / max(1, estimate(self.items)) / 100

    # -- columns -----------------------------------------------------------------------------------

    @property
    def _vectors(self) -> tuple[int, int]:
        """Vectors of the panels that are full, and of the last one."""
        return self.whole * (PANEL // self.dots.columns), -(-self.tail // self.dots.columns)

    def _over_strips(self, weights: Value, body: Callable[[Strip], None]) -> None:
        """body(strip) for all columns."""
        vectors, _ = self._vectors
        if vectors // self.count:
            self.b.each(0, vectors // self.count, 1, lambda i: body(self._strip(weights, i, self.count)))
        if vectors % self.count:
            body(self._strip(weights, index(vectors // self.count), vectors % self.count))
        for strip in self._last(weights):
            body(strip)

    def _strip(self, weights: Value, number: Value, count: int) -> Strip:
        """Strip `number` of full panels."""
        b, columns = self.b, self.dots.columns
        first, parts = b.mul(number, index(self.count)), PANEL // columns
        panel, part = b.udiv(first, index(parts)), b.urem(first, index(parts))
        place = b.offset(weights, self.weights_type, panel, self.stored * PANEL)
        start, channel = b.mul(part, index(columns)), b.add(self.first_channel, b.mul(first, index(columns)))
        return Strip(place, PANEL, start, channel, (columns,) * count, columns)

    def _last(self, weights: Value) -> list[Strip]:
        """Those of the panel that is not full."""
        out, columns = [], self.dots.columns
        panel = self.b.moved(weights, self.weights_type, self.whole * self.stored * PANEL)
        for start in range(0, self.tail, columns):
            count = min(columns, self.tail - start)
            lanes = next(n for n in self.dots.widths if count <= n)
            read = min(lanes, tail_lanes(self.tail) - start)  # beyond that nothing may be read
            channel = index(self.whole * PANEL + start)
            mask = count if count != lanes else 0
            out.append(Strip(panel, self.tail, index(start), channel, (lanes,), read, mask))
        return out

    # -- rows --------------------------------------------------------------------------------------

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, packed weights, then those of the epilogue."""
        few = self._few_columns
        bodies = {own.rows: functools.partial(own.run_single, operands, out) for own in few}
        by_number(self.b, self.indexing.rows[2], bodies, lambda: self._run_all(operands, out), asks=True)

    @property
    def _few_columns(self) -> list[IntegerGemmGenerator]:
        """Generators of so many columns, where their number is known at run time."""
        columns = self.indexing.rows[2]
        if isinstance(columns, int) or self.row_items.mode != "columns":
            return []
        return of_few_columns(self, columns, self._of_columns, always=self.is_wide)

    def _of_columns(self, columns: int) -> IntegerGemmGenerator:
        """The same with so many columns."""
        indexing = self.indexing._replace(rows=(*self.indexing.rows[:2], columns))
        problem = self.problem._replace(indexing=indexing, run=self.run_length)
        kind = IntegerGemmGenerator if columns == 1 else type(self)  # there may be instructions for two rows
        return kind(self.b, problem, self.cpu)

    def cycles(self, tiles: Sequence[int]) -> float:
        """Of a step along the depth, for tiles of so many columns each."""
        turns, each = sum(-(-n // self.count) for n in self._vectors), self.count * self.dots.registers
        fixed = _TILE / max(1, self.depth // self.group)
        return sum(turns * (self._cost(rows, each, self._together(rows, self.count)) + fixed) for rows in tiles)

    def run_single(self, operands: Sequence[Value], out: Value) -> None:
        """All of a single tile of rows."""
        self._start(operands, out)
        self._all_strips(Position(index(0), index(0), index(0), index(0)), self.rows)

    def _start(self, operands: Sequence[Value], out: Value) -> None:
        self.operands = [*operands]
        self.epilogue = Epilogue(self.b, self.indexing, self.types, PANEL, operands, out)
        if self.is_staged:
            self.room = self.staging.room(self.rows)

    def _run_all(self, operands: Sequence[Value], out: Value) -> None:
        self._start(operands, out)
        if not self.is_wide:
            self._run_items()
            return
        self.weights_type = I16

        def part(number: Value) -> None:
            self.operands[1] = self.wide.lay(operands[1], number)
            self.first_channel = b.mul(number, index(self.whole * PANEL))
            self._run_items()

        b = self.b
        b.each(0, self.parts, 1, part)

    def _run_items(self) -> None:
        if self.row_items.mode == "strips":
            self._by_strips()
        else:
            self.row_items.run(lambda each_tile: each_tile(self._all_strips))

    def _all_strips(self, at: Position, rows: int) -> None:
        x = self._x(at, rows)
        self._over_strips(self._weights(at), lambda strip: self._tile(at, x, strip, rows))

    def _by_strips(self) -> None:
        """Items are strips; each goes over all rows."""
        b = self.b
        vectors, more = self._vectors
        full, rest = divmod(vectors, self.count)

        def over_rows(strips: Callable[[Value], list[Strip]]) -> None:
            def tile(at: Position, rows: int) -> None:
                x = self._x(at, rows)
                for strip in strips(self._weights(at)):
                    self._tile(at, x, strip, rows)

            n, r, _ = self.indexing.rows
            b.each(0, n, 1, lambda i: b.each(0, r, 1, lambda j: self.row_items.all_of(i, j, tile)))

        def left(weights: Value) -> list[Strip]:
            some = [self._strip(weights, index(full), rest)] if rest else []
            return [*some, *self._last(weights)]

        def item(number: Value) -> None:
            if full:
                inside = b.icmp("slt", number, index(full))
                b.when(inside, lambda: over_rows(lambda weights: [self._strip(weights, number, self.count)]))
            if rest or more:
                b.when(b.icmp("eq", number, index(full)), lambda: over_rows(left))

        b.work_items(item)

    def _weights(self, at: Position) -> Value:
        """Those of a batch and row."""
        weights = self.operands[1]
        for place, stride in zip((at.batch, at.row), self.problem.weight_strides, strict=True):
            weights = self.b.offset(weights, self.weights_type, place, stride) if stride != 0 else weights
        return weights

    # -- x -----------------------------------------------------------------------------------------

    def _x(self, at: Position, rows: int) -> Value:
        """The address of what the tile reads, in the room where it is staged."""
        if not self.is_staged:
            return address(self.b, self.operands[0], self.types.x, self.indexing.x, at)
        self.staging.lay(self.operands[0], at, rows, self.room)
        return self.room

    # -- tiles -------------------------------------------------------------------------------------

    def _tile(self, at: Position, x: Value, strip: Strip, rows: int) -> None:
        """One register tile: sums over the whole depth, then the epilogue."""
        nothing: Carried = [v for lanes in strip.lanes for v in self.dots.nothing(lanes)]
        if self.is_staged:
            totals = self._run(x, self.staging.pitch, strip, index(0), self.depth, rows, nothing * rows)
        else:
            totals = self._direct(0, x, strip, index(0), rows, nothing * rows)
        starts, number, sums = self.epilogue.start(at._replace(channel=strip.channel)), 0, list[Value]()
        parts = [Part(self.epilogue.at(lanes), j * lanes, strip.mask) for j, lanes in enumerate(strip.lanes)]
        while number < len(totals):
            count = self.dots.parts(strip.lanes[0])
            sums.append(self.dots.total(self.b, totals[number : number + count]))
            number += count
        finish_columns(parts, sums, starts)

    def _direct(self, axis: int, x: Value, strip: Strip, done: Value, rows: int, totals: Carried) -> Carried:
        """Sums over window axes from `axis` on, and over the run inside them.  done: elements of a column so far."""
        b, window = self.b, self.indexing.window
        if axis == len(window):
            return self._run(x, self.indexing.x.strides[2], strip, done, self.run_length, rows, totals)
        inside = self.run_length // self.shared * math.prod(window[axis + 1 :])

        def body(i: Value, values: Carried) -> Carried:
            moved = b.offset(x, self.x_type, i, self.indexing.window_strides[axis])
            return self._direct(axis + 1, moved, strip, b.add(done, b.mul(i, index(inside))), rows, values)

        return b.loop(0, window[axis], 1, totals, body)

    def _run(
        self, x: Value, stride: Size, strip: Strip, done: Value, length: int, rows: int, totals: Carried
    ) -> Carried:
        """Sums over a run.  stride: elements of x from row to row.  done: elements of a column of weights before."""
        b, group, stored = self.b, self.group, length // self.shared
        if self._together(rows, len(strip.lanes)) > 1:
            return self._run_together(x, strip, done, rows, totals)
        whole, rest = stored // group * group, stored % group
        panel = b.offset(strip.panel, self.weights_type, done, strip.columns)
        if self.is_wide:
            return self._run_wide(x, stride, strip, b.offset(panel, I16, strip.start, PAIR), rows, totals)

        def step(k: Value, values: Carried, weights: Sequence[Value], places: int, turn: int = 0) -> Carried:
            there = b.offset(x, self.element, k, self.shared)
            for half, first in enumerate(weights):
                place = b.offset(first, self.weights_type, k, strip.columns)
                columns = self._columns(place, strip, places, turn, half)
                here = b.moved(there, self.element, half * group)
                values = self._step(here, stride, columns, strip.lanes[0], rows, values, turn)
            return values

        first = self._of_halves(b.offset(panel, self.weights_type, strip.start, group) if whole else panel)
        many = group * self._at_once // self.shared
        further = whole // many * many if self._at_once > 1 else 0
        if further:
            several = functools.partial(self._several, x, stride, strip, first, rows)
            totals = b.loop(0, further, many, totals, several)
        for turn in range(self.dots.turns if whole > further else 0):
            # a loop for each turn: LLVM would add both products first, and keep those of all rows
            one = functools.partial(step, weights=first, places=group, turn=turn)
            totals = b.loop(further, whole, group, totals, one)
        if rest:
            totals = step(index(whole), totals, [b.offset(panel, self.weights_type, strip.start, rest)], rest)
        return totals

    def _run_wide(self, x: Value, stride: Size, strip: Strip, weights: Value, rows: int, totals: Carried) -> Carried:
        """Sums over a run of places whose weights are words already."""
        b = self.b

        def step(k: Value, values: Carried) -> Carried:
            place = b.offset(weights, I16, k, strip.columns)
            columns = [
                self.wide.column(b.moved(place, I16, self._offset(j, PAIR)), lanes)
                for j, lanes in enumerate(strip.lanes)
            ]
            there = b.offset(x, self.element, k)
            return self._step(there, stride, columns, strip.lanes[0], rows, values)

        return b.loop(0, self.depth, PAIR, totals, step)

    def _offset(self, vector: int, places: int) -> int:
        """Elements of weights from the first vector of a strip to another one.  places: that lie side by side."""
        panel, part = divmod(vector, PANEL // self.dots.columns)
        return panel * self.stored * PANEL + part * self.dots.columns * places

    def _of_halves(self, weights: Value) -> list[Value]:
        """The place of weights for each group of those that share bytes, which are loaded for each: LLVM would keep
        them in registers in between.
        """
        return [weights, *(self.b.freeze(weights) for _ in range(1, self.shared))]

    def _run_together(self, x: Value, strip: Strip, done: Value, rows: int, totals: Carried) -> Carried:
        """Sums over a run of places that neighbouring rows share."""
        b, step, places = self.b, self.run_length // self._places, self._places
        pitch = step // self.shared * strip.columns  # of weights
        first = b.offset(strip.panel, self.weights_type, done, strip.columns)
        halves = self._of_halves(b.offset(first, self.weights_type, strip.start, self.group))

        def half_step(k: Value, sums: Carried, half: int) -> None:
            there = b.offset(halves[half], self.weights_type, k, strip.columns)
            columns = [
                self._columns(b.moved(there, self.weights_type, place * pitch), strip, self.group, half=half)
                for place in range(places)
            ]
            x_there = b.moved(b.offset(x, self.element, k, self.shared), self.element, half * self.group)
            for number in range(rows + places - 1):
                wide = self.dots.spread(b, b.moved(x_there, self.element, number * step), strip.lanes[0], self.x_dtype)
                for place in range(max(0, number - rows + 1), min(places, number + 1)):
                    for j, w in enumerate(columns[place]):
                        at = (number - place) * len(strip.lanes) + j
                        sums[at] = self.dots.added(b, wide, w, sums[at])

        def body(k: Value, values: Carried) -> Carried:
            sums = [*values]
            for half in range(self.shared):
                half_step(k, sums, half)
            return sums

        return b.loop(0, step // self.shared, self.group, totals, body)

    def _step(
        self, x: Value, stride: Size, columns: Sequence[Value], lanes: int, rows: int, values: Carried, turn: int = 0
    ) -> Carried:
        """A group of places.  columns: of weights.  lanes: of a vector of them."""
        b, out = self.b, list[Value]()
        for i in range(rows):
            there = b.moved(x, self.element, i * stride)
            wide = self.dots.spread(b, there, lanes, self.x_dtype, turn)
            out += [self.dots.added(b, wide, w, values[i * len(columns) + j]) for j, w in enumerate(columns)]
        return out

    def _several(
        self, x: Value, stride: Size, strip: Strip, weights: Sequence[Value], rows: int, k: Value, values: Carried
    ) -> Carried:
        """As many groups of places as are loaded at once, from place k on.  weights: the first, of each half."""
        b, dots, there = self.b, self.dots, self.b.offset(x, self.element, k, self.shared)
        groups = [dots.groups(b, b.moved(there, self.element, i * stride), self.x_dtype) for i in range(rows)]
        for number in range(self._at_once):
            turn, half = divmod(number, self.shared)
            place = b.offset(weights[half], self.weights_type, k, strip.columns)
            place = b.moved(place, self.weights_type, turn * self.group * strip.columns)
            wide = [dots.of_group(b, g, number, strip.lanes[0]) for g in groups]
            pairs = itertools.product(wide, self._columns(place, strip, self.group, half=half))
            values = [dots.added(b, *pair, value) for pair, value in zip(pairs, values, strict=True)]
        return values

    def _columns(self, weights: Value, strip: Strip, places: int, turn: int = 0, half: int = 0) -> list[Value]:
        """Weights of a group of places, in registers."""
        out = list[Value]()
        for j, lanes in enumerate(strip.lanes):
            there = self.b.moved(weights, self.weights_type, self._offset(j, places))
            out += self.dots.weights(self.b, there, lanes, strip.read, places, turn, half)
        return out


def counts(dots: Dots) -> Ints:
    """Vectors side by side: three only where each is a panel."""
    return tuple(n for n in _COUNTS if n < 3 or n % 2 == 0 or dots.columns == PANEL)


def _registers(cpu: Cpu) -> int:
    """For sums, and what is multiplied."""
    return cpu.general or cpu.registers
