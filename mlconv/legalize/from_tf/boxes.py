"""Suppression by given overlaps, and of several classes at once.  Source: tensorflow/core/ops/image_ops.cc;
tensorflow/core/kernels/image/non_max_suppression_op.cc.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import static_shape, tf_rules
from mlconv.legalize.matrices import each_column
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder

RULES: Final = tf_rules()
_MOST_CLASSES: Final = 512
"""Images times classes that CombinedNonMaxSuppression is unrolled over."""


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
    batch, count, classes = static_shape(n.operand(1), "the scores")
    if batch * classes > _MOST_CLASSES:
        raise n.unsupported(f"{batch} images of {classes} classes, at most {_MOST_CLASSES} of both are unrolled")
    each, total = min(n.ints(2)[0], count), n.ints(3)[0]
    if n.attr("pad_per_class", False):
        total = min(total, n.ints(2)[0] * classes)
    results = [_image(n, i, classes, each, total) for i in range(batch)]
    boxes, scores, numbers, valid = ([result[k] for result in results] for k in range(4))
    return [n.concat([n.expand_dims(v, 0) for v in part], 0) for part in (boxes, scores, numbers, valid)]


def _image(n: SourceNode, i: int, classes: int, each: int, total: int) -> tuple[Value, Value, Value, Value]:
    """The results of one image: the best of what each class keeps."""
    boxes, scores = n.gather(n.operand(0), i), n.gather(n.operand(1), i)
    shared = static_shape(n.operand(0), "the boxes")[2] == 1
    kept: list[list[Value]] = [[], [], []]
    counts: list[Value] = []
    for c in range(classes):
        mine = n.gather(boxes, 0 if shared else c, axis=1)
        found = n.emit(
            core.NonMaxSuppression(
                mine,
                n.gather(scores, c, axis=1),
                n.constant(each, DType.I32),
                n.scalar(n.operand(4)),
                n.scalar(n.operand(5)),
                n.constant(0.0, scores.tensor.dtype),
                padded=True,
            )
        )
        used = n.less(n.cast(n.arange(each), DType.I32), found.valid)
        kept[0].append(n.gather(mine, found.selected))
        kept[1].append(n.where(used, found.selected_scores, -math.inf))
        kept[2].append(n.full_like(found.selected_scores, float(c)))
        counts.append(n.reshape(found.valid, [1]))
    pads = max(0, total - classes * each)
    best = n.emit(core.TopK(n.pad(n.concat(kept[1], 0), [(0, pads)], -math.inf), n.constant(total, DType.I64), axis=0))
    valid = n.minimum(n.sum(n.concat(counts, 0), (0,)), total)
    used = n.less(n.cast(n.arange(total), DType.I32), valid)
    corners = n.gather(n.pad(n.concat(kept[0], 0), [(0, pads), (0, 0)]), best.indices)
    corners = n.clamp(corners, 0.0, 1.0) if n.attr("clip_boxes", True) else corners
    numbers = n.gather(n.pad(n.concat(kept[2], 0), [(0, pads)]), best.indices)
    return (
        n.where(n.expand_dims(used, 1), corners, 0.0),
        n.where(used, best.values, 0.0),
        n.where(used, numbers, 0.0),
        valid,
    )
