"""A scale and a shift between layers go into the weights and the bias of the layer that reads them: batch normalization
behind an activation, in front of a dense layer or of a convolution that pads nothing.

A scale alone stays where it is: it may be there on purpose, for numbers of few bits.  So do those that end a
normalization: what it gives is one thing, which targets know.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.shapes import static
from mlconv.passes.fold_input import MOST_SUMMED, along_inputs, shift_of_outputs, summed_rows
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement

_LONGEST = 8  # ops that count together
_FARTHEST = 100.0  # shift: the sum over a larger one would cancel that over what was far from 0, and lose digits
_KINDS = (core.Add, core.Sub, core.Mul, core.Div)


class Affine(NamedTuple):
    """x * scale + shift; both are float64, with one number for each input of the layer.  ops: those that make it."""

    x: Value
    scale: Array
    shift: Array
    ops: tuple[Op, ...]


def _row(c: Const, rank: int, inner: tuple[int, ...]) -> Array | None:
    """A constant beside a value of that rank as one number for each place of its last axes, if it has no other."""
    shape = (1,) * (rank - len(c.shape)) + c.shape
    lead = rank - len(inner)
    if len(shape) > rank or any(n != 1 for n in shape[:lead]) or c.size > MOST_SUMMED:
        return None
    if any(n not in (1, most) for n, most in zip(shape[lead:], inner, strict=True)):
        return None
    numbers = np.asarray(c.view(), np.float64).reshape(shape[lead:])
    return np.broadcast_to(numbers, inner).reshape(-1) if np.isfinite(numbers).all() else None


def _behind(y: Value, inner: tuple[int, ...]) -> Affine | None:
    """What makes a value that nothing else uses, where that is a scale and a shift along its last axes."""
    rank, many = len(y.tensor.shape or ()), math.prod(inner)
    scale, shift, is_shifted, ops = np.ones(many), np.zeros(many), False, list[Op]()
    while isinstance(y.producer, _KINDS) and y.has_one_use and len(ops) < _LONGEST:
        op = y.producer
        a, b = const_of(op.a), const_of(op.b)
        c, v = (b, op.a) if b is not None else (a, op.b)
        row = None if c is None or v.type != y.type else _row(c, rank, inner)
        if row is None or (isinstance(op, core.Div) and (b is None or not row.all())):
            break
        if isinstance(op, (core.Mul, core.Div)):
            scale = scale * row if isinstance(op, core.Mul) else scale / row
        else:
            shift = shift + (scale * row if isinstance(op, core.Add) or b is None else -scale * row)
            scale = -scale if isinstance(op, core.Sub) and b is None else scale
            is_shifted = True
        ops.append(op)
        y = v
    if not is_shifted or not np.isfinite(scale).all() or np.abs(shift).max(initial=0) > _FARTHEST:
        return None
    return None if _ends_normalization(y) else Affine(y, scale, shift, tuple(ops))


def _ends_normalization(x: Value) -> bool:
    """Whether a value is that of products or quotients of two that are computed: numbers over their deviation."""
    for _ in range(_LONGEST):
        op = x.producer
        if not isinstance(op, (core.Reshape, core.Transpose)):
            break
        x = op.x
    return isinstance(op, (core.Mul, core.Div)) and const_of(op.a) is None and const_of(op.b) is None


@rewrite(core.MatMul)
def fold_affine_into_product(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """(x * s + t) w is x (s * w) + t w for numbers s and t of each row of constant weights, also where x is flattened
    in between.
    """
    weights, flat = const_of(op.b), op.a.producer
    if weights is None or not _are_own(weights, op.b) or len(weights.shape) != 2 or op.transpose_a:
        return NoMatch("weights of few bits, or with other uses, or a product of another form")
    steps = [flat] if isinstance(flat, core.Reshape) and op.a.has_one_use else []
    x, rows = (flat.x if isinstance(flat, core.Reshape) and steps else op.a), weights.shape[1 if op.transpose_b else 0]
    inner = _flattened(x, op.a) if steps else (rows,)
    found = None if inner is None or not _is_plain(x) else _behind(x, inner)
    if found is None or rows > MOST_SUMMED:
        return NoMatch("not a scale and a shift of each row in front of the product")
    rw.fuse(*steps, *found.ops, by="fold-affine")
    along = (1, rows) if op.transpose_b else (rows, 1)
    scaled = recipes.binary("mul", weights, make_const(found.scale.reshape(along), weights.dtype))
    before = rw.emit(core.Reshape(found.x, flat.shape)).y if isinstance(flat, core.Reshape) and steps else found.x
    y = rw.emit(core.MatMul(before, rw.emit(core.Constant(value=scaled)).y, **op.attributes)).y
    columns = recipes.transpose(weights, (1, 0)) if op.transpose_b else weights
    return rw.emit(core.Add(y, rw.emit(core.Constant(value=summed_rows(columns, found.shift))).y)).y


def _flattened(x: Value, y: Value) -> tuple[int, ...] | None:
    """The axes of x but the first, where y has them as one and keeps the first."""
    before, after = x.tensor.shape, y.tensor.shape
    if before is None or after is None or len(after) != 2 or len(before) < 2 or before[0] != after[0]:
        return None
    return static(before[1:])


def _are_own(weights: Const, where: Value) -> bool:
    """Weights of one layer, all of whose numbers are floats of one type: those of few bits are not to be scaled."""
    return where.has_one_use and all(c.dtype is weights.dtype for c in _leaves(weights))


def _leaves(c: Const) -> Iterator[Const]:
    """What a constant is made of in the end."""
    left, seen = [c], {c}
    while left:
        c = left.pop()
        parts = c.inputs if isinstance(c, recipes.Derived) else ()
        if not parts:
            yield c
        left.extend(part for part in parts if part not in seen)
        seen.update(parts)


def _is_plain(x: Value) -> bool:
    """Of floats of 32 bits or more: weights in fewer bits may have no room for another scale."""
    return x.tensor.dtype.is_float and x.tensor.dtype.itemsize >= 4 and x.tensor.quant is None


@rewrite(core.Conv)
def fold_affine_into_convolution(op: core.Conv, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x * s + t, w, b) is conv(x, s * w, b + sum of t * w) where nothing pads it: zeros that do are none of what
    was shifted.
    """
    weights, bias = const_of(op.w), None if op.bias is None else const_of(op.bias)
    flat = None if isinstance(op.pads, str) else static(n for pair in op.pads for n in pair)
    if weights is None or not _are_own(weights, op.w) or (op.bias is not None and bias is None):
        return NoMatch("weights of few bits, or with other uses, or a bias that is computed")
    if flat is None or any(flat) or op.groups != 1 or not _is_plain(op.x):
        return NoMatch("pads, groups, or few bits")
    sizes, axis = dict(zip(op.w_layout, weights.shape, strict=True)), op.x_layout.index("C")
    count = weights.size // max(sizes["O"], 1)
    found = _behind(op.x, (sizes["I"], *[1] * (len(op.x_layout) - axis - 1))) if count <= MOST_SUMMED else None
    if found is None:
        return NoMatch("not a scale and a shift of each channel in front of the convolution")
    rw.fuse(*found.ops, by="fold-affine")
    scaled = recipes.binary("mul", weights, along_inputs(op.w_layout, found.scale, weights.dtype))
    shift = shift_of_outputs(weights, op.w_layout, found.shift)
    total = shift if bias is None else recipes.binary("add", bias, shift)
    w, b = rw.emit(core.Constant(value=scaled)).y, rw.emit(core.Constant(value=total)).y
    return rw.emit(core.Conv(found.x, w, b, **op.attributes)).y


PATTERNS = (fold_affine_into_product, fold_affine_into_convolution)
