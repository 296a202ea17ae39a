"""Channels of one tensor brought to like ranges, by factors that go from one constant to another.

One scale serves all channels of an activation: those that are a hundred times smaller than others keep two bits of
eight.  Factors are powers of two, so that the model computes the same floats.  Where activations stay floats, one scale
still serves all input channels of a row of weights: these are brought to like sizes then.

Sources: Nagel et al. 2019, "Data-Free Quantization", section 4.1, with ranges of activations for those of weights;
SmoothQuant (Xiao et al. 2023), equation 4.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize.absorb import Sink, Way, channels_of, powers_of_two, way_to_divide
from mlconv.quantize.balance import factors_of, largest_together, pairs
from mlconv.quantize.choose import MOST_SPATIAL, spatial_axes
from mlconv.quantize.homogeneous import Channels
from mlconv.quantize.ranges import Range
from mlconv.quantize.reached import Place, Reached, is_depthwise, reached
from mlconv.quantize.shared import Change, number_of, parted
from mlconv.quantize.weight_inputs import inputs_axis, largest_of_channels, sink_of, squares_of_channels, weights_of
from mlconv.rewrite import edit

_MOST_LOST = 0.5  # bits
_ALPHA = 0.5  # how much of the differences between channels of activations go into weights


@dataclass
class Equalized:
    """values: whose channels were brought to like ranges.  stale: values that changed, whose ranges are not known.
    limits: of clamps that have none any more.  factors: that their results were divided by, and that broadcast with
    these.  changes: operands as they were, in the order in which they changed.
    """

    values: list[Value] = field(default_factory=list)
    stale: dict[Value, None] = field(default_factory=dict)
    limits: dict[core.Clamp, float] = field(default_factory=dict)
    factors: dict[core.Clamp, Array] = field(default_factory=dict)
    changes: list[Change] = field(default_factory=list)

    @property
    def number(self) -> int:
        return len(self.values)

    @property
    def constants(self) -> dict[tuple[Op, int], Const]:
        """As they were, by op and operand."""
        changes = reversed(self.changes)
        return {(c.op, c.operand): const for c in changes if (const := const_of(c.before)) is not None}

    def undo(self) -> None:
        """The function is as it was."""
        for change in reversed(self.changes):
            edit.set_operand(change.op, change.operand, change.before)
        for clamp, limit in self.limits.items():
            edit.set_attribute(clamp, "hi", limit)


class Candidate(NamedTuple):
    """A value that products alone read, however far, with its axis of channels."""

    value: Value
    reads: Reached

    @property
    def axis(self) -> int:
        return self.reads.axis

    @property
    def products(self) -> tuple[OpDef, ...]:
        return tuple(self.reads.products)


def candidates(function: Function, also: Iterable[Value] = ()) -> list[Candidate]:
    """Values that only products with constant weights read, in order: they themselves, or joined with others.  also:
    other values to look at than results.
    """
    values = dict.fromkeys((*also, *(v for op in function.block.ops for v in op.results)))
    return [Candidate(v, found) for v in values if v.users and (found := reached(v)) is not None]


def equalize(
    function: Function,
    ranges: dict[Value, Range],
    unlimits: bool = True,
    may: Callable[[Value], bool] = lambda value: True,
    stored: bool = False,
) -> Equalized:
    """Equalize all candidates whose ranges are known, and bring the ranges up to date; but those that would leave
    layers without the weights that they share.  unlimits: upper limits that calibration never reached may go.  may:
    tells of a value whether it is to be equalized.  stored: of what convolutions read, weights alone become integers.
    """
    before, apart = dict(ranges), set[Value]()

    def is_taken(value: Value) -> bool:
        return value not in apart and may(value)

    while True:
        done = _equalize(function, ranges, unlimits, is_taken, stored)
        found = parted(function, done.changes)
        if not found:
            return done
        apart |= found
        undo(done, ranges, before)


def undo(done: Equalized, ranges: dict[Value, Range], before: Mapping[Value, Range]) -> None:
    """The function is as it was, and so are the ranges."""
    done.undo()
    ranges.clear()
    ranges.update(before)


def _equalize(
    function: Function,
    ranges: dict[Value, Range],
    unlimits: bool,
    may: Callable[[Value], bool],
    stored: bool,
) -> Equalized:
    done = Equalized()

    def reaches(clamp: core.Clamp) -> bool:
        return not unlimits or _reaches(clamp, ranges)

    found = candidates(function)
    together = _largest_together(found, ranges)
    for candidate in found:
        channels = channels_of(candidate.value, candidate.axis)
        span = ranges.get(candidate.value)
        if channels is None or span is None or span.axis != candidate.axis or not may(candidate.value):
            continue
        if not stored and all(spatial_axes(product) > MOST_SPATIAL for product in candidate.products):
            continue  # computes with floats
        largest = together.get(candidate.value, np.maximum(-span.low, span.high))
        if stored and _are_convs(candidate):
            factors = _even(candidate, largest)
        else:
            factors = factors_by_ranges(candidate, largest, ranges)
        if factors is None:
            continue
        accepts = _KeepsEven(factors, {} if stored else ranges)
        way = way_to_divide(candidate.value, channels, reaches, accepts)
        if way is None:
            continue
        for product, place in candidate.reads.products.items():
            way.sinks.append(sink_of(product, place))
        _carry_out(way, factors, candidate.value, done)
        divided = way.divided(candidate.value, channels)
        _note_factors(divided, factors, done)
        _divide(ranges, divided, factors, done)
        _divide_passed(ranges, candidate.reads, factors, done)
        done.values.append(candidate.value)
    balanced = largest_together(pairs(function, reaches), ranges)
    for pair in pairs(function, reaches):
        factors = factors_of(balanced.get(pair.left.value)) if may(pair.left.value) else None
        if factors is None:
            continue
        for side, its in zip(pair, (factors, 1 / factors), strict=True):
            _carry_out(side.way, its, pair.left.value, done)
            divided = side.way.divided(side.value, side.channels)
            _note_factors(divided, its, done)
            _divide(ranges, divided, its, done)
        done.values.append(pair.left.value)
    return done


def _largest_together(found: Sequence[Candidate], ranges: Mapping[Value, Range]) -> dict[Value, Array]:
    """Largest numbers of the channels of values that the same weights meet, or equal ones, all together: layers that
    share weights divide them alike, and go on sharing them.
    """
    layers: dict[Hashable, list[Value]] = {}
    equal = EqualConstants()
    for candidate in found:
        span, products = ranges.get(candidate.value), candidate.reads.products
        if span is not None and span.axis == candidate.axis and not candidate.reads.passed:
            key = tuple((number_of(weights_of(p), equal), inputs_axis(p), place) for p, place in products.items())
            layers.setdefault(key, []).append(candidate.value)
    together: dict[Value, Array] = {}
    for values in layers.values():
        if len(values) > 1:
            largest = np.max([np.maximum(-ranges[v].low, ranges[v].high) for v in values], axis=0)
            together |= dict.fromkeys(values, largest)
    return together


@dataclass(frozen=True)
class _KeepsEven:
    """Tells of a way whether its values, as far as they are known, have channels about as like as before.  Gates, which
    are near 1/2 for all channels, would have no bits left for those that are divided most.
    """

    factors: Array
    ranges: Mapping[Value, Range]

    def __call__(self, way: Way) -> bool:
        return all(self._is_even(value, along) for value, (along, _) in way.asked.items())

    def _is_even(self, value: Value, along: Channels) -> bool:
        span = self.ranges.get(value)
        if span is None or along.axes != (span.axis,) or all(isinstance(user, core.Clamp) for user in value.users):
            return True  # what clamps read is not rounded
        largest = np.maximum(-span.low, span.high)
        return lost(largest / np.repeat(self.factors, along.total // self.factors.size)) <= lost(largest) + _MOST_LOST


def lost(largest: Array) -> float:
    """Bits that channels of a range lose, on average, by the scale that they share."""
    live = largest[largest > 0].astype(np.float64)
    return float(np.log2(live.max() / live).mean()) if live.size else 0.0


def _divide(ranges: dict[Value, Range], values: Mapping[Value, Channels], factors: Array, done: Equalized) -> None:
    """Bring ranges up to date."""
    for value, along in values.items():
        if value in ranges and along.axes == (ranges[value].axis,):
            ranges[value] = ranges[value].divided(factors)
        else:
            done.stale[value] = None


def _divide_passed(ranges: dict[Value, Range], reads: Reached, factors: Array, done: Equalized) -> None:
    """The same of values that have the channels among others."""
    for value, place in reads.passed.items():
        if value in ranges and ranges[value].axis == reads.axis:
            ranges[value] = ranges[value].divided(place.among(factors))
        else:
            done.stale[value] = None


def _reaches(clamp: core.Clamp, ranges: Mapping[Value, Range]) -> bool:
    span = ranges.get(clamp.y)
    return span is None or span.whole[1] >= clamp.hi


def factors_by_ranges(candidate: Candidate, largest: Array, ranges: Mapping[Value, Range]) -> Array | None:
    """Powers of two that channels are divided by, for their largest numbers and weights; None where all are 1."""
    depthwise = _are_depthwise(candidate)
    own = _exponents(largest, candidate.reads.products, depthwise)
    if not np.isfinite(own).any():
        return None
    every = own if not candidate.reads.passed else _exponents_of_all(candidate, ranges, depthwise)
    met = every[np.isfinite(every)] if np.isfinite(every).any() else own[np.isfinite(own)]
    # Up to the largest, not above: those that are joined later would find a larger one each.
    raw = np.ceil(own - met.max()) if depthwise else own - met.mean()
    return powers_of_two(np.where(np.isfinite(own), raw, 0.0))


def _exponents(largest: Array, products: Mapping[OpDef, Place], depthwise: bool) -> Array:
    """Binary logarithms of what channels are to be divided by, but for a factor of all; infinite where there are no
    numbers, or none that meet them.  largest: numbers of the channels.
    """
    alpha = 1.0 if depthwise else _ALPHA
    weights = np.max([largest_of_channels(p, place, largest.size) for p, place in products.items()], axis=0)
    live = (largest > 0) & (weights > 0)
    raw = np.full(largest.shape, -np.inf)
    raw[live] = alpha * np.log2(largest[live].astype(np.float64)) - (1 - alpha) * np.log2(weights[live])
    return raw


def _exponents_of_all(candidate: Candidate, ranges: Mapping[Value, Range], depthwise: bool) -> Array:
    """The same of all channels that a value's are joined with at last; nothing where their ranges are not known."""
    passed = candidate.reads.passed
    last = max(passed, key=lambda v: passed[v].total)
    span, total = ranges.get(last), passed[last].total
    products = {p: Place(0, total) for p, at in candidate.reads.products.items() if at.total == total}
    if span is None or span.axis != candidate.axis or not products:
        return np.empty(0)
    return _exponents(np.maximum(-span.low, span.high), products, depthwise)


def _are_depthwise(candidate: Candidate) -> bool:
    return all(isinstance(p, core.Conv) and is_depthwise(p) for p in candidate.products)


def _are_convs(candidate: Candidate) -> bool:
    """No product of matrices, which may round what it reads when it runs."""
    return not any(isinstance(product, core.MatMul) for product in candidate.products)


def _even(candidate: Candidate, largest: Array) -> Array | None:
    """Powers of two that bring weights of all input channels to like root mean squares, each row of weights, which has
    a scale of its own, counting the same.  None where all are 1; filters of one channel need none.
    """
    products = [p for p in candidate.products if not (isinstance(p, core.Conv) and is_depthwise(p))]
    reads = candidate.reads.products
    squares = np.sum([squares_of_channels(p, reads[p], largest.size) for p in products], axis=0)
    live = (largest > 0) & (squares > 0)
    if not live.any():
        return None
    raw = np.zeros(largest.shape)
    raw[live] = -np.log2(squares[live]) / 2
    raw[live] -= raw[live].mean()
    return powers_of_two(raw)


def _carry_out(way: Way, factors: Array, divided: Value, done: Equalized) -> None:
    for sink in way.sinks:
        value = sink.op.operands[sink.operand]
        constant = const_of(value)
        assert constant is not None and value is not None
        own = factors if sink.place is None else sink.place.among(factors)
        changed = _scaled(constant, sink.vector(own), sink)
        place = sink.op.location
        assert sink.op.block is not None and place is not None
        made = Builder(sink.op.block, place, sink.op).emit(core.Constant(value=changed)).y
        edit.set_operand(sink.op, sink.operand, made)
        done.changes.append(Change(sink.op, sink.operand, value, divided))
    for clamp in way.unbound:
        done.limits[clamp] = clamp.hi
        edit.set_attribute(clamp, "hi", float("inf"))


def _note_factors(divided: Mapping[Value, Channels], factors: Array, done: Equalized) -> None:
    """Of results of clamps that have no limit any more."""
    for value, along in divided.items():
        clamp = value.producer
        if isinstance(clamp, core.Clamp) and clamp in done.limits:
            vector = np.repeat(factors, along.total // factors.size)
            known = done.factors.get(clamp, np.ones((), np.float32))
            done.factors[clamp] = known * _spread(vector, along, value.tensor.rank or 0)


def keep_limit(clamp: core.Clamp, limit: float, factors: Array | None) -> None:
    """Give a clamp that computes with floats its limit again: what lies beyond is none of what its samples rounded.
    factors: that its result was divided by.
    """
    if clamp.block is None or clamp.y.tensor.element is not DType.F32:
        return
    if factors is None or np.all(factors == 1):
        edit.set_attribute(clamp, "hi", limit)
        return
    assert clamp.location is not None
    b = Builder(clamp.block, clamp.location, clamp)
    most = b.emit(core.Constant(value=make_const((limit / factors).astype(np.float32), DType.F32))).y
    y = b.emit(core.Minimum(b.emit(core.Clamp(clamp.x, lo=clamp.lo, hi=clamp.hi)).y, most)).y
    edit.rename(y, clamp.y.name)
    edit.replace(clamp, [y])


def _scaled(constant: Const, vector: Array, sink: Sink) -> Const:
    """A constant times, or divided by, factors along its channels; one that is broadcast there becomes wide."""
    spread = _spread(vector, sink.channels, sink.rank or len(constant.shape))
    numbers = make_const((1 / spread if sink.divides else spread).astype(constant.dtype.numpy), constant.dtype)
    return recipes.binary("mul", constant, numbers)


def _spread(vector: Array, channels: Channels, rank: int) -> Array:
    """Factors by channels, in the order of axes, with one place along the others of a tensor of that rank."""
    axes, sizes = channels
    shape = [1] * rank
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    return vector.reshape(sizes).transpose(order).reshape(shape)


def wanted(function: Function) -> dict[Value, int | None]:
    """Values whose ranges equalization asks for or changes, with the axis of channels."""
    found: dict[Value, int | None] = {}
    for candidate in candidates(function, function.inputs):
        found.update(dict.fromkeys((candidate.value, *candidate.reads.passed), candidate.axis))
        channels = channels_of(candidate.value, candidate.axis)
        way = None if channels is None else way_to_divide(candidate.value, channels, lambda clamp: False)
        for value, (along, _) in way.asked.items() if way is not None else ():
            if len(along.axes) == 1:
                found.setdefault(value, along.axes[0])
    for side in (side for pair in pairs(function, lambda clamp: False) for side in pair):
        found[side.observed] = side.axis
    for op in function.block.ops:
        if isinstance(op, core.Clamp):
            found.setdefault(op.y)
    return found
