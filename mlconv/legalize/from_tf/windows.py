"""Windows of other kinds than convolutions and pools have.  Source: tensorflow/core/ops/nn_ops.cc, array_ops.cc;
tensorflow/core/kernels/dilation_ops.cc, image/extract_volume_patches_op.cc, conv_ops_fused_image_transform.cc.
"""

from __future__ import annotations

import itertools
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.window import resolve_pads
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.conv import conv_of, pads_of, spatial_of
from mlconv.legalize.from_tf.operands import static_shape, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = tf_rules()


def _elements(
    n: SourceNode, x: Value, window: tuple[int, ...], names: tuple[str, str], fill: float
) -> list[tuple[tuple[int, ...], Value]]:
    """Each place of the window, and the elements of x [n, spatial, c] that stand there for every result."""
    layout = "N" + "".join(str(i) for i in range(len(window))) + "C"
    sizes = static_shape(x, "the image")[1:-1]
    strides, rates = (spatial_of(n, name, layout, (1,) * len(layout)) for name in names)
    check_table((*window, 1), "window")
    pads = pads_of(n, layout, list(sizes), list(window), strides, rates)
    amounts = resolve_pads(pads, sizes, window, strides, rates)
    padded = n.pad(x, [(0, 0), *amounts, (0, 0)], fill)
    counts = [
        (size + low + high - (k - 1) * rate - 1) // stride + 1
        for size, (low, high), k, rate, stride in zip(sizes, amounts, window, rates, strides, strict=True)
    ]
    found: list[tuple[tuple[int, ...], Value]] = []
    for place in itertools.product(*(range(k) for k in window)):
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {
            1 + i: (at * rates[i], at * rates[i] + (counts[i] - 1) * strides[i] + 1, strides[i])
            for i, at in enumerate(place)
        }
        found.append((place, n.slice(padded, bounds)))
    return found


@RULES.rule("Dilation2D")
def dilation_2d(n: SourceNode) -> Value:
    """The largest sum of an element and the filter's [h, w, c] at its place; what lies outside does not count."""
    x, kernel = n.operands()
    window = static_shape(kernel, "the filter")[:2]
    lowest = -np.inf if x.tensor.dtype.is_float else np.iinfo(x.tensor.dtype.numpy).min
    best: Value | None = None
    for place, elements in _elements(n, x, window, ("strides", "rates"), lowest):
        weight = n.gather(n.gather(kernel, place[0], axis=0), place[1], axis=0)
        total = n.add(elements, weight)
        if not x.tensor.dtype.is_float:
            total = n.where(n.equal(elements, lowest), lowest, total)
        best = total if best is None else n.maximum(best, total)
    return x if best is None else best


@RULES.rule("ExtractVolumePatches")
def extract_volume_patches(n: SourceNode) -> Value:
    """Windows of an NDHWC volume laid out along the channels."""
    window = spatial_of(n, "ksizes", "N012C")
    return n.concat([v for _, v in _elements(n, n.operand(0), window, ("strides", "rates"), 0)], 4)


def _mirrored(n: SourceNode, x: Value, amounts: int) -> Value:
    return n.y(core.Pad(x, n.cast(n.operand(amounts), DType.I64), n.asarray(0, x), mode=n.attr("mode").lower()))


@RULES.rule("FusedPadConv2D")
def fused_pad_conv(n: SourceNode) -> Value:
    """Operands: images, amounts, filter.  The border is mirrored, then convolved.  Of a batch TensorFlow's kernel gives
    the result of the first image for each; here each image has its own.
    """
    return conv_of(n, _mirrored(n, n.operand(0), 1), n.operand(2))


@RULES.rule("FusedResizeAndPadConv2D")
def fused_resize_pad_conv(n: SourceNode) -> Value:
    """Operands: images, size, amounts, filter."""
    coordinates = "align_corners" if n.attr("resize_align_corners", False) else "asymmetric"
    resized = n.y(core.Resize(n.operand(0), n.operand(1), axes=(1, 2), mode="linear", coordinates=coordinates))
    return conv_of(n, _mirrored(n, resized, 2), n.operand(3))
