"""Scales, shifts and pads behind and in front of convolutions, and flattened transposes in front of products, go into
their weights, biases and pads.

Weights stay unread: what happens to them is written down as a recipe.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.dialects.core.window import spatial
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, ceildiv, floordiv, maximum
from mlconv.ir.shapes import same_axis, static
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.passes.patterns.algebra import uniform
from mlconv.passes.per_channel import foldable_window, per_channel, split_operands
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


@rewrite(core.Mul)
def fold_scale_into_convolution(op: core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x, w, b) * c is conv(x, w * c, b * c) for c per output channel."""
    pair = split_operands(op)
    found = foldable_window(pair[0]) if pair is not None else None
    if pair is None or found is None:
        return NoMatch("not a constant times a convolution with one use")
    conv, weights, channels = found
    scale = per_channel(pair[1], len(conv.y_layout), conv.y_layout.index("C"), channels)
    if scale is None or not scale.dtype.is_float:
        return NoMatch(f"constant {list(pair[1].shape)} is not per output channel")
    rw.fuse(conv, by="fold-scale")
    along = tuple(channels if c == "O" else 1 for c in conv.w_layout)
    new_weights = rw.emit(core.Constant(value=recipes.binary("mul", weights, scale.reshape(along)))).y
    bias = const_of(conv.bias)
    new_bias = None if bias is None else rw.emit(core.Constant(value=recipes.binary("mul", bias, scale))).y
    return rw.emit(type(conv)(conv.x, new_weights, new_bias, **conv.attributes)).y


@rewrite(core.Add, core.Sub)
def fold_shift_into_convolution(op: core.Add | core.Sub, rw: Rewriter) -> Replacement | NoMatch:
    """conv(x, w, b) + c is conv(x, w, b + c) for c per output channel."""
    pair = split_operands(op)
    if pair is None or (isinstance(op, core.Sub) and pair[0] is not op.a):
        return NoMatch("not a value plus a constant")
    found = foldable_window(pair[0])
    if found is None:
        return NoMatch("not a convolution with one use")
    conv, _, channels = found
    shift = per_channel(pair[1], len(conv.y_layout), conv.y_layout.index("C"), channels)
    if shift is None:
        return NoMatch(f"constant {list(pair[1].shape)} is not per output channel")
    rw.fuse(conv, by="fold-shift")
    bias = const_of(conv.bias)
    if bias is None and isinstance(op, core.Sub):
        zero = recipes.binary("sub", shift, shift)
        bias = zero
    new = shift if bias is None else recipes.binary("sub" if isinstance(op, core.Sub) else "add", bias, shift)
    return rw.emit(type(conv)(conv.x, conv.w, rw.emit(core.Constant(value=new)).y, **conv.attributes)).y


@rewrite(core.Add, core.Sub, core.Mul)
def compute_before_reshape(op: core.Add | core.Sub | core.Mul, rw: Rewriter) -> Replacement | NoMatch:
    """reshape(conv(x, w)) + c is reshape(conv(x, w) + c), where the reshape only drops or adds axes of size 1: the
    second dimension of a convolution along one.
    """
    pair = split_operands(op)
    reshape = pair[0].producer if pair is not None else None
    if pair is None or not isinstance(reshape, core.Reshape) or not pair[0].has_one_use or pair[0] is not op.a:
        return NoMatch("not a reshape and a constant")
    found = foldable_window(reshape.x)
    before, after = reshape.x.tensor.shape, reshape.y.tensor.shape
    if found is None or before is None or after is None or op.y.type != reshape.y.type:
        return NoMatch("not a reshaped convolution with one use")
    conv, _, channels = found
    axis = same_axis(before, after, conv.y_layout.index("C"))
    c = None if axis is None else per_channel(pair[1], len(after), axis, channels)
    if c is None:
        return NoMatch(
            f"constant {list(pair[1].shape)} is not per output channel, or the reshape moves more than units"
        )
    rw.fuse(reshape, by="compute-before-reshape")
    shape = tuple(channels if a == "C" else 1 for a in conv.y_layout)
    y = rw.emit(type(op)(conv.y, rw.emit(core.Constant(value=c.reshape(shape))).y)).y
    return rw.emit(core.Reshape(y, reshape.shape)).y


@rewrite(core.Conv)
def fold_pad_into_convolution(op: core.Conv, rw: Rewriter) -> Replacement | NoMatch:
    """Zeros around the spatial axes before a convolution are pads of it, as numbers or as SAME_UPPER."""
    pad = op.x.producer
    if not isinstance(pad, core.Pad) or pad.mode != "constant" or uniform(pad.value) != 0.0 or isinstance(op.pads, str):
        return NoMatch("operand is not a pad by zeros")
    amounts = pad_amounts(pad.pads)
    flat = static(None if amounts is None else (n for pair in amounts for n in pair))
    if flat is None and amounts is not None and _is_same_upper(op, pad.x, amounts):
        rw.fuse(pad, by="fold-pad")
        return rw.emit(core.Conv(pad.x, op.w, op.bias, **{**op.attributes, "pads": "SAME_UPPER"})).y
    if flat is None or min(flat, default=0) < 0:
        return NoMatch("pads are not constant and non-negative")
    ints = list(zip(flat[::2], flat[1::2], strict=True))
    axes = spatial(op.x_layout)
    if any(p != (0, 0) for i, p in enumerate(ints) if i not in axes):
        return NoMatch("pads the batch or the channels")
    rw.fuse(pad, by="fold-pad")
    pads = tuple((lo + ints[a][0], hi + ints[a][1]) for (lo, hi), a in zip(op.pads, axes, strict=True))
    return rw.emit(core.Conv(pad.x, op.w, op.bias, **{**op.attributes, "pads": pads})).y


def _is_same_upper(op: core.Conv, x: Value, amounts: Sequence[tuple[Size | None, Size | None]]) -> bool:
    """Whether a convolution of x with these pads, and none of its own, is one with SAME_UPPER, at every size."""
    axes, windows = spatial(op.x_layout), spatial(op.w_layout)
    if x.tensor.shape is None or op.w.tensor.shape is None or any(any(pair) for pair in op.pads):
        return False
    wanted: list[tuple[Size, Size]] = [(0, 0)] * len(amounts)
    for i, (axis, stride) in enumerate(zip(axes, op.strides, strict=True)):
        size, span = x.tensor.shape[axis], (op.w.tensor.shape[windows[i]] - 1) * op.dilations[i] + 1
        both = maximum((ceildiv(size, stride) - 1) * stride + span - size, 0)
        wanted[axis] = floordiv(both, 2), both - floordiv(both, 2)
    pairs = zip(chain.from_iterable(amounts), chain.from_iterable(wanted), strict=True)
    return all(a is not None and holds(a, "==", w, SizeFacts()) for a, w in pairs)


@rewrite(core.MatMul)
def fold_transpose_into_matmul_weights(op: core.MatMul, rw: Rewriter) -> Replacement | NoMatch:
    """matmul(reshape(transpose(x)), w): a transpose that a flatten hides goes into the rows of constant weights."""
    reshape = op.a.producer
    transpose = reshape.x.producer if isinstance(reshape, core.Reshape) else None
    weights = const_of(op.b)
    if (
        not isinstance(reshape, core.Reshape)
        or not isinstance(transpose, core.Transpose)
        or weights is None
        or len(weights.shape) != 2
        or op.transpose_a
    ):
        return NoMatch("not a flattened transpose times constant weights")
    source, flat = transpose.y.tensor.shape, reshape.y.tensor.shape
    if source is None or flat is None or len(flat) != 2 or transpose.perm[0] != 0 or flat[0] != source[0]:
        return NoMatch("the flatten does not keep the first axis")
    inner = [d for d in source[1:] if isinstance(d, int)]
    if len(inner) != len(source) - 1 or not transpose.y.has_one_use or not reshape.y.has_one_use:
        return NoMatch("inner sizes are not known, or the transposed value has other uses")
    rw.fuse(reshape, transpose, by="fold-transpose-into-weights")
    # Row r of w belongs to the transposed order; bring rows into the order of x.
    k = weights.shape[1] if op.transpose_b else weights.shape[0]
    m = weights.size // max(k, 1)
    place = [transpose.perm.index(a) - 1 for a in range(1, len(source))]
    if op.transpose_b:
        moved = recipes.transpose(weights.reshape((m, *inner)), (0, *(p + 1 for p in place)))
    else:
        moved = recipes.transpose(weights.reshape((*inner, m)), (*place, len(inner)))
    w = rw.emit(core.Constant(value=moved.reshape(weights.shape))).y
    return rw.emit(core.MatMul(rw.emit(core.Reshape(transpose.x, reshape.shape)).y, w, transpose_b=op.transpose_b)).y


PATTERNS = (
    compute_before_reshape,
    fold_scale_into_convolution,
    fold_shift_into_convolution,
    fold_pad_into_convolution,
    fold_transpose_into_matmul_weights,
)
