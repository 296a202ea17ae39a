"""Rows of numbers that are put in front of every element of a batch, and then added to: class tokens of image
transformers, whose positions are added.

Zeros are put there instead, and what is added has the rows: PAD needs no size of the batch, and 0 + (row + position)
is what row + position is.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_MOST = 1 << 20  # numbers that are added


@rewrite(core.Add)
def rows_in_what_is_added(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """concat([broadcast_to(rows), x]) + positions is pad(x) + positions, to the first of which the rows are added."""
    for joined, added in ((op.a.producer, op.b), (op.b.producer, op.a)):
        rows = _rows(joined)
        if not isinstance(joined, core.Concat) or rows is None:
            continue
        e = CoreBuilder(rw)
        with_rows = _with_rows(e, added, rows, joined.axis)
        if with_rows is not None:
            rw.fuse(joined, by="rows-in-what-is-added")
            pads = [(rows.shape[joined.axis] if axis == joined.axis else 0, 0) for axis in range(rows.ndim)]
            return e.add(e.pad(joined.xs[1], pads), with_rows)
    return NoMatch("nothing is added to rows of numbers that are put in front")


def _rows(joined: object) -> Array | None:
    """The numbers that are put in front of something along an axis, the same for all elements of the axes before."""
    if not isinstance(joined, core.Concat) or len(joined.xs) != 2 or not joined.y.has_one_use or joined.axis < 1:
        return None
    spread, shape, t = joined.xs[0].producer, joined.xs[0].tensor.shape, joined.y.tensor
    rows = const_of(spread.x) if isinstance(spread, core.BroadcastTo) else None
    if rows is None or not t.dtype.is_float or t.quant is not None or len(rows.shape) != t.rank or shape is None:
        return None
    fits = all(n == 1 for n in rows.shape[: joined.axis]) and rows.shape[joined.axis :] == shape[joined.axis :]
    return rows.view() if fits and not joined.xs[0].tensor.is_static else None


def _with_rows(e: CoreBuilder, added: Value, rows: Array, axis: int) -> Value | None:
    """What is added, with the rows in front; None where that is not known in front, or the same for all rows."""
    joined, count = added.producer, rows.shape[axis]
    if isinstance(joined, core.Concat) and joined.axis == axis and joined.y.has_one_use:
        first = const_of(joined.xs[0])
        if first is None or first.shape != rows.shape:
            return None
        front = e.constant((first.view() + rows).astype(rows.dtype), added.tensor.dtype)
        return e.concat([front, *joined.xs[1:]], axis)
    known = const_of(added)
    if known is None or known.size > _MOST or len(known.shape) > rows.ndim or known.dtype.numpy != rows.dtype:
        return None
    table = known.view().reshape((1,) * (rows.ndim - len(known.shape)) + known.shape).copy()
    alike = table.shape[:axis] == rows.shape[:axis] and table.shape[axis + 1 :] == rows.shape[axis + 1 :]
    if not alike or table.shape[axis] <= max(count, 1):
        return None
    np.moveaxis(table, axis, 0)[:count] += np.moveaxis(rows, axis, 0)
    return e.constant(np.ascontiguousarray(table), added.tensor.dtype)
