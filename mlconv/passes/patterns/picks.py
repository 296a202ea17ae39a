"""Elements that are picked or written at the same places of every row are rows that are picked or written; places that
are all there are."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


@rewrite(core.GatherElements)
def gather_rows(op: core.GatherElements, rw: Rewriter) -> Replacement | NoMatch:
    """gather_elements at indices that are repeated along the axes behind is a gather of rows: `x.gather(1,
    i[..., None].expand(-1, -1, n))`.  The axes before are its batch, or all of size 1.
    """
    found = _repeated_rows(op.x, op.indices, op.axis)
    if isinstance(found, NoMatch):
        return found
    places, axis, lead = found
    batch = axis if all(n == m for n, m in zip(lead, op.x.tensor.shape or (), strict=False)) else 0
    if not batch and any(n != 1 for n in lead):
        return NoMatch(f"indices of {op.indices.type} are repeated along some axes before the one that is picked along")
    units = range(0 if not batch else axis + 1, places.tensor.rank or 0)
    rows = _squeezed(rw, places, [i for i in units if i != axis])
    return rw.emit(core.Gather(op.x, rows, axis=axis, batch_dims=batch)).y


@rewrite(core.ScatterElements)
def scatter_rows(op: core.ScatterElements, rw: Rewriter) -> Replacement | NoMatch:
    """scatter_elements along the first axis at indices that are repeated along all others writes rows."""
    found = _repeated_rows(op.data, op.indices, op.axis)
    if isinstance(found, NoMatch):
        return found
    places, axis, _ = found
    if axis:
        return NoMatch("not along the first axis")
    rows = _squeezed(rw, places, range(2, places.tensor.rank or 0))
    if rows.tensor.rank == 1:
        rows = rw.emit(core.ExpandDims(rows, axes=(1,))).y
    return rw.emit(core.ScatterNd(op.data, rows, op.updates, reduction=op.reduction)).y


@rewrite(core.Gather)
def gather_from_repeated(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """What is repeated along the last axis of the batch is looked up where it is once: `x[:, None].expand(b, n, n, c)`
    by neighbours.
    """
    spread, last = op.x.producer, op.batch_dims - 1
    if last < 0 or not isinstance(spread, core.BroadcastTo) or op.x.tensor.shape is None:
        return NoMatch("nothing repeated is picked from, with a batch")
    before, shape = spread.x.tensor.shape, op.x.tensor.shape
    if before is None or len(before) != len(shape) or before[last] != 1:
        return NoMatch(f"{spread.x.type} is not repeated along axis {last}")
    if any(n != m for i, (n, m) in enumerate(zip(before, shape, strict=True)) if i != last):
        return NoMatch(f"{spread.x.type} is repeated along other axes as well")
    x = rw.emit(core.Squeeze(spread.x, axes=(last,))).y
    axis = op.axis % len(shape) - 1
    return rw.emit(core.Gather(x, op.indices, axis=axis, batch_dims=last, from_start=op.from_start)).y


@rewrite(core.NonZero)
def all_places(op: core.NonZero, rw: Rewriter) -> Replacement | NoMatch:
    """The places of a vector that has one number everywhere, other than 0, are all there are."""
    spread = op.x.producer
    number = const_of(spread.x) if isinstance(spread, core.BroadcastTo) else None
    if not isinstance(spread, core.BroadcastTo) or number is None or number.size != 1:
        return NoMatch("not a constant that is repeated")
    if op.x.tensor.rank != 1 or op.x.tensor.is_static:
        return NoMatch("not a vector of an open size")
    if number.dtype is DType.STRING or not number.view().any():
        return NoMatch("the number is 0")
    e = CoreBuilder(rw)
    return e.expand_dims(e.arange(e.cast(spread.shape, DType.I64)), 1)


def _repeated_rows(x: Value, indices: Value, axis: int) -> tuple[Value, int, tuple[Size, ...]] | NoMatch:
    """The indices before they were repeated, of the rank of x; the axis, and their sizes before it.  Along axes of
    size 1 they are as they come.
    """
    sizes, shape = indices.tensor.shape, x.tensor.shape
    places = indices.producer.x if isinstance(indices.producer, core.BroadcastTo) else indices
    before = places.tensor.shape
    if sizes is None or shape is None or (places is indices and axis % len(shape) == len(shape) - 1):
        return NoMatch("the indices are not repeated")
    if before is None or len(before) != len(shape):
        return NoMatch(f"{places.type} has another rank than {x.type}")
    axis %= len(shape)
    if any(n != m for i, (n, m) in enumerate(zip(shape, sizes, strict=True)) if i != axis):
        return NoMatch(f"{indices.type} does not reach all of {x.type}")
    if before[axis] != sizes[axis] or any(n != 1 for n in before[axis + 1 :]):
        return NoMatch(f"{places.type} is not repeated along all axes behind {axis}")
    return places, axis, before[:axis]


def _squeezed(rw: Rewriter, x: Value, axes: range | list[int]) -> Value:
    return rw.emit(core.Squeeze(x, axes=tuple(axes))).y if len(axes) else x


PATTERNS = (gather_rows, scatter_rows, gather_from_repeated, all_places)
