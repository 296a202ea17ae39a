"""The last step of Winograd's algorithm: products of a block of tiles, transformed back, and what follows.  One
function for each instruction set and epilogue, whose sizes are in a table.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from mlconv.codegen.kernels.indexing import Epilogue, Position, address
from mlconv.codegen.kernels.shared import SizeTable, ranges, widths_of
from mlconv.codegen.kernels.vectors import Linear
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import BEGIN, END, VOID, Value, index, memory_type, pointer
from mlconv.dialects.kernel import FLOAT32, LOADS, Instr, OutputIndexing, View, Winograd
from mlconv.dialects.winograd import INPUT_TILE, OUTPUT_TILE, P, Q
from mlconv.ir.dims import Size

_PRODUCTS, _OUT = pointer("%products"), pointer("%out")


class Points:
    """Emits calls for one problem.  width: channels of a part of the problem."""

    def __init__(self, b: Builder, problem: Winograd, width: int) -> None:
        self.b, self.indexing = b, problem.indexing
        self.loads = [i for i in self.indexing.after if i.opcode in LOADS]
        table, (_, height, columns) = SizeTable(), self.indexing.rows
        sizes = width, problem.pitches[1], problem.tiles[1]
        widths = widths_of(width, b.cpu.lanes(FLOAT32.sums))
        ends = _end(height), _end(columns)
        symbols = [table.symbol(size) for size in sizes]
        indexing = OutputIndexing(
            (1, table.symbol(height), table.symbol(columns)),
            View(0, ()),
            (),
            (),
            0,
            tuple(self._after(table)),
            View(0, table.view(self.indexing.out.strides)),
        )
        operands = [pointer(f"%a{i}") for i in range(len(self.loads))]
        self.name = table.function(
            b,
            "winograd_points",
            (widths, ends, indexing.after, indexing.out),
            (_PRODUCTS, *operands, _OUT),
            lambda inner: _Transforming(inner, indexing, symbols, ends).run(widths, operands),
        )
        self.table = table.stored(b)

    def _after(self, table: SizeTable) -> list[Instr]:
        """The epilogue, of operands in order."""
        out = list[Instr]()
        for instr in self.indexing.after:
            if instr.opcode in LOADS:
                view = View(0, (*table.view(instr.value.strides[:3]), instr.value.strides[3]))
                instr = instr._replace(args=(sum(i.opcode in LOADS for i in out),), value=view)
            out.append(instr)
        return out

    def transform(
        self,
        products: Value,
        operands: Sequence[Value],
        out: Value,
        at: Position,
        end: Value,
    ) -> None:
        """Of the tiles from row at.row to `end`, whose products begin there, for the channels from at.channel on."""
        b = self.b
        first = at._replace(row=index(0))
        places = [address(b, operands[i.args[0]], i.dtype, i.value, first) for i in self.loads]
        places.append(address(b, out, FLOAT32.result, self.indexing.out, first))
        b.invoke(VOID, self.name, [products, *places, self.table, at.row, end])


def _end(extent: Size) -> int:
    """Points of the last tile that lie in the image, where that is known."""
    return (extent % OUTPUT_TILE or OUTPUT_TILE) if isinstance(extent, int) else 1


class _Transforming:
    """Emits the function, for rows of tiles from %begin to %end.  sizes: channels, elements from a place to the next,
    tiles of a row.  ends: points of the last tile of a column and of a row that are known to lie in the image.
    """

    def __init__(self, b: Builder, indexing: OutputIndexing, sizes: Sequence[Size], ends: tuple[int, int]) -> None:
        self.b, self.indexing, self.ends = b, indexing, ends
        self.width, self.pitch, self.wide = sizes
        self.dtype, self.element = FLOAT32.sums, memory_type(FLOAT32.sums)

    def run(self, widths: Sequence[int], operands: Sequence[Value]) -> None:
        """widths: of vectors, that channels are done in."""
        b = self.b
        epilogues = {n: Epilogue(b, self.indexing, FLOAT32, n, operands, _OUT) for n in widths}

        def row(number: Value) -> None:
            line = b.mul(number, index(OUTPUT_TILE))
            first = b.mul(b.sub(number, BEGIN), b.number(self.wide))

            def column(j: Value) -> None:
                source = b.offset(_PRODUCTS, self.element, b.add(first, j), self.width)
                at = Position(index(0), line, b.mul(j, index(OUTPUT_TILE)), index(0))
                for lanes, low, high in ranges(widths, self.width):

                    def group(channel: Value, lanes: int = lanes) -> None:
                        there = b.offset(source, self.element, channel)
                        self._back(there, epilogues[lanes], at._replace(channel=channel))

                    b.each(low, high, lanes, group)

            b.each(0, self.wide, 1, column)

        b.over_each(BEGIN, END, row)

    def _back(self, source: Value, epilogue: Epilogue, at: Position) -> None:
        """A^T m A of one tile and vector of channels, and what follows; rows and columns beyond the image are not
        written.
        """
        b, ops, grid = self.b, Linear(self.b, self.dtype, epilogue.lanes), list[list[Value]]()
        for _ in range(INPUT_TILE):
            products = list[Value]()
            for _ in range(INPUT_TILE):
                products.append(load(b, self.dtype, source, epilogue.lanes))
                source = b.moved(source, self.element, self.pitch)
            grid.append(_points(ops, products))
        grid = [_points(ops, [line[j] for line in grid]) for j in range(OUTPUT_TILE)]  # [point column][point row]
        height, width = self.indexing.rows[1:]
        for i in range(OUTPUT_TILE):

            def line(i: int = i) -> None:
                starts = epilogue.start(at._replace(row=b.add(at.row, index(i))))
                for j in range(OUTPUT_TILE):
                    finish = partial(epilogue.finish, grid[j][i], starts, j, 0)
                    self._inside(at.column, j, width, self.ends[1], finish)

            self._inside(at.row, i, height, self.ends[0], line)

    def _inside(self, start: Value, offset: int, extent: Size, known: int, body: Callable[[], None]) -> None:
        """body() where start + offset, start being a multiple of OUTPUT_TILE, lies before `extent`."""
        b = self.b
        if offset < known:
            body()
        else:
            b.when(b.icmp("slt", b.add(start, index(offset)), b.number(extent)), body)


def _points(ops: Linear, m: Sequence[Value]) -> list[Value]:
    """A^T m for four points: sums of powers of the points."""
    sums = [ops.add(m[i], m[i + 1]) for i in (1, 3)]
    differences = [ops.sub(m[i], m[i + 1]) for i in (1, 3)]

    def power(parts: Sequence[Value], n: int) -> Value:
        return ops.fma(Q**n, parts[1], ops.scaled(P**n, parts[0]))

    return [
        ops.add(ops.add(sums[0], sums[1]), m[0]),
        power(differences, 1),
        power(sums, 2),
        ops.add(power(differences, 3), m[5]),
    ]
