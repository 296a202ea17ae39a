"""Several tensors to one.  Source: keras/src/layers/merging."""

from __future__ import annotations

from functools import reduce
from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()


def _alike(n: Call) -> list[Value]:
    """Tensors of one element type; those of fewer axes get axes of one element behind the batch."""
    xs = n.xs
    if not xs or len({x.tensor.dtype for x in xs}) != 1:
        raise n.unknown("it is given tensors of several types")
    ranks = [n.rank(x) for x in xs]
    if len(set(ranks)) == 1:
        return xs
    if min(ranks) < 1 or any(x in n.masks for x in xs):
        raise n.unknown("it is given tensors of several ranks, and a mask")
    return [n.expand_dims(x, *range(1, 1 + max(ranks) - rank)) for x, rank in zip(xs, ranks, strict=True)]


def _merged_mask(n: Call, xs: list[Value], y: Value) -> Value:
    """A step counts where it does for one of the inputs; without the mask of one of them, all do."""
    masks = [n.masks.get(x) for x in xs]
    found = [m for m in masks if m is not None]
    if len(found) == len(masks):
        n.masks[y] = reduce(n.logical_or, found)
    return y


@RULES.rule("Add", "Subtract", "Average")
def add(n: Call) -> Value:
    xs = _alike(n)
    if n.kind == "Subtract":
        if len(xs) != 2:
            raise n.unknown(f"it is given {len(xs)} tensors")
        return _merged_mask(n, xs, n.sub(*xs))
    total = reduce(n.add, xs)
    return _merged_mask(n, xs, n.div(total, float(len(xs))) if n.kind == "Average" else total)


def _spread(n: Call, xs: list[Value]) -> list[Value | None]:
    """The mask of each, which stands for all of the last axis."""
    masks = [n.masks.get(x) for x in xs]
    return [None if m is None else n.expand_dims(m, n.rank(m)) for m in masks]


@RULES.rule("Multiply")
def multiply(n: Call) -> Value:
    """What does not count is 1, and 0 where nothing counts."""
    xs = _alike(n)
    masks = _spread(n, xs)
    y = reduce(n.mul, [x if m is None else n.where(m, x, 1) for x, m in zip(xs, masks, strict=True)])
    found = [m for m in masks if m is not None]
    if len(found) < len(masks):
        return y
    y = n.where(reduce(n.logical_or, found), y, 0)
    return _merged_mask(n, xs, y)


@RULES.rule("Maximum", "Minimum")
def extreme(n: Call) -> Value:
    """What does not count is left out: pairs in turn, the result of which counts where one of the two does."""
    xs = _alike(n)
    function = n.maximum if n.kind == "Maximum" else n.minimum
    (y, *rest), (seen, *masks) = xs, _spread(n, xs)
    for x, mask in zip(rest, masks, strict=True):
        right = x if mask is None else n.where(mask, x, y)
        left = y if seen is None else n.where(seen, y, right)
        seen = n.logical_or(seen, mask) if seen is not None and mask is not None else None
        y = function(left, right)
    return _merged_mask(n, xs, y)


@RULES.rule("Concatenate")
def concatenate(n: Call) -> Value:
    """A place counts where one of its channels is of an input in which it does."""
    xs = n.xs
    if not xs or len({n.rank(x) for x in xs}) != 1 or len({x.tensor.dtype for x in xs}) != 1:
        raise n.unknown("it is given tensors of several ranks or types")
    rank = n.rank(xs[0])
    axis = n.axis(n.fields.integer("axis", -1), rank)
    y = n.concat(xs, axis)
    masks = [n.masks.get(x) for x in xs]
    if all(m is None for m in masks):
        return y
    if any(m is not None and n.rank(m) != rank - 1 for m in masks):
        raise n.unknown("a mask of another rank")
    whole = [
        n.broadcast_to(n.constant(True), n.dims(x)[:-1]) if m is None else m for x, m in zip(xs, masks, strict=True)
    ]
    n.masks[y] = reduce(n.logical_or, whole) if axis == rank - 1 else n.concat(whole, axis)
    return y


@RULES.rule("Dot", keeps_mask=False)
def dot(n: Call) -> Value:
    """Sums of products over an axis of each, for each element of the batch.  Source: `batch_dot` of merging/dot.py."""
    xs = n.xs
    if len(xs) != 2:
        raise n.unknown(f"it is given {len(xs)} tensors")
    ranks = [n.rank(x) for x in xs]
    given = n.fields.get("axes")
    listed = [given, given] if isinstance(given, int) else given
    if not isinstance(listed, (list, tuple)) or len(listed) != 2 or not all(isinstance(a, int) for a in listed):
        raise n.fields.wrong("axes")
    axes = [n.axis(a, rank) for a, rank in zip(listed, ranks, strict=True)]
    if 0 in axes or any(rank not in (2, 3) for rank in ranks):
        raise n.fields.wrong("axes")
    if n.fields.flag("normalize"):
        xs = [_unit(n, x, axis) for x, axis in zip(xs, axes, strict=True)]
    a = n.expand_dims(xs[0], 1) if ranks[0] == 2 else xs[0]
    b = n.expand_dims(xs[1], 2) if ranks[1] == 2 else xs[1]
    inner = axes[0] + (ranks[0] == 2), axes[1]
    y = n.matmul(a, b, transpose_a=inner[0] == 1, transpose_b=inner[1] == 2)
    if ranks == [2, 2]:
        return n.squeeze(y, 2)
    return n.squeeze(y, 1) if ranks[0] == 2 else n.squeeze(y, 2) if ranks[1] == 2 else y


def _unit(n: Call, x: Value, axis: int) -> Value:
    """x * min(1 / norm, 1e12): `normalize` of keras/src/utils/numerical_utils.py."""
    if n.dtype is DType.F16:
        raise n.unknown("it divides by lengths in float16")
    squares = n.sum(n.mul(x, x), [axis], keepdims=True)
    return n.mul(x, n.y(core.Rsqrt(n.maximum(squares, 1e-24))))
