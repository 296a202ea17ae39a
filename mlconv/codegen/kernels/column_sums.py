"""Reductions of columns whose rows lie far apart: a few rows at a time, from one end to the other, into sums on the
stack.  Column by column, every row is another page, of which nothing is fetched ahead.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.reductions import PARTIAL
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.dialects.kernel import Step, view_of
from mlconv.ir.dtypes import DType

F32 = memory_type(DType.F32)
_ROWS = 8  # that are added while a sum is in a register: more would push each other out of a first-level cache
_APART = 2048  # bytes from row to row
_LARGE = 192 << 10  # bytes of rows that do not stay near
_BITS = 256  # of vector registers where it was measured
AT_ONCE = 1024  # columns, whose sums lie on the stack


class Sums(NamedTuple):
    """What a reduction is.  nothing: of a vector of sums; totals: that of float64 ones to which sums of a few rows are
    added, if any.  row_terms(row, count, column, sums): with those of some rows; widened(sums): what is added to
    totals; finish(column, sums) writes what becomes of them.
    """

    nothing: Value
    totals: tuple[Value, ...]
    row_terms: Callable[[Value, int, Value, Value], Value]
    widened: Callable[[Value], Value]
    finish: Callable[[Value, Value], None]


class ColumnSums(NamedTuple):
    """Of vectors of so many lanes along the innermost kept axis, over the one axis that is reduced."""

    rows: int
    lanes: int

    @classmethod
    def of(cls, step: Step, dtype: DType, lanes: int, bits: int) -> ColumnSums | None:
        """None where columns are as good."""
        if len(step.extents) != len(step.kept) + 1 or not step.kept or dtype is not DType.F32 or bits < _BITS:
            return None
        columns, rows = step.extents[-2:]
        strides = [view_of(i).strides[-1] for i in step.body if i.opcode == "load"]
        if not isinstance(columns, int) or not isinstance(rows, int):
            return None
        apart = max((F32.size * s for s in strides if isinstance(s, int)), default=0)
        dense = 2 * columns * F32.size >= apart >= _APART and apart * rows >= _LARGE
        return cls(rows, lanes) if dense and rows >= 2 * PARTIAL else None

    def run(self, b: Builder, length: Value, sums: Sums) -> Value:
        """Columns up to `length`, as far as vectors go; where they end."""
        rooms = [b.room(v.type.element, AT_ONCE) for v in (sums.nothing, *sums.totals)]
        end = b.and_(length, index(-self.lanes))

        def piece(start: Value) -> None:
            _Piece(b, self, rooms, start, b.least(b.sub(end, start), index(AT_ONCE)), sums).run()

        b.over_each(index(0), end, piece, AT_ONCE)
        return end


class _Piece(NamedTuple):
    """Some columns, from `start` on.  rooms: of their sums."""

    b: Builder
    of: ColumnSums
    rooms: Sequence[Value]
    start: Value
    length: Value
    sums: Sums

    def run(self) -> None:
        """Row by row; the last rows are as many as are left, at least one."""
        b, together = self.b, PARTIAL if self.sums.totals else _ROWS
        last = (self.of.rows - 1) // together * together
        nothing = self.sums.totals or (self.sums.nothing,)
        self._columns(lambda at, _: self._put(self.rooms[-1], at, nothing[0]))
        b.each(0, last, together, lambda first: self._block(first, together, False))
        self._block(index(last), self.of.rows - last, True)

    def _columns(self, body: Callable[[Value, Value], None]) -> None:
        """body(place in the rooms, column)."""
        self.b.over_each(index(0), self.length, lambda at: body(at, self.b.add(self.start, at)), self.of.lanes)

    def _put(self, room: Value, at: Value, value: Value) -> None:
        element = value.type.element
        self.b.store(value, self.b.offset(room, element, at), element.align)

    def _found(self, room: Value, at: Value, like: Value) -> Value:
        element = like.type.element
        return self.b.load(like.type, self.b.offset(room, element, at), element.align)

    def _block(self, first: Value, count: int, is_last: bool) -> None:
        """So many rows from the first on, a few at a time."""
        b, sums = self.b, self.sums
        for start in range(0, count, _ROWS):
            some, ends = min(_ROWS, count - start), start + _ROWS >= count

            def column(at: Value, there: Value, start: int = start, some: int = some, ends: bool = ends) -> None:
                fresh = start == 0 and sums.totals
                before = sums.nothing if fresh else self._found(self.rooms[0], at, sums.nothing)
                found = sums.row_terms(b.add(first, index(start)), some, there, before)
                if ends and sums.totals:
                    found = b.fadd(self._found(self.rooms[-1], at, sums.totals[0]), sums.widened(found))
                if ends and is_last:
                    sums.finish(there, found)
                else:
                    self._put(self.rooms[-1 if ends else 0], at, found)

            self._columns(column)
