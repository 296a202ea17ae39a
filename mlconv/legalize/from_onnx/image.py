"""Images read at real coordinates: GridSample, AffineGrid, RoiAlign, MaxRoiPool."""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.normalization import per_channel
from mlconv.legalize.from_onnx.regions import bin_weights, region_means
from mlconv.legalize.from_onnx.sampling import (
    CUBIC,
    LINEAR,
    Axis,
    channel_rows,
    first_rows,
    gather_points,
    sample,
    size_like,
)
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.limits import check_table
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder, Part

RULES = OnnxRules()

_WORTH_A_TABLE = 2  # regions for each level of it; fewer are looked at one by one sooner, and with less memory
_MODES = {"linear": LINEAR, "bilinear": LINEAR, "cubic": CUBIC, "bicubic": CUBIC, "nearest": 1}


@RULES.rule("GridSample")
def grid_sample(n: Node) -> Value:
    """Values at the grid's coordinates in [-1, 1], whose last axis counts image axes backwards."""
    x, grid = n.x(0), n.x(1)
    mode, padding, corners = n.s("mode", "linear"), n.s("padding_mode", "zeros"), n.flag("align_corners")
    if mode not in _MODES or padding not in ("zeros", "border", "reflection"):
        raise ConversionError(
            Code.AttributeInvalid, f"GridSample: mode {mode!r} or padding_mode {padding!r} is not known"
        )
    count = n.rank(x) - 2
    shape = n.dims_of(grid, count + 2)
    if shape[-1] != count:
        raise ConversionError(
            Code.ShapeMismatch,
            f"GridSample: the grid {grid.type} has no {count} coordinates for the image {x.type}",
            operand=1,
        )
    points: list[Part] = [n.dim(x, 0), n.prod(shape[1:-1])]  # one grid for each image
    axes: list[Axis] = []
    for i in range(count):
        place = n.rank(grid) - 1
        raw = n.reshape(n.slice_axis(grid, place, count - 1 - i, count - i), points)
        size = n.dim(x, i + 2)
        extent = size_like(n, size, raw)
        last = extent - 1 if isinstance(extent, float) else n.sub(extent, 1)
        if corners:
            c = n.mul(n.div(n.add(raw, 1), 2), last)
        else:
            c = n.div(n.sub(n.mul(n.add(raw, 1), extent), 1), 2)
        if mode == "nearest":
            c = n.y(core.Round(c))
        axes.append(Axis(size, padding, corners).inside(n, c, _MODES[mode]))
    y = n.reshape(sample(n, x, axes, _MODES[mode]), [n.dim(x, 0), *shape[1:-1], n.dim(x, 1)])
    return n.transpose(y, (0, count + 1, *range(1, count + 1)))


@RULES.rule("AffineGrid")
def affine_grid(n: Node) -> Value:
    """theta [n, d, d + 1] times the grid of element centres (or corners) of an image of `size`."""
    theta = n.x(0)
    size, corners = _sizes_of_grid(n), n.flag("align_corners")
    sizes = size[2:]
    fixed = [s for s in sizes if isinstance(s, int)]
    if len(fixed) == len(sizes):
        elements = n.constant(_elements(fixed, corners), theta.tensor.dtype)
    else:
        elements = _open_elements(n, sizes, corners, theta.tensor.dtype)
    placed = n.matmul(elements, theta, transpose_b=True)  # [n, elements, d]
    return n.reshape(placed, [n.dim(theta, 0), *sizes, len(sizes)])


def _sizes_of_grid(n: Node) -> list[Part]:
    vector, known = n.cast(n.x(1), DType.I64), known_ints(n.x(1))
    count = len(known) if known is not None else n.dim(vector, 0)
    if not isinstance(count, int) or count < 3:
        raise ConversionError(
            Code.ShapeMismatch,
            f"AffineGrid: the size is {n.x(1).type}, expected batch, channels and spatial sizes",
            operand=1,
        )
    numbers = known or (None,) * count
    if any(isinstance(s, int) and s < 0 for s in numbers):
        raise ConversionError(Code.ShapeMismatch, f"AffineGrid: the size is {list(numbers)}", operand=1)
    return [s if isinstance(s, int) else n.slice_axis(vector, 0, i, i + 1) for i, s in enumerate(numbers)]


def _elements(sizes: list[int], corners: bool) -> np.ndarray:
    """Places of all elements, and 1: [elements, d + 1], the last axis first."""
    check_table([*sizes, len(sizes) + 1], "the grid of AffineGrid")
    lines = [np.linspace(-1, 1, s) if corners else (np.arange(s) * 2 + 1) / s - 1 for s in sizes]
    if corners:
        # one element lies at the end of its axis, as ONNX Runtime has it (the specification divides by the size less 1)
        lines = [line if s > 1 else np.ones(1) for line, s in zip(lines, sizes, strict=True)]
    mesh = np.meshgrid(*lines, indexing="ij")
    return np.stack([*reversed(mesh), np.ones(sizes)], axis=-1).reshape(-1, len(sizes) + 1)


def _open_elements(n: Node, sizes: list[Part], corners: bool, dtype: DType) -> Value:
    """The same of sizes that a run tells."""
    columns: list[Value] = []
    for i, size in enumerate(sizes):
        place = n.cast(n.arange(size), dtype)
        count = n.cast(n.vector([size]), dtype)
        if corners:
            steps = n.sub(count, 1)
            line = n.sub(1, n.div(n.mul(n.sub(steps, place), 2), n.maximum(steps, 1)))
        else:
            line = n.sub(n.div(n.add(n.mul(place, 2), 1), count), 1)
        shape: list[Part] = [1] * len(sizes)
        shape[i] = -1
        columns.append(n.broadcast_to(n.reshape(line, [*shape, 1]), [*sizes, 1]))
    ones = n.broadcast_to(n.constant(1, dtype), [*sizes, 1])
    return n.reshape(n.concat([*reversed(columns), ones], len(sizes)), [-1, len(sizes) + 1])


@RULES.rule("RoiAlign")
def roi_align(n: Node) -> Value:
    """Each bin of a region: mean (or maximum) of bilinear samples on a regular grid."""
    x, rois, batch = n.x(0), n.x(1), n.x(2)
    bins = n.i("output_height", 1), n.i("output_width", 1)
    mode, ratio = n.s("mode", "avg").lower(), n.i("sampling_ratio", 0)
    half = (
        n.s("coordinate_transformation_mode", "half_pixel" if n.version >= 16 else "output_half_pixel").lower()
        == "half_pixel"
    )
    corners = n.mul(rois, n.f("spatial_scale", 1.0))
    if half:
        corners = n.sub(corners, 0.5)
    left, top, right, bottom = n.split(corners, [1, 1, 1, 1], 1)  # [r, 1]
    spans = []
    for start, stop in ((top, bottom), (left, right)):
        length = n.sub(stop, start)
        spans.append((start, length if half else n.maximum(length, 1)))
    batch = per_channel(n, batch, rois, 0)
    if ratio <= 0 and mode == "avg":
        return region_means(n, x, batch, *(bin_weights(n, *spans[i], bins[i], n.dim(x, 2 + i)) for i in (0, 1)))
    grids = (ratio, ratio) if ratio > 0 else _roi_grids(n, rois, *bins, half)
    return _sampled(n, first_rows(n, x, batch), spans, bins, grids, mode)


def _sampled(
    n: Node,
    first: Value | None,
    spans: list[tuple[Value, Value]],
    bins: tuple[int, int],
    grids: tuple[int, int],
    mode: str,
) -> Value:
    """Regions, (start, length) along both axes, of images whose rows begin at `first`, with `grids` samples per bin."""
    places, inside = [], []
    for (start, length), count, grid, axis in zip(spans, bins, grids, (2, 3), strict=True):
        check_table((count, grid), "the list of sampled places")
        steps = (np.arange(count)[:, None] + (np.arange(grid)[None, :] + 0.5) / grid).reshape(1, -1) / count
        place = n.add(start, n.mul(length, n.constant(steps, start.tensor.dtype)))  # [r, bins * grid]
        size = n.dim(n.x(0), axis)
        extent = size_like(n, size, place)
        inside.append(n.logical_and(n.less_equal(-1, place), n.less_equal(place, extent)))
        limit = extent - 1 if isinstance(extent, float) else n.sub(extent, 1)
        places.append((n.minimum(n.maximum(place, 0), limit), size, count * grid))
    return _roi_pooled(n, first, places, inside, (*bins, *grids), mode)


def _roi_grids(n: Node, rois: Value, rows: int, columns: int, half: bool) -> tuple[int, int]:
    """Samples per bin along both axes, ceil(size / bins), of constant regions of one grid."""
    known = constant_array(rois)
    if known is None:
        raise n.refuse(
            "sampling_ratio is 0 in mode max, which takes the number of samples from the data",
            "set sampling_ratio to 1 or more, or mode to avg",
        )
    sizes = (known[:, [3, 2]] - known[:, [1, 0]]).astype(np.float64) * n.f("spatial_scale", 1.0)
    counts = np.ceil((sizes if half else np.maximum(sizes, 1.0)) / np.asarray([rows, columns])).astype(np.int64)
    if counts.shape[0] == 0 or (counts != counts[0]).any() or (counts < 1).any():
        raise n.refuse(
            "sampling_ratio is 0 in mode max and the regions need different numbers of samples",
            "set sampling_ratio to 1 or more, or mode to avg",
        )
    return int(counts[0, 0]), int(counts[0, 1])


def _roi_pooled(
    n: Node,
    first: Value | None,
    places: list[tuple[Value, Part, int]],
    inside: list[Value],
    shape: tuple[int, ...],
    mode: str,
) -> Value:
    """Images, those of the regions beginning at rows `first` [r, 1], sampled at the product of row and column places,
    and pooled over the samples of each bin.
    """
    rows, columns, grid_y, grid_x = shape
    (y, height, count_y), (x, width, count_x) = places
    regions, rows_of = n.dim(y, 0), channel_rows(n, n.x(0))
    total: Value | None = None
    parts: list[tuple[Value, Value]] = []
    for upper_y in (0, 1):
        for upper_x in (0, 1):
            (row, wy), (column, wx) = _neighbour(n, y, height, upper_y), _neighbour(n, x, width, upper_x)
            wide = width if isinstance(width, int) else n.reshape(width, [])
            elements = n.add(n.mul(n.expand_dims(row, 2), wide), n.expand_dims(column, 1))
            elements = n.reshape(elements, [regions, count_y * count_x])
            values = gather_points(n, rows_of, elements if first is None else n.add(elements, first))
            weight = n.reshape(n.mul(n.expand_dims(wy, 2), n.expand_dims(wx, 1)), [regions, count_y * count_x, 1])
            parts.append((values, n.cast(weight, values.tensor.dtype)))
    for values, weight in parts:
        own = n.mul(values, weight)
        total = own if total is None else n.maximum(total, own) if mode == "max" else n.add(total, own)
    valid = n.reshape(
        n.logical_and(n.expand_dims(inside[0], 2), n.expand_dims(inside[1], 1)), [regions, count_y * count_x, 1]
    )
    if total is None:
        raise ValueError("four neighbours were sampled")
    bins = n.reshape(n.where(valid, total, 0), [regions, rows, grid_y, columns, grid_x, n.dim(n.x(0), 1)])
    return n.transpose(n.max(bins, [2, 4]) if mode == "max" else n.mean(bins, [2, 4]), (0, 3, 1, 2))


def _neighbour(n: CoreBuilder, c: Value, size: Part, upper: int) -> tuple[Value, Value]:
    """Element index (int64) and weight of the lower or upper neighbour of coordinates inside the image."""
    low = n.floor(c)
    fraction = n.sub(c, low)
    if not upper:
        return n.cast(low, DType.I64), n.sub(1, fraction)
    last = size_like(n, size, c)
    return n.cast(
        n.minimum(n.add(low, 1), last - 1 if isinstance(last, float) else n.sub(last, 1)), DType.I64
    ), fraction


@RULES.rule("MaxRoiPool")
def max_roi_pool(n: Node) -> Value:
    """The largest element of each bin of regions [r, 5] (batch, x1, y1, x2, y2); an empty bin gives 0."""
    x, rois = n.x(0), n.x(1)
    rows, columns = n.ints("pooled_shape")
    batch = n.cast(n.squeeze(n.slice_axis(rois, 1, 0, 1), 1), DType.I64)
    corners = _half_away(n, n.mul(n.slice_axis(rois, 1, 1, 5), n.f("spatial_scale", 1.0)))
    left, top, right, bottom = n.split(corners, [1, 1, 1, 1], 1)
    in_rows = _bin_mask(n, *_bin_ends(n, top, bottom, rows), n.dim(x, 2))  # [r, rows, h]
    ends, width, regions = _bin_ends(n, left, right, columns), n.dim(x, 3), n.dim(rois, 0)
    if isinstance(width, int) and not (isinstance(regions, int) and regions < _WORTH_A_TABLE * width.bit_length()):
        across = _largest_between(n, n.transpose(x, [0, 3, 2, 1]), batch, *ends, width)  # [r, columns, h, c]
        tall = n.where(n.expand_dims(in_rows, 2, 4), n.expand_dims(across, 1), -math.inf)
        best = n.transpose(n.max(tall, [3]), [0, 3, 1, 2])
    else:
        inside = n.expand_dims(_bin_mask(n, *ends, width), 1, 2)
        wide = n.where(inside, n.expand_dims(n.gather(x, batch), 3), -math.inf)  # [r, c, h, columns, w]
        tall = n.where(n.expand_dims(in_rows, 1, 4), n.expand_dims(n.max(wide, [4]), 2), -math.inf)
        best = n.max(tall, [3])
    return n.where(n.y(core.IsInf(best, positive=False)), 0, best)


def _largest_between(n: CoreBuilder, images: Value, batch: Value, below: Value, above: Value, size: int) -> Value:
    """The largest elements of ranges of axis 1, which has that size: [r, bins, ...], -infinity of empty ones.  batch:
    the image of each region.  below, above: [r, bins], where ranges begin and end.

    Any range is two that overlap of the 2^k elements from each on, for which there is a table (Bender and Farach-Colton
    2000).
    """
    tables, reach = [images], 1
    while 2 * reach <= size:
        here, there = (n.slice_axis(tables[-1], 1, i, i + size - reach) for i in (0, reach))
        tables.append(n.concat([n.maximum(here, there), n.slice_axis(tables[-1], 1, size - reach, size)], 1))
        reach *= 2
    count, *rest = n.dims_of(images, 4)
    table = n.reshape(n.concat(tables, 1), [n.prod([count, len(tables) * size]), *rest[1:]])
    low, high = n.maximum(below, 0), n.minimum(above, size)
    begin = n.cast(n.minimum(low, size - 1), DType.I64)
    end = n.maximum(n.cast(high, DType.I64), n.add(begin, 1))
    length, level, power = n.sub(end, begin), n.sub(begin, begin), n.add(n.sub(begin, begin), 1)
    for k in range(1, len(tables)):
        reaches = n.cast(n.greater_equal(length, 1 << k), DType.I64)
        level = n.add(level, n.mul(reaches, size))
        power = n.add(power, n.mul(reaches, 1 << (k - 1)))
    first = n.add(n.expand_dims(n.mul(batch, len(tables) * size), 1), level)
    parts = [n.gather(table, n.add(first, at)) for at in (begin, n.sub(end, power))]
    return n.where(n.expand_dims(n.less(low, high), 2, 3), n.maximum(*parts), -math.inf)


def _half_away(n: CoreBuilder, x: Value) -> Value:
    """x rounded, halves away from zero."""
    away = n.floor(n.add(n.y(core.Abs(x)), 0.5))
    return n.where(n.less(x, 0), n.neg(away), away)


def _bin_ends(n: CoreBuilder, start: Value, stop: Value, bins: int) -> tuple[Value, Value]:
    """Where each bin of each region begins and ends: [r, bins] each."""
    check_table((bins,), "the list of bins")
    length = n.maximum(n.add(n.sub(stop, start), 1), 1)
    step = n.div(length, bins)
    dtype = start.tensor.dtype
    low = n.add(n.floor(n.mul(step, n.constant(np.arange(bins), dtype))), start)
    high = n.add(n.y(core.Ceil(n.mul(step, n.constant(np.arange(1, bins + 1), dtype)))), start)
    return low, high


def _bin_mask(n: CoreBuilder, low: Value, high: Value, size: Part) -> Value:
    """Which elements of an axis lie in each bin of each region: bool [r, bins, size]."""
    elements = n.cast(n.arange(size), low.tensor.dtype)
    return n.logical_and(n.less_equal(n.expand_dims(low, 2), elements), n.less(elements, n.expand_dims(high, 2)))
