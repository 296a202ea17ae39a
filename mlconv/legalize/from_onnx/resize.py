"""Resize and Upsample."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.resize import COORDINATES, NEAREST
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerTensor, QuantType
from mlconv.ir.quant_rules import Relation, quant_of
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef, known_ints
from mlconv.legalize.from_onnx.integer_resize import integer_linear
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.legalize.resample import is_resampled, resampled
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import Part

RULES = OnnxRules()

_MODES = {
    "nearest": "nearest",
    "linear": "linear",
    "bilinear": "linear",
    "trilinear": "linear",
    "cubic": "cubic",
    "bicubic": "cubic",
}

_EXACT = 256


@dataclass(slots=True)
class _Plan:
    """Sizes and, where the source gives them, scales of the axes that are resampled.  run_scales: those that a run
    gives, float32 [axes].
    """

    axes: list[int]
    sizes: list[Part]
    scales: list[float] | None
    run_scales: Value | None = None
    region: Value | None = None  # of tf_crop_and_resize, where a run gives it


def _mode(n: Node) -> str:
    mode = n.s("mode", "nearest")
    if mode not in _MODES:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: mode is {mode!r}, expected nearest, linear or cubic"
        )
    return _MODES[mode]


def _from_scales(n: Node, x: Value, scales: Value, axes: list[int]) -> _Plan:
    """Output size: floor(size * scale), in float32 as ONNX Runtime and PyTorch have it."""
    known = constant_array(scales)
    if known is not None:
        return _scaled_by(n, x, [float(s) for s in known.reshape(-1)], axes)
    sizes: list[Part] = []
    for i, axis in enumerate(axes):
        size = n.cast(n.vector([n.dim(x, axis)]), DType.F32)
        sizes.append(n.cast(n.floor(n.mul(size, n.slice_axis(scales, 0, i, i + 1))), DType.I64))
    # Scales that the model computes are ratios of sizes, hence the coordinates follow from the sizes alone.
    return _Plan(axes, sizes, None, scales if scales.producer is None else None)


def _scaled_by(n: Node, x: Value, scales: list[float], axes: list[int]) -> _Plan:
    """The plan of constant scales."""
    if len(scales) != len(axes):
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: {len(scales)} scales for {len(axes)} axes of {x.type}")
    if any(not 0 < s < math.inf for s in scales):
        raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: scales {scales} must be positive")
    return _Plan(axes, [_scaled(n, n.dim(x, a), s) for a, s in zip(axes, scales, strict=True)], scales)


def _scaled(n: Node, size: Part, scale: float) -> Part:
    if isinstance(size, int):
        wanted = float(np.float32(size) * np.float32(scale))
        if wanted >= 1 << 62:
            raise ConversionError(Code.ShapeMismatch, f"{n.op_type}: a size of {size} times {scale} is too large")
        return int(wanted)
    if scale == int(scale):
        return n.mul(size, int(scale)) if scale != 1 else size
    if (1 / scale) == int(1 / scale):
        return n.div(size, int(1 / scale))
    numerator, denominator = float(np.float32(scale)).as_integer_ratio()
    if max(numerator, denominator) <= _EXACT:  # a product in float32 is exact, of sizes below 2^24 / _EXACT
        return n.div(n.mul(size, numerator), denominator)
    return n.cast(n.floor(n.mul(n.cast(size, DType.F32), scale)), DType.I64)


def _from_sizes(n: Node, x: Value, sizes: Value, axes: list[int]) -> _Plan:
    known = constant_array(sizes)
    policy = n.s("keep_aspect_ratio_policy", "stretch")
    if policy not in ("stretch", "not_larger", "not_smaller"):
        raise ConversionError(
            Code.AttributeInvalid,
            f"{n.op_type}: keep_aspect_ratio_policy is {policy!r}, expected stretch, not_larger or not_smaller",
        )
    if known is not None and (known.size != len(axes) or (known < 0).any()):
        raise ConversionError(
            Code.ShapeMismatch, f"{n.op_type}: sizes {known.reshape(-1).tolist()} for {len(axes)} axes of {x.type}"
        )
    if policy == "stretch":
        wanted: list[Part] = (
            [int(k) for k in known.reshape(-1)]
            if known is not None
            else [n.slice_axis(n.cast(sizes, DType.I64), 0, i, i + 1) for i in range(len(axes))]
        )
        return _Plan(axes, wanted, None)
    own = [n.dim(x, a) for a in axes]
    fixed = [s for s in own if isinstance(s, int) and s > 0]
    if known is None or len(fixed) != len(own):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{n.op_type}: keep_aspect_ratio_policy {policy} needs constant sizes and a static input, it is {x.type}",
        )
    ratios = [np.float32(k) / np.float32(s) for k, s in zip(known.reshape(-1), fixed, strict=True)]
    ratio = min(ratios) if policy == "not_larger" else max(ratios)
    return _Plan(axes, [math.floor(float(ratio * np.float32(s)) + 0.5) for s in fixed], [float(ratio)] * len(axes))


def _emit(
    n: Node, x: Value, plan: _Plan, mode: str, coordinates: str, nearest: str, roi: list[float] | None = None
) -> Value:
    """Resample along the axes that change: an axis whose scale is 1 is left as it is in all modes, and so is an image
    that keeps its size.
    """
    keep = _resampled_axes(n, x, plan, mode)
    if not keep:
        return x
    axes = tuple(plan.axes[i] for i in keep)
    scales = _scales_of(n, x, plan, keep)
    spans = (
        tuple((roi[i], roi[i + len(roi) // 2]) for i in keep)
        if coordinates == "tf_crop_and_resize" and roi is not None
        else None
    )

    def resample(image: Value, *, only: int | None = None) -> Value:
        part = slice(None) if only is None else slice(only, only + 1)
        op = core.Resize(
            image,
            n.vector([plan.sizes[i] for i in keep[part]]),
            axes=axes[part],
            mode=mode,
            coordinates=coordinates,
            nearest_mode=nearest,
            cubic_a=n.f("cubic_coeff_a", -0.75),
            exclude_outside=n.flag("exclude_outside"),
            antialias=n.flag("antialias"),
            scales=None if scales is None else scales[part],
            roi=None if spans is None else spans[part],
            extrapolation=n.f("extrapolation_value", 0.0),
            single=True,
        )
        if plan.region is not None:
            return _by_run_region(n, op, plan.region, [*keep[part], *(len(plan.axes) + i for i in keep[part])])
        return n.y(op) if plan.run_scales is None else _by_run_scales(n, op, plan.run_scales, keep[part])

    dtype = x.tensor.dtype
    if mode == "nearest" or not dtype.is_int:
        return resample(x)
    element = stored_as(x)
    if element is not None:
        number = n.y(core.Dequantize(n.y(core.StorageCast(x, element=element))))
        return n.y(core.StorageCast(n.y(core.Quantize(resample(number), element=element)), element=dtype))
    if n.flag("antialias"):
        # ONNX Runtime resamples along one axis after the other, the last one first, and rounds to the element type each
        # time, halves up.
        for i in reversed(range(len(keep))):
            x = n.y(core.Cast(n.floor(n.add(resample(n.cast(x, DType.F32), only=i), 0.5)), dtype=dtype, saturate=True))
        return x
    sizes = [plan.sizes[i] for i in keep]
    is_linear = mode == "linear" and plan.run_scales is None and plan.region is None
    exact = is_linear and integer_linear(n, x, axes, sizes, scales, coordinates, spans)
    return exact or n.y(core.Cast(resample(n.cast(x, DType.F32)), dtype=dtype, saturate=True))


def _resampled_axes(n: Node, x: Value, plan: _Plan, mode: str) -> list[int]:
    """Which of the plan's axes change, the first ones first."""
    own = [n.dim(x, axis) for axis in plan.axes]
    if all(isinstance(a, int) and a == b for a, b in zip(own, plan.sizes, strict=True)):
        return []
    keep = [
        i
        for i, (a, b) in enumerate(zip(own, plan.sizes, strict=True))
        if (plan.scales[i] != 1.0 if plan.scales is not None else not _equal(a, b))
    ]
    if mode != "nearest" and n.rank(x) > 3:  # ONNX Runtime leaves batch and channels as they are in these modes
        keep = [i for i in keep if plan.axes[i] > 1 or plan.scales is not None or _is_told(plan.sizes[i])]
    return sorted(keep, key=lambda i: plan.axes[i])


def _equal(a: Part, b: Part) -> bool:
    told = _told(a)
    return told is not None and told == _told(b)


def _told(size: Part) -> Size | None:
    """What is known of a size, in the sizes of the inputs."""
    known = (size,) if isinstance(size, int) else known_ints(size)
    return None if known is None else known[0]


def _is_told(size: Part) -> bool:
    told = _told(size)
    return told is not None and is_told((told,))


def _by_run_scales(n: Node, op: core.Resize, scales: Value, places: list[int]) -> Value:
    """Where elements are read follows from scales that a run gives: places and weights are computed."""
    if not is_resampled(op):
        raise ConversionError(
            Code.ShapeNotStatic,
            f"{n.op_type}: scales that are an input have no form for {op.x.type} in mode {op.mode} "
            f"with {op.coordinates}; make them a constant",
        )
    n.y(op)  # its types and sizes are read; nothing uses its result
    return resampled(op, n, scales=n.gather(n.cast(scales, DType.F32), n.constant(places, DType.I64)))


def _by_run_region(n: Node, op: core.Resize, region: Value, places: list[int]) -> Value:
    """Where elements are read follows from a region that a run gives: begins and ends of the axes at `places`."""
    if not is_resampled(op) or op.antialias:
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.op_type}: a region that is an input has no form for {op.x.type} in mode {op.mode}"
        )
    n.y(op)  # its types and sizes are read; nothing uses its result
    return resampled(op, n, region=n.gather(n.cast(region, DType.F32), n.constant(places, DType.I64)))


def stored_as(x: Value) -> QuantType | None:
    """What integers stand for that a quantized op has made, and others at most have moved."""
    while (made := x.producer) is not None:
        if isinstance(made, core.StorageCast):
            quant = quant_of(made.x)
            return quant if quant is not None and isinstance(quant.scheme, PerTensor) else None
        if not isinstance(made, OpDef) or made.spec.quant.relation is not Relation.SAME:
            return None
        x = made.inputs[0]
    return None


def _scales_of(n: Node, x: Value, plan: _Plan, keep: list[int]) -> tuple[float, ...] | None:
    """The scales of some axes, None where the ratio of sizes says the same exactly."""
    if plan.scales is None or all(_is_ratio(n.dim(x, plan.axes[i]), plan.sizes[i], plan.scales[i]) for i in keep):
        return None
    return tuple(plan.scales[i] for i in keep)


def _is_ratio(own: Part, size: Part, scale: float) -> bool:
    """The scale is what the sizes say already."""
    if isinstance(own, int) and isinstance(size, int):
        return own * scale == size
    return scale == int(scale)


@RULES.rule("Upsample")
@RULES.rule("Resize", until=10)
def upsample(n: Node) -> Value:
    """Asymmetric coordinates (Upsample-7 has scales as an attribute).  Nearest rounds down, and up along an axis that
    shrinks, as ONNX Runtime has it.
    """
    x, mode = n.x(0), _mode(n)
    axes = list(range(n.rank(x)))
    plan = _from_scales(n, x, n.value_of("scales", 1), axes)
    if mode != "nearest" or n.op_type == "Upsample":
        return _emit(n, x, plan, mode, "asymmetric", "floor")
    if plan.scales is None:
        raise ConversionError(
            Code.ShapeNotStatic,
            "Resize: the scales must be known at conversion time, "
            "they say whether nearest elements are rounded up or down",
        )
    for shrinks in (True, False):
        part = [i for i, s in enumerate(plan.scales) if (s < 1) == shrinks]
        own = _Plan([plan.axes[i] for i in part], [plan.sizes[i] for i in part], [plan.scales[i] for i in part])
        x = _emit(n, x, own, mode, "asymmetric", "ceil" if shrinks else "floor")
    return x


def _given(value: Value | None) -> Value | None:
    """An operand, unless it is the empty tensor that stands for an absent one."""
    return None if value is None or value.tensor.shape == (0,) else value


@RULES.rule("Resize", since=11)
def resize(n: Node) -> Value:
    x = n.x(0)
    rank = n.rank(x)
    axes = [n.axis(a, rank) for a in n.ints("axes", tuple(range(rank)))]
    scales, sizes = _given(n.opt(2)), _given(n.opt(3))
    if sizes is not None and scales is not None:
        raise ConversionError(Code.WrongArity, "Resize has both scales and sizes; it takes one of them")
    if sizes is not None:
        plan = _from_sizes(n, x, sizes, axes)
    elif scales is not None:
        plan = _from_scales(n, x, scales, axes)
    else:
        raise ConversionError(Code.WrongArity, "Resize needs scales or sizes")
    coordinates = n.s("coordinate_transformation_mode", "half_pixel")
    nearest = n.s("nearest_mode", "round_prefer_floor")
    if not COORDINATES(coordinates) or not NEAREST(nearest):
        raise ConversionError(
            Code.AttributeInvalid,
            f"Resize: coordinate_transformation_mode {coordinates!r} or nearest_mode {nearest!r} is not known",
        )
    roi = None
    if coordinates == "tf_crop_and_resize":
        region, count = _given(n.opt(1)), 2 * len(axes)
        known = constant_array(region)
        if region is None or (region.tensor if known is None else known).shape != (count,):
            raise ConversionError(
                Code.ShapeNotStatic, f"Resize: the region of tf_crop_and_resize must have {count} numbers"
            )
        roi = [0.0] * len(axes) + [1.0] * len(axes)  # of the op whose sizes are read, where a run gives the region
        if known is not None:
            roi, region = [float(r) for r in known.reshape(-1)], None
        plan = replace(plan, region=region)
    if len(set(axes)) != len(axes):
        raise ConversionError(Code.ShapeMismatch, f"Resize: axes {axes} repeat an axis")
    return _emit(n, x, plan, _mode(n), coordinates, nearest, roi)
