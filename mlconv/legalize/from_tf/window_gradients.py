"""Gradients of convolutions, pooling and resampling, which exported training steps hold.

Source: tensorflow/core/ops/nn_ops.cc, tensorflow/core/kernels/maxpooling_op.cc, avgpooling_op.cc,
image/resize_bilinear_op.cc, image/resize_nearest_neighbor_op.cc.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.conv import KERNELS, Pairs, layout_of, pads_of, spatial_of, transposed
from mlconv.legalize.from_tf.image import separable
from mlconv.legalize.from_tf.operands import reshape, shape_of, static_shape, tf_rules
from mlconv.legalize.from_tf.pool import batch_offsets, largest, static_shape_but_batch
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = tf_rules()

_MAX_PARTS: Final = 1024  # groups, or weights of a window, that are written out one by one


def _plain_layout(n: SourceNode) -> str:
    """N01C, which TensorFlow's own kernels have alone."""
    layout = layout_of(n, "NHWC")
    if layout != "N01C":
        raise n.unsupported(f"data_format {n.attr('data_format')}")
    return layout


def _sides(x: Value, layout: str, what: str) -> tuple[int, ...]:
    """Spatial sizes.  Raises ConversionError ShapeNotStatic where one is open."""
    shape = shape_of(x, what)
    sides = [shape[layout.index(str(i))] for i in range(len(layout) - 2)]
    ints = tuple(d for d in sides if isinstance(d, int))
    return ints if len(ints) == len(sides) else static_shape(x, what)


@RULES.rule("Conv2DBackpropFilter", "Conv3DBackpropFilterV2")
def conv_filter_grad(n: SourceNode) -> Value:
    """Operands: x, the kernel's shape, dy.  The images are convolved with the gradient: their channels are the batch,
    the batch is summed over, strides and dilations change places.
    """
    layout = layout_of(n, "NHWC" if n.kind == "Conv2DBackpropFilter" else "NDHWC")
    x, dy, sizes = n.operand(0), n.operand(2), n.ints(1)
    count, at = len(layout) - 2, layout.index("C")
    channels = shape_of(x, "the convolution's input")[at]
    if len(sizes) != count + 2 or not isinstance(channels, int) or channels % max(sizes[-2], 1):
        raise ConversionError(
            Code.ShapeMismatch, f"{n.kind} of {x.tensor} for a kernel of the shape {list(sizes)}", operand=1
        )
    groups = channels // max(sizes[-2], 1)
    if groups > _MAX_PARTS:
        raise n.unsupported(f"{groups} groups of channels; at most {_MAX_PARTS} are written out")
    x, spans = _reached(n, x, dy, sizes[:count], layout)
    xs = n.split(x, [channels // groups] * groups, at) if groups > 1 else (x,)
    dys = n.split(dy, [sizes[-1] // groups] * groups, at) if groups > 1 else (dy,)
    parts = [_filter_grad(n, a, b, layout, spans) for a, b in zip(xs, dys, strict=True)]
    return parts[0] if groups == 1 else n.concat(parts, count + 1)


def _filter_grad(n: SourceNode, x: Value, dy: Value, layout: str, pads: Pairs) -> Value:
    count = len(layout) - 2
    return n.y(
        core.Conv(
            x,
            dy,
            strides=spatial_of(n, "dilations", layout, (1,) * len(layout)),
            pads=pads,
            dilations=spatial_of(n, "strides", layout),
            x_layout=layout.translate(str.maketrans("NC", "CN")),
            w_layout=layout.translate(str.maketrans("NC", "IO")),
            y_layout=KERNELS[count].translate(str.maketrans("IO", "NC")),
        )
    )


def _reached(n: SourceNode, x: Value, dy: Value, window: tuple[int, ...], layout: str) -> tuple[Value, Pairs]:
    """x without the rows behind the last window, and the padding that makes the result as large as the window."""
    strides = spatial_of(n, "strides", layout)
    dilations = spatial_of(n, "dilations", layout, (1,) * len(layout))
    sides, counts = _sides(x, layout, "the convolution's input"), _sides(dy, layout, "the gradient")
    pads = pads_of(n, layout, list(sides), list(window), strides, dilations)
    if isinstance(pads, str):
        raise n.unsupported(f"padding {pads} of {x.tensor}")
    out: list[tuple[int, int]] = []
    for i, (lo, _) in enumerate(pads):
        hi = (window[i] - 1) * dilations[i] + (counts[i] - 1) * strides[i] + 1 - sides[i] - lo
        if hi < 0:
            x = n.slice_axis(x, layout.index(str(i)), 0, sides[i] + hi)
        out.append((lo, max(hi, 0)))
    return x, tuple(out)


@RULES.rule("DepthwiseConv2dNativeBackpropInput")
def depthwise_input_grad(n: SourceNode) -> Value:
    """Operands: the input's shape, kernel [h, w, channels, multiplier], dy."""
    layout, w = layout_of(n, "NHWC"), n.operand(1)
    height, width, channels, multiplier = static_shape(w, "the depthwise kernel")
    return transposed(n, layout, n.operand(2), reshape(n, w, [height, width, 1, channels * multiplier]), channels)


@RULES.rule("DepthwiseConv2dNativeBackpropFilter")
def depthwise_filter_grad(n: SourceNode) -> Value:
    """Operands: x, the kernel's shape, dy.  Each weight is the sum of the elements that it met, times their
    gradients.
    """
    layout = _plain_layout(n)
    x, dy, sizes = n.operand(0), n.operand(2), n.ints(1)
    if len(sizes) != 4:
        raise ConversionError(Code.ShapeMismatch, f"{n.kind}: a kernel of the shape {list(sizes)}", operand=1)
    if sizes[0] * sizes[1] > _MAX_PARTS:
        raise n.unsupported(f"a window of {sizes[0]} x {sizes[1]}; at most {_MAX_PARTS} weights are written out")
    strides = spatial_of(n, "strides", layout)
    dilations = spatial_of(n, "dilations", layout, (1, 1, 1, 1))
    counts = _sides(dy, layout, "the gradient")
    x, pads = _reached(n, x, dy, sizes[:2], layout)
    padded = n.pad(x, [(0, 0), *pads, (0, 0)]) if any(map(any, pads)) else x
    batch, channels, multiplier = n.dim(x, 0), sizes[2], sizes[3]
    if multiplier > 1:
        dy = n.reshape(dy, [batch, *counts, channels, multiplier])
    taps: list[Value] = []
    for i in range(sizes[0]):
        for j in range(sizes[1]):
            met = padded
            for axis, tap in ((0, i), (1, j)):
                begin = tap * dilations[axis]
                met = n.slice_axis(met, axis + 1, begin, begin + (counts[axis] - 1) * strides[axis] + 1, strides[axis])
            met = n.expand_dims(met, 4) if multiplier > 1 else met
            taps.append(n.sum(n.mul(met, dy), [0, 1, 2]))
    return n.reshape(n.concat([n.expand_dims(tap, 0) for tap in taps], 0), list(sizes))


@RULES.rule("MaxPoolGrad", "MaxPoolGradV2")
def max_pool_grad(n: SourceNode) -> Value:
    """Operands: x, the maxima, dy.  Each maximum, the first of equals, gets the gradient of its window."""
    if n.kind == "MaxPoolGradV2":
        edit.set_attribute(n.op, "ksize", n.ints(3))
        edit.set_attribute(n.op, "strides", n.ints(4))
    _plain_layout(n)
    x = n.operand(0)
    return _scattered(n, x, largest(n, x, DType.I32, True)[1], n.operand(2))


@RULES.rule("MaxPoolGradWithArgmax")
def max_pool_grad_with_argmax(n: SourceNode) -> Value:
    """Operands: x, dy, the flat index of each maximum."""
    x, index = n.operand(0), n.operand(2)
    if not n.attr("include_batch_in_index", False):
        index = n.add(index, batch_offsets(n, x, static_shape_but_batch(x), index.tensor.dtype))
    return _scattered(n, x, index, n.operand(1))


def _scattered(n: SourceNode, x: Value, index: Value, dy: Value) -> Value:
    """Zeros like x, to which the gradients are added at flat indices."""
    places, updates = n.reshape(index, [-1, 1]), n.reshape(dy, [-1])
    count = n.vector([n.prod(n.dims(x))])
    return n.reshape(n.emit(core.ScatterFill(places, updates, count)).y, n.dims(x))


@RULES.rule("AvgPoolGrad")
def avg_pool_grad(n: SourceNode) -> Value:
    """Operands: the input's shape, dy.  Each element gets its share of every window that it lies in."""
    layout, dy = _plain_layout(n), n.operand(1)
    window, strides = spatial_of(n, "ksize", layout), spatial_of(n, "strides", layout)
    known, channels = n.known(0), shape_of(dy, "the gradient")[-1]
    sides = [d for d in known[1:3] if isinstance(d, int)] if known is not None else []
    if len(sides) != 2 or not isinstance(channels, int):
        raise ConversionError(Code.ShapeNotStatic, f"{n.kind}: height, width and channels must be known")
    pads = pads_of(n, layout, list(sides), list(window), strides, (1, 1))
    if isinstance(pads, str):
        raise n.unsupported(f"padding {pads}")
    check_table((*window, channels), "window of ones")
    check_table(sides, "table of pooling shares")
    rows, columns = (_inside(*each) for each in zip(sides, window, strides, pads, strict=True))
    share = 1 / (rows[:, None] * columns[None])
    spread = n.mul(dy, n.constant(share[None, :, :, None], dy.tensor.dtype))
    edit.set_attribute(n.op, "dilations", (1, 1, 1, 1))
    return transposed(n, layout, spread, n.constant(np.ones((*window, 1, channels)), dy.tensor.dtype), channels)


def _inside(size: int, window: int, stride: int, pad: tuple[int, int]) -> Array:
    """How many elements of each window are not padding."""
    begin = np.arange((size + sum(pad) - window) // stride + 1) * stride - pad[0]
    counts: Array = np.minimum(begin + window, size) - np.maximum(begin, 0)
    return counts


@RULES.rule("ResizeNearestNeighborGrad", "ResizeBilinearGrad")
def resize_grad(n: SourceNode) -> Value:
    """Operands: dy; the image's size, or the image.  The resampling's weights, the other way round."""
    dy, is_linear = n.operand(0), n.kind == "ResizeBilinearGrad"
    sides = _sides(n.operand(1), "N01C", "the image") if is_linear else n.ints(1)
    align, half = bool(n.attr("align_corners", False)), bool(n.attr("half_pixel_centers", False))
    make = _linear_weights if is_linear else _nearest_weights
    matrices: list[Value] = []
    for size, count in zip(sides, _sides(dy, "N01C", "the gradient"), strict=True):
        check_table((count, size), "table of resizing weights")
        matrices.append(n.constant(make(size, count, align, half).T, dy.tensor.dtype))
    y = separable(n, dy, *matrices)
    return n.cast(y, n.operand(1).tensor.dtype) if is_linear else y


def _scale(size: int, count: int, align: bool) -> np.float32:
    """CalculateResizeScale of image_resizer_state.h."""
    one = np.float32(1)
    return (
        np.float32(size - 1) / (np.float32(count) - one)
        if align and count > 1
        else np.float32(size) / np.float32(count)
    )


def _linear_weights(size: int, count: int, align: bool, half: bool) -> Array:
    """Weights [count, size] of one side."""
    half_ = np.float32(0.5) if half else np.float32(0)
    places = (np.arange(count, dtype=np.float32) + half_) * _scale(size, count, align) - half_
    low = np.floor(places)
    part = places - low
    weights = np.zeros((count, size), np.float32)
    rows = np.arange(count)
    np.add.at(weights, (rows, np.clip(low, 0, size - 1).astype(int)), 1 - part)
    np.add.at(weights, (rows, np.clip(np.ceil(places), 0, size - 1).astype(int)), part)
    return weights


def _nearest_weights(size: int, count: int, align: bool, half: bool) -> Array:
    """1 where an element is copied from, [count, size]."""
    places = (np.arange(count, dtype=np.float32) + np.float32(0.5 if half else 0)) * _scale(size, count, align)
    chosen = np.floor(places + np.float32(0.5)) if align else np.floor(places)
    weights: Array = (np.clip(chosen, 0, size - 1).astype(int)[:, None] == np.arange(size)).astype(np.float32)
    return weights
