"""Several tensors to one.  Source: keras/src/layers/merging."""

from __future__ import annotations

from functools import reduce
from typing import Final

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.ir.core import Value

RULES: Final = Rules()


def _alike(n: Call) -> list[Value]:
    """Tensors of one rank: those of others are transposed and stretched, which is left to Keras."""
    xs = n.xs
    if not xs or len({n.rank(x) for x in xs}) != 1:
        raise n.unknown("it is given tensors of several ranks")
    if len({x.tensor.dtype for x in xs}) != 1:
        raise n.unknown("it is given tensors of several types")
    return xs


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


@RULES.rule("Multiply", "Maximum", "Minimum")
def combine(n: Call) -> Value:
    """Steps that do not count are left out of these, which is left to Keras."""
    xs = _alike(n)
    if any(x in n.masks for x in xs):
        raise n.unknown("a mask")
    function = {"Multiply": n.mul, "Maximum": n.maximum, "Minimum": n.minimum}[n.kind]
    return reduce(function, xs)


@RULES.rule("Concatenate")
def concatenate(n: Call) -> Value:
    xs = _alike(n)
    if any(x in n.masks for x in xs):
        raise n.unknown("a mask")
    return n.concat(xs, n.axis(n.fields.integer("axis", -1), n.rank(xs[0])))


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
    squares = n.sum(n.mul(x, x), [axis], keepdims=True)
    return n.mul(x, n.y(core.Rsqrt(n.maximum(squares, 1e-24))))
