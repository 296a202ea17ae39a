"""Sorting along an axis: stable bottom-up merges of positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.routines.code import BOOL, I32, Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

Less = Callable[[Num, Num], Num]


def before(c: Code, a: Num, b: Num, largest: bool) -> Num:
    """a stands before b whatever their places: NaNs are last in both directions, as numpy sorts."""
    first = a.gt(b) if largest else a.lt(b)
    if not a.dtype.is_float:
        return first
    return first | (b.ne(b) & a.eq(a))


def top_k(
    c: Code, p: Sequence[Value], dtype: DType, index: DType, outer: Size, n: int, inner: Size, k: int, largest: bool
) -> None:
    """x [outer, n, inner]; values and indices [outer, k, inner]; scratch: two rows of n int32."""
    x, values, indices, scratch = p
    rows = scratch, c.address(scratch, I32, n)

    def lane(o: Num, i: Num) -> None:
        base = o * (n * inner) + i
        c.each(n, lambda j: c.store(rows[0], j, j.to(I32)))
        order = _merge_sort(
            c,
            rows,
            n,
            lambda a, b: before(c, _key(c, x, dtype, base, a, inner), _key(c, x, dtype, base, b, inner), largest),
        )

        def put(j: Num) -> None:
            at = c.load(order, I32, j)
            target = o * (k * inner) + j * inner + i
            c.store(values, target, c.load(x, dtype, base + at.to(DType.I64) * inner))
            c.store(indices, target, at.to(index))

        c.each(k, put)

    c.each(outer, lambda o: c.each(inner, lambda i: lane(o, i)))


def _key(c: Code, x: Value, dtype: DType, base: Num, at: Num, inner: Size) -> Num:
    value = c.load(x, dtype, base + at.to(DType.I64) * inner)
    return value.to(DType.I32) if dtype is BOOL else value


def _merge_sort(c: Code, rows: tuple[Value, Value], n: int, less: Less) -> Value:
    """Sort positions in rows[0]; returns the row that holds the result.  less(a, b): strict order of two positions."""
    source, target, width = rows[0], rows[1], 1
    while width < n:
        _pass(c, source, target, n, width, less)
        source, target, width = target, source, width * 2
    return source


def _pass(c: Code, source: Value, target: Value, n: int, width: int, less: Less) -> None:
    """Merge neighbouring runs of `width`."""

    def pair(run: Num) -> None:
        low = run * (2 * width)
        middle, high = (low + width).min(n), (low + 2 * width).min(n)

        def step(out: Num, left: Num, right: Num) -> Sequence[Num]:
            def both() -> Sequence[Num]:
                return [~less(c.load(source, I32, right), c.load(source, I32, left))]

            one = c.choose(left.lt(middle) & right.lt(high), both, lambda: [left.lt(middle)], [BOOL])[0]
            c.store(target, out, c.load(source, I32, c.where(one, left, right)))
            taken = one.to(DType.I64)
            return [left + taken, right + (1 - taken)]

        c.fold(high, [low, middle], step, start=low)

    c.each(-(-n // (2 * width)), pair)


GENERATORS = {"top_k": top_k}
