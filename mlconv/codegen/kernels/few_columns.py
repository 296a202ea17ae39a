"""Code of its own for a few columns of a product, where their number is known at run time: the register tiles of what
is left of many wait for their sums, and have fewer panels than fit.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Mapping, Sequence
from typing import Protocol, TypeVar

from mlconv.codegen.kernels.indexing import column_tiles
from mlconv.codegen.kernels.register_tiles import parts_of
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import index
from mlconv.ir.dims import Size

_MOST = 5
_WORTH = 0.85  # of the time, for which there is code of its own


class _Tiled(Protocol):
    """A generator of a product.  rows: of its register tile."""

    rows: int

    def cycles(self, tiles: Sequence[int]) -> float:
        """Of a step along the depth, for tiles of so many columns each."""


_G = TypeVar("_G", bound=_Tiled)


def of_few_columns(many: _G, columns: Size, of: Callable[[int], _G], *, always: bool = False) -> list[_G]:
    """Generators of so few columns that they fit into one register tile, where it takes so much less time than the
    tiles of `many` take for them.  columns: how many there are, known at run time.  of: the same product of a number of
    columns.  always: they save more than time in tiles.
    """
    rest = [size for _, _, size in column_tiles(columns, many.rows)[1:]]
    found = []
    for count in range(1, min(_MOST, many.rows - 1) + 1):
        own = of(count)
        if own.rows == count and (always or own.cycles([count]) < _WORTH * many.cycles(parts_of(count, rest))):
            found.append(own)
    return found


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
