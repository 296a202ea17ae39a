"""Suppression of boxes for each class by itself: the best of what all classes keep.  Source:
tensorflow/core/kernels/image/non_max_suppression_op.cc.
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder

MOST_CLASSES: Final = 512
"""That are unrolled, of all images."""


class Limits(NamedTuple):
    """How many classes there are, how many boxes each and the image keep at most, the thresholds of overlaps and
    scores, whether boxes are clipped to [0, 1], and whether they are plain, as an op of one class has it.
    """

    classes: int
    each: int
    total: int
    overlap: Value
    least: Value
    clip: bool = False
    plain: bool = False


def best_of_classes(n: CoreBuilder, boxes: Value, scores: Value, limits: Limits) -> tuple[Value, Value, Value, Value]:
    """Of one image, boxes [n, classes or 1, 4], scores [n, classes].  Results: boxes [total, 4], scores, classes
    [total], how many there are; the rest is 0.  Of equal scores those of earlier classes come first.
    """
    classes, each, total = limits.classes, limits.each, limits.total
    shared = n.dim(boxes, 1) == 1
    open_count = not isinstance(n.dim(scores, 0), int)
    kept: list[list[Value]] = [[], [], []]
    counts: list[Value] = []
    for c in range(classes):
        mine = n.gather(boxes, 0 if shared else c, axis=1)
        found = n.emit(
            core.NonMaxSuppression(
                mine,
                n.gather(scores, c, axis=1),
                n.constant(each, DType.I32),
                limits.overlap,
                limits.least,
                n.constant(0.0, scores.tensor.dtype),
                padded=True,
                plain=limits.plain,
            )
        )
        used = n.less(n.cast(n.arange(each), DType.I32), found.valid)
        # results that are padded point at the first box, which there may not be
        kept[0].append(n.gather(n.pad(mine, [(0, 1), (0, 0)]) if open_count else mine, found.selected))
        kept[1].append(n.where(used, found.selected_scores, -math.inf))
        kept[2].append(n.full_like(found.selected_scores, float(c)))
        counts.append(n.reshape(found.valid, [1]))
    pads = max(0, total - classes * each)
    best = n.emit(core.TopK(n.pad(n.concat(kept[1], 0), [(0, pads)], -math.inf), n.constant(total, DType.I64), axis=0))
    valid = n.minimum(n.sum(n.concat(counts, 0), (0,)), total)
    used = n.less(n.cast(n.arange(total), DType.I32), valid)
    corners = n.gather(n.pad(n.concat(kept[0], 0), [(0, pads), (0, 0)]), best.indices)
    corners = n.clamp(corners, 0.0, 1.0) if limits.clip else corners
    numbers = n.gather(n.pad(n.concat(kept[2], 0), [(0, pads)]), best.indices)
    return (
        n.where(n.expand_dims(used, 1), corners, 0.0),
        n.where(used, best.values, 0.0),
        n.where(used, numbers, 0.0),
        valid,
    )
