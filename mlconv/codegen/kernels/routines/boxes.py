"""Non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import BOOL, I32, Code, Num
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.routines import Suppress
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

F32, F64 = DType.F32, DType.F64


class _Suppression:
    """State: boxes with low corners first, areas, scores that are left (-infinity: none), where the comparison of each
    box goes on.
    """

    def __init__(self, c: Code, p: Sequence[Value], dtype: DType, boxes: DType, n: Size, limit: Size) -> None:
        self.c, self.n, self.limit, self.dtype = c, n, limit, dtype
        raw, scores, self.iou, self.threshold, self.sigma = (
            p[0],
            p[1],
            *(c.load(p[i], d, 0).to(F64) for i, d in ((3, DType.F32), (4, DType.F32), (5, DType.F32))),
        )
        self.selected, self.kept, self.valid, scratch = p[6:10]
        self.boxes = scratch
        self.left, self.begin = (c.address(scratch, F64, c.num(n) * k) for k in (5, 6))
        self.none = c.num(-float("inf"), F64)

        def prepare(i: Num) -> None:
            corner = [c.load(raw, boxes, i * 4 + k).to(F32) for k in range(4)]
            low, high = [corner[k].min(corner[k + 2]) for k in (0, 1)], [corner[k].max(corner[k + 2]) for k in (0, 1)]
            for k, value in enumerate((*low, *high, (high[0] - low[0]) * (high[1] - low[1]))):
                c.store(self.boxes, i * 5 + k, value.to(F64))
            score = c.load(scores, dtype, i).to(F64)
            c.store(self.left, i, c.where(score.gt(self.threshold), score, self.none))
            c.store(self.begin, i, c.num(0))

        c.each(n, prepare)

    def best(self) -> tuple[Num, Num]:
        """The first of the highest scores, and its place."""
        c = self.c

        def step(i: Num, at: Num, score: Num) -> Sequence[Num]:
            here = c.load(self.left, F64, i)
            better = here.gt(score)
            return [c.where(better, i, at), c.where(better, here, score)]

        at, score = c.fold(self.n, [c.num(0), self.none], step)
        return at, score

    def overlap(self, i: Num, j: Num) -> Num:
        """Intersection over union, in float32 as the sources compute it; 0 for boxes without area."""
        c = self.c
        a, b = ([c.load(self.boxes, F64, k * 5 + m).to(F32) for m in range(5)] for k in (i, j))
        height = (a[2].min(b[2]) - a[0].max(b[0])).max(0.0)
        width = (a[3].min(b[3]) - a[1].max(b[1])).max(0.0)
        inside = height * width
        union = a[4] + b[4] - inside
        good = a[4].gt(0.0) & b[4].gt(0.0) & union.gt(0.0)
        return c.where(good, inside / union, 0.0).to(F64)

    def lowered(self, i: Num, score: Num, count: Num) -> tuple[Num, Num]:
        """The score after the boxes that were picked since the last look, newest first; whether the box is out."""
        c, first = self.c, c_load_begin(self, i)

        def test(k: Num, s: Num, out: Num) -> Num:
            return k.ge(first) & ~out

        def body(k: Num, s: Num, _: Num) -> Sequence[Num]:
            share = self.overlap(i, c.load(self.selected, I32, k).to(DType.I64))
            above = share.gt(self.iou)
            soft = self.sigma.gt(0.0)
            weight = (share * share * -0.5 / self.sigma).fn("exp")
            s = c.where(soft, s * weight, s)
            return [k - 1, s, c.where(soft, s.le(self.threshold), above | s.le(self.threshold))]

        _, score, out = c.repeat([count - 1, score, c.num(0, BOOL)], test, body)
        return score, out | score.le(self.threshold)


def c_load_begin(state: _Suppression, i: Num) -> Num:
    """How many picked boxes this one was compared with."""
    return state.c.load(state.begin, DType.I64, i)


def suppress(c: Code, p: Sequence[Value], given: Suppress) -> Written:
    """See `Suppress`."""
    dtype, limit = given.dtype, given.limit
    state = _Suppression(c, p, dtype, given.boxes, given.n, limit)
    most = c.load(p[2], given.integer, 0).to(DType.I64).min(limit)
    c.each(limit, lambda k: c.store(state.selected, k, c.num(0, I32)))
    c.each(limit, lambda k: c.store(state.kept, k, c.num(0.0, dtype)))

    def body(count: Num, more: Num) -> Sequence[Num]:
        i, original = state.best()

        def look() -> Sequence[Num]:
            score, out = state.lowered(i, original, count)
            c.store(state.begin, i, count)
            pick = ~out & score.eq(original)
            c.store(state.left, i, c.where(out | pick, state.none, score))

            def put() -> None:
                c.store(state.selected, count, i.to(I32))
                c.store(state.kept, count, score.to(dtype))

            c.when(pick, put)
            return [count + pick.to(DType.I64), c.num(1, BOOL)]

        return c.choose(original.gt(state.none), look, lambda: [count, c.num(0, BOOL)], [DType.I64, BOOL])

    count, _ = c.repeat([c.num(0), c.num(1, BOOL)], lambda count, more: more & count.lt(most), body)
    c.store(state.valid, 0, count.to(I32))
    return Written()


GENERATORS = {"suppress": suppress}
