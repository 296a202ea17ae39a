"""How an axis is covered by vectors, the last of which may do again what the one before has done."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.ir.dims import Size

_LEAST = 4  # lanes


class Span(NamedTuple):
    """Vectors of so many lanes from start to stop."""

    start: Size
    stop: Size
    width: int


def spans(extent: Size, widths: Sequence[int]) -> list[Span]:
    """As many vectors of each width as there are whole ones left, the widest first."""
    out, start = list[Span](), extent * 0
    for width in widths:
        stop = start + (extent - start) // width * width
        if stop != start:
            out.append(Span(start, stop, width))
        start = stop
    return out


def overlapping(extent: Size, widths: Sequence[int], lanes: int) -> list[Span]:
    """The same, but what fills no whole vector (`lanes`) is done by one of fewer that ends where the axis does: its
    first elements are done twice, to the same numbers.  Of an axis shorter than such a vector, two overlap.
    """
    if not isinstance(extent, int) or extent < _LEAST:
        return spans(extent, widths)
    out = spans(extent, [w for w in widths if w >= lanes])
    start = extent // lanes * lanes
    rest, width = extent - start, _LEAST
    while width < rest:
        width *= 2
    if width > extent:
        width //= 2
        out.append(Span(0, width, width))
    if rest:
        out.append(Span(extent - width, extent, width))
    return out
