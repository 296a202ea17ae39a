"""Layers in front of a model.  Source: keras/src/layers/preprocessing."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.keras.call import Call, Results, Rules
from mlconv.importers.keras.graph import object_of, snake_case
from mlconv.importers.keras.weights import NamedWeights
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
# Those that change images in training alone.
_RANDOM: Final = (
    "AugMix",
    "CutMix",
    "MaxNumBoundingBoxes",
    "MixUp",
    "RandAugment",
    "RandomElasticTransform",
    "RandomPerspective",
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


@RULES.rule("Pipeline")
def pipeline(n: Call) -> Results:
    """Layers, one behind the other."""
    listed = n.fields.get("layers")
    if not isinstance(listed, list):
        raise n.fields.wrong("layers")
    kinds = [object_of(given)[0] for given in listed]
    below = iter(n.weights.listed("layers", [snake_case(k) for k in kinds if k == "Normalization"]))
    x: Results = n.args[0] if len(n.args) == 1 and isinstance(n.args[0], Value) else n.x
    for given, kind in zip(listed, kinds, strict=True):
        x = n.layer(given, next(below) if kind == "Normalization" else NamedWeights(()), [x])
    return x
