"""Non-maximum suppression."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.code import BOOL, I32, Code, Num
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.types import Value, integers
from mlconv.dialects.kernel.routines import PICKED, Suppress
from mlconv.ir.dtypes import DType

F32, F64, I64 = DType.F32, DType.F64, DType.I64


class _Suppression:
    """State: boxes with low corners first, areas, scores that are left, where the comparison of each box goes on; a
    heap of the boxes that may be picked, the highest score and of equals the first box on top; and corners and areas of
    those that are picked, side by side.
    """

    def __init__(self, c: Code, p: Sequence[Value], given: Suppress) -> None:
        self.c, self.given = c, given
        self.raw, self.scores = p[:2]
        self.iou, self.threshold, self.sigma = (c.load(p[i], F32, 0).to(F64) for i in (3, 4, 5))
        self.selected, self.kept, self.valid, self.left = p[6:10]
        n = c.num(given.n)
        self.boxes, self.begin, self.heap, picked = (c.address(self.left, F32, n * k) for k in (2, 7, 8, 9))
        pitch = c.num(given.limit) + PICKED
        self.picked = [c.address(picked, F32, pitch * k) for k in range(5)]

    def found(self) -> Num:
        """Put the boxes with scores above the threshold on the heap; how many these are."""
        c = self.c

        def step(i: Num, size: Num) -> Sequence[Num]:
            score = c.load(self.scores, self.given.dtype, i).to(F64)

            def put() -> Sequence[Num]:
                self.prepare(i, score)
                self.rise(i, size)
                return [size + 1]

            return c.choose(score.gt(self.threshold), put, lambda: [size], [I64])

        return c.fold(self.given.n, [c.num(0)], step)[0]

    def prepare(self, i: Num, score: Num) -> None:
        c = self.c
        corner = [c.load(self.raw, self.given.boxes, i * 4 + k).to(F32) for k in range(4)]
        low, high = [corner[k].min(corner[k + 2]) for k in (0, 1)], [corner[k].max(corner[k + 2]) for k in (0, 1)]
        for k, value in enumerate((*low, *high, (high[0] - low[0]) * (high[1] - low[1]))):
            c.store(self.boxes, i * 5 + k, value)
        c.store(self.left, i, score)
        c.store(self.begin, i, c.num(0, I32))

    def on_heap(self, place: Num) -> Num:
        return self.c.load(self.heap, I32, place).to(I64)

    def above(self, i: Num, j: Num) -> Num:
        """Whether box i is picked before box j."""
        a, b = (self.c.load(self.left, F64, k) for k in (i, j))
        return a.gt(b) | (a.eq(b) & i.lt(j))

    def rise(self, i: Num, size: Num) -> None:
        """Box i comes to a heap of `size`."""
        c = self.c

        def parent(place: Num) -> Num:
            return c.raw("ashr", place - 1, 1).max(0)

        def body(place: Num) -> Sequence[Num]:
            c.store(self.heap, place, self.on_heap(parent(place)).to(I32))
            return [parent(place)]

        def test(place: Num) -> Num:
            return place.gt(0) & self.above(i, self.on_heap(parent(place)))

        c.store(self.heap, size, i.to(I32))
        place = c.repeat([size], test, body)[0]
        c.store(self.heap, place, i.to(I32))

    def sink(self, i: Num, size: Num) -> None:
        """Box i takes the place of the one on top of a heap that is then of `size`, at least 1."""
        c = self.c

        def child(place: Num) -> Sequence[Num]:
            """The child that is picked first, and whether it goes up."""
            one = place * 2 + 1
            left, right = one.min(size - 1), (one + 1).min(size - 1)
            first = c.where(self.above(self.on_heap(right), self.on_heap(left)), right, left)
            return [first, one.lt(size) & self.above(self.on_heap(first), i)]

        def body(place: Num, first: Num, _: Num) -> Sequence[Num]:
            c.store(self.heap, place, self.on_heap(first).to(I32))
            return [first, *child(first)]

        top = c.num(0)
        place = c.repeat([top, *child(top)], lambda place, first, more: more, body)[0]
        c.store(self.heap, place, i.to(I32))

    def pick(self, i: Num, number: Num) -> None:
        """Box i is the one of that number."""
        self.c.store(self.selected, number, i.to(I32))
        for k, place in enumerate(self.picked):
            self.c.store(place, number, self.c.load(self.boxes, F32, i * 5 + k))

    def overlaps(self, i: Num, start: Num, lanes: int) -> Num:
        """Intersection over union of box i and picked ones, in float32 as the sources compute it; 0 for boxes without
        area.
        """
        c, wide = self.c, Code(self.c.b, lanes)

        def number(value: float) -> Num:
            return Num(wide, literal(F32, value, lanes), F32)

        a = [Num(wide, c.b.splat(c.load(self.boxes, F32, i * 5 + k).value, lanes), F32) for k in range(5)]
        b = [Num(wide, load(c.b, F32, c.address(p, F32, start), lanes), F32) for p in self.picked]
        height = (a[2].min(b[2]) - a[0].max(b[0])).max(number(0.0))
        width = (a[3].min(b[3]) - a[1].max(b[1])).max(number(0.0))
        inside = height * width
        union = a[4] + b[4] - inside
        good = a[4].gt(number(0.0)) & b[4].gt(number(0.0)) & union.gt(number(0.0))
        return wide.where(good, inside / union, number(0.0))

    def is_hidden(self, i: Num, first: Num, count: Num) -> Num:
        """Whether a picked box, from the first one on, covers too much of box i."""
        c, b = self.c, self.c.b
        lanes = PICKED if b.cpu.has_vectors else 1
        bound = b.splat(self.iou.to(F32).value, lanes)

        def body(k: Num, _: Num) -> Sequence[Num]:
            over = b.fcmp("ogt", self.overlaps(i, k, lanes).value, bound)
            if lanes == 1:
                return [k + 1, Num(c, over, BOOL)]
            left = b.splat((count - k).to(I32).value, lanes)
            there = b.icmp("sgt", left, integers(left.type, range(lanes)))
            over = b.and_(over, there)
            some = b.call(over.type.element, f"llvm.vector.reduce.or.{over.type.name}", [over])
            return [k + lanes, Num(c, some, BOOL)]

        return c.repeat([first, c.num(0, BOOL)], lambda k, out: k.lt(count) & ~out, body)[1]

    def softened(self, i: Num, first: Num, score: Num, count: Num) -> Sequence[Num]:
        """The score after the boxes that were picked, newest first; whether the box is out."""
        c = self.c

        def test(k: Num, s: Num, out: Num) -> Num:
            return k.ge(first) & ~out

        def body(k: Num, s: Num, _: Num) -> Sequence[Num]:
            share = self.overlaps(i, k, 1).to(F64)
            less = s * (share * share * -0.5 / self.sigma).fn("exp")
            return [k - 1, less, less.le(self.threshold)]

        return c.repeat([count - 1, score, c.num(0, BOOL)], test, body)[1:]

    def lowered(self, i: Num, score: Num, count: Num) -> tuple[Num, Num]:
        """The score after the boxes that were picked since the last look; whether the box is out."""
        c, first = self.c, self.c.load(self.begin, I32, i).to(I64)

        def soft() -> Sequence[Num]:
            return self.softened(i, first, score, count)

        def hard() -> Sequence[Num]:
            return [score, self.is_hidden(i, first, count)]

        score, out = c.choose(self.sigma.gt(0.0), soft, hard, [F64, BOOL])
        return score, out | score.le(self.threshold)


def suppress(c: Code, p: Sequence[Value], given: Suppress) -> Written:
    """See `Suppress`."""
    dtype, limit = given.dtype, given.limit
    state = _Suppression(c, p, given)
    most = c.load(p[2], given.integer, 0).to(I64).min(limit)
    c.each(limit, lambda k: c.store(state.selected, k, c.num(0, I32)))
    c.each(limit, lambda k: c.store(state.kept, k, c.num(0.0, dtype)))

    def body(count: Num, size: Num) -> Sequence[Num]:
        i = state.on_heap(c.num(0))
        original = c.load(state.left, F64, i)
        score, out = state.lowered(i, original, count)
        c.store(state.begin, i, count.to(I32))
        c.store(state.left, i, score)
        pick = ~out & score.eq(original)
        again = ~out & ~pick & score.gt(state.threshold)

        def put() -> None:
            state.pick(i, count)
            c.store(state.kept, count, score.to(dtype))

        c.when(pick, put)
        rest = c.where(again, size, size - 1)
        c.when(rest.gt(0), lambda: state.sink(c.where(again, i, state.on_heap(size - 1)), rest))
        return [count + pick.to(I64), rest]

    count, _ = c.repeat([c.num(0), state.found()], lambda count, size: size.gt(0) & count.lt(most), body)
    c.store(state.valid, 0, count.to(I32))
    return Written()


GENERATORS = {"suppress": suppress}
