"""Scatters at the places of a block, `x[:n, 2:4] = y` as exporters write it: the block is written at once."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told, static
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import Positions, positions
from mlconv.rewrite.pattern import Replacement

_END = (1 << 31) - 1
_WRITTEN = frozenset({DType.F32, DType.F16, DType.BOOL, DType.I8, DType.I32, DType.I64})


@rewrite(core.ScatterNd)
def write_block(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """scatter_nd(x, [i + a, j + b], y) at [i, j] is y written into x at [a, b], where it lies within."""
    tuples, shape, places = op.indices.producer, op.data.tensor.shape, op.indices.tensor.shape
    if not isinstance(tuples, core.Concat) or op.reduction != "none" or shape is None or places is None:
        return NoMatch("the tuples are not joined of their parts, or updates are combined")
    if op.data.tensor.dtype not in _WRITTEN or op.data.tensor.quant is not None:
        return NoMatch(f"not all targets write blocks of {op.data.type}")
    if tuples.axis % len(places) != len(places) - 1 or any((x.tensor.shape or (0,))[-1] != 1 for x in tuples.xs):
        return NoMatch("parts have more than a number")
    found = [positions(x) for x in tuples.xs]
    block = _block(found, places[:-1])
    if block is None:
        return NoMatch("the places are no block, in order")
    begins = static(_begin(at, size, whole) for at, size, whole in zip(found, block, shape, strict=False))
    if begins is None:
        return NoMatch(f"a block of {block} at {found} does not begin at a place that is known")
    e = CoreBuilder(rw)
    rest = shape[len(block) :]
    update = op.updates
    if update.tensor.shape != (*block, *rest):
        parts = [*e.dims(op.indices if is_told(places) else op.updates)[: len(places) - 1], 1]
        counted = [next(iter(at.steps)) if at is not None and at.steps else -1 for at in found]
        update = e.reshape(op.updates, [*(parts[axis] for axis in counted), *e.dims(op.data)[len(block) :]])
    return e.y(core.UpdateSlice(op.data, update, [e.constant(b) for b in (*begins, *(0 for _ in rest))]))


def _begin(at: Positions | None, size: Size, whole: Size) -> int | None:
    """Where a block begins along an axis; beyond it for one that ends with it.  Places that are not there are none: the
    source refuses them.
    """
    offset = None if at is None else at.offset
    if offset is None:
        return None
    if isinstance(offset, int) and offset >= 0:
        return offset
    return _END if offset in (-size, whole - size) else None


def _block(found: Sequence[Positions | None], grid: Shape) -> list[Size] | None:
    """How long a block is along each of the axes that tuples tell: each axis of the grid is counted by one of them,
    in order, by ones; None where that is not so.
    """
    counted: list[int] = []
    sizes: list[Size] = []
    for at in found:
        if at is None or len(at.steps) > 1 or any(step != 1 for step in at.steps.values()):
            return None
        counted += at.steps
        sizes.append(grid[counted[-1]] if at.steps else 1)
    return sizes if counted == [i for i, n in enumerate(grid) if n != 1] else None
