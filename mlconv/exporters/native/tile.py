"""Generator of `kernel.tile`: register tiles of rows x channels over packed weights.

The rule for tiles: accumulators, one row of weights and one broadcast fit into the registers; beyond that LLVM spills and speed falls by half or more.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel import LOADS, PANEL, Tile
from mlconv.exporters.native.cpus import Cpu
from mlconv.exporters.native.evaluate import Values
from mlconv.exporters.native.text import Builder, Carried
from mlconv.ir.dtypes import DType

_VECTOR = f"<{PANEL} x float>"


def merge(tile: Tile) -> Tile:
    """Join window axes that run on, and rows that do, so that loops are long."""
    window, strides, run = list(tile.window), list(tile.window_strides), tile.run
    while window and (window[-1] == 1 or strides[-1] == run):
        run *= window.pop()
        strides.pop()
    n, rows, columns = tile.rows
    sn, sr, sc = tile.row_strides
    if rows == 1 or sr == columns * sc:
        rows, columns, sr = 1, rows * columns, 0
    if rows == 1 and (n == 1 or sn == columns * sc):
        n, columns, sn = 1, n * columns, 0
    return tile._replace(rows=(n, rows, columns), row_strides=(sn, sr, sc), window=tuple(window), window_strides=tuple(strides), run=run)


def tile_shape(cpu: Cpu, columns: int, panels: int) -> tuple[int, int]:
    """Rows and panels of a register tile, by the register rule; rows divide the columns of the image as evenly as they can."""
    per_panel = PANEL // cpu.width
    options: tuple[int, ...] = (3, 4, 2, 1) if panels % 3 == 0 else (4, 2, 1)
    if cpu.registers < 32:
        options = (1,)
    for count in options:
        vectors = count * per_panel
        rows = min((cpu.registers - vectors - 1) // vectors, 14)
        if count <= panels and rows >= 4:
            blocks = -(-columns // rows)
            return -(-columns // blocks), count
    return 1, 1


class TileGenerator:
    """Emits one tile problem."""

    def __init__(self, b: Builder, tile: Tile, cpu: Cpu) -> None:
        self.b, self.tile = b, merge(tile)
        self.depth = self.tile.run
        for extent in self.tile.window:
            self.depth *= extent
        self.panels = -(-tile.channels // PANEL)
        self.tail = tile.channels % PANEL
        self.row_count, self.panel_count = tile_shape(cpu, self.tile.rows[2], self.panels)

    def run(self, operands: Sequence[str], out: str) -> None:
        """operands: x, packed weights, then those of the epilogue."""
        full = self.panels - (1 if self.tail else 0)
        grouped = full // self.panel_count * self.panel_count
        if grouped:

            def group(index: str, _: Carried) -> Carried:
                self._group(operands, out, index, self.panel_count, False)
                return []

            self.b.loop(0, grouped, self.panel_count, [], group)
        for panel in range(grouped, self.panels):
            self._group(operands, out, str(panel), 1, self.tail > 0 and panel == self.panels - 1)

    def _group(self, operands: Sequence[str], out: str, panel: str, count: int, masked: bool) -> None:
        """All rows for `count` panels."""
        b, tile = self.b, self.tile
        weights = b.offset(operands[1], "float", panel, self.depth * PANEL)
        n, rows, columns = tile.rows
        block = self.row_count
        whole = columns // block * block

        def batch(i: str, _: Carried) -> Carried:
            def line(j: str, _: Carried) -> Carried:
                x = b.offset(b.offset(operands[0], "float", i, tile.row_strides[0]), "float", j, tile.row_strides[1])
                first = b.op(f"add i64 {b.op(f'mul i64 {i}, {rows * columns}')}, {b.op(f'mul i64 {j}, {columns}')}")

                def strip(size: int) -> None:
                    def body(c: str, _: Carried) -> Carried:
                        point = b.op(f"add i64 {first}, {c}")
                        accumulators = self._multiply(b.offset(x, "float", c, tile.row_strides[2]), weights, size, count)
                        self._finish(operands, out, accumulators, point, panel, size, count, masked)
                        return []

                    if size == block:
                        b.loop(0, whole, block, [], body)
                    else:
                        body(str(whole), [])

                if whole:
                    strip(block)
                if columns > whole:
                    strip(columns - whole)
                return []

            return b.loop(0, rows, 1, [], line)

        b.loop(0, n, 1, [], batch)

    def _multiply(self, x: str, weights: str, rows: int, count: int) -> list[str]:
        """Accumulators [rows * count] of one tile over the whole depth."""
        zeros = [(_VECTOR, "zeroinitializer")] * (rows * count)
        return self._window(0, x, weights, rows, count, [z for _, z in zeros])

    def _window(self, axis: int, x: str, weights: str, rows: int, count: int, totals: Carried) -> Carried:
        """Outer axes of the reduction."""
        b, tile = self.b, self.tile
        carried = [(_VECTOR, t) for t in totals]
        if axis == len(tile.window):

            def innermost(k: str, values: Carried) -> Carried:
                return self._step(x, b.offset(weights, "float", k, PANEL), k, rows, count, values)

            return b.loop(0, tile.run, 1, carried, innermost)
        inside = tile.run
        for extent in tile.window[axis + 1 :]:
            inside *= extent

        def body(i: str, values: Carried) -> Carried:
            moved = b.offset(x, "float", i, tile.window_strides[axis])
            return self._window(axis + 1, moved, b.offset(weights, "float", i, inside * PANEL), rows, count, values)

        return b.loop(0, tile.window[axis], 1, carried, body)

    def _step(self, x: str, weights: str, k: str, rows: int, count: int, values: Carried) -> Carried:
        """One k: a row of weights times a column of x."""
        b = self.b
        here = b.offset(x, "float", k)
        columns = []
        for j in range(count):
            pointer = b.offset(weights, "float", str(j * self.depth * PANEL))
            columns.append(b.op(f"load {_VECTOR}, ptr {pointer}, align 4"))
        out = []
        for i in range(rows):
            scalar = b.op(f"load float, ptr {b.offset(here, 'float', str(i * self.tile.row_strides[2]))}, align 4")
            first = b.op(f"insertelement {_VECTOR} poison, float {scalar}, i64 0")
            wide = b.op(f"shufflevector {_VECTOR} {first}, {_VECTOR} poison, <{PANEL} x i32> zeroinitializer")
            for j in range(count):
                out.append(b.call(_VECTOR, f"llvm.fma.v{PANEL}f32", [(_VECTOR, wide), (_VECTOR, columns[j]), (_VECTOR, values[i * count + j])]))
        return out

    def _finish(self, operands: Sequence[str], out: str, totals: list[str], point: str, panel: str, rows: int, count: int, masked: bool) -> None:
        """The epilogue and the stores of one tile.  point: index of its first row; panel: of its first panel."""
        b = self.b
        channel = b.op(f"mul i64 {panel}, {PANEL}")
        base = b.op(f"add i64 {b.op(f'mul i64 {point}, {self.tile.channels}')}, {channel}")
        for i in range(rows):
            for j in range(count):
                last = masked and j == count - 1
                values = Values(b, PANEL)
                values.add(totals[i * count + j], DType.F32, False)
                places = (base, i * self.tile.channels + j * PANEL), (channel, j * PANEL)
                for instr in self.tile.after:
                    if instr.opcode in LOADS:
                        self._load(values, operands[instr.args[0]], instr.value.strides, places, last)
                    else:
                        values.compute(instr)
                pointer = self._at(out, *places[0])
                result = values.vector(len(values.names) - 1)
                if last:
                    b.call("void", f"llvm.masked.store.v{PANEL}f32.p0", [(_VECTOR, result), ("ptr", pointer), ("i32", "4"), self._mask()])
                else:
                    b.do(f"store {_VECTOR} {result}, ptr {pointer}, align 4")

    def _load(self, values: Values, operand: str, strides: tuple[int, ...], places: tuple[tuple[str, int], tuple[str, int]], masked: bool) -> None:
        """An operand of the epilogue: one number, one per channel, or of the result's shape."""
        b = self.b
        if not any(strides):
            values.add(b.op(f"load float, ptr {operand}, align 4"), DType.F32, True)
            return
        pointer = self._at(operand, *places[0 if any(strides[:-1]) else 1])
        if not masked:
            values.add(b.op(f"load {_VECTOR}, ptr {pointer}, align 4"), DType.F32, False)
            return
        arguments = [("ptr", pointer), ("i32", "4"), self._mask(), (_VECTOR, "zeroinitializer")]
        values.add(b.call(_VECTOR, f"llvm.masked.load.v{PANEL}f32.p0", arguments), DType.F32, False)

    def _at(self, pointer: str, index: str, constant: int) -> str:
        moved = self.b.offset(pointer, "float", index)
        return self.b.offset(moved, "float", str(constant))

    def _mask(self) -> tuple[str, str]:
        return f"<{PANEL} x i1>", "<" + ", ".join(f"i1 {'true' if i < self.tail else 'false'}" for i in range(PANEL)) + ">"
