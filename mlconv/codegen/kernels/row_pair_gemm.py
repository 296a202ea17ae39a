"""Generator of `kernel.gemm` of bytes by an instruction that multiplies two rows by two columns, eight places at a time
(SMMLA).

Sums of two rows and four columns are two registers, with two rows of two columns in each, until the end.  Weights lie
as for all other instruction sets, four places of each column side by side: those of two groups are put together when
they are loaded, once for all rows of a tile.  Of an odd number of rows the last one is multiplied twice.

Source: Arm Architecture Reference Manual, SMMLA (vector).
"""

from __future__ import annotations

from mlconv.codegen.kernels.indexing import Position
from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator, Strip
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import I32, Value, index, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import RowPair
from mlconv.dialects.kernel import PANEL, Gemm
from mlconv.ir.dims import Size

_COLUMNS, _GROUP = 4, 4  # of a vector of weights; places of each column in it
_BUSY = 8  # sums that do not wait for one another
_ROWS = (0, 1, 4, 5), (2, 3, 6, 7)  # lanes of the first row and of the second in two registers of sums


def row_pair(problem: Gemm, cpu: Cpu) -> RowPair | None:
    """The instruction for a problem that `Dots` has one for too."""
    types = problem.types
    fits = types.group == _GROUP and types.sums.bits == I32.bits and not problem.shift
    return next((r for r in cpu.row_pairs if fits and (r.x, r.weights) == (types.x, types.stored)), None)


class RowPairGemmGenerator(IntegerGemmGenerator):
    """Emits one problem that `row_pair` has an instruction for."""

    @property
    def _at_once(self) -> int:
        return 1

    def most_rows(self, each: int, places: int = 1) -> int:
        """Of two rows, a register holds eight places; of a vector of weights, two do."""
        kept = self.cpu.registers - self.dots.others - 2 * each
        return max(1, kept // (2 * each + 1) * 2)

    def _cost(self, rows: int, each: int, places: int) -> float:
        """Half of a step of eight places: products, and what puts two rows, or weights of two groups, side by side."""
        pairs = -(-rows // 2)
        return (max(2 * pairs * each, _BUSY) + pairs + 2 * each) / 2

    @property
    def _intrinsic(self) -> str:
        row = row_pair(self.problem, self.cpu)
        assert row is not None
        return row.intrinsic

    def _tile(self, at: Position, x: Value, strip: Strip, rows: int) -> None:
        b, pairs = self.b, -(-rows // 2)
        nothing: Carried = [zero(I32.of_lanes(4))] * (2 * len(strip.lanes) * pairs)
        if self.is_staged:
            totals = self._run(x, self.staging.pitch, strip, index(0), self.depth, rows, nothing)
        else:
            totals = self._direct(0, x, strip, index(0), rows, nothing)
        starts = self.epilogue.start(at._replace(channel=strip.channel))
        for i in range(rows):
            for j, lanes in enumerate(strip.lanes):
                first = 2 * ((i // 2) * len(strip.lanes) + j)
                both = b.joined(totals[first], totals[first + 1])
                total = self.dots.less(b, b.chosen(both, _ROWS[i % 2]))
                self.epilogue.at(lanes).finish(total, starts, i, j * lanes, strip.mask)

    def _run(
        self, x: Value, stride: Size, strip: Strip, done: Value, length: int, rows: int, totals: Carried
    ) -> Carried:
        b, both = self.b, 2 * _GROUP
        shared = self.shared
        whole = length // both * both
        panel = b.offset(strip.panel, self.weights_type, done, strip.columns)

        def step(k: Value, values: Carried, places: int) -> Carried:
            """Up to eight places from place k on."""
            weights = self._weights_of(b.offset(panel, self.weights_type, k, strip.columns), strip, places)
            there = b.offset(x, self.element, k, shared)
            pairs = [self._rows(there, stride, i, min(i + 1, rows - 1), places) for i in range(0, rows, 2)]
            columns = [w for halves in weights for w in halves]
            return [
                b.call(total.type, self._intrinsic, [total, pairs[i // len(columns)], columns[i % len(columns)]])
                for i, total in enumerate(values)
            ]

        if whole:
            totals = b.loop(0, whole // shared, both // shared, totals, lambda k, values: step(k, values, both))
        return step(index(whole), totals, length - whole) if length > whole else totals

    def _weights_of(self, place: Value, strip: Strip, places: int) -> list[list[Value]]:
        """Of each vector of columns: eight places of the first two, and of the others; zeros for those that are not
        there.
        """
        b, out = self.b, []
        for j, lanes in enumerate(strip.lanes):
            panel, part = divmod(j, PANEL // _COLUMNS)
            groups = list[Value]()
            for number in range(2):
                first, half = number * (_GROUP if self.shared == 1 else 0), number * (self.shared - 1)
                some = min(_GROUP, places - first)
                if some <= 0:
                    groups.append(zero(I32.of_lanes(_COLUMNS)))
                    continue
                start = b.offset(place, self.weights_type, strip.start, some)
                offset = panel * self.stored * PANEL + part * _COLUMNS * some + first * strip.columns
                there = b.moved(start, self.weights_type, offset)
                (found,) = self.dots.weights(b, there, lanes, strip.read, some, half=half)
                groups.append(b.bitcast(found, I32.of_lanes(_COLUMNS)))
            both = b.joined(*groups)
            halves = [b.chosen(both, [c, c + 4, c + 1, c + 5]) for c in (0, 2)]
            out.append([b.bitcast(half, memory_type(self.types.stored).of_lanes(16)) for half in halves])
        return out

    def _rows(self, x: Value, stride: Size, one: int, other: int, places: int) -> Value:
        """Eight places of two rows."""
        return self.b.joined(*(self._row(self.b.moved(x, self.element, i * stride), places) for i in (one, other)))

    def _row(self, pointer: Value, places: int) -> Value:
        """Eight places of a row, or one group of them and zeros; a group is read whole."""
        b = self.b
        if places > _GROUP:
            return b.load(self.element.of_lanes(2 * _GROUP), pointer, self.element.align)
        found = b.load(self.element.of_lanes(_GROUP), pointer, self.element.align)
        return b.chosen_or_zero(found, [*range(_GROUP), *[_GROUP] * _GROUP])
