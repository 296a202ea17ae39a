"""Whether a block of an image is even enough for Winograd's algorithm, whose error goes by the largest number of a
tile, wherever it is.

Numbers are compared by their bits without the sign, as integers: these are in the order of magnitudes, infinities and
NaN above all, and 2^23 apart where one number is twice the other.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlconv.codegen.kernels.points import Position, address, blocks
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.dialects.kernel import PANEL, Winograd, known
from mlconv.dialects.winograd import CELLS, LIMIT, SPREAD, TILE

_TWICE = 1 << 23
_SMALL = 127 - LIMIT << 23  # 2^-LIMIT
# Of a tile with so many rows of points: rows of cells of which each window of a point has one.
_MIDDLE = {1: (1, 1), 2: (2, 2), 3: (2, 2), 4: (2, 3)}


class Evenness:
    """Emits the test for one problem: `begin`, `see` for the cells of each tile, `uneven`."""

    def __init__(self, b: Builder, problem: Winograd) -> None:
        self.b, self.problem, self.points = b, problem, problem.points
        self.high, self.wide = problem.tiles
        self.seen: dict[int, str] = {}  # by lanes: the largest magnitude in each, so far

    def begin(self, lanes: Iterable[int]) -> None:
        """A block begins; its cells will be seen in vectors of so many lanes."""
        for n in lanes:
            if n not in self.seen:
                self.seen[n] = self.b.room("i32", n)
            self.b.do(f"store {_kind(n)} zeroinitializer, ptr {self.seen[n]}, align 4")

    def see(self, cells: Sequence[str], lanes: int, before: str) -> str:
        """`before`, and a line of cells of a tile, as float vectors: the largest magnitudes; cells that the next tile
        has are left to it.
        """
        kind, b = _kind(lanes), self.b
        for cell in cells[:TILE]:
            before = self._larger(
                kind, before, self._positive(b.op(f"bitcast {_kind(lanes, 'float')} {cell} to {kind}"), lanes)
            )
        return before

    def seen_before(self, lanes: int) -> str:
        """The largest magnitudes of the block so far."""
        return self.b.op(f"load {_kind(lanes)}, ptr {self.seen[lanes]}, align 4")

    def keep(self, lanes: int, most: str) -> None:
        """For the next tile."""
        self.b.do(f"store {_kind(lanes)} {most}, ptr {self.seen[lanes]}, align 4")

    def uneven(self, x: str, batch: str, start: str) -> str:
        """An i1: of the block from row `start` of tiles, the largest number is beyond 2^LIMIT or 2^-LIMIT and not zero,
        or above 2^SPREAD times the largest one of some point's window.

        Instead of all windows, those cells in the middle of each tile are looked at of which every window has one.
        """
        b = self.b
        line = b.op(f"mul i64 {start}, {TILE}")
        most = self._most(address(b, x, self.points.x, Position(batch, line, "0", "0")))
        least = self._least(x, batch, start)
        beyond = b.op(f"icmp ugt i32 {b.op(f'sub i32 {most}, {_SMALL}')}, {2 * LIMIT * _TWICE}")
        extreme = b.op(f"and i1 {beyond}, {b.op(f'icmp ne i32 {most}, 0')}")
        apart = b.op(f"icmp sgt i32 {b.op(f'sub i32 {most}, {least}')}, {SPREAD * _TWICE}")
        return b.op(f"or i1 {extreme}, {apart}")

    def _magnitude(self, pointer: str, lanes: int) -> str:
        return self._positive(self.b.op(f"load {_kind(lanes)}, ptr {pointer}, align 4"), lanes)

    def _positive(self, bits: str, lanes: int) -> str:
        mask = "2147483647" if lanes == 1 else "<" + ", ".join(["i32 2147483647"] * lanes) + ">"
        return self.b.op(f"and {_kind(lanes)} {bits}, {mask}")

    def _larger(self, kind: str, a: str, b: str) -> str:
        return self.b.call(kind, f"llvm.smax.{_suffix(kind)}", [(kind, a), (kind, b)])

    def _across(self, kind: str, value: str) -> str:
        return (
            value if kind == "i32" else self.b.call("i32", f"llvm.vector.reduce.smax.{_suffix(kind)}", [(kind, value)])
        )

    def _most(self, first: str) -> str:
        """The largest magnitude of all cells of the block: of what was seen, and of the two last lines and columns,
        which no next tile has.
        """
        b, (pitch, _), depth = self.b, known(self.points.window_strides), self.problem.depth
        lines = self.problem.block_rows * TILE
        most = self._run(b.offset(first, "float", str(lines * pitch)), (CELLS - TILE) * pitch)
        for lanes, place in self.seen.items():
            found = self._across(_kind(lanes), b.op(f"load {_kind(lanes)}, ptr {place}, align 4"))
            most = self._larger("i32", most, found)
        side = b.offset(first, "float", str(self.wide * TILE * depth))

        def line(i: str, values: Carried) -> Carried:
            return [
                self._larger("i32", values[0], self._run(b.offset(side, "float", i, pitch), (CELLS - TILE) * depth))
            ]

        return b.loop(0, lines, 1, [("i32", most)], line)[0]

    def _run(self, first: str, count: int) -> str:
        """The largest magnitude of cells that lie side by side."""
        b, most = self.b, "0"
        for lanes, low, high in blocks(count, PANEL):

            def body(index: str, values: Carried, lanes: int = lanes) -> Carried:
                return [self._larger(_kind(lanes), values[0], self._magnitude(b.offset(first, "float", index), lanes))]

            found = b.loop(low, high, lanes, [(_kind(lanes), "0" if lanes == 1 else "zeroinitializer")], body)[0]
            most = self._larger("i32", most, self._across(_kind(lanes), found))
        return most

    def _least(self, x: str, batch: str, start: str) -> str:
        """The least over the middle cells of all tiles of the largest magnitude of a cell."""
        b, (height, width) = self.b, known(self.points.rows[1:])
        depth = self.problem.depth

        def row(i: str, values: Carried) -> Carried:
            number = b.op(f"add i64 {start}, {i}")
            line = b.op(f"mul i64 {number}, {TILE}")
            rows = self._middle(number, self.high, height)

            def column(j: str, inner: Carried) -> Carried:
                here = address(b, x, self.points.x, Position(batch, line, b.op(f"mul i64 {j}, {TILE}"), "0"))
                least = inner[0]
                for down in rows:
                    for aside in self._middle(j, self.wide, width):
                        cell = here
                        for index, stride in zip((down, aside), self.points.window_strides, strict=True):
                            cell = b.offset(cell, "float", index, stride)
                        least = b.call("i32", "llvm.smin.i32", [("i32", least), ("i32", self._run(cell, depth))])
                return [least]

            return b.loop(0, self.wide, 1, [("i32", values[0])], column)

        return b.loop(0, self.problem.block_rows, 1, [("i32", "2147483647")], row)[0]

    def _middle(self, number: str, count: int, extent: int) -> list[str]:
        """Rows (or columns) of the middle cells of tile `number`; the last one may have fewer points."""
        usual, last = _MIDDLE[TILE], _MIDDLE[extent % TILE or TILE]
        if usual == last:
            return [str(m) for m in usual]
        at_end = self.b.op(f"icmp eq i64 {number}, {count - 1}")
        return [
            self.b.op(f"select i1 {at_end}, i64 {there}, i64 {here}") for here, there in zip(usual, last, strict=True)
        ]


def _kind(lanes: int, element: str = "i32") -> str:
    return element if lanes == 1 else f"<{lanes} x {element}>"


def _suffix(kind: str) -> str:
    return "i32" if kind == "i32" else f"v{kind[1:].split(' ', 1)[0]}i32"
