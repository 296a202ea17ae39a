"""Places of elements that are not zero."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import Nonzero
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

_CELL_NS = 0.7


def nonzero(c: Code, p: Sequence[Value], given: Nonzero) -> Written:
    """See `Nonzero`."""
    count, rank = product(given.shape), len(given.shape)

    def look(i: Num, found: Num) -> Sequence[Num]:
        hit = c.load(p[0], given.dtype, i).ne(0)

        def put() -> None:
            rest = i
            for axis in range(rank - 1, -1, -1):
                size = given.shape[axis]
                place = c.raw("urem", rest, size) if axis else rest
                c.store(p[1], found * rank + axis, place)
                rest = c.raw("udiv", rest, size) if axis else rest

        c.when(hit, put)
        return [found + hit.to(DType.I64)]

    (found,) = c.fold(count, [c.num(0)], look)
    c.each(c.num(count) * rank, lambda i: c.store(p[1], i, c.num(0)), found * rank)
    return Written(1, estimate(count) * _CELL_NS)


GENERATORS = {"nonzero": nonzero}
