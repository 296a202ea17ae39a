"""Rows that are repeated next to one another, as heads of keys and values are that several queries share: exporters
write a new axis, a broadcast along it, and a reshape that merges it; a runtime that lacks views does so with one
gather.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import Shape
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.passes.repeated_pixels import resize_pixels
from mlconv.passes.turned_picks import pick_turned
from mlconv.rewrite import NoMatch, Rewriter, greedy, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_MOST_ROWS = 1 << 12
_GATHERED = frozenset({DType.F32, DType.I32, DType.I64})


class GatherRepeats(Pass):
    """Repeated rows are gathered, repeated pixels resized."""

    name: ClassVar[str] = "gather-repeats"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        greedy(function.block, (gather_repeats, resize_pixels, pick_turned), context.statistics)
        eliminate_dead_code(function.block)


@rewrite(core.Reshape)
def gather_repeats(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(broadcast_to(x[.., a, 1, ..], [.., a, n, ..]), [.., a*n, ..]) is gather(x[.., a, ..], [0, 0, .., 1, 1,
    ..]), and so with a transpose between that leaves the two axes next to one another.
    """
    turn = op.x.producer if isinstance(op.x.producer, core.Transpose) else None
    spread = op.x.producer if turn is None else turn.x.producer
    if not isinstance(spread, core.BroadcastTo) or op.y.tensor.element not in _GATHERED:
        return NoMatch("nothing is repeated")
    found = _repeated(spread)
    if found is None:
        return NoMatch("no single axis of size 1 behind another is repeated")
    axis, count, times = found
    old = op.x.tensor.shape or ()
    perm = tuple(range(len(old))) if turn is None else turn.perm
    at = perm.index(axis)
    merged = (*old[: at - 1], count * times, *old[at + 1 :])
    if at == 0 or perm[at - 1] != axis - 1 or op.y.tensor.shape != merged:
        return NoMatch("the reshape does not merge the repeated axis with the one before it")
    rw.fuse(spread, by="gather-repeats")
    e = CoreBuilder(rw)
    y = e.gather(_without(e, spread.x, axis), [i for i in range(count) for _ in range(times)], axis=axis - 1)
    return y if turn is None else e.transpose(y, [p - (p > axis) for p in perm if p != axis])


def _repeated(op: core.BroadcastTo) -> tuple[int, int, int] | None:
    """The only axis that becomes longer, the size of the one before it, and how often that is repeated."""
    before: Shape | None = op.x.tensor.shape
    after = op.y.tensor.shape
    if before is None or after is None or len(before) != len(after):
        return None
    longer = [i for i, (a, b) in enumerate(zip(before, after, strict=True)) if a != b]
    if len(longer) != 1 or longer[0] == 0 or before[longer[0]] != 1:
        return None
    count, times = after[longer[0] - 1], after[longer[0]]
    if not isinstance(count, int) or not isinstance(times, int) or not 1 < count * times <= _MOST_ROWS or count == 1:
        return None
    return longer[0], count, times


def _without(e: CoreBuilder, x: Value, axis: int) -> Value:
    """x without an axis of size 1."""
    shape = x.tensor.shape or ()
    maker = x.producer
    if isinstance(maker, (core.ExpandDims, core.Reshape)) and maker.x.tensor.shape == (
        *shape[:axis],
        *shape[axis + 1 :],
    ):
        return maker.x
    return e.squeeze(x, axis)
