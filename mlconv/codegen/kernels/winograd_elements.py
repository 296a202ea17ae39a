"""The first step of Winograd's algorithm: elements of a block of tiles, transformed, and whether these are even enough
for the rest.  One function for each instruction set, whose sizes are in a table.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.evenness import Evenness, Tiles, middle
from mlconv.codegen.kernels.indexing import Position, address
from mlconv.codegen.kernels.shared import SizeTable, ranges, widths_of
from mlconv.codegen.kernels.vectors import Linear
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import BEGIN, END, I8, VOID, Value, index, integer, memory_type, pointer
from mlconv.dialects.kernel import FLOAT32, Winograd
from mlconv.dialects.winograd import INPUT_TILE, OUTPUT_TILE, P, Q
from mlconv.ir.dims import Size

_X, _ELEMENTS, _UNEVEN = (pointer(f"%{name}") for name in ("x", "elements", "uneven"))


class Elements:
    """Emits calls for one problem."""

    def __init__(self, b: Builder, problem: Winograd) -> None:
        self.b, self.view = b, problem.indexing.x
        table, (high, wide) = SizeTable(), problem.tiles
        ends = [middle(b, n, extent) for n, extent in zip((high, wide), problem.indexing.rows[1:], strict=True)]
        row, _ = problem.indexing.window_strides
        sizes = [table.symbol(n) for n in (problem.depth, row, problem.block_rows, high, wide)]
        tiles = Tiles(*sizes, *([table.symbol(v) for v in end] for end in ends))  # type: ignore[arg-type]
        pitch = table.symbol(problem.pitches[0])
        widths = widths_of(problem.depth, b.cpu.lanes(FLOAT32.sums))
        self.name = table.function(
            b,
            "winograd_elements",
            widths,
            (_X, _ELEMENTS, _UNEVEN),
            lambda inner: _Transforming(inner, tiles, pitch).run(widths),
        )
        self.table, self.rows, self.uneven = table.stored(b), b.number(problem.block_rows), b.room(I8, 1)

    def transform(self, x: Value, elements: Value, batch: Value, start: Value) -> Value:
        """Transform the elements of the block from row `start` of tiles on; an i1, whether these are too uneven for
        the rest."""
        b = self.b
        image = address(b, x, FLOAT32.x, self.view, Position(batch, index(0), index(0), index(0)))
        b.invoke(VOID, self.name, [image, elements, self.uneven, self.table, start, b.add(start, self.rows)])
        return b.icmp("ne", b.load(I8, self.uneven, 1), integer(I8, 0))


class _Transforming:
    """Emits the function: of an image x, the rows of tiles from %begin to %end."""

    def __init__(self, b: Builder, tiles: Tiles, pitch: Size) -> None:
        self.b, self.tiles, self.pitch = b, tiles, pitch
        self.dtype, self.element = FLOAT32.x, memory_type(FLOAT32.x)
        self.even = Evenness(b, tiles, self.dtype)

    def run(self, widths: Sequence[int]) -> None:
        """widths: of vectors, that a tile's channels are done in."""
        b, depth = self.b, self.tiles.depth
        self.even.begin(widths)

        def row(number: Value) -> None:
            line = b.offset(_X, self.element, b.mul(number, index(OUTPUT_TILE)), self.tiles.row)
            first = b.mul(b.sub(number, BEGIN), b.number(self.tiles.wide))

            def column(j: Value) -> None:
                source = b.offset(line, self.element, b.mul(j, index(OUTPUT_TILE)), depth)
                target = b.offset(_ELEMENTS, self.element, b.add(first, j), depth)
                for lanes, low, high in ranges(widths, depth):

                    def group(channel: Value, lanes: int = lanes) -> None:
                        there = b.offset(target, self.element, channel)
                        self._transform(b.offset(source, self.element, channel), there, lanes)

                    b.each(low, high, lanes, group)

            b.each(0, self.tiles.wide, 1, column)

        b.over_each(BEGIN, END, row)
        b.store(b.convert("zext", self.even.uneven(_X, BEGIN), I8), _UNEVEN, 1)

    def _transform(self, source: Value, target: Value, lanes: int) -> None:
        """B^T x B of one tile and vector of channels."""
        b, dtype = self.b, self.dtype
        ops, most, grid = Linear(b, dtype, lanes), self.even.seen_before(lanes), list[list[Value]]()
        for i in range(INPUT_TILE):
            line = [load(b, dtype, b.moved(source, self.element, j * self.tiles.depth), lanes) for j in range(6)]
            most = self.even.see(line, most) if i < OUTPUT_TILE else most
            grid.append(_elements(ops, line))
            source = b.moved(source, self.element, self.tiles.row)
        self.even.keep(lanes, most)
        grid = [_elements(ops, [line[j] for line in grid]) for j in range(INPUT_TILE)]  # now [column][row]
        for i in range(INPUT_TILE):
            for j in range(INPUT_TILE):
                store(b, dtype, grid[j][i], target)
                target = b.moved(target, self.element, self.pitch)


def _elements(ops: Linear, x: Sequence[Value]) -> list[Value]:
    """B^T x for six elements: products of (t - q) over the points q other than each one."""
    both = P * P + Q * Q
    far = P * P * Q * Q

    def line(low: Value, middle: Value, high: Value) -> Value:
        return ops.fma(far, low, ops.fma(-both, middle, high))

    out = [line(x[0], x[2], x[4])]
    for point, other in ((P, Q), (Q, P)):
        even = ops.fma(-other * other, x[2], x[4])
        odd = ops.fma(-other * other, x[1], x[3])
        out += [ops.fma(point, odd, even), ops.fma(-point, odd, even)]
    return [*out, line(x[1], x[3], x[5])]
