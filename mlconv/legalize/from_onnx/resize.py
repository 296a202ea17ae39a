"""Resize and Upsample."""

from __future__ import annotations

import math
from dataclasses import dataclass

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.kit import Part
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxFamily
from mlconv.rewrite import constant_array

FAMILY = OnnxFamily()

_MODES = {"nearest": "nearest", "linear": "linear", "bilinear": "linear", "trilinear": "linear", "cubic": "cubic", "bicubic": "cubic"}
_COORDINATES = (
    "half_pixel", "asymmetric", "align_corners", "pytorch_half_pixel", "half_pixel_symmetric", "tf_crop_and_resize", "tf_half_pixel_for_nn",
)  # fmt: skip
_NEAREST = ("floor", "ceil", "round_prefer_floor", "round_prefer_ceil")


@dataclass(slots=True)
class _Plan:
    """Sizes and, where the source gives them, scales of the axes that are resampled."""

    axes: list[int]
    sizes: list[Part]
    scales: list[float] | None


def _mode(n: Node) -> str:
    mode = n.s("mode", "nearest")
    if mode not in _MODES:
        raise ConversionError(Code.MLC0106, f"{n.op_type}: mode is {mode!r}, expected nearest, linear or cubic")
    return _MODES[mode]


def _from_scales(n: Node, x: Value, scales: Value, axes: list[int]) -> _Plan:
    """Output size: floor(size * scale)."""
    known = constant_array(scales)
    if known is not None:
        numbers = [float(s) for s in known.reshape(-1)]
        if len(numbers) != len(axes):
            raise ConversionError(Code.MLC0201, f"{n.op_type}: {len(numbers)} scales for {len(axes)} axes of {x.type}")
        if any(not s > 0 for s in numbers):
            raise ConversionError(Code.MLC0201, f"{n.op_type}: scales {numbers} must be positive")
        return _Plan(axes, [_scaled(n, n.dim(x, a), s) for a, s in zip(axes, numbers, strict=True)], numbers)
    if scales.producer is None:
        raise ConversionError(Code.MLC0203, f"{n.op_type}: the scales are an input; they decide where each cell is read, and must be known at conversion time")
    # Scales that the model computes are ratios of sizes, hence the coordinates follow from the sizes alone.
    sizes: list[Part] = []
    for i, axis in enumerate(axes):
        size = n.cast(n.parts([n.dim(x, axis)]), DType.F32)
        sizes.append(n.cast(n.floor(n.mul(size, n.slice_axis(scales, 0, i, i + 1))), DType.I64))
    return _Plan(axes, sizes, None)


def _scaled(n: Node, size: Part, scale: float) -> Part:
    if isinstance(size, int):
        return math.floor(size * scale)
    if scale == int(scale):
        return n.mul(size, int(scale)) if scale != 1 else size
    if (1 / scale) == int(1 / scale):
        return n.div(size, int(1 / scale))
    return n.cast(n.floor(n.mul(n.cast(size, DType.F32), scale)), DType.I64)


def _from_sizes(n: Node, x: Value, sizes: Value, axes: list[int]) -> _Plan:
    known = constant_array(sizes)
    policy = n.s("keep_aspect_ratio_policy", "stretch")
    if policy == "stretch":
        wanted: list[Part] = (
            [int(k) for k in known.reshape(-1)] if known is not None else [n.slice_axis(n.cast(sizes, DType.I64), 0, i, i + 1) for i in range(len(axes))]
        )
        if len(wanted) != len(axes):
            raise ConversionError(Code.MLC0201, f"{n.op_type}: {len(wanted)} sizes for {len(axes)} axes of {x.type}")
        return _Plan(axes, wanted, None)
    own = [n.dim(x, a) for a in axes]
    fixed = [s for s in own if isinstance(s, int)]
    if known is None or len(fixed) != len(own):
        raise ConversionError(Code.MLC0203, f"{n.op_type}: keep_aspect_ratio_policy {policy} needs constant sizes and a static input, it is {x.type}")
    ratios = [int(k) / s for k, s in zip(known.reshape(-1), fixed, strict=True)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return _Plan(axes, [math.floor(ratio * s + 0.5) for s in fixed], [ratio] * len(axes))


def _emit(n: Node, x: Value, plan: _Plan, mode: str, coordinates: str, nearest: str, roi: list[float] | None = None) -> Value:
    """Resample along the axes that change."""
    crop = coordinates == "tf_crop_and_resize"
    keep = [
        i
        for i, (axis, size) in enumerate(zip(plan.axes, plan.sizes, strict=True))
        if crop or size != n.dim(x, axis) or (plan.scales is not None and plan.scales[i] != 1.0)
    ]
    if not keep:
        return x
    axes = [plan.axes[i] for i in keep]
    scales = None if plan.scales is None else [plan.scales[i] for i in keep]
    if scales is not None and all(_is_ratio(n, x, a, plan.sizes[i], s) for i, a, s in zip(keep, axes, scales, strict=True)):
        scales = None
    order = sorted(range(len(keep)), key=lambda i: axes[i])
    spans = None
    if crop and roi is not None:
        half = len(roi) // 2
        spans = tuple((roi[keep[i]], roi[keep[i] + half]) for i in order)
    return n.emit(
        core.Resize(
            x, n.parts([plan.sizes[keep[i]] for i in order]), axes=tuple(axes[i] for i in order), mode=mode, coordinates=coordinates, nearest_mode=nearest,
            cubic_a=n.f("cubic_coeff_a", -0.75), exclude_outside=n.flag("exclude_outside"), antialias=n.flag("antialias"),
            scales=None if scales is None else tuple(scales[i] for i in order), roi=spans, extrapolation=n.f("extrapolation_value", 0.0),
        )
    )  # fmt: skip


def _is_ratio(n: Node, x: Value, axis: int, size: Part, scale: float) -> bool:
    """The scale is what the sizes say already."""
    own = n.dim(x, axis)
    if isinstance(own, int) and isinstance(size, int):
        return own * scale == size
    return scale == int(scale)


@FAMILY.op("Upsample")
@FAMILY.op("Resize", until=10)
def upsample(n: Node) -> Value:
    """Asymmetric coordinates, nearest rounds down (Resize-10; Upsample-7 has scales as an attribute)."""
    x = n.x(0)
    axes = list(range(n.rank(x)))
    if n.has("scales"):
        numbers = list(n.floats("scales"))
        plan = _Plan(axes, [_scaled(n, n.dim(x, a), s) for a, s in zip(axes, numbers, strict=True)], numbers)
    else:
        plan = _from_scales(n, x, n.x(1), axes)
    return _emit(n, x, plan, _mode(n), "asymmetric", "floor")


def _given(value: Value | None) -> Value | None:
    """An operand, unless it is the empty tensor that stands for an absent one."""
    return None if value is None or value.tensor.shape == (0,) else value


@FAMILY.op("Resize", since=11)
def resize(n: Node) -> Value:
    x = n.x(0)
    rank = n.rank(x)
    axes = [n.axis(a, rank) for a in n.ints("axes", tuple(range(rank)))]
    scales, sizes = _given(n.opt(2)), _given(n.opt(3))
    if sizes is not None:
        plan = _from_sizes(n, x, sizes, axes)
    elif scales is not None:
        plan = _from_scales(n, x, scales, axes)
    else:
        raise ConversionError(Code.MLC0105, "Resize needs scales or sizes")
    coordinates = n.s("coordinate_transformation_mode", "half_pixel")
    nearest = n.s("nearest_mode", "round_prefer_floor")
    if coordinates not in _COORDINATES or nearest not in _NEAREST:
        raise ConversionError(Code.MLC0106, f"Resize: coordinate_transformation_mode {coordinates!r} or nearest_mode {nearest!r} is not known")
    roi = None
    if coordinates == "tf_crop_and_resize":
        region = constant_array(n.opt(1))
        if region is None or region.size != 2 * len(axes):
            raise ConversionError(Code.MLC0203, f"Resize: the region of tf_crop_and_resize must be a constant of {2 * len(axes)} numbers")
        roi = [float(r) for r in region.reshape(-1)]
    return _emit(n, x, plan, _mode(n), coordinates, nearest, roi)
