"""Elements at all places of a grid: `x[:, :, i[:, None], j]`, rows and then columns."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.shapes import is_told
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


class _Side(NamedTuple):
    """Places along one axis of what is picked from.  axes: of the grid, along which they differ."""

    places: Value
    axes: tuple[int, ...]


@rewrite(core.GatherNd)
def gather_along_each_axis(op: core.GatherNd, rw: Rewriter) -> Replacement | NoMatch:
    """gather_nd at tuples that are a grid, each number along axes of its own, is a gather along each axis: windows of
    adaptive pools, elements that a resize picks.
    """
    joined, shape, x = op.indices.producer, op.indices.tensor.shape, op.x.tensor.shape
    if not isinstance(joined, core.Concat) or not shape or not x or op.batch_dims or not is_told(shape):
        return NoMatch("tuples are not joined, or have a batch")
    grid = shape[:-1]
    if joined.axis != len(grid) or len(joined.inputs) != shape[-1] or not 1 < len(joined.inputs) <= len(x):
        return NoMatch(f"tuples of {op.indices.type} are not joined of their numbers")
    sides = [_side(v, grid) for v in joined.inputs]
    found = [side for side in sides if side is not None]
    if len(found) < len(sides) or not _are_apart(found, len(grid)) or _reads_more(found, grid, x):
        return NoMatch("numbers differ along the same axes, or others, or few are picked of many")
    e, y, axis = CoreBuilder(rw), op.x, 0
    for side in found:
        places = e.squeeze(side.places, *(i for i, n in enumerate(side.places.tensor.shape or ()) if n == 1))
        y = rw.emit(core.Gather(y, places, axis=axis, from_start=op.from_start)).y
        axis += len(side.axes)
    return y


def _side(value: Value, grid: Shape) -> _Side | None:
    """One number of each tuple, before it was repeated over the grid."""
    last = value.producer
    if not isinstance(last, (core.ExpandDims, core.Reshape)) or last.y.tensor.shape != (*grid, 1):
        return None
    spread = last.x.producer
    if not isinstance(spread, core.BroadcastTo) or spread.y.tensor.shape != grid:
        return None
    places, lead = spread.x, len(grid) - (spread.x.tensor.rank or 0)
    axes = tuple(lead + i for i, n in enumerate(places.tensor.shape or ()) if n != 1)
    return _Side(places, axes) if axes else None


def _are_apart(sides: Sequence[_Side], rank: int) -> bool:
    """Each axis of the grid is that of one side, in order."""
    return [axis for side in sides for axis in side.axes] == list(range(rank))


def _reads_more(sides: Sequence[_Side], grid: Shape, x: Shape) -> bool:
    """Whether whole rows are known to be several times what is picked of them."""
    for side, size in zip(sides[1:], x[1:], strict=False):
        picked = 1
        for axis in side.axes:
            n = grid[axis]
            if not isinstance(n, int):
                break
            picked *= n
        else:
            if isinstance(size, int) and size > 4 * picked:
                return True
    return False


PATTERNS = (gather_along_each_axis,)
