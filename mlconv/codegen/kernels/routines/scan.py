"""Running sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import Code, Num
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

    def rows(o: Num, totals: Value) -> None:
        """In the order of memory."""
        c.each(inner, lambda k: c.store(totals, k, neutral))

        def step(i: Num) -> None:
            row = place(o, i)
            c.each(inner, lambda k: c.store(totals, k, cell(row + k, c.load(totals, wide, k))))

        c.each(n, step)

    if inner == 1:
        c.each(last, lambda o: _drop(c.fold(n, [neutral], lambda i, total: [cell(place(o, i), total)])), first)
    else:
        totals = c.address(p[2], wide, c.first_share * inner) if shares > 1 else p[2]
        c.each(last, lambda o: rows(o, totals), first)
    return Written(shares, estimate(product((given.outer, n, inner))) * _CELL_NS / shares)


def _drop(_: object) -> None:
    """The last total is nobody's."""


GENERATORS = {"scan": scan}
