"""Convolution and pooling.  HLO takes any order of axes, so layouts stay as they are."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.window import Pads, pool_windows, resolve_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, ceildiv, maximum
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.places import filled, from_place, number
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import is_dynamic
from mlconv.legalize.to_hlo.reduce import extreme, wide
from mlconv.rewrite import Rules

RULES = Rules()

Window = tuple[int, int, int]  # length, stride, dilation


def _biased(e: HloBuilder, y: Value, bias: Value | None, layout: str) -> Value:
    if bias is None:
        return y
    return e.binary("add", y, e.spread(e.convert(bias, y.tensor.dtype), layout.index("C"), dims(y)))


@RULES.rule(core.Conv)
def conv(op: core.Conv, e: HloBuilder) -> Value:
    """convolution."""
    kernel = dims(op.w)
    taps = tuple(kernel[i] for i in spatial(op.w_layout))
    axes, out = spatial(op.x_layout), tuple(dims(op.y)[i] for i in spatial(op.y_layout))
    windows = list(zip(taps, op.strides, op.dilations, strict=True))
    x, pads = _with_pads(e, op.x, op.pads, axes, windows, out, e.scalar(0, op.x.tensor.dtype))
    window = tuple((k, s, lo, hi, d, 1) for (k, s, d), (lo, hi) in zip(windows, pads, strict=True))
    layouts: dict[str, Any] = {"x_layout": op.x_layout, "w_layout": op.w_layout, "y_layout": op.y_layout}
    y = e.one("convolution", [x, op.w], op.y.tensor, window=window, groups=op.groups, **layouts)
    _state(e, y, op.y)
    return _biased(e, y, op.bias, op.y_layout)


def _state(e: HloBuilder, y: Value, want: Value) -> None:
    """y has the sizes of the op's result, where these have a range."""
    if is_dynamic(e.sizes.of(want)):
        e.sizes.state(y, e.sizes.of(want))


def _with_pads(
    e: HloBuilder, x: Value, pads: Pads, axes: list[int], windows: list[Window], out: tuple[int, ...], fill: Value
) -> tuple[Value, list[tuple[int, int]]]:
    """x and numbers for what to pad its axes with.  Where SAME stands for different numbers at different sizes, x is
    moved so that none is needed.  windows: length, stride, dilation; out: largest results; fill: a scalar.
    """
    sizes, have = e.sizes.of(x), dims(x)
    parts = tuple(zip(*windows, strict=True)) if windows else ((), (), ())
    found = list(resolve_pads(pads, tuple(have[a] for a in axes), *parts))
    if not isinstance(pads, str):
        return x, found
    for i, (axis, (k, s, d)) in enumerate(zip(axes, windows, strict=True)):
        size, span = sizes[axis], (k - 1) * d + 1
        if s == 1 or not isinstance(size, Dim):
            continue
        before, _ = _same_pads(pads, size, s, span)
        length = (out[i] - 1) * s + span
        low, high = [0] * len(have), [0] * len(have)
        low[axis], high[axis] = span, max(0, length - have[axis])
        x = e.pad(filled(e, x, fill, [axis]), fill, low, high)
        e.sizes.state(x, with_size(e.sizes.of(x), axis, dims(x)[axis]))
        spans = [length if a == axis else n for a, n in enumerate(dims(x))]
        x = from_place(e, x, {axis: span - before}, spans, with_size(sizes, axis, length), inside=True)
        sizes = e.sizes.of(x)
        found[i] = (0, 0)
    return x, found


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
    _state(e, y, op.y)
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


def _pooled(op: core.MaxPool | core.AvgPool, e: HloBuilder, x: Value, opcode: str, neutral: Array | float) -> Value:
    """Windows of x combined; the pad after is what the last window needs."""
    shape, out, axes = dims(x), dims(op.y), spatial(op.layout)
    windows = list(zip(op.window, op.strides, op.dilations, strict=True))
    if x is not op.x and is_dynamic(e.sizes.of(op.x)):
        e.sizes.shapes[x] = e.sizes.of(op.x)
    outs = tuple(out[a] for a in axes)
    moved, pads = _with_pads(e, x, op.pads, axes, windows, outs, e.scalar(neutral, x.tensor.dtype))
    shape, window = dims(moved), [(1, 1, 0, 0, 1, 1)] * len(shape)
    for axis, (k, s, d), (lo, _) in zip(axes, windows, pads, strict=True):
        end = (out[axis] - 1) * s + (k - 1) * d + 1 - shape[axis] - lo
        window[axis] = (k, s, lo, max(end, 0), d, 1)
    y = e.reduce_window(opcode, moved, neutral, window)
    _state(e, y, op.y)
    return y


@RULES.rule(core.MaxPool)
def max_pool(op: core.MaxPool, e: HloBuilder) -> Value:
    """reduce-window."""
    return _pooled(op, e, op.x, "maximum", extreme(op.x.tensor.dtype, lowest=True))


@RULES.rule(core.AvgPool)
def avg_pool(op: core.AvgPool, e: HloBuilder) -> Value:
    """reduce-window, over counts that are known now, or follow from the sizes of the run."""
    x = wide(e, op.x)
    total = _pooled(op, e, x, "add", 0)
    axes, dtype = spatial(op.layout), x.tensor.dtype
    if any(isinstance(e.sizes.of(op.x)[a], Dim) for a in axes):
        return e.convert(e.binary("divide", total, _counts(op, e, dtype)), op.x.tensor.dtype)
    check_table([dims(x)[i] for i in axes], "the table of window counts")
    ones = np.zeros([d if i in axes else 1 for i, d in enumerate(dims(x))], x.tensor.dtype.numpy)
    counts = pool_windows(ones, op, np.zeros((), ones.dtype))[1]
    if counts.size and bool(np.all(counts == counts.flat[0])):
        divisor = e.scalar(counts.flat[0], dtype)
    else:
        divisor = e.constant(counts.reshape([d if i in axes else 1 for i, d in enumerate(dims(op.y))]), dtype)
    return e.convert(e.binary("divide", total, divisor), op.x.tensor.dtype)


def _counts(op: core.AvgPool, e: HloBuilder, dtype: DType) -> Value:
    """How many elements of each window count: a product over the axes."""
    found, rank = e.scalar(1, dtype), len(dims(op.y))
    for i, axis in enumerate(spatial(op.layout)):
        k, s, d = op.window[i], op.strides[i], op.dilations[i]
        size, places = e.sizes.of(op.x)[axis], (dims(op.y)[axis], k)
        low, high = _edges(op, i, size)
        steps = e.binary("multiply", e.iota(DType.I32, places, 0), e.scalar(s, DType.I32))
        taps = e.binary("multiply", e.iota(DType.I32, places, 1), e.scalar(d, DType.I32))
        spot = e.binary("subtract", e.binary("add", steps, taps), number(e, low))
        counted = (low, high) if op.count_include_pad else (0, 0)
        inside = e.binary(
            "and",
            e.compare("GE", e.binary("add", spot, number(e, counted[0])), e.scalar(0, DType.I32)),
            e.compare("LT", spot, number(e, size + counted[1])),
        )
        count = e.reduce("add", e.convert(inside, dtype), 0, [1])
        found = e.binary("multiply", found, e.reshape(count, [places[0] if a == axis else 1 for a in range(rank)]))
    return e.binary("maximum", found, e.scalar(1, dtype))


def _edges(op: core.AvgPool, i: int, size: Size) -> tuple[Size, Size]:
    """How far an axis is padded before and after."""
    if not isinstance(op.pads, str):
        return op.pads[i]
    s, span = op.strides[i], (op.window[i] - 1) * op.dilations[i] + 1
    return _same_pads(op.pads, size, s, span)


def _same_pads(pads: str, size: Size, stride: int, span: int) -> tuple[Size, Size]:
    """What `resolve_pads` gives, of a size at run time."""
    total = maximum((ceildiv(size, stride) - 1) * stride + span - size, 0)
    small = total // 2
    return (small, total - small) if pads == "SAME_UPPER" else (total - small, small)
