"""Code of its own for a few columns of a product, where their number is known at run time: the register tiles of what
is left of many wait for their sums, and have fewer panels than fit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import index
from mlconv.dialects.kernel import Ints
from mlconv.ir.dims import Size

MOST = 5
WORTH = 0.8  # of the time, for which there is code of its own


def numbers_below(rows: int) -> Ints:
    """Of columns, that may have code of their own.  rows: of the register tile of many."""
    return tuple(range(1, min(MOST, rows - 1) + 1))


def by_number(
    b: Builder, columns: Size, few: Mapping[int, Callable[[], None]], many: Callable[[], None], *, asks: bool
) -> None:
    """few[columns]() where there is one, else many().  asks: few[columns]() is for a call that has an item at all."""
    for count, body in few.items():
        only = b.icmp("eq", b.number(columns), index(count))
        b.when(b.binary("and", only, b.icmp("slt", b.begin, b.end)) if asks else only, body)
    others = [b.icmp("ne", b.number(columns), index(count)) for count in few]
    if others:
        b.when(functools.reduce(lambda x, y: b.binary("and", x, y), others), many)
    else:
        many()
