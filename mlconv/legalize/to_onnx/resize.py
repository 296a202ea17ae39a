"""Resampling.  Sources: ONNX Resize-13, -18 and -19."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import ints_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_onnx.builder import OnnxBuilder, rank_of, refuse
from mlconv.rewrite import Rules
from mlconv.rewrite.core_builder import Part

RULES = Rules()


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: OnnxBuilder) -> Value:
    """Resize, by scales where the source has them.  Kernels take the axes that are resampled last."""
    rank = rank_of(op.x, "what is resampled")
    rest = [i for i in range(rank) if i not in op.axes]
    perm = [*rest, *op.axes]
    if op.mode != "nearest" and perm != list(range(rank)):
        moved = _last(op, e, e.transpose(op.x, perm), rank)
        return e.transpose(moved, [perm.index(i) for i in range(rank)])
    return _emitted(op, e, rank)


def _last(op: core.Resize, e: OnnxBuilder, x: Value, rank: int) -> Value:
    """The last axes of x resampled.  All others are joined for cubic ones: ONNX Runtime moves a transpose in front of
    Resize behind it, where its kernel does not take what it is given then.
    """
    first = rank - len(op.axes)
    if op.mode != "cubic" or len(op.axes) != 2:
        return e.y(_like(op, x, tuple(range(first, rank))))
    flat = e.reshape(x, [1, e.prod(e.dims(x)[:first]), *e.dims(x)[first:]])
    y = e.y(_like(op, flat, (2, 3)))
    return e.reshape(y, [*e.dims(x)[:first], *e.dims(y)[2:]])


def _like(op: core.Resize, x: Value, axes: tuple[int, ...]) -> core.Resize:
    """The same op on other axes."""
    attributes: dict[str, Any] = {**op.attributes, "axes": axes}
    return core.Resize(x, op.sizes, **attributes)


def _emitted(op: core.Resize, e: OnnxBuilder, rank: int) -> Value:
    since = 19 if op.coordinates == "half_pixel_symmetric" else 18 if op.antialias else 0
    coordinates, nearest = op.coordinates, op.nearest_mode
    if coordinates == "tf_half_pixel_for_nn":  # floor((i + 1/2) * n / m) is half_pixel, rounded with halves up
        if op.mode != "nearest" or nearest != "floor":
            raise refuse("Resize has the coordinates tf_half_pixel_for_nn until opset 12")
        coordinates, nearest = "half_pixel", "round_prefer_ceil"
    attributes: dict[str, Any] = {"mode": op.mode, "coordinate_transformation_mode": coordinates}
    if op.mode == "nearest":
        attributes["nearest_mode"] = nearest
    if op.mode == "cubic":
        attributes["cubic_coeff_a"] = float(op.cubic_a)
    if op.exclude_outside:
        attributes["exclude_outside"] = 1
    if op.antialias:
        attributes["antialias"] = 1
    roi = None
    if op.coordinates == "tf_crop_and_resize":
        attributes["extrapolation_value"] = float(op.extrapolation)
        roi = _roi(op, e, rank)
    policy = _policy(op)
    if policy:
        attributes["keep_aspect_ratio_policy"], attributes["axes"] = policy, op.axes
        since = max(since, 18)
        operands = [op.x, roi, None, e.int64(op.sizes)]
    elif op.scales is not None and not _says_as_sizes(op):
        scales = [1.0] * rank
        for axis, scale in zip(op.axes, op.scales, strict=True):
            scales[axis] = scale
        operands = [op.x, roi, e.constant(np.asarray(scales, np.float32))]
    else:
        operands = [op.x, roi, None, e.vector(_sizes(op, e, rank))]
    return e.one("Resize", operands, op.y.type, since=since, **attributes)


def _policy(op: core.Resize) -> str:
    """Sizes that are not those of their scales come from a common scale, rounded: the policy that gives that scale
    again (Resize-18, keep_aspect_ratio_policy); empty where sizes and scales agree.  Raises ConversionError
    TargetLacksOp.
    """
    shape, sizes = op.x.tensor.shape, ints_of(op.sizes)
    if op.scales is None or shape is None or sizes is None:
        return ""
    pairs = [(shape[a], n, np.float32(s)) for a, n, s in zip(op.axes, sizes, op.scales, strict=True)]
    known = [(have, want, scale) for have, want, scale in pairs if isinstance(have, int) and have]
    if all(int(np.floor(np.float32(have) * scale)) == want for have, want, scale in known):
        return ""
    ratios = [np.float32(want / have) for have, want, _ in known]
    for policy, choose in (("not_larger", min), ("not_smaller", max)):
        if all(scale == choose(ratios) for _, _, scale in known):
            return policy
    raise refuse(f"Resize has no sizes {list(sizes)} with the scales {list(op.scales)}")


def _says_as_sizes(op: core.Resize) -> bool:
    """Sizes give the same scales, where onnx's shape inference finds another size of an axis than ONNX Runtime.  It
    multiplies in float64 (onnx/defs/tensor/utils.cc, resizeShapeInferenceHelper), where 5 * 2.6 of float32 is less than
    13.
    """
    shape, sizes = op.x.tensor.shape, ints_of(op.sizes)
    if op.scales is None or shape is None or sizes is None:
        return False
    have = [n for a in op.axes if isinstance(n := shape[a], int) and n > 0]
    if len(have) < len(op.axes):
        return False
    scales = [np.float32(s) for s in op.scales]
    found = [int(np.floor(n * float(s))) for n, s in zip(have, scales, strict=True)]
    return found != [*sizes] and scales == [np.float32(want / n) for want, n in zip(sizes, have, strict=True)]


def _sizes(op: core.Resize, e: OnnxBuilder, rank: int) -> list[Part]:
    """Sizes of all axes: before opset 18 there is no other way."""
    known, sizes = ints_of(op.sizes), [] if rank == len(op.axes) else e.dims(op.x)
    found: list[Part] = sizes or [0] * rank
    for i, axis in enumerate(op.axes):
        found[axis] = known[i] if known is not None else e.slice_axis(e.int64(op.sizes), 0, i, i + 1)
    return found


def _roi(op: core.Resize, e: OnnxBuilder, rank: int) -> Value:
    """Starts of all axes, then their ends."""
    starts, ends = [0.0] * rank, [1.0] * rank
    for axis, (start, end) in zip(op.axes, op.roi or (), strict=False):
        starts[axis], ends[axis] = start, end
    return e.constant(np.asarray([*starts, *ends], np.float32), DType.F32)
