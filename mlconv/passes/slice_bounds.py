"""Bounds of slices that are as far from the end at every size: no size has to be known for them."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_NO_FACTS = SizeFacts()


@rewrite(core.Slice)
def count_from_the_end(op: core.Slice, rw: Rewriter) -> Replacement | NoMatch:
    """x[:n - 4] of n elements is x[:-4], and x[:n] all of it."""
    shape, strides = op.x.tensor.shape, known_ints(op.strides)
    if shape is None or strides is None or not all(isinstance(s, int) and s > 0 for s in strides):
        return NoMatch("not forwards, or of an unknown rank")
    begins, ends = (_numbers(v, mask, shape) for v, mask in ((op.begin, op.begin_mask), (op.end, op.end_mask)))
    if begins is not None and None in begins:
        begins = None  # nothing is left of an axis
    if begins is None and ends is None:
        return NoMatch("bounds are numbers, or no numbers from the end")
    e, whole = CoreBuilder(rw), op.end_mask
    for axis, end in enumerate(ends or ()):
        whole |= (end is None) << axis
    first = op.begin if begins is None else e.vector([n or 0 for n in begins])
    last = op.end if ends is None else e.vector([n or 0 for n in ends])
    return rw.emit(core.Slice(op.x, first, last, op.strides, begin_mask=op.begin_mask, end_mask=whole)).y


def _numbers(value: Value, mask: int, shape: Shape) -> list[int | None] | None:
    """Bounds that are computed, as numbers: None beyond the last element.  None at all where they are constant, or not
    all are numbers.
    """
    known = known_ints(value)
    if known is None or const_of(value) is not None:
        return None
    found: list[int | None] = []
    for axis, (bound, size) in enumerate(zip(known, shape, strict=True)):
        left = 0 if mask >> axis & 1 else _from_end(bound, size)
        if left is None:
            return None
        found.append(0 if mask >> axis & 1 else None if left == 0 and not isinstance(bound, int) else left)
    return found


def _from_end(bound: Size | None, size: Size) -> int | None:
    """A bound as a number, below 0 from the end; 0 for a size that is all of it."""
    if bound is None or isinstance(bound, int):
        return bound
    left = size - bound
    return -left if isinstance(left, int) and left >= 0 and holds(bound, ">=", 0, _NO_FACTS) else None
