"""Non-maximum suppression by NON_MAX_SUPPRESSION_V4 and V5, whose kernel differs from TensorFlow's and ONNX Runtime's
in four ways.

It suppresses at an overlap that equals the threshold (others: above it), picks a box again and again whose overlap with
itself does not reach the threshold (one without area), leaves the order of equal scores open, and suppresses hard where
scores are to decay.  So the kernel is given boxes in the order of their scores with distinct numbers for scores, a
threshold that is one step higher, and a place of its own for each box that overlaps none.
Source: kernels/non_max_suppression.cc, kernels/internal/reference/non_max_suppression.h.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, scalar_of, shape_of
from mlconv.rewrite import Rules

RULES = Rules()

_SMALLEST = np.float32(2.0**-126)  # a denormal number is 0 where XNNPACK has run in the thread
_LARGEST_AREA = 1e38  # the sum of two areas stays finite


@RULES.rule(core.NonMaxSuppression)
def non_max_suppression(op: core.NonMaxSuppression, e: TflBuilder) -> list[Value]:
    """Hard (V4, on ranks) or soft (V5, on scores) suppression; without `padded` the valid results are cut out."""
    if op.plain and scalar_of(op.soft_sigma) == 0:
        return _plain(op, e)
    count = e.reshape(e.size(shape_of(op.scores)[0], op.scores), ())
    limit = e.reshape(_int32(e, op.max_output), ())
    if not op.padded and not op.plain:
        limit = e.y(core.Minimum(e.y(core.Maximum(limit, e.i(0))), count))
    known = scalar_of(limit)
    size = Dim.unknown() if known is None else int(known)
    sigma = scalar_of(op.soft_sigma)
    if sigma == 0:
        position = _positions(e, op, count)
        threshold = e.reshape(op.iou_threshold, ())
        order, ranks = _ranked(op, e, count, position)
        boxes = _rows(e, _apart(e, op.boxes, position, threshold), order)
        picked, valid = _kernel(
            e, [boxes, ranks, limit, above(e, threshold), e.constant(0.5, DType.F32)], size, op.padded
        )
        return [*_results(op, e, _rows(e, _never_empty(e, order), picked), valid, limit), valid]
    # Scores decay and nothing is suppressed hard, but for the box itself, which the kernel meets again.
    operands = [
        op.boxes if op.plain else _apart(e, op.boxes, _positions(e, op, count), None),
        op.scores,
        limit,
        e.constant(1, DType.F32),
        e.reshape(op.score_threshold, ()),
    ]
    types = [TensorType(DType.I32, (size,)), op.scores.tensor.with_shape((size,)), TensorType(DType.I32, ())]
    selected, scores, valid = e.tfl("NON_MAX_SUPPRESSION_V5", [*operands, e.reshape(op.soft_sigma, ())], types)
    return [selected, scores, valid] if op.padded else [_cut(e, selected, valid), _cut(e, scores, valid), valid]


def _positions(e: TflBuilder, op: core.NonMaxSuppression, count: Value) -> Value:
    """The numbers of the boxes."""
    return e.one("RANGE", [e.i(0), count, e.i(1)], TensorType(DType.I32, (shape_of(op.scores)[0],)))


def _plain(op: core.NonMaxSuppression, e: TflBuilder) -> list[Value]:
    """The op as it is: boxes overlap themselves, and scores differ."""
    limit = e.reshape(_int32(e, op.max_output), ())
    known = scalar_of(limit)
    size = Dim.unknown() if known is None else int(known)
    thresholds = [above(e, e.reshape(op.iou_threshold, ())), e.reshape(op.score_threshold, ())]
    picked, valid = _kernel(e, [op.boxes, op.scores, limit, *thresholds], size, op.padded)
    if not op.selected_scores.uses:
        return [picked, picked, valid]
    return [*_results(op, e, picked, valid, limit), valid]


def _int32(e: TflBuilder, x: Value) -> Value:
    """A limit as int32: larger ones are as good as none."""
    if x.tensor.dtype in (DType.I64, DType.U64, DType.U32):
        x = e.y(core.Minimum(x, e.asarray(2**31 - 1, x)))
        x = x if x.tensor.dtype is not DType.I64 else e.y(core.Maximum(x, e.asarray(0, x)))
    return e.i32(x)


def _ranked(op: core.NonMaxSuppression, e: TflBuilder, count: Value, position: Value) -> tuple[Value, Value]:
    """Box numbers by falling score, the first of equals first; and for each a float that falls with its place, 0 where
    the score is too low.
    """
    alive = e.y(core.Greater(op.scores, e.reshape(op.score_threshold, ())))
    lowest = e.asarray(-math.inf, op.scores)
    key = e.y(core.Select(alive, op.scores, lowest))
    _, order = e.tfl("TOPK_V2", [key, count], [key.type, position.type])
    ranks = e.cast(e.y(core.Sub(count, position)), DType.F32)
    return order, e.y(core.Select(_rows(e, alive, order), ranks, e.asarray(0, ranks)))


def _kernel(e: TflBuilder, operands: list[Value], size: Size, padded: bool) -> tuple[Value, Value]:
    selected, valid = e.tfl(
        "NON_MAX_SUPPRESSION_V4", operands, [TensorType(DType.I32, (size,)), TensorType(DType.I32, ())]
    )
    return (selected if padded else _cut(e, selected, valid)), valid


def _results(op: core.NonMaxSuppression, e: TflBuilder, selected: Value, valid: Value, limit: Value) -> list[Value]:
    """The boxes and their scores; 0 behind the valid ones where results are padded."""
    scores = e.one(
        "GATHER", [_never_empty(e, op.scores), selected], op.scores.tensor.with_shape(selected.tensor.shape), axis=0
    )
    if not op.padded:
        return [selected, scores]
    used = e.y(core.Less(e.one("RANGE", [e.i(0), limit, e.i(1)], selected.type), valid))
    return [e.y(core.Select(used, selected, e.i(0))), e.y(core.Select(used, scores, e.asarray(0, scores)))]


def _never_empty(e: TflBuilder, x: Value) -> Value:
    """x with a row more where it may have none: results that are padded point at the first."""
    if isinstance(shape_of(x)[0], int) and shape_of(x)[0] != 0:
        return x
    return e.y(core.Concat([x, e.reshape(e.asarray(0, x), (1,))], axis=0))


def _rows(e: TflBuilder, x: Value, rows: Value) -> Value:
    return e.one("GATHER", [x, rows], x.tensor.with_shape((*shape_of(rows), *shape_of(x)[1:])), axis=0)


def _cut(e: TflBuilder, x: Value, count: Value) -> Value:
    return e.one("SLICE", [x, e.ints([0]), e.reshape(count, (1,))], x.tensor.with_shape((Dim.unknown(),)))


def above(e: TflBuilder, threshold: Value) -> Value:
    """The next float32, at most 1: an overlap reaches it where it is above the threshold."""
    known = scalar_of(threshold)
    if known is not None:
        return e.constant(
            float(min(max(np.nextafter(np.float32(known), np.float32(np.inf)), _SMALLEST), np.float32(1))), DType.F32
        )
    bits = e.y(core.Bitcast(threshold, dtype=DType.I32))
    following = e.y(core.Bitcast(e.y(core.Add(bits, e.i(1))), dtype=DType.F32))
    return e.y(
        core.Minimum(e.y(core.Maximum(following, e.constant(float(_SMALLEST), DType.F32))), e.constant(1, DType.F32))
    )


def _apart(e: TflBuilder, boxes: Value, position: Value, threshold: Value | None) -> Value:
    """Boxes that overlap none get a place of their own beyond the others: those without area, and all where the
    threshold is 1.
    """
    low, high = (e.slice_axis(boxes, 1, i, i + 2) for i in (0, 2))
    area = e.y(core.ReduceProd(e.y(core.Abs(e.y(core.Sub(high, low)))), axes=(1,), keepdims=True))
    reach = e.y(core.ReduceMax(e.y(core.Abs(boxes)), axes=(1,), keepdims=True))
    finite = e.y(
        core.ReduceAll(e.y(core.Less(e.y(core.Abs(boxes)), e.asarray(math.inf, boxes))), axes=(1,), keepdims=True)
    )
    sound = e.y(
        core.And(
            finite,
            e.y(
                core.And(
                    e.y(core.Greater(area, e.asarray(0, area))), e.y(core.Less(area, e.asarray(_LARGEST_AREA, area)))
                )
            ),
        )
    )
    if threshold is not None and (const_of(threshold) is None or (scalar_of(threshold) or 0.0) >= 1):
        sound = e.y(core.And(sound, e.reshape(e.y(core.Less(threshold, e.asarray(1, threshold))), (1, 1))))
    farthest = e.y(core.ReduceMax(e.y(core.Select(sound, reach, e.asarray(1, reach))), axes=(0,), keepdims=True))
    step = e.y(core.Maximum(e.y(core.Mul(farthest, e.asarray(2, farthest))), e.asarray(1, farthest)))
    begin = e.y(
        core.Mul(
            e.y(core.Add(e.cast(e.reshape(position, (*shape_of(position), 1)), DType.F32), e.constant(1, DType.F32))),
            step,
        )
    )
    end = e.y(core.Add(begin, e.y(core.Mul(step, e.asarray(0.5, step)))))
    zero = e.y(core.Mul(e.cast(e.reshape(position, (*shape_of(position), 1)), DType.F32), e.constant(0, DType.F32)))
    far = e.y(core.Concat([begin, zero, end, e.y(core.Add(zero, e.asarray(1, zero)))], axis=1))
    return e.y(core.Select(sound, boxes, far))
