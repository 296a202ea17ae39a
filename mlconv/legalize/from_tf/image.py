"""Image ops.  Source: tensorflow/core/ops/image_ops.cc, tensorflow/core/kernels/image (resize_*_op.cc,
crop_and_resize_op.cc).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.places import check_places
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.legalize.from_tf.operands import (
    dim_value,
    folded,
    rank_of,
    shape_of,
    tf_rules,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.resize_weights import cubic_weights

RULES: Final = tf_rules()


@RULES.rule("ResizeBilinear", "ResizeBicubic", "ResizeNearestNeighbor")
def resize(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], size [2].  Nearest keeps the type, the others give float32."""
    x = n.operand(0)
    wanted = n.const_or_none(1)
    if wanted is not None and (wanted <= 0).any():
        raise ConversionError(
            Code.ShapeMismatch, f"{n.kind} to the size {wanted.reshape(-1).tolist()[:8]}: sizes must be positive"
        )
    corners, half_pixel = n.attr("align_corners", False), n.attr("half_pixel_centers", False)
    if n.kind == "ResizeNearestNeighbor":
        coordinates = "align_corners" if corners else "tf_half_pixel_for_nn" if half_pixel else "asymmetric"
        # align_corners rounds halves away from zero, the others round down
        nearest = "round_prefer_ceil" if corners else "floor"
        return n.emit(
            core.Resize(x, folded(n, 1), axes=(1, 2), mode="nearest", coordinates=coordinates, nearest_mode=nearest)
        ).y
    coordinates = "align_corners" if corners else "half_pixel" if half_pixel else "asymmetric"
    wide = n.cast(x, DType.F32)
    if n.kind == "ResizeBilinear":
        return n.emit(core.Resize(wide, folded(n, 1), axes=(1, 2), mode="linear", coordinates=coordinates)).y
    return _resize_bicubic(n, wide, coordinates)


def _resize_bicubic(n: SourceNode, x: Value, coordinates: str) -> Value:
    """A matrix of weights for each side.  Source: resize_bicubic_op.cc: Keys' a is -0.5 with half pixel centres, else
    -0.75.
    """
    sizes = shape_of(x)[1:3]
    wanted = n.const_or_none(1)
    if wanted is None or static(sizes) is None:
        for i in (0, 1):
            x = _cubic_axis(
                n, x, 1 + i, n.emit(core.Gather(folded(n, 1), n.constant(i, DType.I32), axis=0)).y, coordinates
            )
        return x
    for s, m in zip(sizes, wanted, strict=True):
        check_table((int(m), s if isinstance(s, int) else 0), "table of resizing weights")
    rows, columns = (
        n.constant(cubic_weights(s, int(m), coordinates), DType.F32)
        for s, m in zip(sizes, wanted, strict=True)
        if isinstance(s, int)
    )
    return separable(n, x, rows, columns)


def _cubic_axis(n: SourceNode, x: Value, axis: int, wanted: Value, coordinates: str) -> Value:
    """One side of a size that the run decides: four elements with their weights, as in `cubic_weights`."""
    f = Real(n)
    size, count = (n.cast(v, DType.F32) for v in (dim_value(n, x, axis), wanted))
    scale = n.div(size, count)
    if coordinates == "align_corners":
        scale = n.emit(
            core.Select(f.test(core.Greater, count, 1), n.div(f(core.Sub, size, 1), f(core.Sub, count, 1)), scale)
        ).y
    out = n.cast(n.emit(core.Range(n.asarray(0, wanted), wanted, n.asarray(1, wanted))).y, DType.F32)
    half = coordinates == "half_pixel"
    spots = f(core.Sub, n.mul(f(core.Add, out, 0.5), scale), 0.5) if half else n.mul(out, scale)
    first = n.emit(core.Floor(spots)).y
    t = f(core.Mul, n.emit(core.Round(f(core.Mul, n.sub(spots, first), 1024))).y, 1 / 1024)
    a = -0.5 if half else -0.75
    other = f(core.Add, f(core.Mul, t, -1), 1)
    near = [f.poly(d, (a + 2, -(a + 3), 0, 1)) for d in (t, other)]
    far = [f.poly(f(core.Add, d, 1), (a, -5 * a, 8 * a, -4 * a)) for d in (t, other)]
    elements = [f(core.Add, first, k) for k in (-1, 0, 1, 2)]
    weights, last = [far[0], *near, far[1]], f(core.Sub, size, 1)
    if half:  # elements outside do not count
        for k, element in enumerate(elements):
            inside = n.emit(core.And(f.test(core.GreaterEqual, element, 0), n.emit(core.LessEqual(element, last)).y)).y
            weights[k] = n.emit(core.Select(inside, weights[k], n.asarray(0, element))).y
        total = n.add(n.add(weights[0], weights[1]), n.add(weights[2], weights[3]))
        weights = [n.div(w, total) for w in weights]
    parts = []
    for element, weight in zip(elements, weights, strict=True):
        index = n.cast(n.emit(core.Maximum(n.emit(core.Minimum(element, last)).y, n.asarray(0, element))).y, DType.I32)
        parts.append(
            n.mul(n.emit(core.Gather(x, index, axis=axis)).y, n.expand_dims(weight, *range(1, rank_of(x) - axis)))
        )
    return n.add(n.add(parts[0], parts[1]), n.add(parts[2], parts[3]))


class Real:
    """Arithmetic of a float32 value with a number."""

    def __init__(self, n: SourceNode) -> None:
        self.n = n

    def __call__(self, make: type[core.Add | core.Sub | core.Mul], x: Value, number: float) -> Value:
        return self.n.emit(make(x, self.n.asarray(number, x))).y

    def test(self, make: type[core.Greater | core.GreaterEqual], x: Value, number: float) -> Value:
        """Where x compares so with the number."""
        return self.n.emit(make(x, self.n.asarray(number, x))).y

    def poly(self, x: Value, coefficients: Sequence[float]) -> Value:
        """A polynomial, highest power first."""
        y = self(core.Mul, x, coefficients[0])
        for c in coefficients[1:-1]:
            y = self.n.mul(self(core.Add, y, c), x)
        return self(core.Add, y, coefficients[-1])


def separable(n: SourceNode, x: Value, rows: Value, columns: Value) -> Value:
    """Weights [m, h] along the height and [m, w] along the width of an NHWC image."""
    y = n.emit(
        core.Transpose(n.emit(core.MatMul(rows, n.emit(core.Transpose(x, perm=(0, 3, 1, 2))).y)).y, perm=(0, 2, 3, 1))
    ).y
    return n.emit(core.MatMul(columns, y)).y


@RULES.rule("ResizeArea")
def resize_area(n: SourceNode) -> Value:
    """Every result is the mean of the elements that its share of the image covers, parts of elements included."""
    x = n.cast(n.operand(0), DType.F32)
    sizes, wanted = shape_of(x)[1:3], n.ints(1)
    matrices: list[Value] = []
    for size, count in zip(sizes, wanted, strict=True):
        if not isinstance(size, int):
            raise n.unsupported("an image of unknown size")
        check_table((count, size), "table of resizing weights")
        matrices.append(n.constant(area_weights(size, count, bool(n.attr("align_corners"))), DType.F32))
    return separable(n, x, *matrices)


def area_weights(size: int, count: int, align: bool) -> Array:
    """Weights [count, size] of one side, in float32 as the kernel has them; elements beyond the last one are the last
    one. Source: resize_area_op.cc.
    """
    if size == 1:
        return np.ones((count, 1), np.float32)
    one = np.float32(1)
    scale = (
        np.float32(size - 1) / np.float32(count - 1) if align and count > 1 else np.float32(size) / np.float32(count)
    )
    places = np.arange(count)
    low, high = places.astype(np.float32) * scale, (places + 1).astype(np.float32) * scale
    first, stop = np.floor(low).astype(np.int64), np.ceil(high).astype(np.int64)
    weights = np.zeros((count, size), np.float32)
    for step in range(int((stop - first).max())):
        element = first + step
        i = element.astype(np.float32)
        inside = i + one <= high
        share = np.where(i < low, np.where(inside, i + one - low, scale), np.where(inside, one, high - i))
        np.add.at(weights, (places, np.minimum(element, size - 1)), np.where(element < stop, share, 0))
    return weights / scale


@RULES.rule(
    "NonMaxSuppression", "NonMaxSuppressionV2", "NonMaxSuppressionV3", "NonMaxSuppressionV4", "NonMaxSuppressionV5"
)
def non_max_suppression(n: SourceNode) -> Sequence[Value]:
    """Operands: boxes, scores, most outputs, IoU threshold (an attribute in the first version), score threshold (from
    3), sigma (from 5).  Boxes without area, and equal scores, are what TensorFlow's own converter leaves to TFLite.
    """
    boxes, scores, limit = n.operand(0), n.operand(1), n.scalar(n.operand(2))
    dtype = scores.tensor.dtype
    iou = n.scalar(n.operand(3)) if n.has(3) else n.constant(n.attr("iou_threshold"), dtype)
    threshold = n.scalar(n.operand(4)) if n.has(4) else n.constant(-np.inf, dtype)
    sigma = n.scalar(n.operand(5)) if n.has(5) else n.constant(0, dtype)
    padded = n.attr("pad_to_max_output_size", False)
    found = n.emit(core.NonMaxSuppression(boxes, scores, limit, iou, threshold, sigma, padded=padded, plain=True))
    if n.kind == "NonMaxSuppressionV5":
        return [found.selected, found.selected_scores, found.valid]
    return [found.selected, found.valid] if n.kind == "NonMaxSuppressionV4" else [found.selected]


@RULES.rule("CropAndResize")
def crop_and_resize(n: SourceNode) -> Value:
    """Operands: images [n, h, w, c], boxes [b, 4] (y1, x1, y2, x2), image of each box [b], size [2].  Result [b, size,
    c], float32.

    Each side is sampled at y1 (h - 1) + i (y2 - y1)(h - 1) / (size - 1), or at the centre for size 1; samples outside
    give the extrapolation value.
    """
    image, boxes, owner = n.cast(n.operand(0), DType.F32), n.operand(1), n.operand(2)
    size = n.ints(3)
    check_places(owner, shape_of(image)[0], "images of boxes", low=0)
    corner = [n.squeeze(n.slice_axis(boxes, 1, k, k + 1), 1) for k in range(4)]
    sides = [_samples(n, corner[a], corner[a + 2], dim_value(n, image, a + 1), size[a]) for a in range(2)]
    (y, y_inside), (x, x_inside) = sides
    y, y_inside = n.expand_dims(y, 2), n.expand_dims(y_inside, 2)
    x, x_inside = n.expand_dims(x, 1), n.expand_dims(x_inside, 1)
    owners = n.emit(core.Reshape(n.cast(owner, DType.I32), n.vector([-1, 1, 1]))).y
    if n.attr("method", "bilinear") == "nearest":
        # halves go up (roundf of a coordinate that is not negative)
        half = n.constant(0.5, DType.F32)
        value = _pixels(n, image, owners, *(n.emit(core.Floor(n.add(v, half))).y for v in (y, x)))
    else:
        value = _bilinear(n, image, owners, y, x)
    inside = n.expand_dims(n.emit(core.And(y_inside, x_inside)).y, 3)
    return n.emit(core.Select(inside, value, n.asarray(n.attr("extrapolation_value", 0.0), value))).y


def _samples(n: SourceNode, begin: Value, end: Value, length: Value, count: int) -> tuple[Value, Value]:
    """Coordinates [boxes, count] along one side, limited to the image, and whether they lie in it."""
    last = n.sub(n.cast(length, DType.F32), n.constant(1, DType.F32))
    check_table((count,), "list of sampled places")
    if count > 1:
        step = n.div(n.mul(n.sub(end, begin), last), n.constant(count - 1, DType.F32))
        spots = n.add(
            n.expand_dims(n.mul(begin, last), 1), n.mul(n.expand_dims(step, 1), n.constant(np.arange(count), DType.F32))
        )
    else:
        spots = n.expand_dims(n.mul(n.mul(n.add(begin, end), n.constant(0.5, DType.F32)), last), 1)
    above = n.emit(core.GreaterEqual(spots, n.constant(0, DType.F32))).y
    inside = n.emit(core.And(above, n.emit(core.LessEqual(spots, last)).y)).y
    bounded = n.emit(core.Minimum(n.emit(core.Clamp(spots, lo=0.0, hi=float("inf"))).y, last)).y
    return bounded, inside


def _pixels(n: SourceNode, image: Value, owners: Value, y: Value, x: Value) -> Value:
    """image[owner, y, x] for coordinates that broadcast to [boxes, rows, columns]."""
    grid = n.emit(core.ShapeOf(n.add(y, x))).y
    parts = [n.emit(core.BroadcastTo(v if v is owners else n.cast(v, DType.I32), grid)).y for v in (owners, y, x)]
    index = n.emit(core.Concat([n.expand_dims(p, 3) for p in parts], axis=3)).y
    return n.emit(core.GatherNd(image, index)).y


def _bilinear(n: SourceNode, image: Value, owners: Value, y: Value, x: Value) -> Value:
    low_y, high_y = n.emit(core.Floor(y)).y, n.emit(core.Ceil(y)).y
    low_x, high_x = n.emit(core.Floor(x)).y, n.emit(core.Ceil(x)).y
    wy, wx = n.expand_dims(n.sub(y, low_y), 3), n.expand_dims(n.sub(x, low_x), 3)
    rows: list[Value] = []
    for row in (low_y, high_y):
        left, right = _pixels(n, image, owners, row, low_x), _pixels(n, image, owners, row, high_x)
        rows.append(n.add(left, n.mul(n.sub(right, left), wx)))
    return n.add(rows[0], n.mul(n.sub(rows[1], rows[0]), wy))
