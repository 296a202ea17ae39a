"""Places of elements that are not zero."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import BOOL, I64, Code, Num
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import Nonzero
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_CELL_NS = 0.7
_BLOCK = 16  # neighbours that are passed over at once, where all are zero


def nonzero(c: Code, p: Sequence[Value], given: Nonzero) -> Written:
    """See `Nonzero`.  Numbers of elements are written one behind the other, each over the one before where that is of a
    zero; then they become places, the last one first, which lie no further in front.
    """
    count = product(given.shape)

    def look(at: Num, found: Num) -> Sequence[Num]:
        c.store(p[1], found, at)
        return [found + c.load(p[0], given.dtype, at).ne(0).to(DType.I64)]

    def block(first: Num, found: Num) -> Sequence[Num]:
        def inside() -> Sequence[Num]:
            return c.fold(first + _BLOCK, [found], look, start=first)

        return c.choose(_has_some(c, c.address(p[0], given.dtype, first), given.dtype), inside, lambda: [found], [I64])

    whole = c.raw("and", c.num(count), -_BLOCK)
    (found,) = c.fold(whole, [c.num(0)], block, step=_BLOCK)
    (found,) = c.fold(count, [found], look, start=whole)
    if len(given.shape) > 1:
        c.each(found, lambda i: _spread(c, p[1], found - 1 - i, given))
    c.each(c.num(count) * len(given.shape), lambda i: c.store(p[1], i, c.num(0)), found * len(given.shape))
    return Written(1, estimate(count) * _CELL_NS)


def _has_some(c: Code, x: Value, dtype: DType) -> Num:
    """Whether one of a block is not zero."""
    ops = Scalars(c.b, _BLOCK)
    nothing = ops.literal(dtype, 0)
    some = ops.apply("not_equal", BOOL, [load(c.b, dtype, x, _BLOCK), nothing], [dtype, dtype])
    return Num(c, c.b.call(some.type.element, f"llvm.vector.reduce.or.{some.type.name}", [some]), BOOL)


def _spread(c: Code, places: Value, number: Num, given: Nonzero) -> None:
    """The place of the element with a number, in each axis."""
    rest, rank = c.load(places, I64, number), len(given.shape)
    for axis in range(rank - 1, -1, -1):
        size = given.shape[axis]
        c.store(places, number * rank + axis, c.raw("urem", rest, size) if axis else rest)
        rest = c.raw("udiv", rest, size) if axis else rest


GENERATORS = {"nonzero": nonzero}
