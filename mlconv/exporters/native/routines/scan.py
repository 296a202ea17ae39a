"""Running sums and products."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.exporters.native.routines.code import Code, Num
from mlconv.ir.dtypes import DType


def scan(c: Code, p: Sequence[str], opcode: str, dtype: DType, wide: DType, outer: int, n: int, inner: int, exclusive: bool, reverse: bool) -> None:
    """x, y: [outer, n, inner] of `dtype`.  opcode: `add` or `mul`, computed in `wide`."""
    x, y = p
    neutral = c.num(0 if opcode == "add" else 1, wide)

    def lane(base: Num) -> None:
        def step(i: Num, total: Num) -> Sequence[Num]:
            at = base + ((n - 1) - i if reverse else i) * inner
            following = total.with_(opcode, c.load(x, dtype, at).to(wide))
            c.store(y, at, (total if exclusive else following).to(dtype))
            return [following]

        c.fold(n, [neutral], step)

    c.each(outer, lambda o: c.each(inner, lambda i: lane(o * (n * inner) + i)))


GENERATORS = {"scan": scan}
