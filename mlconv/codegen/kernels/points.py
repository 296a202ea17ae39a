"""What the generators of products share: positions of points, addresses of views at them, and the epilogue."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.llvm.evaluate import Values
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Builder
from mlconv.dialects.kernel import LOADS, Instr, Points, Sizes, View
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType


class Position(NamedTuple):
    """Indices of a point and of its first channel: names of values or literals."""

    batch: str
    row: str
    column: str
    channel: str


def merged(points: Points, weight_strides: Sizes = (0, 0)) -> Points:
    """Rows joined, where everything runs on from one to the next, so that loops are long."""
    views = [points.x, points.out, *(i.value for i in points.after if i.opcode in LOADS)]
    n, r, c = points.rows
    if weight_strides == (0, 0) and (r == 1 or all(v.strides[1] == c * v.strides[2] for v in views)):
        points, views = _join(points, (n, 1, r * c), 1)
    elif weight_strides == (0, 0) and c == 1:
        points, views = _join(points, (n, 1, r), 2)
    n, r, c = points.rows
    if weight_strides == (0, 0) and r == 1 and (n == 1 or all(v.strides[0] == c * v.strides[2] for v in views)):
        points, _ = _join(points, (1, 1, n * c), 0)
    return points


def _join(points: Points, rows: Sizes, dropped: int) -> tuple[Points, list[View]]:
    """The axis `dropped` (0: batch, 1: rows, 2: columns, whose place rows take) gone from all views."""

    def narrow(view: View) -> View:
        strides = list(view.strides)
        if dropped == 2:
            strides[2] = strides[1]
        strides[1 if dropped == 2 else dropped] = 0
        return View(view.offset, tuple(strides))

    after = tuple(i._replace(value=narrow(i.value)) if i.opcode in LOADS else i for i in points.after)
    points = points._replace(rows=rows, x=narrow(points.x), out=narrow(points.out), after=after)
    return points, [points.x, points.out, *(i.value for i in after if i.opcode in LOADS)]


def line(b: Builder, points: Points, index: str) -> tuple[str, str]:
    """(batch, row) of line number `index`."""
    n, r, _ = points.rows
    if n == 1 or r == 1:
        return ("0", index) if n == 1 else (index, "0")
    return b.op(f"udiv i64 {index}, {b.number(r)}"), b.op(f"urem i64 {index}, {b.number(r)}")


def address(b: Builder, pointer: str, view: View, at: Position) -> str:
    """Address of a float32 view at a position; x has no channels."""
    pointer = b.moved(pointer, "float", view.offset)
    for index, stride in zip(at, view.strides, strict=False):
        if stride:
            pointer = b.offset(pointer, "float", index, stride)
    return pointer


def blocks(channels: int, lanes: int) -> list[tuple[int, int, int]]:
    """(lanes, start, stop) of ranges of channels."""
    out, start = [], 0
    for width in (lanes, 4, 1):
        stop = start + (channels - start) // width * width
        if stop > start:
            out.append((width, start, stop))
        start = stop
    return out


def strips(columns: Size, rows: int) -> list[tuple[Size, Size, int]]:
    """(start, stop, points at once) of ranges of columns: strips of `rows` points, then what is left; of a number that
    is known at run time fewer, if there may be few, then single ones."""
    whole = columns // rows * rows
    if isinstance(columns, int):
        return [r for r in ((0, whole, rows), (whole, columns, columns % rows)) if r[0] != r[1]]
    out: list[tuple[Size, Size, int]] = [(0, whole, rows)]
    for size in (4, 1) if estimate(columns, 1) < 8 * rows else (1,):
        if size < rows:
            start = out[-1][1]
            out.append((start, start + (columns - start) // size * size, size))
    return out


class Epilogue:
    """Emits what follows the sums: `after` and the stores, for vectors of `lanes` channels at points that lie side by
    side along the columns.
    """

    def __init__(self, b: Builder, points: Points, lanes: int, operands: Sequence[str], out: str) -> None:
        self.b, self.points, self.lanes, self.operands, self.out = b, points, lanes, operands, out
        self.loads = [i for i in points.after if i.opcode in LOADS]

    def at(self, lanes: int) -> Epilogue:
        """The same for another number of lanes."""
        return self if lanes == self.lanes else Epilogue(self.b, self.points, lanes, self.operands, self.out)

    def start(self, at: Position) -> list[str]:
        """Addresses of the loads and of the result at the first point and channel."""
        return [
            *(address(self.b, self.operands[i.args[0]], i.value, at) for i in self.loads),
            address(self.b, self.out, self.points.out, at),
        ]

    def finish(self, total: str, starts: Sequence[str], column: int, channel: int, mask: int = 0) -> None:
        """Sums to result at `column` points and `channel` channels from the start.  mask: how many lanes count, 0 for
        all.
        """
        values, following = Values(self.b, self.lanes), iter(starts)
        values.add(total, DType.F32, self.lanes == 1)
        for instr in self.points.after:
            if instr.opcode in LOADS:
                self._load(values, instr, self._moved(next(following), instr.value, column, channel), mask)
            else:
                values.compute(instr)
        self._store(
            values.vector(len(values.names) - 1), self._moved(starts[-1], self.points.out, column, channel), mask
        )

    def _moved(self, pointer: str, view: View, column: int, channel: int) -> str:
        return self.b.moved(pointer, "float", column * view.strides[2] + channel * view.strides[3])

    def _load(self, values: Values, instr: Instr, pointer: str, mask: int) -> None:
        if not instr.value.strides[3]:
            values.add(self.b.op(f"load float, ptr {pointer}, align 4"), DType.F32, True)
            return
        vector = Scalars(self.b, self.lanes).type(DType.F32)
        if not mask:
            values.add(self.b.op(f"load {vector}, ptr {pointer}, align 4"), DType.F32, self.lanes == 1)
            return
        arguments = [("ptr", pointer), ("i32", "4"), self._mask(mask), (vector, "zeroinitializer")]
        values.add(self.b.call(vector, f"llvm.masked.load.v{self.lanes}f32.p0", arguments), DType.F32, False)

    def _store(self, value: str, pointer: str, mask: int) -> None:
        vector = Scalars(self.b, self.lanes).type(DType.F32)
        if mask:
            self.b.call(
                "void",
                f"llvm.masked.store.v{self.lanes}f32.p0",
                [(vector, value), ("ptr", pointer), ("i32", "4"), self._mask(mask)],
            )
        else:
            self.b.do(f"store {vector} {value}, ptr {pointer}, align 4")

    def _mask(self, count: int) -> tuple[str, str]:
        return f"<{self.lanes} x i1>", "<" + ", ".join(
            f"i1 {'true' if i < count else 'false'}" for i in range(self.lanes)
        ) + ">"
