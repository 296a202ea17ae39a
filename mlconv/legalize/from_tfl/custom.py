"""Custom operators that runtimes register themselves.

Source: tensorflow/lite/kernels/detection_postprocess.cc; tensorflow/compiler/mlir/lite/utils/nms_utils.cc;
mediapipe/util/tflite/operations/transpose_conv_bias.cc.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tfl.node import TflNode, tfl_rules

RULES: Final = tfl_rules()


def flex_options(n: TflNode) -> Mapping[str, float]:
    """The map that the custom options are.  Raises ConversionError AttributeInvalid."""
    from flatbuffers import flexbuffers

    try:
        found = flexbuffers.Loads(n.attr("custom_options"))
    except (IndexError, TypeError, ValueError, UnicodeDecodeError, struct.error) as error:
        raise ConversionError(Code.AttributeInvalid, f"the options of {n.kind} are damaged: {error}") from error
    if not isinstance(found, dict):
        raise ConversionError(Code.AttributeInvalid, f"the options of {n.kind} are no map")
    return found


@RULES.rule("custom.TFLite_Detection_PostProcess")
def detection_postprocess(n: TflNode) -> Sequence[Value]:
    """Operands: boxes as offsets to anchors [1, n, 4] (y, x, h, w), scores [1, n, classes], anchors [n, 4].

    Results: boxes (ymin, xmin, ymax, xmax), classes, scores of the most detections, and their number.  The fast way:
    one suppression, by the best class of each box.
    """
    options = flex_options(n)
    if options.get("use_regular_nms", False):
        raise n.unsupported("suppression for each class by itself")
    if options.get("max_classes_per_detection", 1) != 1:
        raise n.unsupported("more than one class for a detection")
    boxes = n.reshape(n.number(0), [-1, *n.dims(n.operand(0))[2:]])
    boxes = _corners(n, n.slice_axis(boxes, 1, 0, 4), n.number(2), options)
    scores = n.squeeze(n.number(1), 0)
    classes = int(options["num_classes"])
    offered = (scores.tensor.shape or ())[-1]
    if not isinstance(offered, int) or offered < classes:
        raise ConversionError(Code.ShapeMismatch, f"{scores.type} for {classes} classes")
    best = n.slice_axis(scores, 1, offered - classes, None)  # a background class stands first
    top, kind = n.max(best, [1]), n.y(core.ArgMax(best, axis=1, dtype=DType.I32))
    most = int(options["max_detections"])
    count = n.constant(most, DType.I32)
    names = ("nms_iou_threshold", "nms_score_threshold")
    iou, least = (n.constant(float(options[name]), DType.F32) for name in names)
    sigma = n.constant(0.0, DType.F32)
    found = n.emit(core.NonMaxSuppression(boxes, top, count, iou, least, sigma, padded=True, plain=True))
    valid = n.scalar(found.valid)
    there = n.less(n.cast(n.arange(most), DType.I32), n.cast(valid, DType.I32))
    rows = [
        n.where(n.expand_dims(there, 1), n.gather(boxes, found.selected, 0), 0),
        n.where(there, n.cast(n.gather(kind, found.selected, 0), DType.F32), 0),
        n.where(there, n.gather(top, found.selected, 0), 0),
    ]
    return [*(n.expand_dims(row, 0) for row in rows), n.reshape(n.cast(valid, DType.F32), [1])]


def _corners(n: TflNode, boxes: Value, anchors: Value, options: Mapping[str, float]) -> Value:
    """Boxes by their centres and sizes, which are offsets to those of anchors, as corners."""
    scale = n.constant(np.asarray([options[f"{k}_scale"] for k in "yxhw"], np.float32))
    offsets = n.div(boxes, scale)
    centres, sizes = n.slice_axis(anchors, 1, 0, 2), n.slice_axis(anchors, 1, 2, 4)
    middle = n.add(n.mul(n.slice_axis(offsets, 1, 0, 2), sizes), centres)
    half = n.mul(n.mul(n.exp(n.slice_axis(offsets, 1, 2, 4)), sizes), 0.5)
    return n.concat([n.sub(middle, half), n.add(middle, half)], 1)


@RULES.rule("custom.Convolution2DTransposeBias")
def convolution_transpose_bias(n: TflNode) -> Value:
    """MediaPipe's transposed convolution.  Operands: images, filters [O, h, w, I], bias.

    The options are the bytes of three int32: the padding (1: SAME, 2: VALID), the strides along w and along h.
    """
    try:
        padding, *strides = struct.unpack_from("<3i", n.attr("custom_options"))
    except struct.error as error:
        raise ConversionError(Code.AttributeInvalid, f"the options of {n.kind} are damaged: {error}") from error
    if padding not in (1, 2) or min(strides) < 1:
        raise ConversionError(Code.AttributeInvalid, f"{n.kind} with padding {padding} and strides {strides[::-1]}")
    x, w = n.number(0), n.number(1)
    if (n.rank(x), n.rank(w)) != (4, 4):
        raise ConversionError(Code.ShapeMismatch, f"{n.kind} of {x.type} with filters {w.type}: both have rank 4")
    sizes = zip((x.tensor.shape or ())[1:3], (w.tensor.shape or ())[1:3], strides[::-1], strict=True)
    made = core.ConvTranspose(
        x,
        w,
        n.number(2),
        strides=tuple(strides[::-1]),
        dilations=(1, 1),
        pads=tuple(_same_crop(n, *size) if padding == 1 else (0, 0) for size in sizes),
        output_pads=(0, 0),
        x_layout="N01C",
        w_layout="O01I",
        y_layout="N01C",
    )
    return n.y(made)


def _same_crop(n: TflNode, size: Size, window: Size, stride: int) -> tuple[int, int]:
    """What SAME crops before and after an axis: what pads a convolution with that stride over `size`, as the kernel has
    it.
    """
    if not isinstance(window, int) or not (isinstance(size, int) or stride == 1):
        raise ConversionError(
            Code.ShapeNotStatic, f"{n.kind} crops what sizes say that must be known: {size}, {window}"
        )
    past = (size - 1) % stride if isinstance(size, int) else 0
    total = max(window - past - 1, 0)
    return total // 2, total - total // 2
