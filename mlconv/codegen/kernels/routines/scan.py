"""Running sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType


def scan(
    c: Code,
    p: Sequence[Value],
    opcode: str,
    dtype: DType,
    wide: DType,
    outer: Size,
    n: Size,
    inner: Size,
    exclusive: bool,
    reverse: bool,
) -> None:
    """x, y: [outer, n, inner] of `dtype`.  opcode: `add` or `mul`, computed in `wide`.  scratch, when inner is not 1: a
    running total for each lane.
    """
    x, y = p[:2]
    neutral = c.num(0 if opcode == "add" else 1, wide)

    def cell(at: Num, total: Num) -> Num:
        following = total.with_(opcode, c.load(x, dtype, at).to(wide))
        c.store(y, at, (total if exclusive else following).to(dtype))
        return following

    def place(o: Num, i: Num) -> Num:
        return (o * n + (c.num(n - 1) - i if reverse else i)) * inner

    def rows(o: Num) -> None:
        """In the order of memory."""
        c.each(inner, lambda k: c.store(p[2], k, neutral))
        c.each(n, lambda i: c.each(inner, lambda k: c.store(p[2], k, cell(place(o, i) + k, c.load(p[2], wide, k)))))

    if inner == 1:
        c.each(outer, lambda o: _drop(c.fold(n, [neutral], lambda i, total: [cell(place(o, i), total)])))
    else:
        c.each(outer, rows)


def _drop(_: object) -> None:
    """The last total is nobody's."""


GENERATORS = {"scan": scan}
