"""Pooling.  Source: tensorflow/core/ops/nn_ops.cc, tensorflow/core/kernels/maxpooling_op.cc."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.window import resolve_pads
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape
from mlconv.legalize.from_tf.conv import Pairs, layout_of, pads_of, spatial_of
from mlconv.legalize.from_tf.operands import dim_value, dtype_of, shape_of, static_shape, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import edit

RULES: Final = tf_rules()


@RULES.rule("MaxPool", "AvgPool", "MaxPool3D", "AvgPool3D")
def pool(n: SourceNode) -> Value:
    """Padded elements never count in the mean."""
    return _pool(n)


def _pool(n: SourceNode) -> Value:
    x = n.operand(0)
    layout = layout_of(n, "NDHWC" if n.kind.endswith("3D") else "NHWC")
    _pooled_shape(n, x, layout)
    ksize = n.attr("ksize")
    if ksize[layout.index("C")] != 1:
        return _pool_channels(n, x, layout)
    return pool_of(n, x, core.MaxPool if n.kind.startswith("Max") else core.AvgPool, layout)


def _pooled_shape(n: SourceNode, x: Value, layout: str) -> Shape:
    shape = shape_of(x, "the pooled tensor")
    if len(shape) != len(layout):
        raise ConversionError(Code.ShapeMismatch, f"{n.kind} of {x.tensor}: rank {len(layout)} is needed")
    return shape


def pool_of(n: SourceNode, x: Value, make: type[core.MaxPool | core.AvgPool], layout: str = "N01C") -> Value:
    """Windows of x as the node's attributes say."""
    shape = _pooled_shape(n, x, layout)
    window, strides = spatial_of(n, "ksize", layout), spatial_of(n, "strides", layout)
    ones = (1,) * len(window)
    sizes = [shape[layout.index(str(i))] for i in range(len(window))]
    pads = pads_of(n, layout, sizes, list(window), strides, ones)
    if (
        n.attr("padding") == "EXPLICIT"
        and not isinstance(pads, str)
        and any(max(pair) >= k for pair, k in zip(pads, window, strict=True))
    ):
        raise ConversionError(
            Code.AttributeInvalid, f"{n.kind}: the paddings {list(pads)} must be smaller than the window {list(window)}"
        )
    return n.emit(make(x, window=window, strides=strides, pads=pads, dilations=ones, layout=layout)).y


def _pool_channels(n: SourceNode, x: Value, layout: str) -> Value:
    """Pooling over groups of channels: windows that do not overlap."""
    size = n.attr("ksize")[layout.index("C")]
    channels = shape_of(x)[-1]
    others = [v for i, v in enumerate((*n.attr("ksize"), *n.attr("strides"))) if i % len(layout) != layout.index("C")]
    fits = isinstance(channels, int) and channels % size == 0 and n.attr("strides")[-1] == size
    if (
        n.kind != "MaxPool"
        or layout != "N01C"
        or any(v != 1 for v in others)
        or not isinstance(channels, int)
        or not fits
    ):
        raise n.unsupported(
            f"window {list(n.attr('ksize'))} with strides {list(n.attr('strides'))} over {channels} channels"
        )
    groups = n.emit(core.Reshape(x, n.vector([-1, channels // size, size]))).y
    best = n.emit(core.ReduceMax(groups, axes=(2,))).y
    lead = n.emit(core.DynamicSlice(n.emit(core.ShapeOf(x)).y, n.vector([0]), n.vector([3]))).y
    return n.emit(core.Reshape(best, n.emit(core.Concat([lead, n.vector([channels // size])], axis=0)).y)).y


@RULES.rule("MaxPoolV2")
def max_pool_v2(n: SourceNode) -> Value:
    """Window and strides are constant operands."""
    edit.set_attribute(n.op, "ksize", n.ints(1))
    edit.set_attribute(n.op, "strides", n.ints(2))
    return _pool(n)


@RULES.rule("MaxPoolWithArgmax")
def max_pool_with_argmax(n: SourceNode) -> Sequence[Value]:
    """Also the flat index (y * width + x) * channels + c of each maximum, the first of equals; plus batch * height *
    width * channels when asked for.
    """
    return largest(n, n.operand(0), dtype_of(n, "Targmax"), bool(n.attr("include_batch_in_index")))


def largest(n: SourceNode, x: Value, dtype: DType, with_batch: bool) -> tuple[Value, Value]:
    """The maxima of windows and their flat indices.

    The window is walked element by element: a strictly larger element takes over value and index.
    """
    sizes = static_shape_but_batch(x)
    window, strides = spatial_of(n, "ksize", "N01C"), spatial_of(n, "strides", "N01C")
    pads = pads_of(n, "N01C", list(sizes[:2]), list(window), strides, (1, 1))
    amounts = resolve_pads(pads, sizes[:2], window, strides, (1, 1))
    lowest = -np.inf if x.tensor.dtype.is_float else np.iinfo(x.tensor.dtype.numpy).min
    padded = n.emit(core.Pad(x, n.constant([[0, 0], *map(list, amounts), [0, 0]], DType.I64), n.asarray(lowest, x))).y
    first, inside = _first_elements(sizes, window, strides, amounts)
    base = n.constant(first, dtype)
    best: Value | None = None
    index: Value = base
    for i in range(window[0]):
        for j in range(window[1]):
            rows = n.slice_axis(padded, 1, i, i + (first.shape[1] - 1) * strides[0] + 1, strides[0])
            elements = n.slice_axis(rows, 2, j, j + (first.shape[2] - 1) * strides[1] + 1, strides[1])
            here = n.add(base, n.constant((i * sizes[1] + j) * sizes[2], dtype))
            if best is None:
                shape = n.emit(core.ShapeOf(elements)).y
                best, index = elements, n.emit(core.BroadcastTo(n.constant(inside, dtype), shape)).y
                continue
            larger = n.emit(core.Greater(elements, best)).y
            index = n.emit(core.Select(larger, here, index)).y
            best = n.emit(core.Select(larger, elements, best)).y
    if with_batch:
        index = n.add(index, batch_offsets(n, x, sizes, dtype))
    return best if best is not None else x, index


def static_shape_but_batch(x: Value) -> tuple[int, ...]:
    """Height, width and channels of an NHWC tensor."""
    shape = shape_of(x, "the pooled tensor")
    ints = tuple(d for d in shape[1:] if isinstance(d, int))
    return ints if len(shape) == 4 and len(ints) == 3 else static_shape(x, "the pooled tensor")[1:]


def _first_elements(
    sizes: tuple[int, ...], window: tuple[int, ...], strides: tuple[int, ...], pads: Pairs
) -> tuple[Array, Array]:
    """Flat index of the first element of every window, [1, rows, columns, channels], which in the padding lies outside
    of the image, and of the first that is inside.
    """
    counts = [(n + lo + hi - k) // s + 1 for n, (lo, hi), k, s in zip(sizes, pads, window, strides, strict=False)]
    check_table((*counts, sizes[2]), "table of pooling indices")
    y = np.arange(counts[0]) * strides[0] - pads[0][0]
    x = np.arange(counts[1]) * strides[1] - pads[1][0]
    return _flat(y, x, sizes), _flat(np.maximum(y, 0), np.maximum(x, 0), sizes)


def _flat(y: Array, x: Array, sizes: tuple[int, ...]) -> Array:
    index: Array = ((y[:, None] * sizes[1] + x)[..., None] * sizes[2] + np.arange(sizes[2]))[None]
    return index


def batch_offsets(n: SourceNode, x: Value, sizes: tuple[int, ...], dtype: DType) -> Value:
    batch = n.cast(n.emit(core.Range(n.constant(0, DType.I64), dim_value(n, x, 0), n.constant(1, DType.I64))).y, dtype)
    return n.emit(core.Reshape(n.mul(batch, n.constant(math.prod(sizes), dtype)), n.vector([-1, 1, 1, 1]))).y
