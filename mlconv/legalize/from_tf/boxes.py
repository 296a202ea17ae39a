"""Suppression by given overlaps, and of several classes at once.  Source: tensorflow/core/ops/image_ops.cc;
tensorflow/core/kernels/image/non_max_suppression_op.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.classes_apart import MOST_CLASSES, Limits, best_of_classes
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.matrices import each_column
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.repeat import repeat

RULES: Final = tf_rules()


@RULES.rule("NonMaxSuppressionWithOverlaps")
def suppression_with_overlaps(n: SourceNode) -> Value:
    """Operands: overlaps [n, n], scores, most outputs, overlap threshold, score threshold.  Candidates by falling
    score; one is kept whose row has no overlap above the threshold with one that is kept.
    """
    overlaps, scores = n.operand(0), n.operand(1)
    limit, threshold, least = (n.scalar(n.operand(i)) for i in (2, 3, 4))
    count = n.dim(scores, 0)
    size = n.constant(count, DType.I64) if isinstance(count, int) else n.scalar(count)
    found = n.emit(core.TopK(scores, size, axis=0, index_dtype=DType.I32))
    alive = n.less(least, found.values)
    close = n.less(threshold, n.gather(n.gather(overlaps, found.indices, axis=0), found.indices, axis=1))
    places = n.cast(n.arange(count), DType.I32)

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        (kept,) = values
        hidden = b.y(core.ReduceAny(b.logical_and(kept, b.gather(close, k)), axes=(0,)))
        here = b.logical_and(b.equal(places, k), b.logical_and(b.gather(alive, k), b.logical_not(hidden)))
        return [b.logical_or(kept, here)]

    (kept,) = each_column(n, count, [n.logical_and(alive, n.y(core.IsNan(scores)))], step)
    rank = n.y(core.CumSum(n.cast(kept, DType.I32), axis=0))
    chosen = n.logical_and(kept, n.less_equal(rank, n.cast(limit, DType.I32)))
    return n.gather(found.indices, n.squeeze(n.y(core.NonZero(chosen)), 1))


@RULES.rule("CombinedNonMaxSuppression")
def combined_suppression(n: SourceNode) -> Sequence[Value]:
    """Operands: boxes [batch, n, classes or 1, 4], scores [batch, n, classes], most outputs of a class, of all, overlap
    threshold, score threshold.  Results: boxes [batch, m, 4], scores, classes [batch, m], how many [batch].
    """
    boxes, scores = n.operand(0), n.operand(1)
    batch, count = n.dim(scores, 0), n.dim(scores, 1)
    classes, owners = n.dim(scores, 2), n.dim(boxes, 2)
    if not isinstance(classes, int) or not isinstance(owners, int):
        raise n.unsupported("classes are unrolled: how many there are must be known")
    if classes > MOST_CLASSES:
        raise n.unsupported(f"{classes} classes, at most {MOST_CLASSES} are unrolled")
    most, total = n.ints(2)[0], n.ints(3)[0]
    if n.attr("pad_per_class", False):
        total = min(total, most * classes)
    each = min(most, count) if isinstance(count, int) else most
    thresholds = n.scalar(n.operand(4)), n.scalar(n.operand(5))
    limits = Limits(classes, each, total, *thresholds, clip=n.attr("clip_boxes", True))
    if isinstance(batch, int) and batch * classes <= MOST_CLASSES:
        results = [best_of_classes(n, n.gather(boxes, i), n.gather(scores, i), limits) for i in range(batch)]
        return [n.concat([n.expand_dims(v, 0) for v in part], 0) for part in zip(*results, strict=True)]
    return _in_turn(n, boxes, scores, batch, limits)


def _in_turn(n: CoreBuilder, boxes: Value, scores: Value, batch: Part, limits: Limits) -> list[Value]:
    """The results of one image after the other, in a loop."""
    zero, places = n.constant(0.0, scores.tensor.dtype), n.cast(n.arange(batch), DType.I32)
    empty = [n.broadcast_to(zero, [batch, limits.total, *last]) for last in ([4], [], [])]
    empty.append(n.mul(places, 0))

    def step(b: CoreBuilder, k: Value, values: Sequence[Value]) -> Sequence[Value]:
        here = b.equal(places, k)
        image = best_of_classes(b, b.gather(boxes, k), b.gather(scores, k), limits)
        return [
            b.where(b.reshape(here, [-1, *[1] * (b.rank(old) - 1)]), b.expand_dims(new, 0), old)
            for new, old in zip(image, values, strict=True)
        ]

    return repeat(n, batch, empty, step)
