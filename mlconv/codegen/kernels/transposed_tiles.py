"""Steps that read along one axis and write along another: vectors are computed along the former, and square tiles of
them are transposed in registers.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.arrange import interleaves
from mlconv.codegen.llvm.evaluate import store
from mlconv.codegen.llvm.interleaving import interleaved
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.dialects.kernel import Step, view_of
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

Pointers = list[Value]
_ROW = 16  # bytes of a row of a tile, at least
_PAGE = 1 << 12
_WIDE = 4  # tiles side by side, where lines of the result meet: two lines of a cache, of which one is whole anywhere


def tile_size(dtype: DType) -> int:
    """Rows and columns of a tile of elements of a type."""
    return max(4, min(8, 2 * _ROW // dtype.itemsize)) if dtype.itemsize > 1 else _ROW


def transposed(b: Builder, rows: Sequence[Value], group: int) -> list[Value]:
    """Columns of a square tile.  group: elements of 128 bits; sizes are powers of two.

    Blocks of a group are exchanged as wholes.  Inside them, rows are interleaved with those half a group on, as often
    as it takes: what x86, Arm and WebAssembly have an instruction for.
    """
    out, size, step = list(rows), len(rows), len(rows) // 2
    while step >= group:
        for i in (i for i in range(size) if not i & step):
            pair = out[i], out[i + step]
            for n, half in ((i, 0), (i + step, step)):
                out[n] = b.mixed(*pair, [size * bool(k & step) + (k & ~step) + half for k in range(size)])
        step //= 2
    for first in range(0, size, group):
        for _ in range(group.bit_length() - 1):
            out[first : first + group] = _interleaved(b, out[first : first + group], group)
    return out


def _interleaved(b: Builder, rows: Sequence[Value], group: int) -> list[Value]:
    """Each of the first rows with the one half as many on: lower halves of their groups, then upper ones."""
    out, half, size = list[Value](), group // 2, rows[0].type.lanes
    for i in range(half):
        for upper in (0, half):
            firsts = [start + upper + k for start in range(0, size, group) for k in range(half)]
            out.append(b.mixed(rows[i], rows[i + half], [place for k in firsts for place in (k, size + k)]))
    return out


def _meet(stride: Size, dtype: DType) -> bool:
    """Lines so far apart push each other out of a first-level cache."""
    return isinstance(stride, int) and stride != 0 and stride * dtype.itemsize % _PAGE == 0


class TransposedTiles:
    """Emits the two innermost kept axes of a step: reading runs along the outer one, writing along the inner one.

    advance(pointers, axis, index): pointers there.  value(pointers, lanes, axis): what is computed at a place, or at so
    many along an axis.
    """

    def __init__(
        self,
        b: Builder,
        step: Step,
        dtype: DType,
        advance: Callable[[Pointers, int, Value], Pointers],
        value: Callable[[Pointers, int, int], Value],
    ) -> None:
        self.b, self.dtype, self.size, self.advance, self.value = b, dtype, tile_size(dtype), advance, value
        self.outer, self.inner = len(step.kept) - 2, len(step.kept) - 1
        self.rows, self.columns = step.kept[-2:]
        self.pitch = step.out.strides[-2]
        self.width = interleaves(step)  # columns that are written together, or 0
        read = [view_of(i).strides[self.inner] for i in step.body if i.opcode == "load"]
        wide = _meet(self.pitch, dtype) and not any(_meet(stride, dtype) for stride in read)
        self._across, self._block = (_WIDE * self.size, self.size) if wide else (self.size, 2 * self.size)
        self._less = (1,) if wide else (self.size, 1)  # rows at once, of what is left: of wide tiles less than one

    @property
    def items(self) -> Size:
        """Blocks of rows."""
        return (self.rows + self._block - 1) // self._block

    def run(self, pointers: Pointers) -> None:
        """All of it."""
        self._rows(pointers, 0, (self._block, *self._less))

    def item(self, pointers: Pointers, number: Value) -> None:
        """A block of rows, the last of which may have fewer."""
        b, whole = self.b, self.rows // self._block
        there = self.advance(pointers, self.outer, b.mul(number, index(self._block)))
        if whole * self._block == self.rows:
            self._row(there, self._block)
            return
        inside = b.icmp("slt", number, b.number(whole))
        b.when(inside, lambda: self._row(there, self._block))
        b.when(
            b.icmp("eq", number, b.number(whole)),
            lambda: self._rows(pointers, whole * self._block, self._less),
        )

    def _rows(self, pointers: Pointers, start: Size, widths: Sequence[int]) -> None:
        for width in widths:
            stop = start + (self.rows - start) // width * width
            if start != stop:

                def body(at: Value, width: int = width) -> None:
                    self._row(self.advance(pointers, self.outer, at), width)

                self.b.each(start, stop, width, body)
            start = stop
            if start != self.rows and width == self.size and self._overlaps(self.rows):
                self._row(self.advance(pointers, self.outer, self.b.number(self.rows - width)), width)
                return

    def _overlaps(self, extent: Size) -> bool:
        """What fills no tile at the end of an axis is in one that does again some of what the one before has done."""
        return isinstance(extent, int) and extent >= self.size

    def _row(self, pointers: Pointers, lanes: int) -> None:
        """So many rows, all columns."""
        if self.width and lanes > 1:
            columns = [self.advance(pointers, self.inner, index(i)) for i in range(self.width)]
            values = [self.value(column, lanes, self.outer) for column in columns]
            for i, value in enumerate(interleaved(self.b, values)):
                store(self.b, self.dtype, value, self.b.moved(pointers[-1], memory_type(self.dtype), i * lanes))
            return
        start: Size = 0
        for count in dict.fromkeys((self._across, self.size)) if lanes > 1 else ():
            whole = start + (self.columns - start) // count * count
            if whole != start:

                def tile(at: Value, count: int = count) -> None:
                    self._tile(self.advance(pointers, self.inner, at), lanes, count)

                self.b.each(start, whole, count, tile)
            start = whole
        if start != self.columns and lanes > 1 and self._overlaps(self.columns):
            self._tile(self.advance(pointers, self.inner, self.b.number(self.columns - self.size)), lanes, self.size)
        elif start != self.columns:
            self.b.each(start, self.columns, 1, lambda at: self._column(self.advance(pointers, self.inner, at), lanes))

    def _tile(self, pointers: Pointers, lanes: int, count: int) -> None:
        """So many rows of so many columns."""
        b, size, element = self.b, self.size, memory_type(self.dtype)
        columns = [self.value(self.advance(pointers, self.inner, index(i)), lanes, self.outer) for i in range(count)]
        for first in range(0, lanes, size):
            part = columns if lanes == size else [b.lanes(column, first, size) for column in columns]
            squares = [
                transposed(b, part[start : start + size], min(size, _ROW // self.dtype.itemsize))
                for start in range(0, count, size)
            ]
            for i, rows in enumerate(zip(*squares, strict=True)):
                for k, row in enumerate(rows):
                    store(b, self.dtype, row, b.moved(pointers[-1], element, (first + i) * self.pitch + k * size))

    def _column(self, pointers: Pointers, lanes: int) -> None:
        """A column of a few rows, whose elements are written one by one."""
        b, element = self.b, memory_type(self.dtype)
        value = self.value(pointers, lanes, self.outer)
        for lane in range(lanes):
            one = value if lanes == 1 else b.lane(value, lane)
            store(b, self.dtype, one, b.moved(pointers[-1], element, lane * self.pitch))
