"""Sums of a line of a 3 x 3 convolution, without what follows them: one function for all of an object's blocks that
Winograd's algorithm leaves, whose sizes are arguments.  It is compiled once; a copy in each kernel took a third of the
time that these take to compile.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.products import Multiplier, panel_vectors
from mlconv.codegen.llvm.evaluate import store
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import BEGIN, END, I64, VOID, Value, index, memory_type, pointer, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import FLOAT32, PANEL

_WINDOW = 3  # rows and columns
_BUSY = 8  # sums: two units, and four cycles before a sum can be added to


class Line(NamedTuple):
    """What is summed, i64 where nothing else is said.  x: address of the first window; weights: of the first panel;
    sums: where they go, [column][panels * PANEL].  column, row, place: elements of x from a window to the next, and
    from a row or a column of a window to the next.
    """

    x: Value
    weights: Value
    sums: Value
    depth: Value
    panels: Value
    column: Value
    row: Value
    place: Value


_PARAMETERS = Line(
    *(pointer(f"%{name}") for name in Line._fields[:3]), *(Value(I64, f"%{name}") for name in Line._fields[3:])
)


def sum_line(b: Builder, columns: Value, line: Line) -> None:
    """Call the function, whose text goes into the module once for each instruction set."""
    name = f"direct_sums_{re.sub('[^a-z0-9]', '_', b.cpu.name)}"
    if name not in b.declarations:
        b.declarations[name] = _text(name, b)
    b.invoke(VOID, name, [*line, index(0), columns])


def _text(name: str, caller: Builder) -> str:
    b = Builder(name, _PARAMETERS, caller.declarations, caller.cpu, caller.group)
    summing, line = _Summing(b), _PARAMETERS
    each = b.mul(line.depth, index(_WINDOW * _WINDOW * PANEL))  # elements of a panel

    def panel(i: Value) -> None:
        weights = b.gep(summing.element, line.weights, b.mul(i, each))
        target = b.gep(summing.element, line.sums, b.mul(i, index(PANEL)))
        at = BEGIN
        for columns in summing.tiles:
            stop = b.sub(END, b.binary("and", b.sub(END, at), index(columns - 1)))
            b.over_each(at, stop, lambda c, n=columns: summing.tile(weights, target, c, n), columns)  # type: ignore[misc]
            at = stop

    b.over_each(index(0), line.panels, panel)
    return b.text()


class _Summing:
    """Emits register tiles of columns by a panel.  tiles: how many columns they have, powers of two, the most first."""

    def __init__(self, b: Builder) -> None:
        self.b, self.cpu, self.product = b, b.cpu, Multiplier(FLOAT32, b.cpu)
        self.element, self.lanes = memory_type(FLOAT32.sums), min(PANEL, b.cpu.lanes(FLOAT32.sums))
        self.tiles = _tiles(b.cpu)

    def tile(self, weights: Value, target: Value, column: Value, columns: int) -> None:
        """Sums of some columns.  weights: of a panel; target: where its sums begin."""
        b, line = self.b, _PARAMETERS
        vectors = range(0, PANEL, self.lanes)
        starts = [b.gep(self.element, line.x, b.mul(b.add(column, index(i)), line.column)) for i in range(columns)]

        def place(number: Value, values: Carried) -> Carried:
            i, j = b.udiv(number, index(_WINDOW)), b.urem(number, index(_WINDOW))
            moved = b.add(b.mul(i, line.row), b.mul(j, line.place))
            rows = [b.gep(self.element, start, moved) for start in starts]
            first = b.gep(self.element, weights, b.mul(number, b.mul(line.depth, index(PANEL))))
            return b.over(index(0), line.depth, values, lambda k, sums: self._step(rows, first, k, sums))

        nothing: Carried = [zero(self.element.of_lanes(self.lanes))] * (columns * len(vectors))
        totals = b.loop(0, _WINDOW * _WINDOW, 1, nothing, place)
        pitch = b.mul(line.panels, index(PANEL))
        for i in range(columns):
            there = b.gep(self.element, target, b.mul(b.add(column, index(i)), pitch))
            for n, start in enumerate(vectors):
                store(b, FLOAT32.sums, totals[i * len(vectors) + n], b.moved(there, self.element, start))

    def _step(self, rows: Sequence[Value], weights: Value, k: Value, sums: Carried) -> Carried:
        """One place and channel of x."""
        b, product, out = self.b, self.product, list[Value]()
        there = b.offset(weights, self.element, k, PANEL)
        columns = [
            product.column(b, FLOAT32.weights, b.moved(there, self.element, start), self.lanes)
            for start in range(0, PANEL, self.lanes)
        ]
        for i, row in enumerate(rows):
            x = product.spread(b, b.offset(row, self.element, k), self.lanes)
            out += [product.added(b, x, w, sums[i * len(columns) + n]) for n, w in enumerate(columns)]
        return out


def _tiles(cpu: Cpu) -> list[int]:
    most = max(1, _BUSY // panel_vectors(FLOAT32, cpu))
    return [1 << n for n in reversed(range(most.bit_length()))]
