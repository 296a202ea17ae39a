"""Products with matrices that stand several times in a row, as keys and values that heads of queries share."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.shapes import MATRIX
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


class Shared(NamedTuple):
    """matrices [..., own, 1, r, c], of which each stands `times` times in a row."""

    matrices: Value
    own: int
    times: int


@rewrite(core.MatMul)
def rows_of_shared_matrices(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """The rows of all are multiplied at once, and nothing is repeated.  Of open sizes that would take arithmetic of
    shapes; code for them does it where it needs none.
    """
    shared = shared_matrices(op)
    if shared is None or not op.a.tensor.is_static or not op.y.tensor.is_static:
        return NoMatch("no repeated matrices, or open sizes")
    e, (matrices, own, times) = CoreBuilder(rw), shared
    *batch, _, rows, depth = op.a.tensor.static_shape()
    a = e.reshape(op.a, [*batch, own, times * rows, depth])
    b = e.squeeze(matrices, len(batch) + 1)
    return e.reshape(e.y(core.MatMul(a, b, transpose_b=op.transpose_b)), op.y.tensor.static_shape())


def shared_matrices(op: core.MatMul) -> Shared | None:
    """The second factor's, where rows of the first one lie side by side for those that are the same."""
    return None if op.transpose_a else shared_factor(op.a, op.b)


def shared_factor(first: Value, second: Value) -> Shared | None:
    """Those of the second factor, for rows of the first one."""
    merged, a, b = second.producer, first.tensor.shape or (), second.tensor.shape or ()
    wide = merged.x.producer if isinstance(merged, core.Reshape) else None
    if len(a) != len(b) or not isinstance(wide, core.BroadcastTo):
        return None
    given, shape, axis = wide.x.tensor.shape or (), wide.y.tensor.shape or (), len(b) - MATRIX
    if axis < 1 or len(shape) != len(b) + 1 or given != (*shape[:axis], 1, *shape[axis + 1 :]):
        return None
    own, times = shape[axis - 1], shape[axis]
    if not isinstance(own, int) or not isinstance(times, int) or a[axis - 1] != own * times:
        return None
    is_merged = b == (*shape[: axis - 1], own * times, *shape[axis + 1 :])
    return Shared(wide.x, own, times) if is_merged else None


PATTERNS = (rows_of_shared_matrices,)
