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
from mlconv.legalize.classes_apart import MOST_CLASSES, Limits, best_of_classes
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

    Results: boxes (ymin, xmin, ymax, xmax), classes, scores of the most detections, and their number.
    """
    options = flex_options(n)
    boxes = n.reshape(n.number(0), [-1, *n.dims(n.operand(0))[2:]])
    boxes = _corners(n, n.slice_axis(boxes, 1, 0, 4), n.number(2), options)
    classes = _count(n, options, "num_classes")
    offered = (n.operand(1).tensor.shape or ())[-1]
    if not isinstance(offered, int) or offered < classes:
        raise ConversionError(Code.ShapeMismatch, f"{n.operand(1).type} for {classes} classes")
    scores = n.slice_axis(n.squeeze(n.number(1), 0), 1, offered - classes, None)  # a background class stands first
    suppress = _by_class if options.get("use_regular_nms", False) else _by_best_class
    return suppress(n, boxes, scores, options)


def _count(n: TflNode, options: Mapping[str, float], name: str, otherwise: int | None = None) -> int:
    """Raises ConversionError AttributeInvalid: there is no such option, or it counts nothing."""
    found = options.get(name, otherwise)
    if not isinstance(found, (int, float)) or not 1 <= found < 2**31 or found != int(found):
        raise ConversionError(Code.AttributeInvalid, f"{name} of {n.kind} is {found}")
    return int(found)


def _thresholds(n: TflNode, options: Mapping[str, float]) -> tuple[Value, Value]:
    """Overlaps above the first suppress; scores above the second count: the kernel takes those that equal its own."""
    least = np.nextafter(np.float32(options["nms_score_threshold"]), np.float32(-np.inf))
    return n.constant(float(options["nms_iou_threshold"]), DType.F32), n.constant(least, DType.F32)


def _by_class(n: TflNode, boxes: Value, scores: Value, options: Mapping[str, float]) -> Sequence[Value]:
    """The regular way: each class is suppressed by itself, the best of all remain.  scores: [n, classes].

    The results have rows for several classes of a detection, which are not filled.
    """
    classes, total = (_count(n, options, name) for name in ("num_classes", "max_detections"))
    each = min(_count(n, options, "detections_per_class", 100), total)
    if classes > MOST_CLASSES:
        raise n.unsupported(f"{classes} classes, at most {MOST_CLASSES} are unrolled")
    limits = Limits(classes, each, total, *_thresholds(n, options), plain=True)
    corners, values, kinds, valid = best_of_classes(n, n.expand_dims(boxes, 1), scores, limits)
    unfilled = total * (_count(n, options, "max_classes_per_detection", 1) - 1)
    rows = [n.pad(row, [(0, unfilled), *[(0, 0)] * (n.rank(row) - 1)]) for row in (corners, kinds, values)]
    return [*(n.expand_dims(row, 0) for row in rows), n.reshape(n.cast(valid, DType.F32), [1])]


def _by_best_class(n: TflNode, boxes: Value, scores: Value, options: Mapping[str, float]) -> Sequence[Value]:
    """The fast way: one suppression, by the best class of each box, which is then told with its next best ones.

    scores: [n, classes].  The results have rows of `max_classes_per_detection`, as many as there are classes are told.
    """
    most, told = (_count(n, options, f"max_{of}") for of in ("detections", "classes_per_detection"))
    known = min(told, _count(n, options, "num_classes"))
    best = n.emit(core.TopK(scores, n.constant(known, DType.I64), axis=1, index_dtype=DType.I32))
    top = n.squeeze(n.slice_axis(best.values, 1, 0, 1), 1)
    count, sigma = n.constant(most, DType.I32), n.constant(0.0, DType.F32)
    found = n.emit(core.NonMaxSuppression(boxes, top, count, *_thresholds(n, options), sigma, padded=True, plain=True))
    valid = n.cast(n.scalar(found.valid), DType.I32)
    there = n.expand_dims(n.less(n.cast(n.arange(most), DType.I32), valid), 1)

    def rows(values: Value) -> Value:
        """Those of the detections, [1, most * told, ...]."""
        padded = n.pad(n.where(there, n.gather(values, found.selected, 0), 0), [(0, 0), (0, told - known)])
        return n.reshape(padded, [1, most * told])

    corners = n.expand_dims(n.where(there, n.gather(boxes, found.selected, 0), 0), 1)
    corners = n.pad(n.broadcast_to(corners, [most, known, 4]), [(0, 0), (0, told - known), (0, 0)])
    number = n.reshape(n.cast(valid, DType.F32), [1])
    return n.reshape(corners, [1, most * told, 4]), rows(n.cast(best.indices, DType.F32)), rows(best.values), number


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
