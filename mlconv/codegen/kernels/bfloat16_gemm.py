"""Generator of `kernel.gemm` of bfloat16 without tiles of matrices: pairs of neighbouring places are multiplied and
summed by an instruction (`Cpu.half_pairs`: VDPBF16PS), else widened in registers, so that products are exact, and
summed in float32.

Rows whose pairs do not lie side by side are laid out on the stack first, runs filled up with zeros as those of packed
weights are: zeros times whatever lies behind a run would be NaN where that is infinite.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.codegen.kernels.gemm import GemmGenerator, Weights
from mlconv.codegen.kernels.indexing import Position, address
from mlconv.codegen.kernels.register_tiles import Group
from mlconv.codegen.kernels.staging import stack_bytes
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import BFLOAT, I32, POINTER, TYPES, Value, integer, lane_mask, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Gemm
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

_PAIR = 2
_WIDEST = 32  # elements of 16 bits that are copied at once
_MASKED = 512  # bits of vector registers whose loads have masks (AVX-512)


class Bfloat16GemmGenerator(GemmGenerator):
    """Emits one problem."""

    def __init__(self, b: Builder, tile: Gemm, cpu: Cpu, choice: Sequence[int] = (), by_lines: bool = False) -> None:
        self.pitch, self.source = tile.depth, tile.source  # of rows on the stack, elements
        self.laid = memory_type(tile.types.x)  # elements there
        runs = math.prod(tile.indexing.window)
        self.is_staged = tile.wide or tile.run % _PAIR != 0 or self.pitch != runs * tile.run
        self.filled = tile.types.filled(runs, tile.run)
        super().__init__(b, tile, cpu, choice, by_lines)

    @property
    def most_rows(self) -> int:
        """Rows that there is room for on the stack."""
        return max(1, stack_bytes(self.cpu) // max(1, self.pitch * self.laid.size))

    def _tile_shape(self, cpu: Cpu, columns: int) -> tuple[int, int]:
        rows, count = super()._tile_shape(cpu, columns)
        return (min(rows, self.most_rows) if self.is_staged else rows), count

    @property
    def has_few(self) -> bool:
        return not self.is_staged  # rows are laid out once for all panels

    def run(self, operands: Sequence[Value], out: Value) -> None:
        if self.is_staged:
            self.room = self.b.room(self.laid, self.rows * self.pitch + _WIDEST)
            self._fill()
        super().run(operands, out)

    def _rows_first(self) -> None:
        if self.is_staged:
            self.row_items.run(lambda each_tile: each_tile(self._all_panels))
        else:
            super()._rows_first()

    @property
    def weights_inside(self) -> bool:
        return self.is_staged or super().weights_inside

    def _all_panels(self, at: Position, rows: int) -> None:
        self._stage(at, rows)
        self._all_groups(lambda panel, group: self._tile(at, panel, group, rows), self.groups)

    def _columns(self, batch: Value, row: Value, panel: Value, group: Group) -> None:
        def tile(at: Position, rows: int) -> None:
            if self.is_staged:
                self._stage(at, rows)
            self._tile(at, panel, group, rows)

        self.row_items.all_of(batch, row, tile)

    # -- x -----------------------------------------------------------------------------------------

    def _x(self, at: Position) -> Value:
        return self.room if self.is_staged else super()._x(at)

    def _fill(self) -> None:
        """Zeros behind the runs of all rows."""
        b, (runs, length) = self.b, self.filled
        taken = self.run_length if runs > 1 else self.run_length * math.prod(self.indexing.window)

        def run(i: Value) -> None:
            place = b.moved(b.offset(self.room, self.laid, i, length), self.laid, taken)
            for start, lanes in _pieces(length - taken):
                b.store(zero(self.laid.of_lanes(lanes)), b.moved(place, self.laid, start), self.laid.align)

        if length > taken:
            b.each(0, self.rows * runs, 1, run)

    def _stage(self, at: Position, rows: int) -> None:
        """Lay windows side by side, row by row."""
        b, x = self.b, address(self.b, self.operands[0], self.source, self.indexing.x, at)

        def row(i: Value) -> None:
            source = b.offset(x, self.x_type, i, self.indexing.x.strides[2])
            self._windows(0, source, b.offset(self.room, self.laid, i, self.pitch))

        b.each(0, rows, 1, row)

    def _windows(self, axis: int, source: Value, target: Value) -> None:
        """Window axes from `axis` on."""
        b, window, (runs, length) = self.b, self.indexing.window, self.filled
        if axis == len(window):
            self._copy(source, target)
            return
        inside = (length if runs > 1 else self.run_length) * math.prod(window[axis + 1 :])

        def turn(i: Value) -> None:
            there = b.offset(source, self.x_type, i, self.indexing.window_strides[axis])
            self._windows(axis + 1, there, b.offset(target, self.laid, i, inside))

        b.each(0, window[axis], 1, turn)

    def _copy(self, source: Value, target: Value) -> None:
        """A run.  Where loads may be masked, whole vectors are written: what is behind a run is written after it."""
        b, t, length = self.b, self.x_type, self.run_length
        lanes = _WIDEST * self.laid.size // t.size
        whole = length // lanes * lanes
        if whole:
            b.each(
                0, whole, lanes, lambda k: self._piece(b.offset(source, t, k), b.offset(target, self.laid, k), lanes)
            )
        rest = [(0, lanes)] if b.cpu.bits >= _MASKED else _pieces(length - whole)
        for start, count in rest if whole < length else []:
            places = b.moved(source, t, whole + start), b.moved(target, self.laid, whole + start)
            self._piece(*places, count, min(count, length - whole))

    def _piece(self, source: Value, target: Value, lanes: int, there: int = 0) -> None:
        """Elements side by side.  there: how many of them may be read, 0 for all."""
        b, t = self.b, self.x_type.of_lanes(lanes)
        if there in (0, lanes):
            found = b.load(t, source, t.align)
        else:
            arguments = [source, integer(I32, t.align), lane_mask(lanes, there), zero(t)]
            found = b.call(t, f"llvm.masked.load.{t.name}.{POINTER.name}", arguments)
        if self.source is not self.types.x:
            found = Scalars(b, lanes).apply("factor", self.types.x, [found], [self.source])
        b.store(found, target, self.laid.align)

    # -- products ----------------------------------------------------------------------------------

    def _window(
        self, axis: int, x: Value, weights: Weights, rows: int, widths: Sequence[int], totals: Carried
    ) -> Carried:
        if not self.is_staged and axis < len(self.indexing.window):
            return super()._window(axis, x, weights, rows, widths, totals)

        def innermost(k: Value, values: Carried) -> Carried:
            return self._step(x, self._moved(weights, k), k, rows, widths, values)

        length = self.pitch if self.is_staged else self.run_length
        return self.b.loop(0, length, _PAIR, totals, innermost)

    def _step(self, x: Value, weights: Weights, k: Value, rows: int, widths: Sequence[int], values: Carried) -> Carried:
        """A pair of places: by an instruction, else first those in the lower halves of words, then those in the upper
        ones.
        """
        b, stride = self.b, self.pitch if self.is_staged else self.indexing.x.strides[2]
        here, values = b.offset(x, self.laid, k), list(values)
        places = self._places(weights, len(widths))
        columns = [b.load(I32.of_lanes(n), p, self.weights_type.align) for p, n in zip(places, widths, strict=True)]
        if self.cpu.half_pairs:
            return self._both(here, stride, columns, rows, values)
        for half in range(_PAIR):
            halves = [self._half(words, half) for words in columns]
            for i in range(rows):
                pair = b.load(I32, b.moved(here, self.laid, i * stride), self.laid.align)
                factor = self._half(pair, half)
                for j, lanes in enumerate(widths):
                    at = i * len(widths) + j
                    values[at] = self.product.added(b, b.splat(factor, lanes), halves[j], values[at])
        return values

    def _both(self, x: Value, stride: Size, columns: list[Value], rows: int, values: Carried) -> Carried:
        """values + x * columns, words of two factors each."""
        b, out = self.b, list[Value]()
        for i in range(rows):
            pair = b.load(I32, b.moved(x, self.laid, i * stride), self.laid.align)
            for j, words in enumerate(columns):
                total, lanes = values[i * len(columns) + j], words.type.lanes
                halves = [b.bitcast(w, BFLOAT.of_lanes(2 * lanes)) for w in (b.splat(pair, lanes), words)]
                intrinsic = next(p.intrinsic for p in self.cpu.half_pairs if p.lanes == lanes)
                out.append(b.call(total.type, intrinsic, [total, *halves]))
        return out

    def _half(self, words: Value, half: int) -> Value:
        """One bfloat16 of each word, as float32."""
        t = words.type
        bits = self.b.and_(words, integer(t, -1 << 16)) if half else self.b.binary("shl", words, integer(t, 16))
        return self.b.bitcast(bits, TYPES[DType.F32].of_lanes(t.lanes))


def _pieces(length: int) -> list[tuple[int, int]]:
    """(start, lanes) of powers of two that make up a length."""
    out, start, lanes = list[tuple[int, int]](), 0, _WIDEST
    while start < length:
        while lanes > length - start:
            lanes //= 2
        out.append((start, lanes))
        start += lanes
    return out
