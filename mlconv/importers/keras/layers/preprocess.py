"""Layers in front of a model.  Source: keras/src/layers/preprocessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.shape import resized
from mlconv.importers.keras.layers.windows import layout_of, sizes_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
# Those that change images in training alone.
_RANDOM: Final = (
    "RandomBrightness",
    "RandomColorDegeneration",
    "RandomColorJitter",
    "RandomContrast",
    "RandomCrop",
    "RandomErasing",
    "RandomFlip",
    "RandomGaussianBlur",
    "RandomGrayscale",
    "RandomHue",
    "RandomInvert",
    "RandomPosterization",
    "RandomRotation",
    "RandomSaturation",
    "RandomSharpness",
    "RandomShear",
    "RandomTranslation",
    "RandomZoom",
    "Solarization",
)
_EPSILON: Final = 1e-7  # keras.config.epsilon()


@RULES.rule(*_RANDOM, keeps_mask=False)
def random(n: Call) -> Value:
    n.fields.unused(*map(str, n.fields.given))
    if not isinstance(n.args[0], Value) or not n.args[0].tensor.dtype.is_float:
        raise n.unknown("its input is no image of floating-point numbers")
    return n.x


def _numbers(n: Call, name: str, default: object) -> Value:
    """A field that is a number, or an array of them."""
    given = n.fields.get(name, default)
    try:
        array = np.asarray(given, np.float32)
    except (TypeError, ValueError) as e:
        raise n.fields.wrong(name) from e
    if not np.isfinite(array).all() or array.ndim > 4:
        raise n.fields.wrong(name)
    return n.constant(array, n.dtype)


@RULES.rule("Rescaling", keeps_mask=True)
def rescaling(n: Call) -> Value:
    """x * scale + offset, of integers too."""
    return n.add(n.mul(n.cast(n.x, n.dtype), _numbers(n, "scale", None)), _numbers(n, "offset", 0.0))


@RULES.rule("Normalization", keeps_mask=True)
def normalization(n: Call) -> Value:
    """(x - mean) / deviation.  Weights: mean, variance, and how many numbers they were made of."""
    x = n.cast(n.x, n.dtype)
    rank, given = n.rank(x), n.fields.given.get("axis", -1)
    listed = () if given is None else n.fields.listed("axis") if "axis" in n.fields.given else (-1,)
    axes = sorted({n.axis(a, rank) for a in listed})
    n.fields.unused("axis")
    shape = [n.size(x, a) for a in axes]
    spread = [n.size(x, a) if a in axes else 1 for a in range(axes[0], rank)] if axes else []
    if n.fields.get("mean") is not None or n.fields.get("variance") is not None:
        parts = [_given(n, name, shape) for name in ("mean", "variance")]
    else:
        parts = _kept(n, shape)
    mean, variance = (v if n.shape(v) == () else n.reshape(v, spread) for v in parts)
    deviation = n.maximum(n.sqrt(variance), _EPSILON)
    if n.fields.flag("invert"):
        return n.add(mean, n.mul(x, deviation))
    return n.div(n.sub(x, mean), deviation)


def _given(n: Call, name: str, shape: Sequence[int]) -> Value:
    """A mean or variance of the configuration: one number, or one for each place along the axes."""
    v = _numbers(n, name, None)
    sizes = n.shape(v)
    if math.prod(s for s in sizes if isinstance(s, int)) == 1:
        return n.reshape(v, [])
    if tuple(s for s in sizes if s != 1) != tuple(s for s in shape if s != 1):
        raise n.fields.wrong(name)
    return v


def _kept(n: Call, shape: Sequence[int]) -> list[Value]:
    found = n.weights.own()
    if len(found) not in (2, 3) or any(c.shape != tuple(shape) or c.dtype is not DType.F32 for c in found[:2]):
        raise ConversionError(
            Code.ConstantInvalid,
            f"Normalization has weights of {[list(c.shape) for c in found]}, its input asks for {list(shape)}",
        )
    return [n.constant(c) for c in found[:2]]


@RULES.rule("Resizing", keeps_mask=False)
def resizing(n: Call) -> Value:
    x, f = n.x, n.fields
    layout = layout_of(n, 2)
    sizes_of(n, x, layout)
    f.absent("crop_to_aspect_ratio", "pad_to_aspect_ratio", "antialias")
    f.unused("fill_mode", "fill_value")
    mode = f.text("interpolation", "bilinear", ("nearest", "bilinear"))
    if not x.tensor.dtype.is_float:
        raise n.unknown(f"its input is of {x.tensor.dtype.display}")
    sizes = f.integer("height", None, 1), f.integer("width", None, 1)
    return resized(n, x, (layout.index("0"), layout.index("1")), sizes, mode)


@RULES.rule("CenterCrop", keeps_mask=False)
def center_crop(n: Call) -> Value:
    """The middle of images that are large enough; others are resized, which is left to Keras."""
    x, f = n.cast(n.x, n.dtype), n.fields
    layout = layout_of(n, 2)
    sizes_of(n, x, layout)
    bounds: dict[int, tuple[int | Value | None, int | Value | None, int]] = {}
    for letter, name in (("0", "height"), ("1", "width")):
        axis, wanted = layout.index(letter), f.integer(name, None, 1)
        left = n.size(x, axis) - wanted
        if left < 0:
            raise f.wrong(name)
        bounds[axis] = (left // 2, left // 2 + wanted, 1)
    return n.slice(x, bounds)


def _encoded(n: Call, index: Value, depth: int, mode: str) -> Value:
    """Source: `encode_categorical_inputs` of keras/src/utils/numerical_utils.py."""
    rank = n.rank(index)
    if mode == "one_hot":
        if rank > 1 and n.shape(index)[-1] == 1:
            index = n.squeeze(index, rank - 1)
    elif rank != 2:
        raise n.unknown(f"{mode} of an input of rank {rank}")
    one_hot = n.y(
        core.OneHot(
            index,
            n.constant(depth, DType.I64),
            n.constant(1.0, n.dtype),
            n.constant(0.0, n.dtype),
            axis=n.rank(index),
        )
    )
    if mode == "one_hot":
        return one_hot
    return n.max(one_hot, [1]) if mode == "multi_hot" else n.sum(one_hot, [1])


_MODES: Final = ("one_hot", "multi_hot", "count")


@RULES.rule("CategoryEncoding", keeps_mask=False)
def category_encoding(n: Call) -> Value:
    """One number for each token."""
    x = n.x
    n.fields.absent("sparse")
    if x.tensor.dtype not in (DType.I32, DType.I64):
        raise n.unknown(f"its input is of {x.tensor.dtype.display}")
    return _encoded(n, x, n.fields.integer("num_tokens", None, 1), n.fields.text("output_mode", "multi_hot", _MODES))


@RULES.rule("Discretization", keeps_mask=False)
def discretization(n: Call) -> Value:
    """How many of the boundaries are not above a number, int32, or encoded.  NaN is behind all."""
    x = n.args[0] if len(n.args) == 1 else None
    given: object = n.fields.get("bin_boundaries")
    n.fields.unused("num_bins", "epsilon")
    n.fields.absent("sparse")
    if not isinstance(x, Value) or x.tensor.dtype is not DType.F32:
        raise n.unknown("its input is not of float32")
    if not isinstance(given, list) or not given or not all(isinstance(b, (int, float)) for b in given):
        raise n.fields.wrong("bin_boundaries")
    bounds = n.constant(np.sort(np.asarray(given, np.float32)), DType.F32)
    reached = n.cast(n.logical_not(n.less(n.expand_dims(x, n.rank(x)), bounds)), DType.I32)
    index = n.sum(reached, [n.rank(x)])
    mode = n.fields.text("output_mode", "int", ("int", *_MODES))
    return index if mode == "int" else _encoded(n, index, len(given) + 1, mode)
