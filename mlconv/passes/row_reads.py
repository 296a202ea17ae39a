"""Rows that are read at one place, as bodies of loops read them: TFLite gathers a row by one number, and slices by as
many as there are axes.
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


@rewrite(core.DynamicSlice)
def read_row(op: core.DynamicSlice, rw: Rewriter) -> Replacement | NoMatch:
    """A slice of one place along an axis, and whole along the others, is the row that is gathered there."""
    places, sizes, whole = _places(op.begin), op.y.tensor.shape, op.x.tensor.shape
    if places is None or sizes is None or whole is None or op.x.tensor.quant is not None:
        return NoMatch("the places are not known one by one")
    moving = [(axis, place) for axis, place in enumerate(places) if place is not None]
    if len(moving) != 1 or sizes[moving[0][0]] != 1:
        return NoMatch(f"it begins somewhere along {len(moving)} axes")
    ((axis, place),) = moving
    if any(size != n for i, (size, n) in enumerate(zip(sizes, whole, strict=True)) if i != axis):
        return NoMatch("other axes are cut")
    e = CoreBuilder(rw)
    row = e.y(core.Gather(op.x, e.reshape(place, []), axis=axis, from_start=True))
    return e.y(core.ExpandDims(row, axes=(axis,)))


def _places(begin: Value) -> list[Value | None] | None:
    """Where a slice begins along each axis: a number that is computed, or None for 0.  None where it is another number
    or not put together of single numbers.
    """
    made = begin.producer
    if isinstance(made, core.Cast) and made.x.tensor.dtype.is_int:
        made = made.x.producer
    if not isinstance(made, core.Concat) or begin.tensor.rank != 1:
        return None
    places: list[Value | None] = []
    for part in made.inputs:
        known = ints_of(part)
        if known is not None and not any(known):
            places += [None] * len(known)
        elif known is None and part.tensor.shape == (1,):
            places.append(part)
        else:
            return None
    return places
