"""Parts of one value that are divided alike: queries, keys and values, each with its heads."""

from __future__ import annotations

from math import prod

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.shapes import is_told
from mlconv.ir.types import Shape
from mlconv.passes.layout.reshapes import grouped
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder, Part
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
    told = _places(shape, op.x.tensor.shape or ())
    if len({(*s[:axis], *s[axis + 1 :]) for s, _ in divided}) > 1 or told is None or 0 in shape:
        return NoMatch("heads of parts differ, or several sizes are open that the whole has not, or one is 0")
    sizes = [n for s, _ in divided if isinstance(n := s[axis], int)]
    e = CoreBuilder(rw)
    own = e.dims(op.x)
    rest: list[Part] = [n if isinstance(n, int) else own[told[n]] if told else -1 for n in shape]
    whole = [*rest[:axis], sum(sizes), *rest[axis + 1 :]]
    parts = e.split(e.reshape(op.x, whole), sizes, axis)
    before, behind = own[: op.axis], own[op.axis + 1 :]
    return [e.reshape(part, [*before, size, *behind]) for part, size in zip(parts, op.sizes, strict=True)]


def _places(shape: Shape, whole: Shape) -> dict[Size, int] | None:
    """Where the whole has the open sizes of a shape; nothing for one at most, which may be left open; None where it has
    not all of them.
    """
    sizes = {n for n in shape if isinstance(n, Dim)}
    if sum(isinstance(n, Dim) for n in shape) <= 1:
        return {}
    return {n: whole.index(n) for n in sizes} if is_told(tuple(sizes)) and sizes <= set(whole) else None


def _divided(y: Value, axis: int) -> tuple[Shape, int] | None:
    """The shape that a part is given by all that use it, but for what asks for its sizes, and the axis of heads."""
    users = [user for user, _ in y.uses if not isinstance(user, core.ShapeOf)]
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
