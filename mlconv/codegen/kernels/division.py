"""Loop nests as work items that threads share: places along the outer axes, and pieces of long rows where there are
few.
"""

from __future__ import annotations

import math
from typing import NamedTuple

from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel import Sizes
from mlconv.ir.dims import ceildiv, product
from mlconv.ir.estimates import estimate

ENOUGH = 16  # items, for all threads
_SHARED_NS, ITEM_NS = 4_000, 1_000  # of all that is worth sharing; of an item, at least


class Division(NamedTuple):
    """How many leading axes work items go over; how many elements of the axis behind them an item has, 0 for all; how
    many places there are along each of these axes, and pieces.
    """

    axes: int
    chunk: int
    sizes: Sizes


def divided(extents: Sizes, free: int, lanes: int, nanoseconds: float) -> Division:
    """free: leading axes that items may go over.  lanes: of the vectors along the axis behind them, or 0.
    nanoseconds: of all.
    """
    first = extents[0] if free else 1
    enough = isinstance(first, int) and first >= ENOUGH
    axes = min(free, 1 if enough or nanoseconds < _SHARED_NS else 2)
    if enough or nanoseconds < _SHARED_NS or axes < free or not lanes:
        return Division(axes, 0, extents[:axes])
    length = extents[axes]
    each = nanoseconds / max(1, estimate(product(extents[: axes + 1])))
    chunk = math.ceil(ITEM_NS / each / lanes) * lanes
    if estimate(length) < 2 * chunk:
        return Division(axes, 0, extents[:axes])
    return Division(axes, chunk, (*extents[:axes], ceildiv(length, chunk)))


def places_of(b: Builder, item: Value, sizes: Sizes) -> list[Value]:
    """The place along each axis, in row-major order."""
    places = [item]
    for size in reversed(sizes[1:]):
        rest = places.pop(0)
        places = [b.udiv(rest, b.number(size)), b.urem(rest, b.number(size)), *places]
    return places
