"""Resampling: RESIZE_BILINEAR and RESIZE_NEAREST_NEIGHBOR where they mean the same, else gathers and weight matrices,
which are computed where sizes are known at run time only.

Sources: kernels/internal/reference/resize_bilinear.h, resize_nearest_neighbor.h: the kernels take NHWC, scale by the
ratio of sizes, and know asymmetric, half-pixel and align-corners coordinates; nearest rounds down, with align-corners
to the nearest, halves up.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.resample import is_resampled, resampled
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.resize_cubic import by_polynomials
from mlconv.legalize.to_tfl.resize_forms import by_filters, by_folding
from mlconv.rewrite import Rules, remake
from mlconv.rewrite.core_builder import CoreBuilder

RULES = Rules()

# coordinates -> (align_corners, half_pixel_centers), for sizes that are known at run time only
_LINEAR = {"asymmetric": (False, False), "half_pixel": (False, True), "align_corners": (True, False)}
_NEAREST = {
    ("asymmetric", "floor"): (False, False),
    ("tf_half_pixel_for_nn", "floor"): (False, True),
    ("align_corners", "round_prefer_ceil"): (True, False),
}
_NEAREST_TYPES = frozenset({DType.F32, DType.I8, DType.U8, DType.I32})
Flags = tuple[bool, bool]


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: TflBuilder) -> Value:
    """Axes that keep their size are left out; integers are interpolated in float32 and rounded."""
    dtype = op.x.tensor.dtype
    kept = _changing(op)
    if not kept:
        return e.copy(op.x)
    if len(kept) < len(op.axes):
        return e.y(_with_axes(op, e, kept))
    if op.mode != "nearest" and dtype is not DType.F32:
        if dtype is DType.F64 and not e.reduce_f64:
            raise refuse("TFLite interpolates in float32, not in float64", "allow float32 for float64 values")
        y = e.y(remake(op, [e.cast(op.x, DType.F32), op.sizes]))
        if dtype.is_int:
            y = e.y(core.Round(y))
        return e.y(core.Cast(y, dtype=dtype, saturate=True)) if dtype.is_int else e.cast(y, dtype)
    kernel = _by_kernel(op, e) or by_filters(op, e)
    if kernel is None and _has_kernel(op):
        kernel = by_folding(op, e)
    if kernel is not None:
        return kernel
    sizes = ints_of(op.sizes)
    shape = shape_of(op.x)
    if sizes is None or not all(isinstance(shape[a], int) for a in op.axes):
        cubic = by_polynomials(op, e)
        if cubic is not None:
            return cubic
        if is_resampled(op):
            return resampled(op, CoreBuilder(e.builder), single=True)
        raise refuse(
            f"resize of {op.x.tensor} along {list(op.axes)} with mode "
            f"{op.mode} and coordinates {op.coordinates} needs known sizes",
            "give input shapes with --shape",
        )
    return _by_axis(op, e, sizes)


def _changing(op: core.Resize) -> list[int]:
    """Positions in `axes` of those that the op changes: all but those that `core.Resize.keeps`, also where a size is
    known at run time only.
    """
    shape, sizes = shape_of(op.x), shape_of(op.y)
    return [i for i, a in enumerate(op.axes) if shape[a] != sizes[a] or not (op.scales is None or op.scales[i] == 1.0)]


def _with_axes(op: core.Resize, e: TflBuilder, kept: list[int]) -> core.Resize:
    sizes = e.y(core.Gather(e.i32(op.sizes), e.ints(kept)))
    known = ints_of(op.sizes)
    if known is not None:
        sizes = e.ints([known[i] for i in kept])
    changes: dict[str, Any] = {"axes": tuple(op.axes[i] for i in kept)}
    for name in ("scales", "roi"):
        values = op.attributes[name]
        changes[name] = None if values is None else tuple(values[i] for i in kept)
    return remake(op, [op.x, sizes], **changes)  # type: ignore[return-value]


def _has_kernel(op: core.Resize) -> bool:
    """One of the two kernels means the same, whatever the rank."""
    fits = op.mode == "linear" or (op.mode == "nearest" and op.x.tensor.dtype in _NEAREST_TYPES)
    return fits and op.roi is None and list(op.axes) == sorted(op.axes) and _flags(op) is not None


def _by_kernel(op: core.Resize, e: TflBuilder) -> Value | None:
    """One of the two kernels, between transposes for other layouts; None when neither means the same."""
    axes, dtype = list(op.axes), op.x.tensor.dtype
    if len(shape_of(op.x)) != 4 or sorted(axes) != axes or len(axes) > 2 or op.roi is not None:
        return None
    if op.mode == "cubic" or (op.mode == "nearest" and dtype not in _NEAREST_TYPES):
        return None
    flags = _flags(op)
    if flags is None:
        return None
    sizes: Value = e.i32(op.sizes)
    if len(axes) == 1:
        other = axes[0] + 1 if axes[0] + 1 in (2, 3) else axes[0] - 1
        if other < 1:
            return None
        parts = [sizes, e.size(shape_of(op.x)[other], op.x)]
        order = [0, 1] if other > axes[0] else [1, 0]
        axes = sorted([*axes, other])
        sizes = e.y(core.Concat([parts[i] for i in order], axis=0))
    return _kernel(op, e, axes, sizes, flags)


def _kernel(
    op: core.Resize | core.QuantResize, e: TflBuilder, axes: Sequence[int], sizes: Value, flags: Flags
) -> Value:
    """The kernel along two of four axes, between transposes."""
    rest = [i for i in range(4) if i not in axes]
    perm = [rest[0], *axes, rest[1]]
    x = e.transpose(op.x, perm)
    y_shape = tuple(shape_of(op.y)[i] for i in perm)
    if isinstance(y_shape[1], int) and isinstance(y_shape[2], int):
        sizes = e.ints([y_shape[1], y_shape[2]])
    nearest = isinstance(op, core.Resize) and op.mode == "nearest"
    name = "RESIZE_NEAREST_NEIGHBOR" if nearest else "RESIZE_BILINEAR"
    y = e.one(name, [x, sizes], op.x.tensor.with_shape(y_shape), align_corners=flags[0], half_pixel_centers=flags[1])
    return e.transpose(y, [perm.index(i) for i in range(4)])


@RULES.rule(core.QuantResize)
def quant_resize(op: core.QuantResize, e: TflBuilder) -> Value:
    """RESIZE_BILINEAR."""
    return _kernel(op, e, op.axes, e.i32(op.sizes), (op.align_corners, op.half_pixel))


def _flags(op: core.Resize) -> Flags | None:
    """The kernel's options that give what the op says: by what they compute when the sizes are known, else by the names
    of the modes.
    """
    shape, out = shape_of(op.x), shape_of(op.y)
    sizes = [(shape[a], out[a]) for a in op.axes]
    ints = [(n, m) for n, m in sizes if isinstance(n, int) and isinstance(m, int)]
    if len(ints) == len(sizes):
        for flags in ((False, False), (False, True), (True, False)):
            if all(_same(op, i, n, m, flags) for i, (n, m) in enumerate(ints)):
                return flags
        return None
    if op.antialias or op.exclude_outside or not _ratio_scales(op, shape, out):
        return None
    if op.mode == "nearest":
        return _NEAREST.get((op.coordinates, op.nearest_mode))
    if op.coordinates == "pytorch_half_pixel" and op.scales is not None and all(s >= 1 for s in op.scales):
        return _LINEAR["half_pixel"]  # the two differ for a single output of several elements only
    return _LINEAR.get(op.coordinates)


def _same(op: core.Resize, i: int, n: int, m: int, flags: Flags) -> bool:
    """The kernel reads the same elements of axis i, with the same weights up to rounding."""
    if n == 0 or m == 0:
        return False
    align, half = flags
    out = np.arange(m, dtype=np.float32)
    scale = np.float32((n - 1) / (m - 1)) if align and m > 1 else np.float32(n / m)
    if op.mode == "nearest":
        spots = (out + np.float32(0.5 if half else 0)) * scale
        elements = np.minimum(np.floor(spots + np.float32(0.5)) if align else np.floor(spots), n - 1).astype(np.int64)
        return bool(np.array_equal(elements, op.nearest(op.positions(i, n, m), n)))
    spots = (out + np.float32(0.5)) * scale - np.float32(0.5) if half else out * scale
    low = np.clip(np.floor(spots), 0, n - 1).astype(np.int64)
    high = np.minimum(np.ceil(spots), n - 1).astype(np.int64).clip(0)
    elements, weights = op.taps(i, n, m)
    part = (spots - low)[:, None]
    # two sums of a few elements that agree on these have the same weights
    numbers = np.random.default_rng(0).standard_normal((n, 4))
    kernel = numbers[low] * (1 - part) + numbers[high] * part
    own = sum(numbers[elements[:, k]] * weights[:, k, None] for k in range(elements.shape[1]))
    return bool(np.allclose(kernel, own, rtol=0, atol=1e-4))


def _ratio_scales(op: core.Resize, shape: tuple[Size, ...], out: tuple[Size, ...]) -> bool:
    """The scales are those that the sizes give."""
    if op.scales is None or op.coordinates == "align_corners":
        return True
    for axis, scale in zip(op.axes, op.scales, strict=True):
        n, m = shape[axis], out[axis]
        if isinstance(n, int) and isinstance(m, int):
            if n == 0 or not np.isclose(m / n, scale, rtol=1e-7, atol=0):
                return False
        elif scale != int(scale):
            return False
    return True


def _by_axis(op: core.Resize, e: TflBuilder, sizes: tuple[int, ...]) -> Value:
    """Nearest: a gather along each axis.  Linear and cubic: a product with the axis's weight matrix."""
    shape = [d if isinstance(d, int) else 0 for d in shape_of(op.x)]
    x, rank = op.x, len(shape)
    outside = None
    for i, axis in enumerate(op.axes):
        n, m = shape[axis], sizes[i]
        spots = op.positions(i, n, m)
        if op.mode == "nearest":
            x = e.y(core.Gather(x, e.ints([int(k) for k in op.nearest(spots, n)]), axis=axis))
        elif n != m or op.coordinates == "tf_crop_and_resize" or op.scales is not None:
            x = _weighted(e, x, axis, op.weights(i, n, m))
        if op.coordinates == "tf_crop_and_resize":
            elements = ((spots < 0) | (spots > n - 1)).reshape([-1 if a == axis else 1 for a in range(rank)])
            outside = elements if outside is None else outside | elements
    if outside is not None and outside.any():
        x = e.y(core.Select(e.constant(outside, DType.BOOL), e.asarray(op.extrapolation, x), x))
    return x


def _weighted(e: TflBuilder, x: Value, axis: int, weights: Array) -> Value:
    """x with `axis` multiplied by a matrix [out, in]."""
    rank = len(shape_of(x))
    perm = [i for i in range(rank) if i != axis] + [axis]
    back = [perm.index(i) for i in range(rank)]
    matrix = e.constant(weights.astype(np.float32), DType.F32)
    return (
        e.transpose(e.y(core.MatMul(_at_least_2d(e, e.transpose(x, perm)), matrix, transpose_b=True)), back)
        if rank > 1
        else _vector(e, x, matrix)
    )


def _at_least_2d(e: TflBuilder, x: Value) -> Value:
    return x if len(shape_of(x)) > 1 else e.reshape(x, (1, *shape_of(x)))


def _vector(e: TflBuilder, x: Value, matrix: Value) -> Value:
    y = e.y(core.MatMul(e.reshape(x, (1, *shape_of(x))), matrix, transpose_b=True))
    return e.reshape(y, shape_of(y)[1:])
