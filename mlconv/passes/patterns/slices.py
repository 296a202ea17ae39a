"""Slices of slices, and beside one another, and parts of what is one number everywhere."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias, Union

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import Shape, TensorType
from mlconv.rewrite import NoMatch, Rewriter, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.pattern import Replacement

Moved: TypeAlias = Union[core.Slice, core.Reshape, core.ExpandDims, core.Squeeze, core.Transpose, core.Gather]


@rewrite(core.Slice)
def join_slices(op: core.Slice, rw: Rewriter) -> Replacement | NoMatch:
    """Slices along different axes are one: exporters write `x[:, :h, :w]` as two."""
    inner = op.x.producer
    if not isinstance(inner, core.Slice) or not op.x.has_one_use:
        return NoMatch("operand is no slice that nothing else reads")
    outer_axes, inner_axes = cut_axes(op), cut_axes(inner)
    if outer_axes is None or inner_axes is None or outer_axes & inner_axes:
        return NoMatch("both cut the same axis, or where is not known")
    if any(a.tensor.dtype is not b.tensor.dtype for a, b in zip(op.inputs[1:], inner.inputs[1:], strict=True)):
        return NoMatch("bounds are of other types")
    rank = op.x.tensor.rank or 0
    e = CoreBuilder(rw)
    places = [i + rank if i in outer_axes else i for i in range(rank)]
    first, last, steps = (
        e.gather(e.y(core.Concat([a, b], axis=0)), places) for a, b in zip(inner.inputs[1:], op.inputs[1:], strict=True)
    )
    own = sum(1 << i for i in outer_axes)
    begin, end = ((a & own) | (b & ~own) for a, b in ((op.begin_mask, inner.begin_mask), (op.end_mask, inner.end_mask)))
    rw.fuse(inner, by="join-slices")
    return e.y(core.Slice(inner.x, first, last, steps, begin_mask=begin, end_mask=end))


@rewrite(core.Concat)
def join_neighbours(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """Slices that follow one another and are all there is of a value are that value: sizes that are taken apart."""
    first = op.xs[0].producer
    if not isinstance(first, core.Slice) or len(op.xs) < 2:
        return NoMatch("no slices are joined")
    axis, shape = op.axis % (first.x.tensor.rank or 1), first.x.tensor.shape or ()
    reached: object = 0
    for part in op.xs:
        cut = part.producer
        bounds = _bounds(cut, axis) if isinstance(cut, core.Slice) and cut.x is first.x else None
        if bounds is None or bounds[0] != reached:
            return NoMatch("something else, or not what follows, is joined")
        reached = bounds[1]
    if not shape or reached != shape[axis]:
        return NoMatch(f"there are more than {reached} elements along the axis")
    return first.x


def _bounds(op: core.Slice, axis: int) -> tuple[int, int] | None:
    """Where a slice along one axis of a known size begins and ends; None of others."""
    axes, size = cut_axes(op), (op.x.tensor.shape or (None,))[axis]
    strides, begins, ends = (known_ints(v) for v in (op.strides, op.begin, op.end))
    if axes is None or not axes <= {axis} or strides is None or strides[axis] != 1 or not isinstance(size, int):
        return None
    begin = 0 if op.begin_mask >> axis & 1 else begins[axis] if begins is not None else None
    end = size if op.end_mask >> axis & 1 else ends[axis] if ends is not None else None
    if not isinstance(begin, int) or not isinstance(end, int):
        return None
    return slice(begin, end).indices(size)[:2]


def cut_axes(op: core.Slice) -> set[int] | None:
    """The axes of which not everything is taken, in order."""
    strides = known_ints(op.strides)
    if strides is None:
        return None
    whole = op.begin_mask & op.end_mask
    return {i for i, step in enumerate(strides) if not whole >> i & 1 or step != 1}


@rewrite(core.Slice)
def part_of_spread(op: core.Slice, rw: Rewriter) -> Replacement | NoMatch:
    """Parts of what a column and a row of constants give are computed of parts of the row: sines and cosines of
    positions, each of half of the frequencies.
    """
    inner, shape = op.x.producer, op.x.tensor.shape
    if not isinstance(inner, Binary) or shape is None or op.y.tensor.quant is not None:
        return NoMatch("operand is not computed of two")
    last = len(shape) - 1
    bounds = [known_ints(v) for v in (op.begin, op.end, op.strides)]
    begin, end, step = (b[last] if b is not None and len(b) > last else None for b in bounds)
    if cut_axes(op) != {last} or not isinstance(begin, int) or not isinstance(end, int) or not isinstance(step, int):
        return NoMatch("other axes than the last one are cut, or where is not known")
    if any(not isinstance(user, core.Slice) or cut_axes(user) != {last} for user in op.x.users):
        return NoMatch("something else reads the whole")
    sizes = [(v.tensor.shape or (1,))[-1] for v in inner.inputs]
    rows = [v for v, n in zip(inner.inputs, sizes, strict=True) if n == shape[last] and n != 1]
    if sizes.count(1) != 1 or len(rows) != 1 or not isinstance(rows[0].producer, core.Constant):
        return NoMatch("not of a column and a row of constants")
    e = CoreBuilder(rw)
    held = (None if op.begin_mask >> last & 1 else begin, None if op.end_mask >> last & 1 else end, step)
    part = e.slice(rows[0], {-1: held})
    return rw.emit(remake(inner, [part if v is rows[0] else v for v in inner.operands])).results[0]


@rewrite(core.Slice, core.Reshape, core.ExpandDims, core.Squeeze, core.Transpose, core.Gather)
def part_of_repeated(op: Moved, rw: Rewriter) -> Replacement | NoMatch:
    """A part of a number that is repeated, or it under another shape, is the number, repeated as often: initial states
    of recurrent layers, cut out for each of them.
    """
    spread, shape = op.x.producer, op.y.tensor.shape
    if not isinstance(spread, core.BroadcastTo) or spread.x.tensor.shape != () or shape is None:
        return NoMatch("operand is no number that is repeated")
    e = CoreBuilder(rw)
    told = [(spread.shape, op.x.tensor.shape or ())]
    if isinstance(op, core.Gather):
        told.append((e.shape_of(op.indices), op.indices.tensor.shape or ()))
    parts = [told_size(e, n, told) for n in shape]
    known = [p for p in parts if p is not None]
    if len(known) < len(parts):
        return NoMatch(f"sizes of {op.y.type} are not those of {op.x.type}")
    return e.broadcast_to(spread.x, known)


@rewrite(*(cls for cls in core.OPS if Elementwise in cls.spec.traits))
def compute_before_repeating(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """What is computed of a number that is repeated, and of other numbers or constants, is computed once and repeated:
    masks of a model that is given none, sizes of anchors.
    """
    if op.results[0].tensor.is_static:
        return NoMatch("all sizes are known")
    spreads = [v.producer for v in op.inputs if v.tensor.size != 1 and not isinstance(v.producer, core.Constant)]
    spread = spreads[0] if len(spreads) == 1 else None
    if not isinstance(spread, core.BroadcastTo) or spread.x.tensor.shape != () or len(op.results) != 1:
        return NoMatch("not one operand is a number that is repeated, and the others numbers or constants")
    y = op.results[0]
    if y.tensor.shape != spread.y.tensor.shape or y.tensor.quant is not None:
        return NoMatch(f"{y.type} is of another shape than what is repeated, or quantized")
    if [t.shape for t in spread.inferred() if isinstance(t, TensorType)] != [y.tensor.shape]:
        return NoMatch("its sizes are what a user says of it")
    e = CoreBuilder(rw)
    small = [spread.x if v is spread.y else v for v in op.operands]
    once = rw.emit(remake(op, [e.scalar(v) if v is not None and v.tensor.size == 1 else v for v in small])).results[0]
    return e.broadcast_to(once, spread.shape) if once.tensor.is_static else NoMatch("the number has open axes")


@rewrite(core.Resize)
def resize_repeated(op: core.Resize, rw: Rewriter) -> Replacement | NoMatch:
    """Elements that are picked out of a number that is repeated are that number, repeated for another image: masks of
    images that are whole.
    """
    spread, shape = op.x.producer, op.x.tensor.shape
    if not isinstance(spread, core.BroadcastTo) or spread.x.tensor.shape != () or not op.moves_integers() or not shape:
        return NoMatch("not the nearest elements of a number that is repeated")
    if op.x.tensor.is_static or len(spread.shape.tensor.shape or ()) != 1:
        return NoMatch("sizes are known")
    e, places = CoreBuilder(rw), {axis: i for i, axis in enumerate(op.axes)}
    before, after = e.cast(spread.shape, DType.I64), e.cast(op.sizes, DType.I64)
    sizes = [e.gather(after, [places[i]]) if i in places else e.gather(before, [i]) for i in range(len(shape))]
    return e.broadcast_to(spread.x, sizes)


@rewrite(core.ReverseSequence)
def reverse_whole_rows(op: core.ReverseSequence, rw: Rewriter) -> Replacement | NoMatch:
    """Sequences that are all as long as their axis are reversed along it: layers that go backwards, as tf2onnx writes
    them.
    """
    spread, shape = op.lengths.producer, op.x.tensor.shape
    lengths = known_ints(spread.x if isinstance(spread, (core.BroadcastTo, core.Tile)) else op.lengths)
    size = shape[op.time_axis] if shape else None
    if size is None or not is_told((size,)) or not lengths or any(n != size for n in lengths):
        return NoMatch("some sequence is known to be shorter, or may be")
    return rw.emit(core.Reverse(op.x, axes=(op.time_axis % len(shape or ()),))).y


def told_size(e: CoreBuilder, size: Size, told: Sequence[tuple[Value, Shape]]) -> Part | None:
    """A size that is one in a vector of sizes, or that of some axes in a row, merged."""
    if isinstance(size, int) or not size.is_known:
        return size if isinstance(size, int) else None
    for vector, sizes in told:
        for count in range(1, len(sizes) + 1):
            for i in range(len(sizes) - count + 1):
                if product(sizes[i : i + count]) == size:
                    return e.prod([_element(e, vector, k) for k in range(i, i + count)])
    return None


def _element(e: CoreBuilder, vector: Value, place: int) -> Value:
    """One element of a vector, int64 [1]: the part itself where the vector is put together of such."""
    joined = vector.producer
    if isinstance(joined, core.Concat) and all(v.tensor.shape == (1,) for v in joined.inputs[: place + 1]):
        return e.cast(joined.inputs[place], DType.I64)
    return e.gather(e.cast(vector, DType.I64), [place])


PATTERNS = (
    join_slices,
    join_neighbours,
    part_of_spread,
    part_of_repeated,
    compute_before_repeating,
    resize_repeated,
    reverse_whole_rows,
)
