"""Tensors of positions that sizes alone tell: what reads in order needs no indices.

Masks and tables of models whose sizes are known at run time are picked at positions that `range` makes.  Where those
are the coordinates of the result, picking is a slice of the front; comparisons that all positions fulfil are left out.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar, TypeAlias, Union

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.shapes import moves_nothing, unit_axes, without_units
from mlconv.ir.spec import known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.block_writes import write_block
from mlconv.passes.broadcasts import drop_repetitions
from mlconv.passes.constant_pieces import look_up_pieces, same_everywhere
from mlconv.passes.cse import merge_common
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.decided_conditions import PATTERNS as DECIDED
from mlconv.passes.even_splits import split_evenly
from mlconv.passes.fold import Fold
from mlconv.passes.front_rows import rows_in_what_is_added
from mlconv.passes.grid_points import PATTERNS as GRIDS
from mlconv.passes.known_places import compute_at_known_places
from mlconv.passes.narrow_positions import narrow_positions
from mlconv.passes.patterns.algebra import drop_neutral_operand
from mlconv.passes.patterns.movement import simplify_reshape, static_rank_change_is_reshape
from mlconv.passes.patterns.picks import gather_at_all_axes
from mlconv.passes.piece_tables import look_up_repeated
from mlconv.passes.position_tables import look_up_distances
from mlconv.passes.repeated_numbers import PATTERNS as REPEATED
from mlconv.passes.repeated_rows import rows_that_count
from mlconv.passes.row_reads import read_row
from mlconv.passes.shared_fronts import share_fronts
from mlconv.passes.size_bounds import learn_bounds
from mlconv.passes.slice_bounds import count_from_the_end
from mlconv.passes.table_lookups import PATTERNS as TABLES
from mlconv.rewrite import NoMatch, Rewriter, greedy, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.index_forms import positions
from mlconv.rewrite.pattern import Replacement

Moved: TypeAlias = Union[core.ExpandDims, core.Squeeze, core.Reshape, core.Transpose]


class SimplifyIndices(Pass):
    """Gathers at positions that are their own coordinates become slices; comparisons of positions are decided."""

    name: ClassVar[str] = "simplify-indices"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if not is_dynamic(function.block):
            greedy(function.block, _STATIC, context.statistics)
            split_evenly(function.block)
            eliminate_dead_code(function.block)
            return
        learn_bounds(function)
        if compute_at_known_places(function):
            eliminate_dead_code(function.block)
            Fold(stored=True).fold_block(function.block)
        greedy(function.block, _PATTERNS, context.statistics)
        eliminate_dead_code(function.block)
        look_up_pieces(function.block)
        greedy(function.block, (write_block,), context.statistics)
        eliminate_dead_code(function.block)
        merge_common(function.block, fills=False)
        if drop_repetitions(function.block):
            Fold(stored=True).fold_block(function.block)
        look_up_distances(function.block)
        look_up_repeated(function)
        eliminate_dead_code(function.block)
        narrow_positions(function.block)
        greedy(
            function.block,
            (*_PATTERNS, write_block, *TABLES, *GRIDS, gather_at_all_axes, count_from),
            context.statistics,
        )
        share_fronts(function)
        split_evenly(function.block)
        eliminate_dead_code(function.block)


@rewrite(core.ExpandDims, core.Squeeze, core.Reshape, core.Transpose)
def join_unit_axes(op: Moved, rw: Rewriter) -> Replacement | NoMatch:
    """Axes of size 1 that come, go and move: those alone that are left."""
    inner, shape = op.x.producer, op.y.tensor.shape
    if not isinstance(inner, (core.ExpandDims, core.Squeeze, core.Reshape, core.Transpose)) or shape is None:
        return NoMatch("operand does not change axes")
    if not (_keeps_order(op) and _keeps_order(inner)):
        return NoMatch("other axes than those of size 1 move")
    between, before = inner.y.tensor.shape, inner.x.tensor.shape
    if before is None or between is None or len({*map(without_units, (before, between, shape))}) > 1:
        return NoMatch("other axes than those of size 1 change")
    rw.fuse(inner, by="join-unit-axes")
    e = CoreBuilder(rw)
    if before == shape:
        return inner.x
    added, dropped = unit_axes(before, shape), unit_axes(shape, before)
    if added is not None:
        return e.y(core.ExpandDims(inner.x, axes=added))
    return NoMatch("axes come and go") if dropped is None else e.y(core.Squeeze(inner.x, axes=dropped))


def _keeps_order(op: Moved) -> bool:
    """All axes but those of size 1 stay in order."""
    shape = op.x.tensor.shape
    if not isinstance(op, core.Transpose) or shape is None:
        return shape is not None
    return moves_nothing(shape, op.perm)


@rewrite(core.Reshape)
def add_axes_alone(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Axes of size 1 are put between others without sizes of these."""
    before, after = op.x.tensor.shape, op.y.tensor.shape
    axes = None if before is None or after is None or const_of(op.shape) is not None else unit_axes(before, after)
    if axes is None:
        return NoMatch("the shape is known, or other axes change")
    return CoreBuilder(rw).y(core.ExpandDims(op.x, axes=axes))


@rewrite(core.BroadcastTo)
def broadcast_of_leading_units(op: core.BroadcastTo, rw: Rewriter) -> Replacement | NoMatch:
    """Axes of size 1 in front of all others need not be there to be repeated."""
    inner = op.x.producer
    if not isinstance(inner, (core.ExpandDims, core.Reshape)) or inner.x.tensor.shape is None:
        return NoMatch("operand adds no axes")
    before, after = inner.x.tensor.shape, op.x.tensor.shape or ()
    more = len(after) - len(before)
    if more <= 0 or not before or after != (1,) * more + before:
        return NoMatch("other axes change")
    return rw.emit(core.BroadcastTo(inner.x, op.shape)).y


@rewrite(core.Squeeze)
def join_rank_changes(op: core.Squeeze, rw: Rewriter) -> Replacement | NoMatch:
    """squeeze(reshape(x)) is one reshape."""
    inner, shape = op.x.producer, op.y.tensor.shape
    if not isinstance(inner, core.Reshape) or shape is None or op.x.tensor.shape is None:
        return NoMatch("operand is not a reshape")
    if any(op.x.tensor.shape[a] != 1 for a in op.axes):
        return NoMatch("an axis is not known to be 1")
    e = CoreBuilder(rw)
    kept = [i for i in range(len(op.x.tensor.shape)) if i not in {a % len(op.x.tensor.shape) for a in op.axes}]
    rw.fuse(inner, by="join-reshapes")
    return e.y(core.Reshape(inner.x, e.gather(inner.shape, kept, axis=0)))


@rewrite(core.Gather)
def gather_in_order(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """gather(reshape(z, [b*t, ...]), i*t + j) is z[:b, :t]."""
    x, shape = op.x, op.indices.tensor.shape
    if op.axis != 0 or op.batch_dims or x.tensor.shape is None or not shape or const_of(op.indices) is not None:
        return NoMatch("not along the first axis, or at places that are known")
    found = positions(op.indices)
    if found is None or found.offset != 0 or not found.steps:
        return NoMatch("the places are no positions from 0 on")
    for source, lead in ((x, 1), _unflattened(x)):
        if source is None or source.tensor.shape is None:
            continue
        axes = _axes_of(source.tensor.shape[:lead], found.steps)
        if axes is not None:
            return _front(rw, source, axes, op.indices, op.y)
    return NoMatch("the steps are not those of the axes that are flattened")


def _unflattened(x: Value) -> tuple[Value | None, int]:
    """What x is, with its first axis taken apart into so many."""
    maker = x.producer
    before, after = (None, None) if not isinstance(maker, core.Reshape) else (maker.x.tensor.shape, x.tensor.shape)
    if before is None or after is None or not isinstance(maker, core.Reshape):
        return None, 0
    behind = [n for n in after[1:] if n != 1]
    lead = len(before) - len(behind)
    if lead < 1 or list(before[lead:]) != behind or product(before[:lead]) != after[0]:
        return None, 0
    return maker.x, lead


def _axes_of(lead: Shape, steps: Mapping[int, Size]) -> list[int | None] | None:
    """For each of the axes that an index goes over, row-major, the axis of the indices that counts it."""
    left = dict(steps)
    axes: list[int | None] = []
    for i, size in enumerate(lead):
        stride = product(lead[i + 1 :])
        axis = next((a for a, step in left.items() if step == stride), None)
        if axis is None and size != 1:
            return None
        axes.append(axis)
        if axis is not None:
            del left[axis]
    counted = [a for a in axes if a is not None]
    return axes if not left and counted == sorted(counted) else None


@rewrite(core.GatherNd)
def gather_tuples_in_order(op: core.GatherNd, rw: Rewriter) -> Replacement | NoMatch:
    """gather_nd(x, [i, j]) at [i, j] is x[:n, :m]."""
    tuples = op.indices.producer
    shape = op.indices.tensor.shape
    if not isinstance(tuples, core.Concat) or shape is None or tuples.axis % len(shape) != len(shape) - 1:
        return NoMatch("the tuples are not joined of their parts")
    if op.batch_dims or any((x.tensor.shape or (0,))[-1] != 1 for x in tuples.xs):
        return NoMatch("parts have more than a number, or there are batch axes")
    axes: list[int | None] = []
    for part in tuples.xs:
        found = positions(part)
        axes.append(None if found is None else found.only_axis())
    counted = [a for a in axes if a is not None]
    if len(counted) != len(axes) or counted != sorted(set(counted)):
        return NoMatch("the parts are not the coordinates, in order")
    return _front(rw, op.x, axes, op.indices, op.y)


def _front(rw: Rewriter, x: Value, axes: Sequence[int | None], indices: Value, y: Value) -> Value | NoMatch:
    """The front of x, as long along each of its first axes as an axis of the indices, under the shape of y."""
    old, places, shape = x.tensor.shape, indices.tensor.shape, y.tensor.shape
    if old is None or places is None or shape is None:
        return NoMatch("a rank is not known")
    kept = {a for a in axes if a is not None}
    unit = [n if i in kept or i >= len(places) else 1 for i, n in enumerate(shape)]
    lengths = [*(old[i] if axis is None else places[axis] for i, axis in enumerate(axes)), *old[len(axes) :]]
    if product(unit) != product(lengths):
        return NoMatch(f"the front has the sizes {lengths}, the result {unit}")
    e = CoreBuilder(rw)
    if tuple(lengths) != old:
        sizes = [_part(e, n, indices, x) for n in lengths]
        x = e.y(core.DynamicSlice(x, e.vector([0] * len(old)), e.vector(sizes)))
    x = e.reshape(x, [_part(e, n, indices, x) for n in unit])
    return x if tuple(unit) == shape else e.broadcast_to(x, [_part(e, n, indices, x) for n in shape])


def _part(e: CoreBuilder, size: Size, *values: Value) -> Part:
    """A size, from the shape of a value that has it: of an argument, so that others need not be made for it."""
    if isinstance(size, int):
        return size
    arguments = [v for v in e.builder.block.arguments if isinstance(v.type, TensorType)]
    value = next(v for v in (*arguments, *values) if size in (v.tensor.shape or ()))
    origin = _origin(size, value)
    return e.dim(origin, (origin.tensor.shape or ()).index(size))


def _origin(size: Size, value: Value) -> Value:
    """What a size comes from, behind ops that hand it on."""
    while True:
        op = value.producer
        hands_on = op is not None and op.spec is not None and Elementwise in op.spec.traits
        if op is None or not (hands_on or isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze))):
            return value
        inner = next((v for v in op.inputs if size in (v.tensor.shape or ())), None)
        if inner is None:
            return value
        value = inner


@rewrite(core.Add)
def count_from(op: core.Add, rw: Rewriter) -> Replacement | NoMatch:
    """range(0, n, 1) + c is range(c, c + n, 1)."""
    for a, c in ((op.a, op.b), (op.b, op.a)):
        maker = a.producer
        if not isinstance(maker, core.Range) or not a.has_one_use or c.tensor.shape != () or not a.tensor.dtype.is_int:
            continue
        start, limit, by = (known_ints(v) for v in (c, maker.limit, maker.step))
        if const_of(c) is None and start and limit and ints_of(maker.start) == (0,) and by == (1,):
            rw.fuse(maker, by="count-from")
            y = rw.emit(core.Range(c, rw.emit(core.Add(c, maker.limit)).y, maker.step)).y
            return y if y.tensor.shape == op.y.tensor.shape else NoMatch("the length is no longer known")
    return NoMatch("nothing is counted from 0 and moved")


@rewrite(core.ShapeOf)
def shape_of_origins(op: core.ShapeOf, rw: Rewriter) -> Replacement | NoMatch:
    """A shape is told by those of arguments, or of what its sizes come from: nothing is made for its sizes alone."""
    shape = op.x.tensor.shape
    if op.x.producer is None or shape is None or op.x.tensor.is_static or op.dtype is not DType.I64:
        return NoMatch("of an argument, or known")
    arguments = [v for v in rw.block.arguments if isinstance(v.type, TensorType)]
    told = {n for v in arguments for n in v.tensor.shape or ()}
    if any(isinstance(n, Dim) and n not in told and _origin(n, op.x) is op.x for n in shape):
        return NoMatch("a size comes from here")
    e = CoreBuilder(rw)
    return e.vector([_part(e, n, op.x) for n in shape])


@rewrite(core.Gather)
def gather_one_row(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """A gather of the same row everywhere is that row, repeated."""
    constant = same_everywhere(op.indices)
    shape, places = op.y.tensor.shape, op.indices.tensor.shape
    if constant is None or op.axis != 0 or op.batch_dims or shape is None or not places or op.indices.tensor.is_static:
        return NoMatch("the places are not the same one")
    handle = const_of(constant)
    if handle is None or any(isinstance(n, int) and n == 0 for n in places):
        return NoMatch("there are no places")
    e = CoreBuilder(rw)
    row = op.x
    if (op.x.tensor.shape or ())[0] != 1:
        row = e.gather(op.x, [int(handle.view().reshape(-1)[0])], axis=0)
    row = e.reshape(row, [*(1 for _ in places), *e.dims(op.x)[1:]])
    return e.broadcast_to(row, [_part(e, n, op.indices, op.x) for n in shape])


def is_dynamic(block: Block) -> bool:
    """Sizes of some value are known at run time only."""
    values = [*block.arguments, *(v for op in block.ops for v in op.results)]
    return any(isinstance(v.type, TensorType) and not v.type.is_static for v in values)


_STATIC = (write_block, read_row, static_rank_change_is_reshape, simplify_reshape)
_PATTERNS = (
    shape_of_origins,
    join_unit_axes,
    add_axes_alone,
    broadcast_of_leading_units,
    simplify_reshape,
    join_rank_changes,
    gather_one_row,
    gather_in_order,
    gather_tuples_in_order,
    read_row,
    rows_in_what_is_added,
    rows_that_count,
    *DECIDED,
    *REPEATED,
    drop_neutral_operand,
    count_from_the_end,
)
