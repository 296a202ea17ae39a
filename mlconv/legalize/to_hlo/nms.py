"""Non-maximum suppression with a padded result: a loop that takes the best box that is left and lowers the scores of
those that overlap it.
"""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.places import filled
from mlconv.legalize.to_hlo.mathfn import Ex
from mlconv.rewrite import Rules

RULES = Rules()

Corners = tuple[Ex, Ex, Ex, Ex]


@RULES.rule(core.NonMaxSuppression)
def non_max_suppression(op: core.NonMaxSuppression, e: HloBuilder) -> list[Value]:
    """As the op's `eval`, for a fixed number of rounds; rounds that find nothing give zeros."""
    dtype = op.scores.tensor.dtype
    count, rounds = dims(op.scores)[0], dims(op.selected)[0]
    if not count or not rounds:
        return [e.full(dims(op.selected), 0, DType.I32), e.full(dims(op.selected), 0, dtype), e.scalar(0, DType.I32)]
    soft = const_of(op.soft_sigma)
    if soft is None:
        raise refuse("non-maximum suppression whose softness is computed has no HLO form")
    sigma = float(soft.view().reshape(()))
    corners = _corners(e, e.convert(filled(e, op.boxes, e.scalar(0, op.boxes.tensor.dtype)), dtype), count)
    limit, threshold = e.reshape(op.iou_threshold, ()), e.reshape(op.score_threshold, ())
    lowest = e.scalar(-math.inf, dtype)
    scores = filled(e, op.scores, lowest)
    start = e.select(e.compare("GT", scores, threshold), scores, lowest)
    most = None if ints_of(op.max_output) else e.convert(e.reshape(op.max_output, ()), DType.I32)
    inits = [start, e.full((rounds,), 0, DType.I32), e.full((rounds,), 0, dtype), e.scalar(0, DType.I32)]

    def step(inner: HloBuilder, i: Value, carried: list[Value]) -> list[Value]:
        left, picked, kept, valid = carried
        best = inner.y(core.ArgMax(left, axis=0, dtype=DType.I32))
        score = _at(inner, left, best)
        found = inner.compare("GT", score, lowest)
        if most is not None:
            found = inner.binary("and", found, inner.compare("LT", i, most))
        row = [
            inner.select(found, best, inner.scalar(0, DType.I32)),
            inner.select(found, score, inner.scalar(0, dtype)),
        ]
        picked, kept = (_put(inner, whole, value, i) for whole, value in zip((picked, kept), row, strict=True))
        overlap = _overlap(inner, corners, best)
        if sigma > 0:
            lowered = inner.binary("multiply", left, (overlap * overlap * (-0.5 / sigma)).fn("exponential").v)
            lowered = inner.select(inner.compare("GT", lowered, threshold), lowered, lowest)
        else:
            lowered = left
        gone = inner.compare("EQ", inner.iota(DType.I32, (count,), 0), best)
        if sigma <= 0:
            gone = inner.binary("or", inner.compare("GT", overlap.v, limit), gone)
        left = inner.select(inner.broadcast_to(gone, (count,)), lowest, lowered)
        return [left, picked, kept, inner.binary("add", valid, inner.convert(found, DType.I32))]

    _, picked, kept, valid = e.repeat(rounds, inits, step)
    for value in (picked, kept):
        e.sizes.state(value, e.sizes.of(op.selected))
    return [picked, kept, valid]


def _corners(e: HloBuilder, boxes: Value, count: int) -> Corners:
    """y1, x1, y2, x2 [n], lower ones first."""
    columns = [Ex(e, e.reshape(e.slice_axis(boxes, 1, i, i + 1), (count,))) for i in range(4)]
    return (
        columns[0].min(columns[2]),
        columns[1].min(columns[3]),
        columns[0].max(columns[2]),
        columns[1].max(columns[3]),
    )


def _at(e: HloBuilder, x: Value, i: Value) -> Value:
    """x[i] as a scalar."""
    return e.reshape(e.one("dynamic-slice", [x, i], x.tensor.with_shape((1,)), sizes=(1,)), ())


def _put(e: HloBuilder, x: Value, value: Value, i: Value) -> Value:
    """x with x[i] = value."""
    return e.one("dynamic-update-slice", [x, e.reshape(value, (1,)), i], x.tensor)


def _overlap(e: HloBuilder, corners: Corners, best: Value) -> Ex:
    """Intersection over union of one box with all, 0 for those without area: [n]."""
    top, left, bottom, right = (Ex(e, c.v) for c in corners)
    t, l, b, r = (Ex(e, _at(e, c.v, best)) for c in corners)  # noqa: E741
    height, width = (bottom.min(b) - top.max(t)).max(0.0), (right.min(r) - left.max(l)).max(0.0)
    inside = height * width
    area, own = (bottom - top) * (right - left), (b - t) * (r - l)
    union = area + own - inside
    share = union.where("GT", 0.0, inside / union, 0.0)
    share = area.where("GT", 0.0, share, 0.0)
    return Ex(
        e,
        e.select(
            e.compare("GT", own.v, e.scalar(0, own.v.tensor.dtype)),
            share.v,
            e.scalar(0, own.v.tensor.dtype),
        ),
    )
