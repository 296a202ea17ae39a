"""Elements that are picked or written at the same places of every row are rows that are picked or written; places that
are all there are."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, TypeAlias

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

Moved: TypeAlias = (
    core.Split | core.Reshape | core.ExpandDims | core.Squeeze | core.Tile | core.BroadcastTo | core.Transpose
)
Looking: TypeAlias = core.Gather | core.GatherElements | core.GatherNd
MOVED: Final = (core.Split, core.Reshape, core.ExpandDims, core.Squeeze, core.Tile, core.BroadcastTo, core.Transpose)
Ints: TypeAlias = tuple[int, ...]
_MOST = 1 << 18  # numbers of a table: a megabyte
_FEW = 2  # parts that are looked up one by one
_DEPTH = 8  # of what moves a table


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


@rewrite(core.GatherNd)
def gather_along_one_axis(op: core.GatherNd, rw: Rewriter) -> Replacement | NoMatch:
    """gather_nd at tuples of one number is a gather."""
    shape = op.indices.tensor.shape
    if shape is None or shape[-1] != 1:
        return NoMatch(f"the tuples {op.indices.type} have other than one number")
    places = _squeezed(rw, op.indices, [len(shape) - 1])
    batch = op.batch_dims
    return rw.emit(core.Gather(op.x, places, axis=batch, batch_dims=batch, from_start=op.from_start)).y


@rewrite(core.Gather, core.GatherElements, core.GatherNd)
def places_as_they_are(op: Looking, rw: Rewriter) -> Replacement | NoMatch:
    """Places in 32 bits need not be made wider."""
    wide = op.indices.producer
    if not isinstance(wide, core.Cast) or (wide.x.tensor.element, op.indices.tensor.element) != (DType.I32, DType.I64):
        return NoMatch("places are not made wider")
    rw.fuse(wide, by="places-as-they-are")
    return rw.emit(type(op)(op.x, wide.x, **op.attributes)).y


@rewrite(core.Reshape)
def gather_at_all_axes(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Rows that are picked at flat places, and get the axes of these back, are picked at these: `table[:, i.flatten()]`
    of biases by distance.
    """
    rows = op.x.producer
    flat = rows.indices.producer if isinstance(rows, core.Gather) and op.x.has_one_use else None
    if not isinstance(rows, core.Gather) or not isinstance(flat, core.Reshape) or rows.batch_dims:
        return NoMatch("nothing is picked at places that were made flat")
    table, places, axis = rows.x.tensor.shape, flat.x.tensor.shape, rows.axis
    if table is None or places is None or rows.indices.tensor.rank != 1:
        return NoMatch("places are not made a vector")
    axis %= len(table)
    if op.y.tensor.shape != (*table[:axis], *places, *table[axis + 1 :]):
        return NoMatch(f"{op.y.type} has other axes than those of {flat.x.type}")
    rw.fuse(rows, flat, by="gather-at-all-axes")
    return rw.emit(core.Gather(rows.x, flat.x, axis=axis, from_start=rows.from_start)).y


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


@rewrite(*MOVED)
def look_up_what_is_moved(op: Moved, rw: Rewriter) -> Replacement | NoMatch:
    """Rows of a small constant table whose own axes are moved, split or repeated are rows of a table where that is
    done: sines and cosines of positions.
    """
    rows = op.x.producer
    if not isinstance(rows, core.Gather) or rows.axis != 0 or rows.batch_dims or op.x.tensor.is_static:
        return NoMatch("operand is no rows of a table at places that a run tells")
    lead, table = rows.indices.tensor.shape or (), rows.x
    count = (table.tensor.shape or (0,))[0]
    if not lead or table.tensor.quant is not None or not _is_constant(table):
        return NoMatch(f"{table.type} is no table of numbers that are known now")
    behind = [static((y.tensor.shape or ())[len(lead) :]) for y in op.results]
    rests = [rest for rest in behind if rest is not None]
    if len(rests) < len(behind) or any((y.tensor.shape or ())[: len(lead)] != lead for y in op.results):
        return NoMatch("other axes than those of the rows change")
    if not isinstance(count, int) or count * sum(map(math.prod, rests)) > _MOST:
        return NoMatch(f"{table.type} is large")
    made = _moved_rows(op, table, len(lead), [(count, *rest) for rest in rests], CoreBuilder(rw))
    if made is None:
        return NoMatch("axes of rows are mixed with others")
    return [rw.emit(core.Gather(t, rows.indices, axis=0, from_start=rows.from_start)).y for t in made]


def _moved_rows(op: Moved, table: Value, lead: int, shapes: Sequence[Ints], e: CoreBuilder) -> Sequence[Value] | None:
    """The table with its rows changed as the op changes them, behind so many axes of places; None where it mixes these
    with others.
    """
    own = lead - 1  # the table has as many axes fewer
    if isinstance(op, core.Split):
        axis = op.axis % (op.x.tensor.rank or 1)
        few = len(op.x.uses) == 1 and len(op.sizes) <= _FEW  # no more ops than before
        return e.split(table, op.sizes, axis - own) if few and axis >= lead else None
    if isinstance(op, core.Transpose):
        kept = tuple(op.perm[:lead]) == tuple(range(lead))
        return [e.transpose(table, [0, *(p - own for p in op.perm[lead:])])] if kept else None
    (shape,), before = shapes, static(table.tensor.shape) or ()
    if isinstance(op, core.Tile):
        repeats = [m // max(n, 1) for n, m in zip(before, shape, strict=True)]
        return [e.y(core.Tile(table, e.constant(repeats, DType.I64)))]
    if isinstance(op, core.BroadcastTo):
        return [e.broadcast_to(table, shape)] if len(before) == len(shape) else None
    return [e.reshape(table, shape)] if math.prod(before) == math.prod(shape) else None


def _is_constant(value: Value, depth: int = _DEPTH) -> bool:
    """It is a constant, or one that is moved."""
    made = value.producer
    return isinstance(made, core.Constant) or (
        depth > 0 and isinstance(made, MOVED) and _is_constant(made.x, depth - 1)
    )


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


PATTERNS = (
    gather_rows,
    scatter_rows,
    gather_from_repeated,
    gather_along_one_axis,
    gather_at_all_axes,
    places_as_they_are,
    all_places,
    look_up_what_is_moved,
)
