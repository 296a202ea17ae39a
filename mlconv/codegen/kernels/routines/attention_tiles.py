"""Tiles of rows that attend to keys and values, which are read once, where they lie.

Keys are multiplied row by row, so that nothing is transposed: sums along a row stay in the lanes of a register, and
those of several rows are added up together.  Scores lie [key][row], rows filled up to a power of two, so that one
register has those of several keys.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from mlconv.codegen.kernels.products import Multiplier
from mlconv.codegen.kernels.register_tiles import registers_of
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import Value, index, memory_type, zero
from mlconv.dialects.kernel import FLOAT32, Sizes
from mlconv.dialects.kernel.row_attention import RowAttention, filled
from mlconv.ir.dims import Size, ceildiv, divide_exactly

_BLOCK = 4  # lanes of 128 bits
_LEAST = float("-inf")


Masks: TypeAlias = Sequence[Sequence[Value]]  # lines of the one that is added, and of what stands in place of scores


class Line(NamedTuple):
    """A row: an address, and elements behind it."""

    base: Value
    more: int = 0


class RowTile:
    """Emits what is done with a tile of rows and the keys and values of their matrix.  held: scores of a key in a
    register; keys: of which one has some.  step: scores of a step of softmax; end: of all keys, up to whole steps.
    summed: rows whose sums of values are in registers at once.
    """

    def __init__(self, c: Code, p: Sequence[Value], given: RowAttention, rows: int) -> None:
        self.b, self.c, self.p, self.given, self.rows = c.b, c, p, given, rows
        self.filled = filled(rows)
        self.product, self.dtype = Multiplier(FLOAT32, c.b.cpu), FLOAT32.sums
        self.lanes = c.b.cpu.lanes(self.dtype)
        self.scalars, self.element = Scalars(c.b, self.lanes), memory_type(self.dtype)
        self.wide = self.element.of_lanes(self.lanes)
        self.held = min(self.filled, self.lanes)
        self.keys = self.lanes // self.held
        self.registers = registers_of(FLOAT32, c.b.cpu)
        self.summed = self.registers - 2
        self.step = max(self.filled, self.lanes)
        self.end = ceildiv(given.total * self.filled, self.step) * self.step

    def tile(self, matrix: Num, first: Num | None, scores: Value) -> None:
        """Rows of a matrix, from the `first` one on; where the last one is before the tile's end it is done again."""
        given = self.given
        split = given.new != 0

        def start(operand: int, rows: Size, row: int) -> Value:
            return self.b.offset(self.p[operand], self.element, matrix.value, rows * row)

        def lines(operand: int, row: int) -> list[Line]:
            base = start(operand, given.rows, row)
            if first is None:
                return [Line(base, m * row) for m in range(self.rows)]
            return [Line(self.b.offset(base, self.element, n.value, row)) for n in numbers]

        numbers = [] if first is None else [(first + m).min(self.c.num(given.rows) - 1) for m in range(self.rows)]
        q, y = lines(0, given.depth), lines(given.operands, given.width)
        sizes = (given.past, given.new) if split else (given.past,)
        keys = [(start(1 + i, size, given.depth), size) for i, size in enumerate(sizes)]
        values = [(start(1 + len(sizes) + i, size, given.width), size) for i, size in enumerate(sizes)]
        operands = (given.mask, given.parts), (given.chosen, given.operands - 1)
        masks = [self._mask(axes, self.p[operand], matrix, numbers) for axes, operand in operands]
        self._scores(q, keys, masks, scores)
        self._softmax(scores)
        self._sums(scores, values, y)

    def _mask(self, axes: Sizes, mask: Value, matrix: Num, numbers: Sequence[Num]) -> list[Value]:
        """Where its numbers for the rows of a tile begin: one address, or one for each."""
        given, c = self.given, self.c
        if not axes:
            return []
        batches, heads, rows = axes
        batch, head = c.raw("udiv", matrix, given.heads), c.raw("urem", matrix, given.heads)
        at = head if heads != 1 else c.num(0)
        at = (at if batches == 1 else at + batch * heads) * rows
        shared = rows == 1 or (not numbers and divide_exactly(given.rows, rows) == self.rows)
        if not shared:
            own = numbers or [c.num(m) for m in range(self.rows)]
            places = [at + c.raw("urem", n, rows) for n in own]
        else:
            places = [at]
        return [self.b.offset(mask, self.element, n.value, given.total) for n in places]

    # -- scores ------------------------------------------------------------------------------------

    def _scores(self, q: Sequence[Line], parts: Sequence[tuple[Value, Size]], masks: Masks, scores: Value) -> None:
        first: Size = 0
        for keys, size in parts:
            start: Size = 0
            for count in dict.fromkeys((self.keys, 1)):
                stop = start + (size - start) // count * count
                if start != stop:

                    def some(k: Value, keys: Value = keys, count: int = count, first: Size = first) -> None:
                        at = self.b.add(k, self.b.number(first)) if first != 0 else k
                        self._score(q, self.b.offset(keys, self.element, k, self.given.depth), count, masks, at, scores)

                    self.b.each(start, stop, count, some)
                start = stop
            first = first + size
        filled = self.given.total * self.filled
        if self.end != filled:
            least = literal(self.dtype, _LEAST)
            self.b.each(filled, self.end, 1, lambda i: store(self.b, self.dtype, least, self._place(scores, i)))

    def _score(self, q: Sequence[Line], keys: Value, count: int, masks: Masks, at: Value, scores: Value) -> None:
        """Those of so many keys that lie side by side, the first of which is number `at`."""
        b, given, lanes = self.b, self.given, self.lanes
        for begin in range(0, self.rows, self.held):
            rows = range(begin, min(self.rows, begin + self.held))

            def step(k: Value, sums: Carried, rows: range = rows) -> Carried:
                there = [self._load(keys, k, i * given.depth) for i in range(count)]
                here = [self._load(q[m].base, k, q[m].more) for m in rows]
                pairs = [(x, key) for key in there for x in here]
                return [self.product.added(b, x, key, s) for (x, key), s in zip(pairs, sums, strict=True)]

            nothing: Carried = [zero(self.wide)] * (count * len(rows))
            found = b.loop(0, given.depth, lanes, nothing, step)
            each: list[Value] = [zero(self.wide)] * lanes
            for i in range(count):
                each[i * self.held : i * self.held + len(rows)] = found[i * len(rows) : (i + 1) * len(rows)]
            total = sums_of_each(b, each)
            if given.factor != 1:
                total = b.fmul(total, self.scalars.literal(self.dtype, given.factor))
            mask, chosen = (self._masked(lines[begin:] if len(lines) > 1 else lines, at, count) for lines in masks)
            total = b.fadd(total, mask) if mask is not None else total
            total = b.select(b.fcmp("ord", chosen, chosen), chosen, total) if chosen is not None else total
            if count * self.held != lanes:
                total = b.lane(total, 0) if self.held == 1 else b.lanes(total, 0, self.held)
            store(b, self.dtype, total, self._place(scores, at, self.filled, begin))

    def _masked(self, lines: Sequence[Value], at: Value, count: int) -> Value | None:
        """Each key's number of a mask, one for all of its rows or one for each."""
        b, found = self.b, [load(self.b, self.dtype, self._place(m, at), count) for m in lines[: self.held]]
        if not found:
            return None
        if len(found) > 1:
            each = [b.splat(x, 2) for x in found] if count == 1 else found
            each += each[-1:] * (self.held - len(each))
            while len(each) > 1:
                each = [b.joined(x, y) for x, y in zip(each[::2], each[1::2], strict=True)]
            width = each[0].type.lanes // self.held
            places = [i % self.held * width + min(i // self.held, count - 1) for i in range(self.lanes)]
            return b.chosen(each[0], places)
        if count == 1:
            return b.splat(found[0], self.lanes)
        return b.chosen(found[0], [i // self.held for i in range(self.lanes)])

    # -- softmax -----------------------------------------------------------------------------------

    def _softmax(self, scores: Value) -> None:
        """In place."""
        b, s, dtype, lanes = self.b, self.scalars, self.dtype, self.lanes
        count = self.step // lanes

        def apply(opcode: str, *args: Value) -> Value:
            return s.apply(opcode, dtype, args, [dtype] * len(args))

        def over(start: Value, body: Carried, opcode: str) -> Carried:
            """Of all numbers of a row, in each of its lanes."""
            for apart in (n for n in (1 << i for i in range(lanes.bit_length() - 1)) if n >= self.held):
                body = [apply(opcode, x, b.chosen(x, [i ^ apart for i in range(lanes)])) for x in body]
            return body

        def largest(k: Value, found: Carried) -> Carried:
            return [apply("maximum", x, self._load(scores, k, i * lanes)) for i, x in enumerate(found)]

        least: Carried = [b.splat(literal(dtype, _LEAST), lanes)] * count
        most = over(index(0), b.loop(0, self.end, self.step, least, largest), "maximum")

        def powers(k: Value, sums: Carried) -> Carried:
            out = []
            for i, total in enumerate(sums):
                power = apply("exp_moderate", b.fsub(self._load(scores, k, i * lanes), most[i]))
                store(b, dtype, power, self._place(scores, k, 1, i * lanes))
                out.append(b.fadd(total, power))
            return out

        nothing: Carried = [zero(self.wide)] * count
        sums = over(index(0), b.loop(0, self.end, self.step, nothing, powers), "add")
        parts = [apply("div", self.scalars.literal(dtype, 1.0), total) for total in sums]

        def scaled(k: Value) -> None:
            for i, part in enumerate(parts):
                weight = b.fmul(self._load(scores, k, i * lanes), part)
                if self.given.no_nan:
                    weight = b.select(b.fcmp("ord", weight, weight), weight, zero(self.wide))
                store(b, dtype, weight, self._place(scores, k, 1, i * lanes))

        b.each(0, self.end, self.step, scaled)

    # -- values ------------------------------------------------------------------------------------

    def _sums(self, scores: Value, parts: Sequence[tuple[Value, Size]], y: Sequence[Line]) -> None:
        """Sums of the rows of values, some columns of them at a time."""
        given, vectors = self.given, self.given.width // self.lanes
        for begin in range(0, self.rows, self.summed):
            rows = range(begin, min(self.rows, begin + self.summed))
            fits = [n for n in range(1, vectors + 1) if vectors % n == 0 and (len(rows) + 1) * n < self.registers]
            count = max(fits, default=1)

            def columns(at: Value, rows: range = rows, count: int = count) -> None:
                totals: Carried = [zero(self.wide)] * (len(rows) * count)
                first: Size = 0
                for values, size in parts:
                    here = self._place(scores, self.b.number(first), self.filled)
                    totals = self._sum(here, self._place(values, at), size, rows, totals)
                    first = first + size
                for n, total in enumerate(totals):
                    base, more = y[rows[n // count]]
                    store(self.b, self.dtype, total, self._place(base, at, 1, more + n % count * self.lanes))

            self.b.each(0, given.width, count * self.lanes, columns)

    def _sum(self, scores: Value, values: Value, size: Size, rows: range, totals: Carried) -> Carried:
        """Those of some keys added to others."""
        b, given, count = self.b, self.given, len(totals) // len(rows)

        def key(k: Value, sums: Carried) -> Carried:
            there, here = b.offset(values, self.element, k, given.width), self._place(scores, k, self.filled)
            columns = [self._load(there, index(0), i * self.lanes) for i in range(count)]
            spread = [self.product.spread(b, b.moved(here, self.element, m), self.lanes) for m in rows]
            pairs = [(x, column) for x in spread for column in columns]
            return [self.product.added(b, x, column, s) for (x, column), s in zip(pairs, sums, strict=True)]

        return b.loop(0, size, 1, totals, key) if size != 0 else totals

    # -- memory ------------------------------------------------------------------------------------

    def _place(self, base: Value, at: Value, stride: int = 1, more: int = 0) -> Value:
        return self.b.moved(self.b.offset(base, self.element, at, stride), self.element, more)

    def _load(self, base: Value, at: Value, more: int) -> Value:
        return load(self.b, self.dtype, self._place(base, at, 1, more), self.lanes)


def sums_of_each(b: Builder, vectors: Sequence[Value]) -> Value:
    """The sum of all lanes of each of so many vectors, in the lane of its number.

    Halves of two are added until a lane is left of each: wholes of 128 bits are put side by side first, then numbers
    within them, which take an instruction each.
    """
    lanes = len(vectors)
    found = [vectors[n] for n in _order(lanes)]
    for places in _levels(lanes):
        half = len(found) // 2
        pairs = zip(found[:half], found[half:], strict=True)
        found = [b.fadd(b.mixed(x, y, places[0]), b.mixed(x, y, places[1])) for x, y in pairs]
    return found[0]


def _levels(lanes: int) -> list[tuple[list[int], list[int]]]:
    """For each step, the lanes of two vectors, one behind the other, that are added."""
    out, size = [], lanes
    while size > 1:
        if size > _BLOCK:
            first = [n + from_ + k for from_ in (0, lanes) for n in range(0, lanes, 2 * _BLOCK) for k in range(_BLOCK)]
            apart = _BLOCK
        else:
            group, apart = min(lanes, _BLOCK), 1
            starts = range(0, lanes, group)
            first = [n + from_ + k for n in starts for from_ in (0, lanes) for k in range(0, group, 2)]
        out.append((first, [n + apart for n in first]))
        size //= 2
    return out


def _order(lanes: int) -> list[int]:
    """The order of vectors by which each sum ends in the lane of its number."""
    found = [[n] * lanes for n in range(lanes)]
    for places, _ in _levels(lanes):
        half = len(found) // 2
        found = [[(x + y)[n] for n in places] for x, y in zip(found[:half], found[half:], strict=True)]
    order = [0] * lanes
    for lane, number in enumerate(found[0]):
        order[number] = lane
    return order
