"""Pooling."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.window import window_size
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.from_onnx.window import Window, auto_pad, digits, explicit_pads, per_axis, window_of
from mlconv.legalize.limits import check_table
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()
Crops = dict[int, tuple[Part, Part]]
"""Axes that are cut, with begin and end."""


def _window(n: Node, x: Value) -> tuple[Value, Window, Crops]:
    """The window of a pooling node, and its input without the elements that a stride beyond the window skips at both
    ends (negative SAME pads).
    """
    shape = x.tensor.shape
    kernel = n.ints("kernel_shape")
    if shape is None or len(shape) != len(kernel) + 2:
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: a window of {len(kernel)} axes for the input {x.type}")
    w = window_of(n, shape[2:], kernel)
    same = auto_pad(n)
    if same not in ("SAME_UPPER", "SAME_LOWER"):
        return x, w, {}
    crops: Crops = {}
    for axis, (k, s, d) in enumerate(zip(w.kernel, w.strides, w.dilations, strict=True), 2):
        extent = (k - 1) * d + 1
        if s <= extent:
            continue
        size = n.dim(x, axis)
        if not isinstance(size, int):
            crops[axis] = _inside_at_run_time(n, size, extent, s, same)
        elif (inside := _inside(size, extent, s, same)) != (0, size):
            crops[axis] = inside
    return _cropped(n, x, crops), w, crops


def _cropped(n: Node, x: Value, crops: Crops) -> Value:
    return n.slice(x, {axis: (*ends, 1) for axis, ends in crops.items()}) if crops else x


def _inside(size: int, extent: int, stride: int, same: str) -> tuple[int, int]:
    """Begin and end of the elements that windows reach, where the stride is beyond the window.

    ONNX AveragePool-22: pad_shape[i] = (output_shape[i] - 1) * strides[i] + (kernel_shape[i] - 1) * dilations[i] + 1 -
    input_shape[i], which is negative here.
    """
    surplus = max(size - (-(-size // stride) - 1) * stride - extent, 0)
    front = surplus // 2 if same == "SAME_UPPER" else max(surplus - 1, 0) // 2  # as ONNX Runtime divides
    return front, size - (surplus - front)


def _inside_at_run_time(n: Node, size: Value, extent: int, stride: int, same: str) -> tuple[Value, Value]:
    """As `_inside`, of a size that is known at run time."""
    positions = n.div(n.sub(size, 1), stride)
    surplus = n.clamp(n.sub(n.sub(size, n.mul(positions, stride)), extent), 0)
    front = n.div(surplus if same == "SAME_UPPER" else n.maximum(n.sub(surplus, 1), 0), 2)
    return front, n.add(n.sub(size, surplus), front)


@RULES.rule("MaxPool")
def max_pool(n: Node) -> Value | list[Value]:
    x = n.x()
    x, w, crops = _window(n, x)
    return _max_pool_with_indices(n, x, w, crops) if n.used(1) else _largest(n, x, w)


def _largest(n: Node, x: Value, w: Window) -> Value:
    """The largest element of each window of x [n, c, ...]."""
    return n.y(
        core.MaxPool(
            x,
            window=w.kernel,
            strides=w.strides,
            pads=w.pads,
            dilations=w.dilations,
            ceil_mode=n.flag("ceil_mode"),
            layout="NC" + digits(len(w.kernel)),
        )
    )


@RULES.rule("NhwcMaxPool", domain="com.microsoft")
def nhwc_max_pool(n: Node) -> Value:
    """MaxPool of channels that stand last."""
    rank = n.rank(n.x())
    x, w, _ = _window(n, n.transpose(n.x(), (0, rank - 1, *range(1, rank - 1))))
    return n.transpose(_largest(n, x, w), (0, *range(2, rank), 1))


def _places(n: Node, sizes: list[Part], crops: Crops, pads: list[tuple[Part, Part]]) -> Value:
    """The place of each element in an image that is flattened, -1 for padding: int64 [1, 1, *sizes]."""
    column_major = n.i("storage_order", 0)  # the first spatial axis runs fastest
    if all(isinstance(s, int) for s in sizes):
        check_table([s for s in sizes if isinstance(s, int)], "the table of places of MaxPool")
    places = n.reshape(n.arange(n.prod(sizes)), [1, 1, *(sizes[::-1] if column_major else sizes)])
    if column_major:
        places = n.transpose(places, [0, 1, *range(n.rank(places) - 1, 1, -1)])
    return n.pad(_cropped(n, places, crops), [(0, 0), (0, 0), *pads], -1)


def _reach(n: Node, size: Part, extent: int, stride: int) -> Part:
    """From the first window's begin to behind the last one's, along an axis in which all windows lie."""
    if isinstance(size, int):
        return (size - extent) // stride * stride + 1
    return n.add(n.mul(n.y(core.FloorDiv(n.sub(size, extent), n.asarray(stride, size))), stride), 1)


def _max_pool_with_indices(n: Node, x: Value, w: Window, crops: Crops) -> list[Value]:
    """Values and the place of each in the flattened input: the elements of the window are compared one after the other.
    x: without the elements of `crops`.
    """
    check_table([math.prod(w.kernel), 1 << 10], "the window of MaxPool, whose elements are compared one by one,")
    sizes, pads = n.dims(n.x())[2:], [_whole_pads(n, x, w, i) for i in range(len(w.kernel))]
    dtype = x.tensor.dtype
    lowest = -math.inf if dtype.is_float else int(np.iinfo(dtype.numpy).min)
    padded, where = n.pad(x, [(0, 0), (0, 0), *pads], lowest), _places(n, sizes, crops, pads)
    steps = zip(w.kernel, w.strides, w.dilations, strict=True)
    reach = [_reach(n, n.dim(padded, 2 + i), (k - 1) * d + 1, s) for i, (k, s, d) in enumerate(steps)]
    best: Value | None = None
    index: Value | None = None
    for offset in itertools.product(*map(range, w.kernel)):
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
        for i, (o, d, s, far) in enumerate(zip(offset, w.dilations, w.strides, reach, strict=True)):
            bounds[i + 2] = (o * d, o * d + far if isinstance(far, int) else n.add(far, o * d), s)
        value, place = n.slice(padded, bounds), n.slice(where, bounds)
        if best is None or index is None:
            best, index = value, n.broadcast_to(place, n.shape_of(value))
            continue
        # an element of the padding gives way to the first element of the image, which may be as low
        better = n.logical_or(
            n.less(best, value),
            n.logical_and(n.less(index, 0), n.less_equal(0, n.broadcast_to(place, n.shape_of(value)))),
        )
        best, index = n.where(better, value, best), n.where(better, place, index)
    if best is None or index is None:
        raise ConversionError(Code.AttributeInvalid, "MaxPool: the window is empty")
    planes, area = n.prod([n.dim(x, 0), n.dim(x, 1)]), n.prod(sizes)
    starts = n.reshape(n.mul(n.arange(planes), area), [n.dim(x, 0), n.dim(x, 1), *[1] * len(sizes)])
    return [best, n.add(index, starts)]


def average_pool_of(n: Node, x: Value, w: Window, layout: str) -> Value:
    """Mean over windows with the attributes of `n`."""
    return n.y(
        core.AvgPool(
            x,
            window=w.kernel,
            strides=w.strides,
            pads=w.pads,
            dilations=w.dilations,
            ceil_mode=n.flag("ceil_mode"),
            count_include_pad=n.flag("count_include_pad"),
            layout=layout,
        )
    )


@RULES.rule("AveragePool")
def average_pool(n: Node) -> Value:
    x = n.x()
    x, w, _ = _window(n, x)
    return average_pool_of(n, x, w, "NC" + digits(len(w.kernel)))


@RULES.rule("LpPool")
def lp_pool(n: Node) -> Value:
    """(sum |x|^p)^(1/p): the sum is a mean over windows that are padded with zeros, times the window's size.  Zeros
    beyond the pads change no sum.
    """
    x = n.x()
    x, w, _ = _window(n, x)
    p = float(n.i("p", 2))
    mean = mean_of_padded(n, _power(n, n.y(core.Abs(x)), p), w)
    return _power(n, n.mul(mean, math.prod(w.kernel)), 1.0 / p)


def mean_of_padded(n: Node, x: Value, w: Window) -> Value:
    """Mean over windows of x, channels first, padded with zeros until every window ends inside: all of a window's
    places count.
    """
    pads: list[tuple[Part, Part]] = [(0, 0), (0, 0), *(_whole_pads(n, x, w, i) for i in range(len(w.kernel)))]
    count = len(w.kernel)
    return n.y(
        core.AvgPool(
            n.pad(x, pads),
            window=w.kernel,
            strides=w.strides,
            pads=((0, 0),) * count,
            dilations=w.dilations,
            layout="NC" + digits(count),
        )
    )


def _whole_pads(n: Node, x: Value, w: Window, i: int) -> tuple[Part, Part]:
    """Pads of spatial axis i that let every window end inside, also where its size is known at run time."""
    size = n.dim(x, i + 2)
    k, s, d = w.kernel[i], w.strides[i], w.dilations[i]
    extent = (k - 1) * d + 1
    if isinstance(w.pads, str):
        if isinstance(size, int):
            total: Part = max((-(-size // s) - 1) * s + extent - size, 0)
        else:
            total = n.maximum(n.sub(n.add(n.mul(n.div(n.sub(size, 1), s), s), extent), size), 0)
        if isinstance(total, int):
            small, large = total // 2, total - total // 2
            return (small, large) if w.pads == "SAME_UPPER" else (large, small)
        half = n.div(total, 2)
        return (half, n.sub(total, half)) if w.pads == "SAME_UPPER" else (n.sub(total, half), half)
    lo, hi = w.pads[i]
    if not n.flag("ceil_mode"):
        return lo, hi
    if isinstance(size, int):
        out = window_size(size, k, s, d, (lo, hi), True)
        return lo, max(hi, ((out if isinstance(out, int) else 0) - 1) * s + extent - size - lo)
    room = n.sub(n.add(size, lo + hi), extent)
    steps = n.div(n.add(room, s - 1), s)
    if hi + s > extent:  # no window starts in the padding behind
        steps = n.minimum(steps, n.div(n.add(size, lo - 1), s))
    return lo, n.maximum(n.sub(n.add(n.mul(steps, s), extent - lo), size), hi)


def _power(n: Node, x: Value, p: float) -> Value:
    if p == 1.0:
        return x
    if p == 2.0:
        return n.mul(x, x)
    return n.sqrt(x) if p == 0.5 else n.y(core.Pow(x, n.asarray(p, x)))


@RULES.rule("GlobalAveragePool")
def global_average_pool(n: Node) -> Value:
    x = n.x()
    return n.mean(x, range(2, n.rank(x)), keepdims=True)


@RULES.rule("GlobalMaxPool")
def global_max_pool(n: Node) -> Value:
    x = n.x()
    return n.max(x, range(2, n.rank(x)), keepdims=True)


@RULES.rule("GlobalLpPool")
def global_lp_pool(n: Node) -> Value:
    x = n.x()
    p = float(n.i("p", 2))
    return _power(n, n.sum(_power(n, n.y(core.Abs(x)), p), range(2, n.rank(x)), keepdims=True), 1.0 / p)


@RULES.rule("MaxUnpool")
def max_unpool(n: Node) -> Value:
    """Values placed at their indices in zeros.  Indices that the model makes are places in the output, as those of the
    MaxPool that it undoes.  Given ones are places in the inferred size; a larger `output_shape` adds zeros behind, as
    in onnx's reference evaluator.
    """
    wanted = None if n.opt(2) is None else _wanted_sizes(n)
    if wanted is not None and not _is_given(n.x(1)):
        return _placed(n, wanted)
    whole = _unpooled_sizes(n)
    y = _placed(n, whole)
    if wanted is None:
        return y
    behind = (
        a - b if isinstance(a, int) and isinstance(b, int) else n.sub(a, b) for a, b in zip(wanted, whole, strict=True)
    )
    return n.pad(y, [(0, extra) for extra in behind])


def _is_given(value: Value) -> bool:
    return value.producer is None or constant_array(value) is not None


def _placed(n: Node, sizes: Sequence[Part]) -> Value:
    x, indices = n.reshape(n.x(0), [-1]), n.reshape(n.x(1), [-1])
    zeros = n.broadcast_to(n.asarray(0, x), [n.prod(sizes)])
    return n.reshape(n.y(core.ScatterElements(zeros, indices, x, axis=0)), sizes)


def _wanted_sizes(n: Node) -> list[Part]:
    known = constant_array(n.opt(2))
    if known is not None:
        return [int(size) for size in known.reshape(-1)]
    return [n.slice_axis(n.cast(n.x(2), DType.I64), 0, i, i + 1) for i in range(n.rank(n.x(0)))]


def _unpooled_sizes(n: Node) -> list[Part]:
    x, kernel = n.x(0), n.ints("kernel_shape")
    count = len(kernel)
    strides, pads = per_axis(n, "strides", count, 1), explicit_pads(n, count)
    sizes: list[Part] = []
    for i in range(count):
        size = n.dim(x, i + 2)
        shift = kernel[i] - strides[i] - pads[i][0] - pads[i][1]
        sizes.append(size * strides[i] + shift if isinstance(size, int) else n.add(n.mul(size, strides[i]), shift))
    return [n.dim(x, 0), n.dim(x, 1), *sizes]
