"""Parts of what was put together: slices and elements of a concatenation, halves of complex numbers."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.size_facts import SizeFacts, holds, simplify
from mlconv.ir.spec import known_ints
from mlconv.passes.patterns.slices import cut_axes
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.pattern import Replacement

_NO_FACTS = SizeFacts()


@rewrite(core.Slice)
def slice_of_concat(op: core.Slice, rw: Rewriter) -> Replacement | NoMatch:
    """A slice of joined tensors that lies in one of them is a slice of that one: real and imaginary parts."""
    joined = op.x.producer
    if not isinstance(joined, core.Concat) or cut_axes(op) != {joined.axis}:
        return NoMatch("operand is no concatenation, or other axes are cut")
    size, axis = (op.x.tensor.shape or ())[joined.axis], joined.axis
    first = 0 if op.begin_mask >> axis & 1 else _bound(op.begin, axis, size)
    last = size if op.end_mask >> axis & 1 else _bound(op.end, axis, size)
    if first is None or last is None:
        return NoMatch("bounds are not known")
    steps = known_ints(op.strides)
    part = _part_at(joined, first, last)
    if part is None or steps is None or steps[axis] != 1:
        return NoMatch("several operands have a share of it")
    x, offset = part
    first, last = (simplify(n - offset, _NO_FACTS) for n in (first, last))
    if first == 0 and holds(last, "==", (x.tensor.shape or ())[axis], _NO_FACTS):
        return x
    if not isinstance(first, int) or not isinstance(last, int):
        return NoMatch("bounds depend on sizes")
    return CoreBuilder(rw).slice_axis(x, axis, first, last)


def _bound(bounds: Value, axis: int, size: Size) -> Size | None:
    """A bound of a slice of a size, counted from the front; None where it is not known at every size."""
    known = known_ints(bounds)
    bound = None if known is None else known[axis]
    if isinstance(bound, Dim) and holds(bound, ">=", 0, _NO_FACTS) and holds(size, ">=", bound, _NO_FACTS):
        return bound
    if not isinstance(bound, int):
        return None
    if isinstance(size, int):
        return slice(bound, None).indices(size)[0]
    return (bound if bound >= 0 else size + bound) if holds(size, ">=", abs(bound), _NO_FACTS) else None


@rewrite(core.Gather)
def element_of_concat(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """An element along the axis along which tensors are joined is one of theirs."""
    joined, where = op.x.producer, const_of(op.indices)
    if not isinstance(joined, core.Concat) or joined.axis != op.axis or op.batch_dims:
        return NoMatch("operand is no concatenation along this axis")
    if where is None or op.indices.tensor.shape != () or None not in (op.y.known or (None,)):
        return NoMatch("position is no constant, or what is joined are sizes")
    size, place = (op.x.tensor.shape or ())[op.axis], int(where.view())
    place += size if place < 0 and isinstance(size, int) else 0
    part = _part_at(joined, place, place + 1)
    if part is None or (part[0].tensor.shape or ())[op.axis] != 1:
        return NoMatch("the operand that has it has more than one")
    return CoreBuilder(rw).squeeze(part[0], op.axis)


def _part_at(joined: core.Concat, first: Size, last: Size) -> tuple[Value, Size] | None:
    """The operand that has all elements from `first` up to `last`, and where it begins; a quantized one has a scale of
    its own perhaps.
    """
    begin: Size = 0
    if first == last or not holds(last, ">=", first, _NO_FACTS):
        return None
    for x in joined.xs:
        end = begin + (x.tensor.shape or ())[joined.axis]
        if holds(first, ">=", begin, _NO_FACTS) and holds(last, "<=", end, _NO_FACTS):
            return (x, begin) if x.tensor.element == joined.y.tensor.element else None
        begin = end
    return None


@rewrite(core.Concat)
def join_before_repeating(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """Parts that are repeated along the same axes, of open sizes, are joined and repeated together: positions of a text
    in front of those of an image, for each of a batch.
    """
    shape, makers = op.y.tensor.shape, [x.producer for x in op.xs if x.has_one_use]
    spread = [m for m in makers if isinstance(m, (core.BroadcastTo, core.Tile))]
    if shape is None or op.y.tensor.is_static or len(spread) < max(len(op.xs), 2):
        return NoMatch("parts are not repeated, or something else reads them")
    axis = op.axis % len(shape)
    sources = [(1,) * (len(shape) - (m.x.tensor.rank or 0)) + (m.x.tensor.shape or ()) for m in spread]
    repeated = {i for i, n in enumerate(shape) if i != axis and n != 1 and all(old[i] == 1 for old in sources)}
    for m, old in zip(spread, sources, strict=True):
        if m.x.tensor.element != op.y.tensor.element or any(
            a != b for i, (a, b) in enumerate(zip(old, m.y.tensor.shape or (), strict=True)) if i not in repeated
        ):
            return NoMatch(f"{m.x.type} is repeated along other axes")
    if not repeated:
        return NoMatch("nothing is repeated along another axis")
    e = CoreBuilder(rw)
    rw.fuse(*spread, by="join-before-repeating")
    joined = e.concat([e.expand_dims(m.x, *range(len(shape) - (m.x.tensor.rank or 0))) for m in spread], axis)
    target = spread[0].shape if isinstance(spread[0], core.BroadcastTo) else spread[0].repeats
    sizes = e.cast(target, DType.I64)
    return e.broadcast_to(joined, [_size(e, joined, sizes, i, i in repeated) for i in range(len(shape))])


def _size(e: CoreBuilder, x: Value, target: Value, axis: int, is_repeated: bool) -> Part:
    return e.slice_axis(target, 0, axis, axis + 1) if is_repeated else e.dim(x, axis)


@rewrite(core.Real, core.Imag)
def half_of_complex(op: core.Real | core.Imag, rw: Rewriter) -> Replacement | NoMatch:
    """The real part of complex(a, b) is a."""
    whole = op.x.producer
    if not isinstance(whole, core.Complex):
        return NoMatch("operand is not made of two halves")
    half = whole.real if isinstance(op, core.Real) else whole.imag
    if half.type != op.y.type:
        return NoMatch("the halves are broadcast")
    return half


PATTERNS = (slice_of_concat, element_of_concat, join_before_repeating, half_of_complex)
