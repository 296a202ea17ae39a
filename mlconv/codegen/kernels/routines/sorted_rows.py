"""Rows that are sorted by positions, and their order."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.routines.code import BOOL, I32, Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import TopK
from mlconv.ir.dtypes import DType

Less = Callable[[Num, Num], Num]


def before(c: Code, a: Num, b: Num, largest: bool) -> Num:
    """a stands before b whatever their places: NaNs are last in both directions, as numpy sorts."""
    first = a.gt(b) if largest else a.lt(b)
    if not a.dtype.is_float:
        return first
    return first | (b.ne(b) & a.eq(a))


class Rows:
    """What is sorted: rows of a problem, by positions in scratch memory.  Values and indices of the result are
    written.
    """

    def __init__(self, c: Code, p: Sequence[Value], given: TopK) -> None:
        self.c, self.given = c, given
        self.x, self.values, self.indices, self.scratch = p

    def base(self, lane: Num) -> Num:
        """Where a row begins in x."""
        c, inner = self.c, self.given.inner
        if inner == 1:
            return lane * self.given.n
        return c.raw("udiv", lane, inner) * (self.given.n * inner) + c.raw("urem", lane, inner)

    def at(self, lane: Num, first: Num) -> Value:
        """A place in a row, of elements that are neighbours."""
        return self.c.address(self.x, self.given.dtype, self.base(lane) + first)

    def key(self, lane: Num) -> Callable[[Num], Num]:
        """What a position of a row is sorted by."""
        base, given = self.base(lane), self.given

        def key(at: Num) -> Num:
            value = self.c.load(self.x, given.dtype, base + at.to(DType.I64) * given.inner)
            return value.to(DType.I32) if given.dtype is BOOL else value

        return key

    def less(self, lane: Num) -> Less:
        """The order of two positions of a row."""
        key = self.key(lane)
        return lambda a, b: before(self.c, key(a), key(b), self.given.largest)

    def put(self, lane: Num, j: Num, at: Num) -> None:
        """The position at place j of the sorted row."""
        c, given, inner = self.c, self.given, self.given.inner
        start = lane * given.k
        if inner != 1:
            start = c.raw("udiv", lane, inner) * (given.k * inner) + c.raw("urem", lane, inner)
        target = start + j * inner
        c.store(self.values, target, c.load(self.x, given.dtype, self.base(lane) + at.to(DType.I64) * inner))
        c.store(self.indices, target, at.to(given.positions))

    def rows(self, number: Num) -> tuple[Value, Value]:
        """A pair of rows of scratch memory."""
        start = self.c.address(self.scratch, I32, number * self.given.words)
        return start, self.c.address(start, I32, self.given.room)

    def entries(self, lane: Num) -> tuple[Value, Value]:
        """A pair of rows of int64, of rows that are sorted in parts."""
        c, n = self.c, self.given.n
        start = c.address(self.scratch, I32, lane * self.given.words)
        return start, c.address(start, DType.I64, n)
