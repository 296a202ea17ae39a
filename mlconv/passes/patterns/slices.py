"""Slices of slices, and parts of what is one number everywhere."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.pattern import Replacement


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


def cut_axes(op: core.Slice) -> set[int] | None:
    """The axes of which not everything is taken, in order."""
    strides = known_ints(op.strides)
    if strides is None:
        return None
    whole = op.begin_mask & op.end_mask
    return {i for i, step in enumerate(strides) if not whole >> i & 1 or step != 1}


@rewrite(core.Slice, core.Reshape)
def part_of_repeated(op: core.Slice | core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """A part of a number that is repeated, or it under another shape, is the number, repeated as often: initial states
    of recurrent layers, cut out for each of them.
    """
    spread, shape = op.x.producer, op.y.tensor.shape
    if not isinstance(spread, core.BroadcastTo) or spread.x.tensor.shape != () or shape is None:
        return NoMatch("operand is no number that is repeated")
    before = op.x.tensor.shape or ()
    if any(isinstance(n, Dim) and (n not in before or not n.is_known) for n in shape):
        return NoMatch(f"sizes of {op.y.type} are not those of {op.x.type}")
    e = CoreBuilder(rw)
    return e.broadcast_to(spread.x, _taken(e, spread.shape, before, shape))


def _taken(e: CoreBuilder, vector: Value, before: Sequence[int | Dim], shape: Sequence[int | Dim]) -> list[Part]:
    sizes = e.cast(vector, DType.I64)
    return [n if isinstance(n, int) else e.gather(sizes, [before.index(n)]) for n in shape]


PATTERNS = (join_slices, part_of_repeated)
