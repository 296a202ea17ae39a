"""Running sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import Scan
from mlconv.ir.dims import product
from mlconv.ir.estimates import estimate

_CELL_NS = 1.0


def scan(c: Code, p: Sequence[Value], given: Scan) -> Written:
    """See `Scan`; computed in its type `wide`."""
    n, inner, wide = given.n, given.inner, given.wide
    neutral = c.num(0 if given.opcode == "add" else 1, wide)
    shares = given.shares
    first, last = c.shared(given.outer, shares)

    def cell(at: Num, total: Num) -> Num:
        following = total.with_(given.opcode, c.load(p[0], given.dtype, at).to(wide))
        c.store(p[1], at, (total if given.exclusive else following).to(given.dtype))
        return following

    def place(o: Num, i: Num) -> Num:
        return (o * n + (c.num(n - 1) - i if given.reverse else i)) * inner

    lanes = c.lanes(given.dtype, wide)
    whole = inner // lanes * lanes if lanes > 1 else 0
    vectors = whole // lanes if isinstance(whole, int) and whole == inner else 0

    def rows(o: Num, totals: Value) -> None:
        """In the order of memory."""
        c.each(inner, lambda k: c.store(totals, k, neutral))

        def step(i: Num) -> None:
            row = place(o, i)
            if whole != 0:
                c.fold(
                    whole, [], lambda k: _several(c, p, given, (row + k, c.address(totals, wide, k)), lanes), step=lanes
                )
            if whole != inner:
                c.each(inner, lambda k: c.store(totals, k, cell(row + k, c.load(totals, wide, k))), whole)

        c.each(n, step)

    def columns(o: Num) -> None:
        """All at once, whose totals stay in registers."""

        def step(i: Num, *totals: Num) -> list[Num]:
            at = place(o, i)
            return [_following(c, p, given, at + k * lanes, total) for k, total in enumerate(totals)]

        _drop(c.fold(n, [_spread(neutral, lanes)] * vectors, step))

    if 0 < vectors <= c.b.cpu.registers // 4:
        c.each(last, columns, first)
    elif inner == 1:
        c.each(last, lambda o: _drop(c.fold(n, [neutral], lambda i, total: [cell(place(o, i), total)])), first)
    else:
        totals = c.address(p[2], wide, c.first_share * inner) if shares > 1 else p[2]
        c.each(last, lambda o: rows(o, totals), first)
    return Written(shares, estimate(product((given.outer, n, inner))) * _CELL_NS / shares)


def _several(c: Code, p: Sequence[Value], given: Scan, places: tuple[Num, Value], lanes: int) -> list[Num]:
    """A step of so many neighbours.  places: of the elements, and the address of their totals."""
    at, totals = places
    total = Num(c, load(c.b, given.wide, totals, lanes), given.wide)
    store(c.b, given.wide, _following(c, p, given, at, total).value, totals)
    return []


def _following(c: Code, p: Sequence[Value], given: Scan, at: Num, total: Num) -> Num:
    """The totals of neighbours with the elements at a place."""
    dtype, wide, lanes = given.dtype, given.wide, total.value.type.lanes
    s, x = Scalars(c.b, lanes), load(c.b, dtype, c.address(p[0], dtype, at), lanes)
    following = s.apply(given.opcode, wide, [total.value, s.cast(x, dtype, wide)], [wide, wide])
    store(c.b, dtype, s.cast(total.value if given.exclusive else following, wide, dtype), c.address(p[1], dtype, at))
    return Num(c, following, wide)


def _spread(number: Num, lanes: int) -> Num:
    return Num(number.c, number.c.b.splat(number.value, lanes), number.dtype)


def _drop(_: object) -> None:
    """The last total is nobody's."""


GENERATORS = {"scan": scan}
