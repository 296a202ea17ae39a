"""Elements that are picked along the last axis at places of a matrix that all heads share, and then turned: picked
from rows that lie behind one another, at places that were turned before.  Of attention by content and distance
(DeBERTa) the scores of keys are such.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts
from mlconv.passes.table_lookups import limited
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import positions
from mlconv.rewrite.pattern import Replacement
from mlconv.rewrite.value_ranges import sizes_between

_LARGEST: Final = 1 << 20  # places that are known


@rewrite(core.Transpose)
def pick_turned(op: core.Transpose, rw: Rewriter) -> Replacement | NoMatch:
    """transpose(x[.., j, places[j, i]]) is reshape(x)[.., turned[i, j] + j*n], of n elements in a row."""
    picked, rank = op.x.producer, op.x.tensor.rank or 0
    if not isinstance(picked, core.GatherElements) or not op.x.has_one_use or picked.axis % rank != rank - 1:
        return NoMatch("nothing picked along the last axis is turned")
    count = (picked.x.tensor.shape or (None,))[-1]
    if op.perm != (*range(rank - 2), rank - 1, rank - 2) or not isinstance(count, int) or not _is_whole(picked):
        return NoMatch("other axes move, or rows are of an open size, or some heads are left out")
    e = CoreBuilder(rw)
    places = _known_places(picked, count, e) or _places(picked, count, e)
    if places is None:
        return NoMatch("heads do not share places that are known to lie in a row")
    rw.fuse(picked, by="pick-turned")
    flat = e.reshape(picked.x, [*e.dims(picked.x)[:-2], -1])
    return e.gather(flat, places, axis=rank - 2, from_start=True)


def _is_whole(picked: core.GatherElements) -> bool:
    """Something is picked for all heads, of plain numbers."""
    lead = (picked.x.tensor.shape or ())[:-2]
    return picked.x.tensor.quant is None and (picked.indices.tensor.shape or (None,))[:-2] == lead


def _known_places(picked: core.GatherElements, count: int, e: CoreBuilder) -> Value | None:
    """turned[i, j] + j*count of constants that are the same for all heads."""
    known = const_of(picked.indices)
    if known is None or not 0 < known.size <= _LARGEST:
        return None
    every = known.view().reshape(-1, *known.shape[-2:])
    places = np.where(every[0] < 0, every[0] + count, every[0])
    if not (every == every[0]).all() or places.min() < 0 or places.max() >= count:
        return None
    return e.constant(places.T + np.arange(places.shape[0]) * count, DType.I32)


def _places(picked: core.GatherElements, count: int, e: CoreBuilder) -> Value | None:
    """The same of a matrix that the run tells, and that is repeated for all heads."""
    spread, shape = picked.indices.producer, picked.indices.tensor.shape or ()
    if not isinstance(spread, core.BroadcastTo) or spread.x.tensor.shape != shape[-2:]:
        return None
    within = sizes_between(spread.x, SizeFacts())
    turned = _turned(spread.x, e)
    if turned is None or within is None or not isinstance(within[1], int) or within[1] >= count:
        return None
    rows = e.y(core.Cast(e.reshape(e.vector([e.dim(picked.indices, len(shape) - 2)]), []), dtype=DType.I32))
    return e.add(turned, e.y(core.Range(e.constant(0, DType.I32), e.mul(rows, count), e.constant(count, DType.I32))))


def _turned(places: Value, e: CoreBuilder) -> Value | None:
    """transpose(places), int32, of places that a table tells by the distance of column and row: those of the table
    from its end, at the distance of row and column.
    """
    looked_up = places.producer
    table = const_of(looked_up.x) if isinstance(looked_up, core.Gather) and not looked_up.batch_dims else None
    limits = limited(looked_up.indices) if isinstance(looked_up, core.Gather) and table is not None else None
    rows, columns = places.tensor.shape or (None, None)
    if not isinstance(looked_up, core.Gather) or table is None or limits is None or rows != columns:
        return None
    low, high = limits.low, limits.high
    apart = positions(limits.distance)
    if table.shape != (high - low + 1,) or apart is None or apart.offset != 0:
        return None
    if apart.steps.keys() != {0, 1} or apart.steps[0] != -apart.steps[1]:
        return None
    at = looked_up.indices
    if low != -high:
        at = e.sub(e.maximum(e.minimum(limits.distance, -low), -high), -high)
    numbers = np.ascontiguousarray(table.view()[::-1]).astype(np.int32)
    return e.gather(e.constant(numbers, DType.I32), at, from_start=True)
