"""Softmax over pairs, the attention over two branches of SKNet and ResNeSt, is the logistic function of differences,
which go into the weights of the product that the pairs come of.  Weights stay unread.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Op, Value
from mlconv.ir.dim_fold import number_at
from mlconv.ir.spec import OpDef
from mlconv.ir.types import Shape
from mlconv.passes.fold_product import product_behind
from mlconv.passes.per_channel import foldable_window
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement, remake

_LARGEST = 1 << 16  # elements whose order is looked at
_BATCHES = (2, 3)  # what open sizes stand for then
_MOVEMENT = (core.Reshape, core.Transpose, core.ExpandDims, core.Squeeze)


class _Source(NamedTuple):
    """Columns of a product with constant weights.  value: what it gives; axis: of columns, out: of weights; ops: those
    that make the value.
    """

    value: Value
    axis: int
    weights: Const
    out: int
    bias: Const | None
    op: core.Conv | core.MatMul
    ops: tuple[Op, ...]


def _source(v: Value) -> _Source | None:
    found = foldable_window(v)
    if found is not None:
        conv, weights, _ = found
        if not isinstance(conv, core.Conv) or conv.groups != 1 or not conv.w.has_one_use:
            return None
        bias = None if conv.bias is None else conv.bias.producer.value  # type: ignore[union-attr]
        at = conv.y_layout.index("C"), conv.w_layout.index("O")
        return _Source(v, at[0], weights, at[1], bias, conv, (conv,))
    product = product_behind(v)
    if product is None or not product.op.b.has_one_use or v.tensor.rank is None:
        return None
    out = 0 if product.op.transpose_b else 1
    return _Source(v, v.tensor.rank - 1, product.weights, out, product.bias, product.op, product.ops)


@rewrite(core.Softmax)
def softmax_of_pairs(op: core.Softmax, rw: Rewriter) -> Replacement | NoMatch:
    """softmax([a, b]) is sigmoid([a - b, b - a]), where a and b are columns of one product."""
    shape = op.x.tensor.shape
    if shape is None or shape[op.axis] != 2 or all(n == 1 for n in shape[op.axis + 1 :]):
        return NoMatch("not pairs, or pairs that lie side by side")
    moved: list[core.Reshape | core.Transpose | core.ExpandDims | core.Squeeze] = []
    v = op.x
    while isinstance(v.producer, _MOVEMENT) and v.has_one_use:
        moved.append(v.producer)
        v = v.producer.x
    source = _source(v)
    if source is None or not v.tensor.dtype.is_float or v.tensor.quant is not None:
        return NoMatch("the pairs are not columns of a product with weights that it alone uses")
    apart = {_distance(source, moved[::-1], op.axis, batch) for batch in _BATCHES}
    distance = apart.pop()
    if distance is None or apart:
        return NoMatch("the two of a pair are not a fixed number of columns apart")
    rw.fuse(*source.ops, *moved, by="softmax-of-pairs")
    y = _differences(source, distance, rw)
    for step in reversed(moved):
        y = rw.emit(remake(step, [y, *step.operands[1:]])).results[0]
    return rw.emit(core.Sigmoid(y)).y


def _differences(source: _Source, distance: int, rw: Rewriter) -> Value:
    """The product with the columns of each pair less one another."""

    def less(c: Const, axis: int) -> Value:
        split = (*c.shape[:axis], -1, 2, distance, *c.shape[axis + 1 :])
        pairs = c.reshape(tuple(c.shape[axis] // (2 * distance) if n == -1 else n for n in split))
        return rw.emit(
            core.Constant(value=recipes.binary("sub", pairs, recipes.flip(pairs, (axis + 1,))).reshape(c.shape))
        ).y

    op, weights = source.op, less(source.weights, source.out)
    bias = None if source.bias is None else less(source.bias, 0)
    if isinstance(op, core.Conv):
        return rw.emit(core.Conv(op.x, weights, bias, **op.attributes)).y
    y = rw.emit(core.MatMul(op.a, weights, **op.attributes)).y
    return y if bias is None else rw.emit(core.Add(y, bias)).y


def _sizes(v: Value, batch: int) -> tuple[int, ...] | None:
    shape: Shape = v.tensor.shape or ()
    sizes = [n if isinstance(n, int) else number_at(n, dict.fromkeys(n.symbols(), batch)) for n in shape]
    known = [n for n in sizes if n is not None]
    return tuple(known) if len(known) == len(sizes) and 0 < prod(known) <= _LARGEST else None


def _distance(source: _Source, moved: Sequence[OpDef], axis: int, batch: int) -> int | None:
    """How many columns apart the two of each pair are, which lie in two runs of as many; None where they differ in
    anything else.
    """
    before, after = _sizes(source.value, batch), [_sizes(m.results[0], batch) for m in moved]
    if before is None or None in after:
        return None
    places = np.arange(prod(before)).reshape(before)
    for step, sizes in zip(moved, after, strict=True):
        places = np.transpose(places, step.perm) if isinstance(step, core.Transpose) else places.reshape(sizes or ())
    first, second = (_coordinates(half, before) for half in np.split(places, 2, axis=axis))
    columns, others = first[source.axis], second[source.axis]
    distance = int(others[0] - columns[0])
    same = all((a == b).all() for i, (a, b) in enumerate(zip(first, second, strict=True)) if i != source.axis)
    if not same or distance < 1 or before[source.axis] % (2 * distance):
        return None
    even = (others - columns == distance).all() and (columns // distance % 2 == 0).all()
    return distance if even else None


def _coordinates(places: Array, shape: tuple[int, ...]) -> tuple[Array, ...]:
    return np.unravel_index(places.reshape(-1), shape)


PATTERNS = (softmax_of_pairs,)
