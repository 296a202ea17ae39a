"""What is computed of a tensor that is repeated along axes known at run time is computed of it once, and repeated:
embeddings of positions and queries, which models of images make anew for each image of a batch.

Any axes, and element types, op by op; the pass `repeat-last` follows what is alike for a batch through products of it
with itself.
"""

from __future__ import annotations

from typing import NamedTuple, TypeAlias, Union

from mlconv.dialects import core
from mlconv.dialects.core.reduce import REDUCTIONS
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import Shape, TensorType
from mlconv.passes.patterns.slices import cut_axes, told_size
from mlconv.rewrite import NoMatch, Rewriter, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_MOVED = (core.ExpandDims, core.Squeeze, core.Transpose, core.Reshape, core.Slice, core.Gather)
_ALONG_AXES = (*_MOVED, core.Concat, core.MatMul)
Along: TypeAlias = Union[
    core.ExpandDims,
    core.Squeeze,
    core.Transpose,
    core.Reshape,
    core.Slice,
    core.Gather,
    core.Concat,
    core.MatMul,
    core.ReduceSum,
]


class Spread(NamedTuple):
    """A tensor of known sizes that is repeated along axes of others.  told: a vector that holds these, and what it
    holds.
    """

    x: Value
    y: Value
    told: tuple[Value, Shape]


@rewrite(*(cls for cls in core.OPS if Elementwise in cls.spec.traits))
def compute_before_spreading(op: OpDef, rw: Rewriter) -> Replacement | NoMatch:
    """Elementwise: operands that are not repeated are as large as they are at all sizes."""
    spreads = [spread for v in op.inputs if (spread := _spread(v)) is not None]
    if all(spread.x.tensor.shape == () for spread in spreads) or len(op.results) != 1:
        return NoMatch("no operand but a number is repeated")
    if any(_spread(v) is None and not v.tensor.is_static for v in op.inputs):
        return NoMatch("sizes of another operand are known at run time")
    small = [v if v is None or (spread := _spread(v)) is None else spread.x for v in op.operands]
    return _once(op, small, spreads, CoreBuilder(rw), rw)


@rewrite(*_ALONG_AXES, *REDUCTIONS)
def move_before_spreading(op: Along, rw: Rewriter) -> Replacement | NoMatch:
    """Ops that work along other axes than those that are repeated."""
    spreads = [_spread(v) for v in (op.inputs if isinstance(op, core.Concat) else op.inputs[:1])]
    found = [spread for spread in spreads if spread is not None]
    if len(found) < len(spreads) or not all(_leaves(op, spread) for spread in found):
        return NoMatch("not all operands are repeated, or along axes that the op works along")
    e = CoreBuilder(rw)
    small: list[Value | None] = [_fixed(e, spread) for spread in found]
    rest = op.operands[len(small) :]
    if isinstance(op, core.Reshape):
        rest = [e.vector([n if isinstance(n, int) else 1 for n in op.y.tensor.shape or ()])]
    return _once(op, [*small, *rest], found, e, rw)


def _once(
    op: OpDef, small: list[Value | None], spreads: list[Spread], e: CoreBuilder, rw: Rewriter
) -> Replacement | NoMatch:
    """The op of smaller operands, its result repeated."""
    y = op.results[0].tensor
    if y.shape is None or y.is_static or y.quant is not None:
        return NoMatch("all sizes are known, or none is")
    parts = [told_size(e, n, [spread.told for spread in spreads]) for n in y.shape]
    known = [part for part in parts if part is not None]
    if len(known) < len(parts):
        return NoMatch(f"sizes of {y} are not those of what is repeated")
    once = rw.emit(remake(op, small)).results[0]
    if not once.tensor.is_static or not _becomes(once.tensor.shape or (), y.shape):
        return NoMatch(f"gives {once.type} of the parts of {y}")
    return e.broadcast_to(once, known)


def _spread(value: Value) -> Spread | None:
    """What repeats a tensor; not where a user says how often, or what is quantized."""
    op = value.producer
    if not isinstance(op, (core.BroadcastTo, core.Tile)) or not op.x.tensor.is_static or value.tensor.is_static:
        return None
    whole, own = value.tensor.shape or (), op.x.tensor.shape or ()
    if value.tensor.quant is not None or [t.shape for t in op.inferred() if isinstance(t, TensorType)] != [whole]:
        return None
    if isinstance(op, core.BroadcastTo):
        return Spread(op.x, value, (op.shape, whole))
    counts = tuple(n for n in known_ints(op.repeats) or () if n is not None)
    if len(counts) < len(own) or any(n != 1 and m != 1 for n, m in zip(own, counts, strict=True)):
        return None
    return Spread(op.x, value, (op.repeats, counts))


def _becomes(shape: Shape, whole: Shape) -> bool:
    lead = len(whole) - len(shape)
    return lead >= 0 and all(n in (1, m) for n, m in zip(shape, whole[lead:], strict=True))


def _fixed(e: CoreBuilder, spread: Spread) -> Value:
    """What is repeated, with all axes of the result: of size 1 where that has sizes that are known at run time."""
    sizes = [n if isinstance(n, int) else 1 for n in spread.y.tensor.shape or ()]
    own = spread.x.tensor.shape or ()
    whole = e.reshape(spread.x, [1] * (len(sizes) - len(own)) + [n for n in own if isinstance(n, int)])
    return e.broadcast_to(whole, sizes)


def _leaves(op: Along, spread: Spread) -> bool:
    """Whether an op works along other axes of what is repeated than those whose sizes are known at run time."""
    shape = spread.y.tensor.shape or ()
    own = (1,) * (len(shape) - (spread.x.tensor.rank or 0)) + (spread.x.tensor.shape or ())
    axes = {i for i, n in enumerate(shape) if not isinstance(n, int)}
    if any(own[i] != 1 for i in axes) or (spread.x.tensor.shape == () and isinstance(op, _MOVED)):
        return False
    if isinstance(op, core.Slice):
        cut = cut_axes(op)
        return cut is not None and not cut & axes and None not in (known_ints(op.begin), known_ints(op.end))
    if isinstance(op, core.Gather):
        return op.axis % len(shape) not in axes and not op.batch_dims and op.indices.tensor.is_static
    if isinstance(op, core.Concat):
        return op.axis % len(shape) not in axes
    if isinstance(op, core.MatMul):
        return len(shape) - 1 not in axes and op.b.tensor.rank == 2 and op.b.tensor.is_static
    if isinstance(op, core.Reshape):
        return _keeps(shape, op.y.tensor.shape or (), axes)
    return isinstance(op, (core.ExpandDims, core.Squeeze, core.Transpose)) or not axes & {
        axis % len(shape) for axis in op.axes
    }


def _keeps(before: Shape, after: Shape, axes: set[int]) -> bool:
    """Whether axes in front, all those of sizes that are known at run time among them, stay as they are."""
    front = max(axes, default=-1) + 1
    rest: tuple[Size, ...] = after[front:]
    return before[:front] == after[:front] and all(isinstance(n, int) for n in rest)


PATTERNS = (compute_before_spreading, move_before_spreading)
