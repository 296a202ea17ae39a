"""Parts of one value that are divided alike: queries, keys and values, each with its heads."""

from __future__ import annotations

from math import prod

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.types import Shape
from mlconv.passes.layout.reshapes import grouped
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement


@rewrite(core.Split)
def divide_before_split(op: core.Split, rw: Rewriter) -> Replacement | NoMatch:
    """Where a reshape divides the axis of each part into heads and what a head has, and all heads have as much, the
    whole is divided, and its heads are split: one transpose of it moves the heads of all parts.
    """
    divided = [found for y in op.ys if (found := _divided(y, op.axis)) is not None]
    if len(divided) < len(op.ys) or len({axis for _, axis in divided}) != 1 or op.x.tensor.quant is not None:
        return NoMatch("some part is not divided, or they are at different places")
    shape, axis = divided[0]
    open_axes = [n for n in shape if not isinstance(n, int)]
    if len({(*s[:axis], *s[axis + 1 :]) for s, _ in divided}) > 1 or len(open_axes) > 1 or 0 in shape:
        return NoMatch("heads of parts differ, or several sizes are open, or one is 0")
    sizes = [n for s, _ in divided if isinstance(n := s[axis], int)]
    e = CoreBuilder(rw)
    whole = [-1 if not isinstance(n, int) else sum(sizes) if i == axis else n for i, n in enumerate(shape)]
    parts, own = e.split(e.reshape(op.x, whole), sizes, axis), e.dims(op.x)
    before, behind = own[: op.axis], own[op.axis + 1 :]
    return [e.reshape(part, [*before, size, *behind]) for part, size in zip(parts, op.sizes, strict=True)]


def _divided(y: Value, axis: int) -> tuple[Shape, int] | None:
    """The shape that a part is given by all that use it, and the axis there along which its heads lie."""
    users = [user for user, _ in y.uses]
    shapes = {user.y.tensor.shape for user in users if isinstance(user, core.Reshape)}
    before, after = y.tensor.shape, next(iter(shapes), None)
    if len(shapes) != 1 or not all(isinstance(user, core.Reshape) for user in users) or not before or not after:
        return None
    for xs, ys in grouped(before, after) or ():
        if axis in xs:
            heads = [n for i in ys if isinstance(n := after[i], int)]
            alone = all(before[i] == 1 for i in xs if i != axis)
            return (after, ys[0]) if alone and len(heads) == len(ys) and prod(heads[1:]) > 1 else None
    return None


PATTERNS = (divide_before_split,)
