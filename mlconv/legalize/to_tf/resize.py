"""Resampling: ResizeBilinear and ResizeNearestNeighbor where they mean the same, else gathers and weights.

Sources: tensorflow/core/util/image_resizer_state.h, kernels/image/resize_bilinear_op.cc, resize_nearest_neighbor_op.cc:
images with channels last, scales from sizes; nearest rounds down, with align_corners to the nearest, halves up.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import divide_exactly
from mlconv.ir.dtypes import DType
from mlconv.legalize.resample import is_resampled, resampled
from mlconv.legalize.to_tf.builder import TfBuilder, refuse
from mlconv.rewrite import Rules, remake

RULES = Rules()

# coordinates -> (align_corners, half_pixel_centers)
_LINEAR = {"asymmetric": (False, False), "half_pixel": (False, True), "align_corners": (True, False)}
_NEAREST = {
    ("asymmetric", "floor"): (False, False),
    ("tf_half_pixel_for_nn", "floor"): (False, True),
    ("align_corners", "round_prefer_ceil"): (True, False),
}


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: TfBuilder) -> Value:
    """Axes that keep their size are left out; integers are interpolated as floats and rounded."""
    dtype = op.x.tensor.dtype
    shape, sizes = op.x.tensor.shape, op.y.tensor.shape
    if shape is None or sizes is None:
        raise refuse(f"what is resampled must be of known rank, it is {op.x.tensor}")
    if all(op.keeps(i, shape[a], sizes[a]) for i, a in enumerate(op.axes)):
        return e.identity(op.x)
    if op.mode != "nearest" and dtype not in (DType.F32, DType.F64):
        y = e.y(remake(op, [e.cast(op.x, DType.F32), op.sizes]))
        if not dtype.is_int:
            return e.cast(y, dtype)
        return e.y(core.Cast(e.y(core.Round(y)), dtype=dtype, saturate=True))
    flags = _flags(op)
    if flags is not None:
        return _by_kernel(op, e, flags)
    known = ints_of(op.sizes)
    if known is None or not all(isinstance(shape[a], int) for a in op.axes):
        if is_resampled(op):
            return resampled(op, e)
        raise refuse(
            f"resize of {op.x.tensor} along {list(op.axes)} with mode {op.mode} and coordinates {op.coordinates} needs "
            f"known sizes",
            "give input shapes with --shape",
        )
    return _by_axis(op, e, known)


def _flags(op: core.Resize) -> tuple[bool, bool] | None:
    """align_corners and half_pixel_centers of a kernel that means the same; None where there is none."""
    dtype = op.x.tensor.dtype
    if op.x.tensor.rank != 4 or tuple(op.axes) not in ((1, 2), (2, 3)) or op.antialias or op.exclude_outside:
        return None
    if op.mode == "linear":
        flags = _LINEAR.get(op.coordinates) if dtype is DType.F32 else None
    elif op.mode == "nearest":
        flags = _NEAREST.get((op.coordinates, op.nearest_mode))
    else:
        return None
    return flags if op.scales is None or _are_ratios(op) else None


def _are_ratios(op: core.Resize) -> bool:
    """The scales are those of the sizes."""
    shape, sizes = op.x.tensor.shape or (), op.y.tensor.shape or ()
    return all(
        divide_exactly(sizes[a], shape[a]) == s or (_ratio(shape[a], sizes[a]) == np.float32(s))
        for a, s in zip(op.axes, op.scales or (), strict=True)
    )


def _ratio(n: object, m: object) -> object:
    return np.float32(m / n) if isinstance(n, int) and isinstance(m, int) and n else None


def _by_kernel(op: core.Resize, e: TfBuilder, flags: tuple[bool, bool]) -> Value:
    name = "ResizeBilinear" if op.mode == "linear" else "ResizeNearestNeighbor"
    numbers = {"align_corners": flags[0], "half_pixel_centers": flags[1]}
    if tuple(op.axes) == (1, 2):
        return e.one(name, [op.x, e.as_constant(op.sizes, DType.I32)], op.y.type, **numbers)
    image = e.transpose(op.x, [0, 2, 3, 1])
    return e.transpose(e.y(remake(op, [image, op.sizes], axes=(1, 2))), [0, 3, 1, 2])


def _by_axis(op: core.Resize, e: TfBuilder, sizes: tuple[int, ...]) -> Value:
    """The elements that each result reads, times their weights, axis by axis."""
    y, shape = op.x, op.x.tensor.shape or ()
    outside: Value | None = None
    for i, axis in enumerate(op.axes):
        n, m = shape[axis], sizes[i]
        assert isinstance(n, int)
        if op.keeps(i, n, m):
            continue
        y = _along(op, e, y, i, n, m)
        spots = op.positions(i, n, m)
        beyond = (spots < 0) | (spots > n - 1)
        if op.coordinates == "tf_crop_and_resize" and beyond.any():
            here = e.constant(beyond.reshape([-1 if a == axis else 1 for a in range(len(shape))]), DType.BOOL)
            outside = here if outside is None else e.logical_or(outside, here)
    return y if outside is None else e.where(outside, float(op.extrapolation), y)


def _along(op: core.Resize, e: TfBuilder, y: Value, i: int, n: int, m: int) -> Value:
    axis, dtype = op.axes[i], op.x.tensor.dtype
    if op.mode == "nearest":
        return e.gather(y, np.asarray(op.nearest(op.positions(i, n, m), n)).tolist(), axis)
    elements, weights = op.taps(i, n, m)
    lie = [-1 if a == axis else 1 for a in range(e.rank(y))]
    total: Value | None = None
    for k in range(elements.shape[1]):
        row = e.constant(weights[:, k].reshape(lie).astype(dtype.numpy), dtype)
        part = e.mul(e.gather(y, elements[:, k].tolist(), axis), row)
        total = part if total is None else e.add(total, part)
    assert total is not None
    return total
