"""Colors of images.  Source: tensorflow/core/ops/image_ops.cc; tensorflow/core/kernels/image (colorspace_op.h,
adjust_hue_op.cc, adjust_saturation_op.cc, adjust_contrast_op.cc).

The kernels of AdjustHue and AdjustSaturation tell the six sectors of the hue apart; the ramps here have the same values
in each.
"""

from __future__ import annotations

from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import shape_of, tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


def _channels(n: SourceNode, x: Value) -> list[Value]:
    """The three channels of the last axis.  Raises ConversionError ShapeMismatch for another number."""
    shape = shape_of(x, "the image")
    if not shape or (isinstance(shape[-1], int) and shape[-1] != 3):
        raise ConversionError(Code.ShapeMismatch, f"{n.kind} of {x.tensor}: the last axis must have 3 channels")
    return list(n.split(x, (1, 1, 1), len(shape) - 1))


def _hsv(n: SourceNode, x: Value) -> tuple[Value, Value, Value]:
    """Hue and saturation in [0, 1], and value; 0 for the hue of grey."""
    r, g, b = _channels(n, x)
    value = n.maximum(r, n.maximum(g, b))
    spread = n.sub(value, n.minimum(r, n.minimum(g, b)))
    saturation = n.where(n.less(0.0, value), n.div(spread, value), 0.0)
    norm = n.div(1 / 6, n.where(n.equal(spread, 0.0), n.asarray(1, x), spread))
    from_red, from_green, from_blue = (
        n.add(n.mul(norm, n.sub(p, q)), offset / 6) for p, q, offset in ((g, b, 0), (b, r, 2), (r, g, 4))
    )
    hue = n.where(n.equal(value, r), from_red, n.where(n.equal(value, g), from_green, from_blue))
    hue = n.where(n.less(0.0, spread), hue, 0.0)
    return n.where(n.less(hue, 0.0), n.add(hue, 1.0), hue), saturation, value


def _ramps(n: SourceNode, sectors: Value) -> list[Value]:
    """How much of red, green and blue a hue in [0, 6] has."""
    return [
        n.clamp(n.add(n.mul(n.y(core.Abs(n.sub(sectors, center))), sign), offset), 0.0, 1.0)
        for center, sign, offset in ((3.0, 1.0, -1.0), (2.0, -1.0, 2.0), (4.0, -1.0, 2.0))
    ]


@RULES.rule("RGBToHSV")
def rgb_to_hsv(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.concat(_hsv(n, x), len(shape_of(x)) - 1)


@RULES.rule("HSVToRGB")
def hsv_to_rgb(n: SourceNode) -> Value:
    x = n.operand(0)
    hue, saturation, value = _channels(n, x)
    parts = [n.mul(n.add(n.sub(1.0, saturation), n.mul(saturation, d)), value) for d in _ramps(n, n.mul(hue, 6.0))]
    return n.concat(parts, len(shape_of(x)) - 1)


@RULES.rule("AdjustHue")
def adjust_hue(n: SourceNode) -> Value:
    """The hue is turned by `delta` of a circle; the largest and the least channel keep their values."""
    x = n.operand(0)
    wide = n.cast(x, DType.F32)
    hue, _, value = _hsv(n, wide)
    least = n.sub(0.0, n.max(n.neg(wide), (len(shape_of(x)) - 1,), keepdims=True))
    turned = n.y(core.FloorMod(n.mul(n.add(hue, n.operand(1)), 6.0), n.constant(6.0, DType.F32)))
    parts = [n.add(least, n.mul(n.sub(value, least), d)) for d in _ramps(n, turned)]
    return n.cast(n.concat(parts, len(shape_of(x)) - 1), x.tensor.dtype)


@RULES.rule("AdjustSaturation")
def adjust_saturation(n: SourceNode) -> Value:
    x = n.operand(0)
    hue, saturation, value = _hsv(n, n.cast(x, DType.F32))
    scaled = n.clamp(n.mul(saturation, n.operand(1)), 0.0, 1.0)
    chroma = n.mul(scaled, value)
    parts = [n.add(n.mul(chroma, d), n.sub(value, chroma)) for d in _ramps(n, n.mul(hue, 6.0))]
    return n.cast(n.concat(parts, len(shape_of(x)) - 1), x.tensor.dtype)


@RULES.rule("AdjustContrastv2")
def adjust_contrast(n: SourceNode) -> Value:
    """(x - mean over height and width) * factor + mean; the mean in float32."""
    x, factor = n.operand(0), n.operand(1)
    rank = len(shape_of(x))
    mean = n.mean(x, (rank - 3, rank - 2), keepdims=True)
    return n.add(n.mul(n.sub(x, mean), n.cast(factor, x.tensor.dtype)), mean)
