"""What quantization loses, in sums over samples: a function as it was and as it is run side by side, with observers.

Of each layer: what it computes with floats (the signal), and how far from that is (1) what it computes with fewer bits
from the floats that it read before, its own loss; (2) the same with floats behind the rounding of what it reads; (3)
what the quantized network computes there.  Of each value that is rounded: how far rounding takes it, and clipping
alone.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Op, Value, clone_op, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.quant import QuantType
from mlconv.ir.shapes import static
from mlconv.quantize.collect import Collector, GiveSamples, Sample
from mlconv.quantize.joined import Joined, Snapshot, joined
from mlconv.quantize.losses import Measured, SiteLoss, ValueLoss
from mlconv.quantize.observe import Join, Seen, behind
from mlconv.quantize.ranges import Range
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

_SAMPLES = (4, 64)
"""The fewest and the most samples that sums are over."""
_BEYOND = 2.02  # half steps: one step, and what float32 rounds
_WORK = 1 << 34
"""Multiplications with additions of the model in all of them, where that is more than the fewest."""


@dataclass(frozen=True, eq=False)
class Site:
    """A layer.  op: as it was.  inner: values of the function as it is that the layer makes, one from another.
    before: its result as it was.  after: the numbers that it has now.  element: what they are rounded to, None where
    they are floats.  data: operands that its products multiply with constant weights, and that are rounded.
    """

    op: Op
    inner: frozenset[Value]
    before: Value
    after: Value
    element: QuantType | None = None
    data: tuple[int, ...] = ()


class Rounded(NamedTuple):
    """A value as it was, of the snapshot, and what it is rounded to."""

    value: Value
    element: QuantType


Wanted = dict[object, tuple[Value, Join]]


def measure(
    old: Snapshot,
    function: Function,
    sites: Sequence[Site],
    made: Mapping[Value, Value],
    ranges: Mapping[Value, Range],
    collector: Collector,
    work: int,
) -> Measured:
    """made: values that took the part of others, by these.  ranges: of values as they were, so far as they are known.
    work: multiplications with additions of a run: some of the samples, at even distances, do for models with many.
    Raises ConversionError for what reading samples and running the functions raise.
    """
    known = {old.values[value]: span for value, span in ranges.items() if value in old.values}
    plan = _Plan(old, joined(old, function), {new: value for value, new in made.items()}, known)
    for site in sites:
        plan.add(site)
    for i, (a, b) in enumerate(zip(old.function.outputs, function.outputs, strict=True)):
        plan.add_output(i, a, b)
    least, most = _SAMPLES
    number = min(max(_WORK // max(work, 1), least), most)
    assert collector.give is not None
    give = _spread(collector.give, math.ceil(collector.samples / number), number)
    some = replace(collector, give=give, saved=None, kept=None)
    sums = some.collect(plan.both.function, {k: v for k, (v, _) in plan.wanted.items()}, plan.observe)
    return plan.measured({key: found for key, (found,) in sums.items()}, some.samples)


def _spread(give: GiveSamples, step: int, most: int) -> GiveSamples:
    """The first of each `step` samples, but no more than `most`."""

    def some(function: Function) -> Iterable[Sample]:
        return islice(give(function), 0, most * max(step, 1), max(step, 1))

    return some


class _Plan:
    """Observers in a joined function.  wanted: what they see, by what it is."""

    def __init__(self, old: Snapshot, both: Joined, was: Mapping[Value, Value], ranges: Mapping[Value, Range]) -> None:
        self.old, self.both, self.was, self.ranges = old, both, was, ranges
        self.wanted: Wanted = {}
        self.reads: dict[Op, tuple[Rounded, ...]] = {}
        self.ends: dict[Op, Rounded] = {}
        self.axes = _channel_axes(old.function)
        self.order = {op: i for i, op in enumerate(walk(both.function.block))}
        self.sites: list[Site] = []
        self.outputs: list[int] = []

    def observe(self, value: Value, key: object, e: CoreBuilder) -> Seen:
        return [(value, self.wanted[key][1])]

    def add(self, site: Site) -> None:
        self.sites.append(site)
        place = self.old.values[site.before]
        before, after = self.both.before[place], self.both.after[site.after]
        slice_ = _Slice(self, site)
        own = slice_.of(site.after)
        self.reads[site.op] = slice_.reads
        if site.element is None:
            self._sum((site.op, "signal"), before, None)
        self._sum((site.op, "own"), before, own)
        self._sum((site.op, "network"), before, after)
        if site.data:
            self._sum((site.op, "inputs"), before, slice_.as_it_was())
        if site.element is not None:
            self.ends[site.op] = Rounded(place, site.element)
            self._limits((site.op, "limits"), before, after, site.element)
        for rounded in (*slice_.reads, *([self.ends[site.op]] if site.op in self.ends else [])):
            self._value(rounded)

    def add_output(self, i: int, before: Value, after: Value) -> None:
        a, b = self.both.before[before], self.both.after[after]
        if a.type == b.type and a.tensor.dtype.is_float and a.tensor.quant is None:
            self.outputs.append(i)
            self._sum((i, "signal"), a, None)
            self._sum((i, "network"), a, b)

    def source_of(self, value: Value) -> Value | None:
        """The snapshot's value that a value of the function stands for."""
        return self.old.values.get(self.was.get(value, value))

    def _sum(self, key: object, a: Value, b: Value | None) -> None:
        """Of squares, or of squared differences."""
        e = CoreBuilder(behind(a if b is None else self._later(a, b), self.both.function.location))
        wide = [e.cast(v, DType.F32) if v.tensor.dtype.is_half else v for v in (a, b) if v is not None]
        d = wide[0] if b is None else e.sub(*wide)
        self.wanted[key] = _total(e, e.mul(d, d)), Join.SUM

    def _later(self, a: Value, b: Value) -> Value:
        """The one that is made later: what was put in is behind all that it reads."""
        first, second = (self.order.get(v.producer) if v.producer is not None else -1 for v in (a, b))
        return b if first is None or second is None or second > first else a

    def _limits(self, key: object, before: Value, after: Value, element: QuantType) -> None:
        """How many more numbers are those of the outermost integers than were near them."""
        e = CoreBuilder(behind(self._later(before, after), self.both.function.location))
        low, high, half = _bounds(element)
        # one step beyond is next to them: tanh is 1 where the outermost integer stands for 127/128
        near = [
            e.logical_and(e.greater_equal(before, start), e.less_equal(before, stop))
            for start, stop in ((low - _BEYOND * half, low + half), (high - half, high + _BEYOND * half))
        ]
        there = e.logical_or(e.less_equal(after, low + half), e.greater_equal(after, high - half))
        dtype = after.tensor.dtype
        more = e.sub(e.cast(there, dtype), e.cast(e.logical_or(*near), dtype))
        self.wanted[key] = _total(e, more), Join.SUM

    def _value(self, rounded: Rounded) -> None:
        """What there is to know of a value that is rounded, and is not known."""
        if (rounded, "signal") in self.wanted:
            return
        x, element, span = self.both.before[rounded.value], rounded.element, self.ranges.get(rounded.value)
        e = CoreBuilder(behind(x, self.both.function.location))
        low, high, half = _bounds(element)
        error = e.sub(x, e.y(core.Dequantize(e.y(core.Quantize(x, element=element)))))
        found = {"signal": e.mul(x, x), "rounding": e.mul(error, error)}
        if span is None or span.whole[0] < low - half or span.whole[1] > high + half:
            clipped = e.sub(x, e.clamp(x, low, high))
            found["clipping"] = e.mul(clipped, clipped)
        self.wanted.update({(rounded, name): (_total(e, y), Join.SUM) for name, y in found.items()})
        self.wanted[rounded, "count"] = _count(e, x), Join.SUM
        axis = self.axes.get(rounded.value)
        if span is None or span.axis != axis:
            over = tuple(i for i in range(x.tensor.rank or 0) if i != axis)
            self.wanted[rounded, "low"] = e.y(core.ReduceMin(x, axes=over)), Join.LEAST
            self.wanted[rounded, "high"] = e.y(core.ReduceMax(x, axes=over)), Join.LARGEST

    def measured(self, sums: Mapping[object, Array], samples: int) -> Measured:
        sites = {site.op: self._loss(site.op, sums) for site in self.sites} if sums else {}
        outputs = {i: (float(sums[i, "signal"]), float(sums[i, "network"])) for i in self.outputs if sums}
        return Measured(sites, outputs, samples)

    def _loss(self, op: Op, sums: Mapping[object, Array]) -> SiteLoss:
        result = self._value_loss(self.ends[op], sums) if op in self.ends else None
        signal = result.signal if result is not None else float(sums[op, "signal"])
        inputs = float(sums[op, "inputs"]) if (op, "inputs") in sums else None
        limits = float(sums.get((op, "limits"), 0.0))
        reads = tuple(self._value_loss(r, sums) for r in self.reads[op])
        return SiteLoss(signal, float(sums[op, "own"]), inputs, float(sums[op, "network"]), limits, result, reads)

    def _value_loss(self, rounded: Rounded, sums: Mapping[object, Array]) -> ValueLoss:
        span = self.ranges.get(rounded.value)
        low, high = (sums.get((rounded, name)) for name in ("low", "high"))
        if low is None or high is None:
            assert span is not None
            low, high = span.low, span.high
        bounds = _bounds(rounded.element)[:2]
        signal, rounding, count = (float(sums[rounded, name]) for name in ("signal", "rounding", "count"))
        return ValueLoss(signal, rounding, float(sums.get((rounded, "clipping"), 0.0)), count, low, high, bounds)


class _Slice:
    """A layer as it is, put into a joined function behind what it was: it reads what was read before, rounded."""

    def __init__(self, plan: _Plan, site: Site) -> None:
        self.plan, self.site = plan, site
        place = plan.old.values[site.before]
        self.anchor = behind(plan.both.before[place], plan.both.function.location).before
        self.made: dict[Value, Value] = {}
        self._reads: dict[Rounded, None] = {}

    @property
    def reads(self) -> tuple[Rounded, ...]:
        return tuple(self._reads)

    def of(self, value: Value) -> Value:
        """A value of the function as it is."""
        source = self.plan.source_of(value)
        if source is not None and value not in self.site.inner:
            return self.plan.both.before[source]
        maker = value.producer
        if value not in self.made and maker is not None:
            mapping = {v: self.of(v) for v in maker.inputs}
            self._note(maker)
            self._insert(maker, mapping)
            self.made.update({v: mapping[v] for v in maker.results})
        return self.made[value]

    def as_it_was(self) -> Value:
        """The result of the layer as it was, behind the rounding of what it reads."""
        op, old = self.site.op, self.plan.old.values
        (place,) = {old[v].producer for v in op.results}
        assert place is not None
        known: dict[Value, Value] = {}
        for i in self.site.data:
            was, now = place.operands[i], op.operands[i]
            assert was is not None and now is not None
            known[was] = self.of(now)
        inner = {old[v] for v in self.site.inner if v in old}
        return self._again(old[self.site.before], known, inner)

    def _again(self, value: Value, known: dict[Value, Value], inner: set[Value]) -> Value:
        """A value of the snapshot, made again of values that are known."""
        if value in known:
            return known[value]
        maker = value.producer
        if value not in inner or maker is None:
            return self.plan.both.before[value]
        mapping = {v: self._again(v, known, inner) for v in maker.inputs}
        self._insert(maker, mapping)
        known[value] = mapping[value]
        return known[value]

    def _insert(self, op: Op, mapping: dict[Value, Value]) -> None:
        assert self.anchor is not None
        edit.insert(clone_op(op, mapping), self.anchor)

    def _note(self, maker: Op) -> None:
        """What is rounded in front of the layer."""
        if not isinstance(maker, core.Quantize) or not maker.element.is_per_tensor:
            return
        source = self.plan.source_of(maker.x)
        if source is not None and maker.x not in self.site.inner:
            self._reads.setdefault(Rounded(source, maker.element))


def _total(e: CoreBuilder, x: Value) -> Value:
    return e.sum(x, range(x.tensor.rank or 0))


def _count(e: CoreBuilder, x: Value) -> Value:
    """How many numbers a value has."""
    shape = static(x.tensor.shape)
    return _total(e, e.full_like(x, 1.0)) if shape is None else e.constant(float(math.prod(shape)), x.tensor.dtype)


def _bounds(element: QuantType) -> tuple[float, float, float]:
    """The numbers of the outermost integers, and half of a step."""
    scale, zero = float(element.scales.view()), int(element.zero_array())
    return scale * (element.qmin - zero), scale * (element.qmax - zero), scale / 2


def _channel_axes(function: Function) -> dict[Value, int]:
    """Axes of channels: of what products read and give, and, where the rank is the same, of what follows from it."""
    found: dict[Value, int] = {}
    blocks: list[Block] = [function.block]
    while blocks:
        for op in blocks.pop().ops:
            blocks += [region.block for region in op.regions]
            own = _own_axes(op)
            found.update(own)
            first = op.operands[0] if op.operands else None
            if not own and first in found and op.results:
                same = op.results[0].tensor.rank == first.tensor.rank and not isinstance(op, core.Transpose)
                if same:
                    found.setdefault(op.results[0], found[first])
    return found


def _own_axes(op: Op) -> dict[Value, int]:
    if isinstance(op, (core.Conv, core.ConvTranspose)):
        return {op.x: op.x_layout.index("C"), op.y: op.y_layout.index("C")}
    if isinstance(op, core.MatMul):
        rank = op.y.tensor.rank or 1
        return {op.a: (op.a.tensor.rank or 1) - (2 if op.transpose_a else 1), op.y: rank - 1}
    return {}
