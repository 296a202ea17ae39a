"""What the generators of products share: positions in the result, addresses of views at them, and the epilogue."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.narrowing import AT_ONCE, Narrowed, finished, narrowed
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.evaluate import Values, load, store
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I32, POINTER, VOID, Value, index, integer, lane_mask, memory_type, zero
from mlconv.dialects.kernel import LOADS, Instr, OutputIndexing, ProductTypes, Sizes, View
from mlconv.ir.dims import Size, common_factor
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_FEW, _LONG = 3, 12  # columns of a tile, and operations of an epilogue, from which on a loop is worth it


class Position(NamedTuple):
    """Indices of a batch, row and column of the result, and of its first channel."""

    batch: Value
    row: Value
    column: Value
    channel: Value


def joined_runs(indexing: OutputIndexing, run: int, joins: bool = True) -> tuple[OutputIndexing, int]:
    """Inner window axes of one place dropped, and those that run on from one place to the next joined to the run, where
    `joins`.  run: contiguous length of a place; returned as it is then.
    """
    window, strides = list(indexing.window), list(indexing.window_strides)
    while window and (window[-1] == 1 or (joins and strides[-1] == run)):
        run *= window.pop()
        strides.pop()
    return indexing._replace(window=tuple(window), window_strides=tuple(strides)), run


def merged(indexing: OutputIndexing, weight_strides: Sizes = (0, 0)) -> OutputIndexing:
    """Rows joined, where everything runs on from one to the next, so that loops are long."""
    views = [indexing.x, indexing.out, *(i.value for i in indexing.after if i.opcode in LOADS)]
    n, r, c = indexing.rows
    if weight_strides == (0, 0) and (r == 1 or all(v.strides[1] == c * v.strides[2] for v in views)):
        indexing, views = _join(indexing, (n, 1, r * c), 1)
    elif weight_strides == (0, 0) and c == 1:
        indexing, views = _join(indexing, (n, 1, r), 2)
    n, r, c = indexing.rows
    if weight_strides == (0, 0) and r == 1 and (n == 1 or all(v.strides[0] == c * v.strides[2] for v in views)):
        indexing, _ = _join(indexing, (1, 1, n * c), 0)
    return indexing


def _join(indexing: OutputIndexing, rows: Sizes, dropped: int) -> tuple[OutputIndexing, list[View]]:
    """The axis `dropped` (0: batch, 1: rows, 2: columns, whose place rows take) gone from all views."""

    def narrow(view: View) -> View:
        strides = list(view.strides)
        if dropped == 2:
            strides[2] = strides[1]
        strides[1 if dropped == 2 else dropped] = 0
        return View(view.offset, tuple(strides))

    after = tuple(i._replace(value=narrow(i.value)) if i.opcode in LOADS else i for i in indexing.after)
    indexing = indexing._replace(rows=rows, x=narrow(indexing.x), out=narrow(indexing.out), after=after)
    return indexing, [indexing.x, indexing.out, *(i.value for i in after if i.opcode in LOADS)]


def line(b: Builder, indexing: OutputIndexing, number: Value) -> tuple[Value, Value]:
    """(batch, row) of line `number`."""
    n, r, _ = indexing.rows
    if n == 1 or r == 1:
        return (index(0), number) if n == 1 else (number, index(0))
    return b.udiv(number, b.number(r)), b.urem(number, b.number(r))


def address(b: Builder, pointer: Value, dtype: DType, view: View, at: Position) -> Value:
    """Address of a view of elements at a position; x has no channels.

    It is frozen: LLVM's loop passes look at every access of a tile otherwise, which takes a quarter of all its time.
    """
    element = memory_type(dtype)
    pointer = b.moved(pointer, element, view.offset)
    for place, stride in zip(at, view.strides, strict=False):
        if stride:
            pointer = b.offset(pointer, element, place, stride)
    return b.freeze(pointer)


def blocks(channels: int, lanes: int, vector: int = 4) -> list[tuple[int, int, int]]:
    """(lanes, start, stop) of ranges of channels: of as many lanes as are asked for, of a vector, of four, of one."""
    out, start = [], 0
    for width in (lanes, vector, 4, 1):
        stop = start + (channels - start) // width * width
        if stop > start:
            out.append((width, start, stop))
        start = stop
    return out


def column_tiles(columns: Size, rows: int) -> list[tuple[Size, Size, int]]:
    """(start, stop, columns at once) of ranges of columns: tiles of `rows` columns, then what is left; of a number that
    is known at run time fewer, if there may be few, then as many as divide all before: single ones, mostly.  More
    sizes would be more code: tiles of few columns wait for their sums, so that one of 4 columns gains little over two.
    """
    whole = columns // rows * rows
    if isinstance(columns, int):
        return [r for r in ((0, whole, rows), (whole, columns, columns % rows)) if r[0] != r[1]]
    out: list[tuple[Size, Size, int]] = [(0, whole, rows)]
    left = math.gcd(rows, common_factor(columns))  # divides what is left
    fewer = 4 if rows > 8 else 2 if rows > 4 else 1
    for size in (fewer, 1) if estimate(columns, 1) < 8 * rows else (left,):
        if size < rows and out[-1][2] != left:
            start = out[-1][1]
            out.append((start, start + (columns - start) // size * size, size))
            left = math.gcd(left, size)
    return out


class Epilogue:
    """Emits what follows the sums: `after` and the stores, for vectors of `lanes` channels at columns that lie side by
    side along the columns.
    """

    def __init__(
        self,
        b: Builder,
        indexing: OutputIndexing,
        types: ProductTypes,
        lanes: int,
        operands: Sequence[Value],
        out: Value,
    ) -> None:
        self.b, self.indexing, self.types, self.lanes, self.operands, self.out = (
            b,
            indexing,
            types,
            lanes,
            operands,
            out,
        )
        self.loads = [i for i in indexing.after if i.opcode in LOADS]

    def at(self, lanes: int) -> Epilogue:
        """The same for another number of lanes."""
        if lanes == self.lanes:
            return self
        return Epilogue(self.b, self.indexing, self.types, lanes, self.operands, self.out)

    def start(self, at: Position) -> list[Value]:
        """Addresses of the loads and of the result at the first column and channel."""
        return [
            *(address(self.b, self.operands[i.args[0]], i.dtype, i.value, at) for i in self.loads),
            address(self.b, self.out, self.types.result, self.indexing.out, at),
        ]

    def finish(self, total: Value, starts: Sequence[Value], column: int, channel: int, mask: int = 0) -> None:
        """Sums to result at `column` columns and `channel` channels from the start.  mask: how many lanes count, 0 for
        all.
        """
        values = self.values(self.indexing.after, total, starts, column, channel, mask)
        self.put(values.vector(len(values.values) - 1), starts, column, channel, mask)

    def values(
        self, program: Sequence[Instr], total: Value, starts: Sequence[Value], column: int, channel: int, mask: int
    ) -> Values:
        """What `after`, or the beginning of it, makes of sums."""
        values, following = Values(self.b, self.lanes), iter(starts)
        values.add(total, self.types.sums, self.lanes == 1)
        for instr in program:
            if instr.opcode in LOADS:
                place = self._moved(next(following), instr.dtype, instr.value, column, channel)
                self._load(values, instr, place, mask)
            else:
                values.compute(instr)
        return values

    def put(self, value: Value, starts: Sequence[Value], column: int, channel: int, mask: int = 0) -> None:
        """A result to its place."""
        self._store(value, self._moved(starts[-1], self.types.result, self.indexing.out, column, channel), mask)

    def _moved(self, pointer: Value, dtype: DType, view: View, column: int, channel: int) -> Value:
        return self.b.moved(pointer, memory_type(dtype), column * view.strides[2] + channel * view.strides[3])

    def _load(self, values: Values, instr: Instr, pointer: Value, mask: int) -> None:
        if not instr.value.strides[3] or mask == 1:
            values.load(instr, pointer, 0)
        elif not mask:
            values.load(instr, pointer, 1)
        else:
            t = memory_type(instr.dtype).of_lanes(self.lanes)
            arguments = [pointer, integer(I32, t.align), lane_mask(self.lanes, mask), zero(t)]
            loaded = self.b.call(t, f"llvm.masked.load.{t.name}.{POINTER.name}", arguments)
            values.add(loaded, instr.dtype, False)

    def _store(self, value: Value, pointer: Value, mask: int) -> None:
        t = value.type
        if mask == 1:
            # LLVM 22 writes the lane of a wider vector where AVX-512 narrows it to bytes
            store(self.b, self.types.result, self.b.lane(value, 0), pointer)
        elif mask:
            arguments = [value, pointer, integer(I32, t.align), lane_mask(self.lanes, mask)]
            self.b.call(VOID, f"llvm.masked.store.{t.name}.{POINTER.name}", arguments)
        else:
            store(self.b, self.types.result, value, pointer)


class Sums(NamedTuple):
    """Of a column and some channels, with what `Epilogue.finish` is told of them."""

    epilogue: Epilogue
    total: Value
    starts: Sequence[Value]
    column: int = 0
    channel: int = 0
    mask: int = 0


def finish_all(sums: Sequence[Sums]) -> None:
    """Sums to results, several vectors at once where that is less to do."""
    after = sums[0].epilogue.indexing.after
    found = narrowed(after)
    for first in range(0, len(sums), AT_ONCE):
        some = sums[first : first + AT_ONCE]
        if found is None or not _finish_together(some, found):
            for one in some:
                one.epilogue.finish(*one[1:])


def _finish_together(sums: Sequence[Sums], found: Narrowed) -> bool:
    """Whether the instruction set has instructions for that."""
    (b, after), lanes = (sums[0].epilogue.b, sums[0].epilogue.indexing.after), sums[0].epilogue.lanes
    row = b.cpu.narrowing
    if row is None or any(s.epilogue.lanes != row.lanes for s in sums):
        return False
    parts = [s.epilogue.values(after[: found.at], *s[1:]) for s in sums]
    result = finished(b, row, after, found, parts)
    at = 0
    while at < len(sums):
        own = sums[at]
        width = next(n for n in (4, 2, 1) if _lie_together(sums[at : at + n], n))
        own.epilogue.put(b.lanes(result, at * lanes, width * lanes), own.starts, own.column, own.channel, own.mask)
        at += width
    return True


def _lie_together(some: Sequence[Sums], count: int) -> bool:
    """So many results lie side by side."""
    return len(some) == count and all(_follows(one, other) for one, other in itertools.pairwise(some))


def _follows(one: Sums, other: Sums) -> bool:
    """Results lie side by side."""
    dense = one.epilogue.indexing.out.strides[3] == 1 and not (one.mask or other.mask)
    here = one.column, one.channel + one.epilogue.lanes
    return dense and one.starts is other.starts and here == (other.column, other.channel)


class Part(NamedTuple):
    """Of the sums of a column: what follows them, their first channel, and how many count, 0 for all."""

    epilogue: Epilogue
    channel: int = 0
    mask: int = 0


def finish_columns(parts: Sequence[Part], totals: Sequence[Value], starts: Sequence[Value]) -> None:
    """Sums of columns side by side, each of these parts, to the result.  Where a long epilogue follows those of
    floats, through the stack and in a loop: copies of it were most of a kernel's code.
    """
    epilogue, count = parts[0].epilogue, len(totals) // len(parts)
    b, types = epilogue.b, epilogue.types
    if not types.sums.is_float:
        owns = (parts[n % len(parts)] for n in range(len(totals)))
        finish_all([Sums(p[0], t, starts, n // len(parts), *p[1:]) for n, (p, t) in enumerate(zip(owns, totals))])
        return
    if count < _FEW or program_flops(epilogue.indexing.after) < _LONG:
        for n, total in enumerate(totals):
            own, channel, mask = parts[n % len(parts)]
            own.finish(total, starts, n // len(parts), channel, mask)
        return
    element, pitch = memory_type(types.sums), sum(part.epilogue.lanes for part in parts)
    room, places = b.room(element, count * pitch), [0]
    for total in totals:
        store(b, types.sums, total, b.moved(room, element, places[-1]))
        places.append(places[-1] + total.type.lanes)
    views = [(i.dtype, i.value) for i in epilogue.loads] + [(types.result, epilogue.indexing.out)]

    def column(i: Value) -> None:
        source = b.offset(room, element, i, pitch)
        here = [
            b.offset(p, memory_type(dtype), i, view.strides[2]) if view.strides[2] != 0 else p
            for p, (dtype, view) in zip(starts, views, strict=True)
        ]
        for place, (own, channel, mask) in zip(places, parts, strict=False):
            total = load(b, types.sums, b.moved(source, element, place), own.lanes)
            own.finish(total, here, 0, channel, mask)

    b.each(0, count, 1, column)
