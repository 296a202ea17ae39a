"""NonMaxSuppression: each batch and class is suppressed on its own, by an op for each, or in a loop over all."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.repeat import repeat

RULES = OnnxRules()
_UNROLLED = 256  # batches times classes
_INT32_MAX = 2**31 - 1

Limits = tuple[Value, Value, Value]
"""How many boxes are selected at most, and from which overlap and score on, all scalars."""


@RULES.rule("NonMaxSuppression")
def non_max_suppression(n: Node) -> Value:
    """Selected (batch, class, box) triples, of all batches and classes in order."""
    boxes, scores = n.x(0), n.x(1)
    batches, classes = n.dim(scores, 0), n.dim(scores, 1)
    limit = (
        n.cast(n.maximum(n.minimum(n.reshape(n.x(2), []), _INT32_MAX), 0), DType.I32)
        if n.opt(2) is not None
        else n.constant(0, DType.I32)
    )
    iou = n.reshape(n.x(3), []) if n.opt(3) is not None else n.constant(0.0, DType.F32)
    least = n.reshape(n.x(4), []) if n.opt(4) is not None else n.constant(float("-inf"), DType.F32)
    if n.flag("center_point_box"):  # x, y, width, height to corners
        x, y, w, h = n.split(boxes, [1, 1, 1, 1], 2)
        boxes = n.concat(
            [n.sub(y, n.mul(h, 0.5)), n.sub(x, n.mul(w, 0.5)), n.add(y, n.mul(h, 0.5)), n.add(x, n.mul(w, 0.5))], 2
        )
    limits = limit, iou, least
    if not isinstance(batches, int) or not isinstance(classes, int) or batches * classes > _UNROLLED:
        return _in_a_loop(n, boxes, scores, limits)
    return n.concat([_suppressed(n, boxes, scores, (b, c), limits) for b in range(batches) for c in range(classes)], 0)


def _suppressed(n: Node, boxes: Value, scores: Value, at: tuple[int, int], limits: Limits) -> Value:
    """Triples [k, 3] int64 of one batch and class."""
    b, c = at
    own = n.squeeze(n.slice_axis(boxes, 0, b, b + 1), 0)
    score = n.squeeze(n.slice(scores, {0: (b, b + 1, 1), 1: (c, c + 1, 1)}), 0, 1)
    selected = n.cast(n.ys(_op(n, own, score, limits, False))[0], DType.I64)
    column = n.expand_dims(selected, 1)
    rest = n.broadcast_to(n.constant(np.asarray([[b, c]], np.int64)), [n.dim(column, 0), 2])
    return n.concat([rest, column], 1)


def _op(n: CoreBuilder, boxes: Value, scores: Value, limits: Limits, padded: bool) -> core.NonMaxSuppression:
    return core.NonMaxSuppression(boxes, scores, *limits, n.constant(0.0, DType.F32), padded=padded)


def _in_a_loop(n: Node, boxes: Value, scores: Value, limits: Limits) -> Value:
    """The same of batches or classes whose number a run tells, or that are many: a turn for each, which fills a row of
    places, of which as many count as it has selected.
    """
    batches, classes, each = n.dims(scores)
    most = _most(n, each)
    count = n.prod([batches, classes])
    rows = n.reshape(scores, [count, each])
    zero = n.constant(0, DType.I32)
    all_boxes: Limits = n.constant(most, DType.I32), *limits[1:]

    def step(e: CoreBuilder, turn: Value, values: Sequence[Value]) -> list[Value]:
        batch = e.y(core.FloorDiv(turn, e.scalar(n.cast(n.vector([classes]), DType.I32))))
        own, score = e.y(core.Gather(boxes, batch, axis=0)), e.y(core.Gather(rows, turn, axis=0))
        selected, _, valid = e.ys(_op(e, own, score, all_boxes, True))
        place = e.reshape(turn, [1, 1])
        found = e.reshape(selected, [1, most]), e.reshape(valid, [1])
        return [e.y(core.ScatterNd(v, place, made)) for v, made in zip(values, found, strict=True)]

    inits = n.broadcast_to(zero, [count, most]), n.broadcast_to(zero, [count])
    selected, valid = repeat(n, count, inits, step)
    valid = n.minimum(valid, limits[0])  # the best come first
    kept = n.less(n.constant(np.arange(most, dtype=np.int32)), n.expand_dims(valid, 1))
    places = n.y(core.NonZero(kept))  # in order of batches, classes and scores
    box = n.cast(n.y(core.GatherNd(selected, places)), DType.I64)
    row = n.cast(n.gather(places, 0, axis=1), DType.I64)
    by = n.cast(n.vector([classes]), DType.I64)
    columns = [n.y(core.FloorDiv(row, by)), n.y(core.FloorMod(row, by)), box]
    return n.concat([n.expand_dims(v, 1) for v in columns], 1)


def _most(n: Node, boxes: Part) -> int:
    """How many boxes a class can have, as a number."""
    given = constant_array(n.x(2)) if n.opt(2) is not None else np.asarray(0)
    told = [boxes] if isinstance(boxes, int) else []
    told += [] if given is None else [max(0, int(np.asarray(given).reshape(-1)[0]))]
    if not told or min(told) >= _INT32_MAX:
        raise n.refuse(
            f"of scores {n.x(1).type} more than {_UNROLLED} classes, or of open number, are suppressed in a loop, "
            f"which needs the number of boxes, or max_output_boxes_per_class, as a number",
            "make it a constant, or pin the number of boxes",
        )
    return min(told)
