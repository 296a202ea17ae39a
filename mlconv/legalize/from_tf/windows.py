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
from mlconv.legalize.from_tf.conv import conv_of, same_pads, spatial_of
from mlconv.legalize.from_tf.operands import static_shape, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = tf_rules()
_MOVED: Final = (DType.F32, DType.U8, DType.I8, DType.I32, DType.I64)  # as all targets move blocks into channels


def _elements(
    n: SourceNode, x: Value, window: tuple[int, ...], names: tuple[str, str], fill: float
) -> list[tuple[tuple[int, ...], Value]]:
    """Each place of the window, and the elements of x [n, spatial, c] that stand there for every result."""
    layout = "N" + "".join(str(i) for i in range(len(window))) + "C"
    strides, rates = (spatial_of(n, name, layout, (1,) * len(layout)) for name in names)
    check_table((*window, 1), "window")
    spans = [(k - 1) * rate + 1 for k, rate in zip(window, rates, strict=True)]
    placed = [_placed(n, n.dim(x, 1 + i), *of_axis) for i, of_axis in enumerate(zip(spans, strides, strict=True))]
    padded = n.pad(x, [(0, 0), *(amounts for amounts, _ in placed), (0, 0)], fill)
    found: list[tuple[tuple[int, ...], Value]] = []
    for place in itertools.product(*(range(k) for k in window)):
        bounds: dict[int, tuple[Part | None, Part | None, int]] = {}
        for i, at in enumerate(place):
            begin, reach = at * rates[i], placed[i][1]
            end = begin + reach if isinstance(reach, int) else n.add(reach, begin)
            bounds[1 + i] = (begin, end, strides[i])
        found.append((place, n.slice(padded, bounds)))
    return found


def _placed(n: SourceNode, size: Part, span: int, stride: int) -> tuple[tuple[Part, Part], Part]:
    """How windows lie along an axis: the padding before and after it, and from the first to behind the last window's
    begin.
    """
    same = n.attr("padding") == "SAME"
    if isinstance(size, int):
        pads = same_pads([size], [span], (stride,), (1,)) if same else ((0, 0),)
        (amounts,) = resolve_pads(pads, (size,), (span,), (stride,), (1,))
        return amounts, (size + sum(amounts) - span) // stride * stride + 1
    if not same:
        return (0, 0), n.add(n.mul(_quotient(n, n.sub(size, span), stride), stride), 1)
    reach = n.mul(_quotient(n, n.sub(size, 1), stride), stride)
    total = n.maximum(n.sub(n.add(reach, span), size), 0)
    before = _quotient(n, total, 2)
    return (before, n.sub(total, before)), n.add(reach, 1)


def _quotient(n: SourceNode, x: Value, divisor: int) -> Value:
    return x if divisor == 1 else n.y(core.FloorDiv(x, n.asarray(divisor, x)))


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


@RULES.rule("ExtractImagePatches", "ExtractVolumePatches")
def extract_patches(n: SourceNode) -> Value:
    """Windows of an NHWC image or an NDHWC volume laid out along the channels, row by row of the window."""
    layout = "N01C" if n.kind == "ExtractImagePatches" else "N012C"
    window = spatial_of(n, "ksizes", layout)
    blocks = _blocks(n, n.operand(0), window) if len(window) == 2 else None
    if blocks is not None:
        return blocks
    return n.concat([v for _, v in _elements(n, n.operand(0), window, ("strides", "rates"), 0)], len(layout) - 1)


def _blocks(n: SourceNode, x: Value, window: tuple[int, ...]) -> Value | None:
    """Square windows side by side, of what they fill whole; None of others, and of numbers that are seldom moved so."""
    strides, rates = (spatial_of(n, name, "N01C", (1, 1, 1, 1)) for name in ("strides", "rates"))
    block, sizes = window[0], n.dims_of(x, 4)
    if {*window, *strides} != {block} or set(rates) != {1} or block < 2 or x.tensor.dtype not in _MOVED:
        return None
    whole = [size - size % block if isinstance(size, int) else None for size in sizes[1:3]]
    if whole != sizes[1:3]:
        if n.attr("padding") == "SAME":
            return None
        ends = [n.mul(_quotient(n, s, block), block) if isinstance(s, Value) else w for s, w in zip(sizes[1:3], whole)]
        kept = n.vector([sizes[0], *(end for end in ends if end is not None), sizes[3]])
        x = n.y(core.DynamicSlice(x, n.vector([0] * 4), kept))
    return n.y(core.SpaceToDepth(x, block_size=block))


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
