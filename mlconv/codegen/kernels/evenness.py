"""Whether a block of an image is even enough for Winograd's algorithm, whose error goes by the largest number of a
tile, wherever it is.

Numbers are compared by their bits without the sign, as integers: these are in the order of magnitudes, infinities and
NaN above all, and (in float32) 2^23 apart where one number is twice the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import I32, LlvmType, Value, index, integer, memory_type, zero
from mlconv.dialects.kernel import PANEL
from mlconv.dialects.winograd import INPUT_TILE, LIMIT, OUTPUT_TILE, SPREAD
from mlconv.ir.dims import Size, floordiv
from mlconv.ir.dtypes import DType

# Of a tile with so many rows of points: rows of elements of which each window of a point has one.
_MIDDLE = {1: (1, 1), 2: (2, 2), 3: (2, 2), 4: (2, 3)}


class _Bits(NamedTuple):
    """A float as an integer: the type of that, the bits of the fraction, the bias of the exponent."""

    integer: LlvmType
    fraction: int
    bias: int

    @property
    def largest(self) -> int:
        """All bits but the sign."""
        return (1 << self.integer.bits - 1) - 1


_FORMATS = {DType.F32: _Bits(I32, 23, 127)}


class Tiles(NamedTuple):
    """Sizes of a block of tiles.  depth: channels of x; row: elements of x from a row to the next; rows: of tiles of a
    block; high, wide: rows and columns of tiles of the image.  last_row, last_column: `middle` of these.
    """

    depth: Size
    row: Size
    rows: Size
    high: Size
    wide: Size
    last_row: Sequence[Size]
    last_column: Sequence[Size]


class Evenness:
    """Emits the test for blocks of some tiles: `begin`, `see` for the elements of each tile, `uneven`."""

    def __init__(self, b: Builder, tiles: Tiles, dtype: DType) -> None:
        self.b, self.tiles = b, tiles
        self.bits, self.element = _FORMATS[dtype], memory_type(dtype)
        self.seen: dict[int, Value] = {}  # by lanes: where the largest magnitude in each is, so far

    def begin(self, lanes: Iterable[int]) -> None:
        """A block begins; its elements will be seen in vectors of so many lanes."""
        for n in lanes:
            if n not in self.seen:
                self.seen[n] = self.b.room(self.bits.integer, n)
            self.keep(n, self._nothing(n))

    def see(self, elements: Sequence[Value], before: Value) -> Value:
        """`before`, and a line of elements of a tile, as float vectors: the largest magnitudes; elements that the next
        tile has are left to it.
        """
        for element in elements[:OUTPUT_TILE]:
            before = self._larger(before, self._positive(self.b.bitcast(element, before.type)))
        return before

    def seen_before(self, lanes: int) -> Value:
        """The largest magnitudes of the block so far."""
        return self._load(self.seen[lanes], lanes)

    def keep(self, lanes: int, most: Value) -> None:
        """For the next tile."""
        self.b.store(most, self.seen[lanes], most.type.align)

    def uneven(self, x: Value, start: Value) -> Value:
        """An i1: of the block of image x from row `start` of tiles, the largest number is beyond 2^LIMIT or 2^-LIMIT
        and not zero, or above 2^SPREAD times the largest one of some point's window.

        Instead of all windows, those elements in the middle of each tile are looked at of which every window has one.
        """
        b, whole, fraction = self.b, self.bits.integer, self.bits.fraction
        most = self._most(b.offset(x, self.element, b.mul(start, index(OUTPUT_TILE)), self.tiles.row))
        least = self._least(x, start)
        small = b.sub(most, integer(whole, self.bits.bias - LIMIT << fraction))
        beyond = b.icmp("ugt", small, integer(whole, 2 * LIMIT << fraction))
        extreme = b.and_(beyond, b.icmp("ne", most, integer(whole, 0)))
        apart = b.icmp("sgt", b.sub(most, least), integer(whole, SPREAD << fraction))
        return b.or_(extreme, apart)

    def _kind(self, lanes: int) -> LlvmType:
        return self.bits.integer.of_lanes(lanes)

    def _load(self, pointer: Value, lanes: int) -> Value:
        t = self._kind(lanes)
        return self.b.load(t, pointer, t.align)

    def _positive(self, bits: Value) -> Value:
        return self.b.and_(bits, integer(bits.type, self.bits.largest))

    def _larger(self, a: Value, b: Value) -> Value:
        return self.b.call(a.type, f"llvm.smax.{a.type.name}", [a, b])

    def _across(self, value: Value) -> Value:
        """The largest lane."""
        t = value.type
        return value if t.lanes == 1 else self.b.call(t.element, f"llvm.vector.reduce.smax.{t.name}", [value])

    def _most(self, first: Value) -> Value:
        """The largest magnitude of all elements of the block: of what was seen, and of the two last lines and columns,
        which no next tile has.
        """
        b, pitch, depth = self.b, self.tiles.row, self.tiles.depth
        lines = self.tiles.rows * OUTPUT_TILE
        most = self._run(b.moved(first, self.element, lines * pitch), (INPUT_TILE - OUTPUT_TILE) * pitch)
        for lanes in self.seen:
            most = self._larger(most, self._across(self.seen_before(lanes)))
        side = b.moved(first, self.element, self.tiles.wide * OUTPUT_TILE * depth)

        def line(i: Value, values: Carried) -> Carried:
            return [
                self._larger(
                    values[0], self._run(b.offset(side, self.element, i, pitch), (INPUT_TILE - OUTPUT_TILE) * depth)
                )
            ]

        return b.loop(0, lines, 1, [most], line)[0]

    def _run(self, first: Value, count: Size) -> Value:
        """The largest magnitude of elements that lie side by side."""
        b, most, whole = self.b, self._nothing(1), floordiv(count, PANEL) * PANEL
        for lanes, low, high in ((PANEL, 0, whole), (1, whole, count)):

            def body(at: Value, values: Carried, lanes: int = lanes) -> Carried:
                elements = self._load(b.offset(first, self.element, at), lanes)
                return [self._larger(values[0], self._positive(elements))]

            found = b.loop(low, high, lanes, [self._nothing(lanes)], body)[0]
            most = self._larger(most, self._across(found))
        return most

    def _nothing(self, lanes: int) -> Value:
        return zero(self._kind(lanes))

    def _least(self, x: Value, start: Value) -> Value:
        """The least over the middle elements of all tiles of the largest magnitude of an element."""
        b, tiles, whole = self.b, self.tiles, self.bits.integer

        def row(i: Value, values: Carried) -> Carried:
            number = b.add(start, i)
            line = b.offset(x, self.element, b.mul(number, index(OUTPUT_TILE)), tiles.row)
            rows = self._middle(number, tiles.high, tiles.last_row)

            def column(j: Value, inner: Carried) -> Carried:
                here, least = b.offset(line, self.element, b.mul(j, index(OUTPUT_TILE)), tiles.depth), inner[0]
                for down in rows:
                    there = b.offset(here, self.element, down, tiles.row)
                    for aside in self._middle(j, tiles.wide, tiles.last_column):
                        element = b.offset(there, self.element, aside, tiles.depth)
                        least = b.call(whole, f"llvm.smin.{whole.name}", [least, self._run(element, tiles.depth)])
                return [least]

            return b.loop(0, tiles.wide, 1, [values[0]], column)

        return b.loop(0, tiles.rows, 1, [integer(whole, self.bits.largest)], row)[0]

    def _middle(self, number: Value, count: Size, last: Sequence[Size]) -> list[Value]:
        """Rows (or columns) of the middle elements of tile `number`."""
        b = self.b
        at_end = b.icmp("eq", number, b.number(count - 1))
        return [b.select(at_end, b.number(n), index(m)) for n, m in zip(last, _MIDDLE[OUTPUT_TILE], strict=True)]


def middle(b: Builder, count: Size, extent: Size) -> list[Value]:
    """Rows (or columns) of the middle elements of the last one of so many tiles, which may have fewer points than the
    others."""
    last: list[Value] = [index(m) for m in _MIDDLE[OUTPUT_TILE]]
    if isinstance(extent, int):
        return [index(m) for m in _MIDDLE[extent % OUTPUT_TILE or OUTPUT_TILE]]
    points = b.number(extent - (count - 1) * OUTPUT_TILE)
    for n in range(OUTPUT_TILE - 1, 0, -1):
        few = b.icmp("sle", points, index(n))
        last = [b.select(few, index(m), there) for m, there in zip(_MIDDLE[n], last, strict=True)]
    return last
