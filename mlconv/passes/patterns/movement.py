"""Transposes, reshapes and slices: identities removed, neighbours joined."""

from __future__ import annotations

from typing import TypeAlias, Union

from mlconv.dialects import core
from mlconv.dialects.core.shape import computed_shape
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.shapes import is_told, moves_nothing, unit_axes
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

Reranked: TypeAlias = Union[core.Reshape, core.ExpandDims, core.Squeeze]
MAX_SPLIT = 5  # axes behind which transposes are slow on targets


@rewrite(core.Transpose)
def simplify_transpose(op: core.Transpose, rw: Rewriter) -> Replacement | NoMatch:
    """transpose(transpose(x)) joined; an identity dropped; one that only moves unit axes is a reshape."""
    if op.perm == tuple(range(len(op.perm))):
        return op.x
    inner = op.x.producer
    if isinstance(inner, core.Transpose):
        rw.fuse(inner, by="join-transposes")
        return rw.emit(core.Transpose(inner.x, perm=tuple(inner.perm[p] for p in op.perm))).y
    t = op.y.tensor
    if t.is_static and op.x.tensor.shape is not None and moves_nothing(op.x.tensor.shape, op.perm):
        return CoreBuilder(rw).reshape(op.x, t.static_shape())
    return NoMatch("operand is not a transpose")


def asks(op: Reranked) -> bool:
    """Whether an op holds for some sizes only, which are compared at run time: joined with another one it would hold
    for others.
    """
    before, after = op.x.tensor.shape, op.y.tensor.shape
    if before is None or after is None:
        return False
    if isinstance(op, core.Squeeze):
        return any(before[a] != 1 for a in op.axes)
    counts = (product(before), product(after))
    return counts[0] != counts[1] and is_told(counts)


@rewrite(core.Reshape)
def simplify_reshape(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(reshape(x)) is one reshape; a reshape to the own shape is dropped; a shape with at most one unknown
    becomes constant, one with computed sizes has no zeros to be copied.
    """
    shape = computed_shape(op.shape)
    if shape is not op.shape:
        return rw.emit(core.Reshape(op.x, shape)).y
    if op.x.tensor.shape is not None and op.x.tensor.shape == op.y.tensor.shape:
        return op.x
    inner = op.x.producer
    if isinstance(inner, (core.Reshape, core.ExpandDims, core.Squeeze)) and not asks(inner):
        rw.fuse(inner, by="join-reshapes")
        return rw.emit(core.Reshape(inner.x, op.shape)).y
    if isinstance(op.shape.producer, core.Constant):
        return NoMatch("shape is a constant")
    sizes = op.y.tensor.shape
    known = known_ints(op.shape)
    unknown = [i for i, d in enumerate(sizes or ()) if not isinstance(d, int)]
    if sizes is None or known is None or len(unknown) > 1 or 0 in sizes or asks(op):
        return NoMatch(f"shape {sizes} has {len(unknown)} unknown dimensions, or others than {op.x.type}")
    return CoreBuilder(rw).reshape(op.x, [d if isinstance(d, int) else -1 for d in sizes])


@rewrite(core.Reshape)
def reshape_what_stays(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(transpose(x)) where only axes of size 1 move is a reshape of x: attention with one head."""
    inner = op.x.producer
    if not isinstance(inner, core.Transpose) or inner.x.tensor.shape is None or op.x.tensor.quant is not None:
        return NoMatch("operand is no transpose of floats")
    if not moves_nothing(inner.x.tensor.shape, inner.perm):
        return NoMatch("other axes than those of size 1 move")
    rw.fuse(inner, by="reshape-what-stays")
    return rw.emit(core.Reshape(inner.x, op.shape)).y


@rewrite(core.Reshape)
def split_before_transpose(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(transpose(reshape(x))) that splits axes behind the transpose is transpose(reshape(x)): heads that torch's
    attention merges with the batch.
    """
    found = _turned_behind_reshape(op)
    if found is None:
        return NoMatch("operand is no transpose of what was reshaped")
    inner, turn = found
    groups = _split_axes(op.x.tensor.shape, op.y.tensor.shape)
    if groups is None or max(map(len, groups), default=0) < 2 or asks(op) or asks(inner):
        return NoMatch(f"{op.y.type} has other axes than those of {op.x.type}, split")
    order = [place for axis in sorted(range(len(groups)), key=turn.perm.__getitem__) for place in groups[axis]]
    e = CoreBuilder(rw)
    rw.fuse(inner, turn, by="split-before-transpose")
    apart = e.reshape(inner.x, e.gather(op.shape, order))
    return e.transpose(apart, [order.index(place) for place in range(len(order))])


@rewrite(core.Reshape)
def transpose_before_merging(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(transpose(reshape(x))) that merges axes before the transpose is reshape(transpose(x)), of which they are
    next to one another as well: heads that are merged, turned, and split again.
    """
    found = _turned_behind_reshape(op)
    if found is None:
        return NoMatch("operand is no transpose of what was reshaped")
    inner, turn = found
    groups = _split_axes(inner.y.tensor.shape, inner.x.tensor.shape)
    if groups is None or max(map(len, groups), default=0) < 2 or asks(op) or asks(inner):
        return NoMatch(f"{inner.y.type} has other axes than those of {inner.x.type}, merged")
    rw.fuse(inner, turn, by="transpose-before-merging")
    e = CoreBuilder(rw)
    return rw.emit(core.Reshape(e.transpose(inner.x, [i for axis in turn.perm for i in groups[axis]]), op.shape)).y


def _turned_behind_reshape(op: core.Reshape) -> tuple[core.Reshape, core.Transpose] | None:
    """A reshape and a transpose in front of another reshape, which nothing else reads."""
    turn = op.x.producer
    inner = turn.x.producer if isinstance(turn, core.Transpose) and op.x.has_one_use else None
    if not isinstance(turn, core.Transpose) or not isinstance(inner, core.Reshape) or not turn.x.has_one_use:
        return None
    return inner, turn


def _split_axes(before: Shape | None, after: Shape | None) -> list[list[int]] | None:
    """Places in a shape of the parts of each axis of another one, which are none of an axis of size 1 that goes; None
    where it is not split alone.
    """
    if before is None or after is None or not is_told(before) or not is_told(after) or len(after) > MAX_SPLIT:
        return None
    groups: list[list[int]] = []
    place = 0
    for size in before:
        if size == 1 and after[place : place + 1] != (1,):
            groups.append([])  # it goes
            continue
        group = [place]
        while place < len(after) and product([after[i] for i in group]) != size:
            place += 1
            group.append(place)
        if place >= len(after):
            return None
        groups.append(group)
        place += 1
    return groups if place == len(after) else None


@rewrite(core.Transpose, core.Reshape, core.ExpandDims, core.Squeeze)
def transpose_beside_unit_axes(op: core.Transpose | Reranked, rw: Rewriter) -> Replacement | NoMatch:
    """A transpose between reshapes, or beside one, that give and take axes of size 1 alone is a transpose of what they
    read, where that has as many axes as what comes out.
    """
    turn = op if isinstance(op, core.Transpose) else op.x.producer
    if not isinstance(turn, core.Transpose) or (turn is not op and not op.x.has_one_use) or op.y.tensor.quant:
        return NoMatch("no transpose")
    inner = turn.x.producer
    x = turn.x
    if isinstance(inner, (core.Reshape, core.ExpandDims, core.Squeeze)) and not asks(inner):
        x = inner.x
    before, between, after = x.tensor.shape, turn.x.tensor.shape, op.y.tensor.shape
    if before is None or between is None or after is None or len(before) != len(after) or (turn is op and x is turn.x):
        return NoMatch("no axes of size 1 come and go, or as many as went")
    kept, units = ([a for a, n in enumerate(before) if (n == 1) == one] for one in (False, True))
    apart = [a for a, n in enumerate(between) if n != 1]
    order = [kept[apart.index(a)] for a in turn.perm if a in apart] if len(apart) == len(kept) else []
    if [before[a] for a in kept] != [between[a] for a in apart] or [before[a] for a in order] != _others(after):
        return NoMatch("other axes than those of size 1 come and go")
    if turn is not op:
        rw.fuse(turn)
    if x is not turn.x and inner is not None:
        rw.fuse(inner, by="transpose-beside-unit-axes")
    places, ones = iter(order), iter(units)
    return rw.emit(core.Transpose(x, perm=tuple(next(ones) if n == 1 else next(places) for n in after))).y


def _others(shape: Shape) -> list[Size]:
    """Sizes but those of 1."""
    return [n for n in shape if n != 1]


@rewrite(core.ExpandDims, core.Squeeze)
def static_rank_change_is_reshape(op: core.ExpandDims | core.Squeeze, rw: Rewriter) -> Replacement | NoMatch:
    """One form for changes of rank: reshape, where at most one dimension is unknown."""
    if not op.axes:
        return op.x
    sizes = op.y.tensor.shape
    if asks(op):
        return NoMatch(f"that {op.x.type} has size 1 there is known at run time")
    if sizes is None or sum(not isinstance(d, int) for d in sizes) > 1 or 0 in sizes:
        return NoMatch(f"{op.y.type} has several unknown dimensions")
    return CoreBuilder(rw).reshape(op.x, [d if isinstance(d, int) else -1 for d in sizes])


@rewrite(core.Gather)
def only_row_is_reshape(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """x[..., 0, ...] along an axis of size 1 is a reshape, or a squeeze where several sizes are not known."""
    shape, index = op.x.tensor.shape, known_ints(op.indices)
    axis = op.axis % len(shape) if shape else 0
    if not shape or shape[axis] != 1 or index not in ((0,), (-1,)) or op.indices.tensor.shape != () or op.batch_dims:
        return NoMatch("not the only row")
    rest = (*shape[:axis], *shape[axis + 1 :])
    if sum(not isinstance(d, int) for d in rest) > 1 or 0 in rest:
        return rw.emit(core.Squeeze(op.x, axes=(axis,))).y
    return CoreBuilder(rw).reshape(op.x, [d if isinstance(d, int) else -1 for d in rest])


@rewrite(core.Gather)
def row_of_more_axes(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """A row of what was given an axis of size 1 is given that axis, which a reshape behind it takes in."""
    inner = op.x.producer
    if not isinstance(inner, core.ExpandDims) or op.indices.tensor.shape != () or op.batch_dims:
        return NoMatch("no row of more axes")
    rank = op.x.tensor.rank or 0
    axis, added = op.axis % rank, sorted(a % rank for a in inner.axes)
    if axis in added:
        return NoMatch("the row is the only one")
    row = rw.emit(core.Gather(inner.x, op.indices, axis=axis - sum(a < axis for a in added), from_start=op.from_start))
    return rw.emit(core.ExpandDims(row.y, axes=tuple(a - (a > axis) for a in added))).y


@rewrite(core.Gather)
def row_of_transpose(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """One of several tensors that a transpose puts first (queries, keys and values) is taken where it lies, if it lies
    there in its order.
    """
    transpose, dropped = _transpose_behind(op.x)
    if transpose is None or op.batch_dims or op.indices.tensor.shape != ():
        return NoMatch("no row of a transpose")
    kept = [p for i, p in enumerate(transpose.perm) if i not in dropped]
    axis = kept.pop(op.axis % len(kept))
    sizes = transpose.x.tensor.shape or ()
    moved = [p for p in kept if sizes[p] != 1] if op.y.tensor.is_static else kept
    if moved != sorted(moved):
        return NoMatch("what is left is in another order")
    row = rw.emit(core.Gather(transpose.x, op.indices, axis=axis, from_start=op.from_start)).y
    units = tuple(p - (p > axis) for p in sorted(transpose.perm[i] for i in dropped))
    parts = [transpose, *([op.x.producer] if dropped and op.x.producer is not None else [])]
    rw.fuse(*parts, by="row-of-transpose")
    if op.y.tensor.is_static and op.y.tensor.shape != row.tensor.shape:
        return CoreBuilder(rw).reshape(row, op.y.tensor.static_shape())
    return rw.emit(core.Squeeze(row, axes=units)).y if units else row


def _transpose_behind(x: Value) -> tuple[core.Transpose | None, tuple[int, ...]]:
    """The transpose that x is, and which of its axes of size 1 x lacks."""
    op = x.producer
    dropped: tuple[int, ...] = ()
    if isinstance(op, (core.Squeeze, core.Reshape)) and x.tensor.shape is not None and op.x.tensor.shape is not None:
        dropped = unit_axes(x.tensor.shape, op.x.tensor.shape) or ()
        op = op.x.producer if dropped else None
    return (op, dropped) if isinstance(op, core.Transpose) else (None, ())


@rewrite(core.Slice)
def drop_full_slice(op: core.Slice, rw: Rewriter) -> Replacement | NoMatch:
    """x[:] is x."""
    strides = known_ints(op.strides)
    shape = op.x.tensor.shape
    if shape is None or shape != op.y.tensor.shape or strides is None or any(s != 1 for s in strides):
        return NoMatch("slice is not the whole")
    return op.x


@rewrite(core.DynamicSlice)
def drop_full_dynamic_slice(op: core.DynamicSlice, rw: Rewriter) -> Replacement | NoMatch:
    """x[0:size] is x, wherever a slice of all elements begins: one that leaves x is an error."""
    shape, begin, size = op.x.tensor.shape, known_ints(op.begin), known_ints(op.size)
    if shape is None or shape != op.y.tensor.shape:
        return NoMatch("slice is not the whole")
    if size != shape and (begin is None or any(b != 0 for b in begin)):
        return NoMatch("the slice may begin elsewhere")
    return op.x


@rewrite(core.Concat)
def drop_single_concat(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """Operands without elements along the axis are left out; a concat of one value is that value."""
    xs = [v for v in op.xs if v.tensor.shape is None or v.tensor.shape[op.axis] != 0]
    if len(xs) == 1:
        return xs[0]
    if len(xs) == len(op.xs) or not xs:
        return NoMatch("every operand has elements")
    return rw.emit(core.Concat(xs, axis=op.axis)).y


@rewrite(core.Split)
def drop_single_split(op: core.Split, rw: Rewriter) -> Replacement | NoMatch:
    """A split into one part is its operand."""
    return [op.x] if len(op.sizes) == 1 else NoMatch("several parts")


@rewrite(core.Pad)
def drop_empty_pad(op: core.Pad, rw: Rewriter) -> Replacement | NoMatch:
    """A pad by nothing is its operand."""
    amounts = pad_amounts(op.pads)
    if amounts is None or any(p != (0, 0) for p in amounts):
        return NoMatch("pads something")
    return op.x


@rewrite(core.Tile)
def drop_single_tile(op: core.Tile, rw: Rewriter) -> Replacement | NoMatch:
    """One repetition along every axis is the operand."""
    known = known_ints(op.repeats)
    return op.x if known is not None and all(k == 1 for k in known) else NoMatch("repeats something")


@rewrite(core.BroadcastTo)
def drop_same_broadcast(op: core.BroadcastTo, rw: Rewriter) -> Replacement | NoMatch:
    """A broadcast to the own shape is the operand."""
    return (
        op.x if op.x.tensor.shape is not None and op.x.tensor.shape == op.y.tensor.shape else NoMatch("shape changes")
    )


PATTERNS = (
    simplify_transpose,
    simplify_reshape,
    split_before_transpose,
    transpose_before_merging,
    reshape_what_stays,
    transpose_beside_unit_axes,
    static_rank_change_is_reshape,
    only_row_is_reshape,
    row_of_more_axes,
    row_of_transpose,
    drop_full_slice,
    drop_full_dynamic_slice,
    drop_single_concat,
    drop_single_split,
    drop_empty_pad,
    drop_single_tile,
    drop_same_broadcast,
)
