"""Convolution and pooling.  HLO takes any order of axes, so layouts stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import pool_windows, resolve_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.core import Value
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.reduce import extreme, wide
from mlconv.rewrite import Rules

RULES = Rules()


def _biased(e: HloBuilder, y: Value, bias: Value | None, layout: str) -> Value:
    if bias is None:
        return y
    return e.binary("add", y, e.spread(e.convert(bias, y.tensor.dtype), layout.index("C"), dims(y)))


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: HloBuilder) -> Value:
    """convolution."""
    shape, kernel = dims(op.x), dims(op.w)
    sizes = tuple(shape[i] for i in spatial(op.x_layout))
    taps = tuple(kernel[i] for i in spatial(op.w_layout))
    pads = resolve_pads(op.pads, sizes, taps, op.strides, op.dilations)
    window = tuple((k, s, lo, hi, d, 1) for k, s, (lo, hi), d in zip(taps, op.strides, pads, op.dilations, strict=True))
    layouts: dict[str, Any] = {"x_layout": op.x_layout, "w_layout": op.w_layout, "y_layout": op.y_layout}
    y = e.one("convolution", [op.x, op.w], op.y.tensor, window=window, groups=op.groups, **layouts)
    return _biased(e, y, op.bias, op.y_layout)


@RULES.rule(core.ConvTranspose)
def conv_transpose(op: core.ConvTranspose, e: HloBuilder) -> Value:
    """A convolution over the stretched input with the kernel turned around."""
    kernel = dims(op.w)
    axes = spatial(op.w_layout)
    taps = tuple(kernel[i] for i in axes)
    w = _flipped(e, _by_group(e, op.w, op.w_layout, op.groups), tuple(axes))
    window = []
    for k, s, (lo, hi), extra, d in zip(taps, op.strides, op.pads, op.output_pads, op.dilations, strict=True):
        span = (k - 1) * d
        window.append((k, 1, span - lo, span - hi + extra, d, s))
    layouts: dict[str, Any] = {"x_layout": op.x_layout, "w_layout": op.w_layout, "y_layout": op.y_layout}
    y = e.one("convolution", [op.x, w], op.y.tensor, window=tuple(window), groups=op.groups, **layouts)
    return _biased(e, y, op.bias, op.y_layout)


def _flipped(e: HloBuilder, w: Value, axes: tuple[int, ...]) -> Value:
    constant = const_of(w)
    return e.constant(recipes.flip(constant, axes)) if constant is not None else e.reverse(w, axes)


def _by_group(e: HloBuilder, w: Value, layout: str, groups: int) -> Value:
    """Kernel with I = C / groups and O = all outputs, from one with I = C and O = outputs per group."""
    if groups == 1:
        return w
    shape, i, o = list(dims(w)), layout.index("I"), layout.index("O")
    per_group = shape[i] // groups
    split = [*shape[:i], groups, per_group, *shape[i + 1 :]]
    place = o if o < i else o + 1
    rest = [a for a in range(len(split)) if a != i]
    perm = [*rest[: rest.index(place)], i, *rest[rest.index(place) :]]
    joined = list(shape)
    joined[i], joined[o] = per_group, shape[o] * groups
    constant = const_of(w)
    if constant is not None:
        return e.constant(recipes.transpose(constant.reshape(tuple(split)), tuple(perm)).reshape(tuple(joined)))
    return e.reshape(e.transpose(e.reshape(w, split), perm), joined)


def _window(op: core.MaxPool | core.AvgPool, x: Value) -> list[tuple[int, int, int, int, int, int]]:
    """Window of a pooling over all axes; the pad after is what the last window needs."""
    shape, out = dims(x), dims(op.y)
    axes = spatial(op.layout)
    pads = resolve_pads(op.pads, tuple(shape[a] for a in axes), op.window, op.strides, op.dilations)
    window = [(1, 1, 0, 0, 1, 1)] * len(shape)
    for i, axis in enumerate(axes):
        k, s, d = op.window[i], op.strides[i], op.dilations[i]
        lo = pads[i][0]
        end = (out[axis] - 1) * s + (k - 1) * d + 1 - shape[axis] - lo
        window[axis] = (k, s, lo, max(end, 0), d, 1)
    return window


@RULES.rule(core.MaxPool)
def max_pool(op: core.MaxPool, e: HloBuilder) -> Value:
    """reduce-window."""
    return e.reduce_window("maximum", op.x, extreme(op.x.tensor.dtype, lowest=True), _window(op, op.x))


@RULES.rule(core.AvgPool)
def avg_pool(op: core.AvgPool, e: HloBuilder) -> Value:
    """reduce-window, over counts that are known now."""
    x = wide(e, op.x)
    total = e.reduce_window("add", x, 0, _window(op, x))
    axes = spatial(op.layout)
    check_table([dims(x)[i] for i in axes], "the table of window counts")
    ones = np.zeros([d if i in axes else 1 for i, d in enumerate(dims(x))], x.tensor.dtype.numpy)
    counts = pool_windows(ones, op, np.zeros((), ones.dtype))[1]
    dtype = x.tensor.dtype
    if counts.size and bool(np.all(counts == counts.flat[0])):
        divisor = e.scalar(counts.flat[0], dtype)
    else:
        divisor = e.constant(counts.reshape([d if i in axes else 1 for i, d in enumerate(dims(op.y))]), dtype)
    return e.convert(e.binary("divide", total, divisor), op.x.tensor.dtype)
