"""Channels of one tensor brought to like ranges, by factors that go from one constant to another.

One scale serves all channels of an activation: those that are a hundred times smaller than others keep two bits of
eight.  Factors are powers of two, so that the model computes the same floats.  Where activations stay floats, one scale
still serves all input channels of a row of weights: these are brought to like sizes then.

Sources: Nagel et al. 2019, "Data-Free Quantization", section 4.1, with ranges of activations for those of weights;
SmoothQuant (Xiao et al. 2023), equation 4.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.quantize.absorb import Channels, Sink, Way, channels_of, powers_of_two, way_to_divide
from mlconv.quantize.apply import output_axis
from mlconv.quantize.balance import factors_of, pairs
from mlconv.quantize.ranges import Range
from mlconv.rewrite import edit

_ALPHA = 0.5  # how much of the differences between channels of activations go into weights


@dataclass
class Equalized:
    """values: whose channels were brought to like ranges.  stale: values that changed, whose ranges are not known.
    limits: of clamps that have none any more.  before: operands as they were, in the order in which they changed.
    """

    values: list[Value] = field(default_factory=list)
    stale: dict[Value, None] = field(default_factory=dict)
    limits: dict[core.Clamp, float] = field(default_factory=dict)
    before: list[tuple[Op, int, Value]] = field(default_factory=list)

    @property
    def number(self) -> int:
        return len(self.values)

    def undo(self) -> None:
        """The function is as it was."""
        for op, operand, value in reversed(self.before):
            edit.set_operand(op, operand, value)
        for clamp, limit in self.limits.items():
            edit.set_attribute(clamp, "hi", limit)


class Candidate(NamedTuple):
    """A value that products read, with its axis of channels.  products: all that read it."""

    value: Value
    axis: int
    products: tuple[OpDef, ...]


def candidates(function: Function) -> list[Candidate]:
    """Values that only products with constant weights read, in order."""
    values = dict.fromkeys(v for op in function.block.ops for v in op.results)
    return [c for v in values if (c := _candidate(v)) is not None]


def _candidate(value: Value) -> Candidate | None:
    axes = {_input_axis(user, value) for user in value.users}
    if len(axes) != 1 or None in axes:
        return None
    (axis,) = axes
    assert axis is not None
    return Candidate(value, axis, tuple(u for u in value.users if isinstance(u, OpDef)))


def _input_axis(user: Op, value: Value) -> int | None:
    """The axis that a product sums along, or that its channels are; None for other ops."""
    if isinstance(user, core.Conv) and user.x is value and const_of(user.w) is not None:
        return user.x_layout.index("C") if user.groups == 1 or is_depthwise(user) else None
    if isinstance(user, core.ConvTranspose) and user.x is value and user.groups == 1 and const_of(user.w) is not None:
        return user.x_layout.index("C")
    if isinstance(user, core.MatMul) and user.a is value and const_of(user.b) is not None:
        rank = value.tensor.rank or 0
        return rank - 2 if user.transpose_a else rank - 1
    return None


def is_depthwise(op: core.Conv) -> bool:
    """Each channel has filters of its own, one or several."""
    w = op.w.tensor.shape or ()
    return op.groups > 1 and w[op.w_layout.index("I")] == 1


def _weights_axis(op: OpDef) -> int:
    """The axis of weights that the input's channels are."""
    if isinstance(op, core.Conv):
        return op.w_layout.index("O" if is_depthwise(op) else "I")
    if isinstance(op, core.ConvTranspose):
        return op.w_layout.index("I")
    rank = op.operands[1].tensor.rank or 0 if op.operands[1] is not None else 0
    return rank - 1 if isinstance(op, core.MatMul) and op.transpose_b else rank - 2


def equalize(
    function: Function,
    ranges: dict[Value, Range],
    unlimits: bool = True,
    may: Callable[[Value], bool] = lambda value: True,
    stored: bool = False,
) -> Equalized:
    """Equalize all candidates whose ranges are known, and bring the ranges up to date.  unlimits: upper limits that
    calibration never reached may go.  may: tells of a value whether it is to be equalized.  stored: of what
    convolutions read, weights alone become integers.
    """
    done = Equalized()

    def reaches(clamp: core.Clamp) -> bool:
        return not unlimits or _reaches(clamp, ranges)

    for candidate in candidates(function):
        channels = channels_of(candidate.value, candidate.axis)
        span = ranges.get(candidate.value)
        if channels is None or span is None or span.axis != candidate.axis or not may(candidate.value):
            continue
        way = way_to_divide(candidate.value, channels, reaches)
        if way is None:
            continue
        factors = (_even if stored and _are_convs(candidate) else _factors)(candidate, np.maximum(-span.low, span.high))
        if factors is None:
            continue
        for product in candidate.products:
            way.sinks.append(_consumer(product, channels, factors))
        _carry_out(way, factors, done)
        _divide(ranges, way.divided(candidate.value, channels), factors, done)
        done.values.append(candidate.value)
    for pair in pairs(function, reaches):
        factors = factors_of(pair, ranges) if may(pair.left.value) else None
        if factors is None:
            continue
        for side, its in zip(pair, (factors, 1 / factors), strict=True):
            _carry_out(side.way, its, done)
            _divide(ranges, side.way.divided(side.value, side.channels), its, done)
        done.values.append(pair.left.value)
    return done


def _divide(ranges: dict[Value, Range], values: Mapping[Value, Channels], factors: Array, done: Equalized) -> None:
    """Bring ranges up to date."""
    for value, along in values.items():
        if value in ranges and along.axes == (ranges[value].axis,):
            ranges[value] = ranges[value].divided(factors)
        else:
            done.stale[value] = None


def _reaches(clamp: core.Clamp, ranges: Mapping[Value, Range]) -> bool:
    span = ranges.get(clamp.y)
    return span is None or span.whole[1] >= clamp.hi


def _consumer(product: OpDef, channels: Channels, factors: Array) -> Sink:
    count = channels.total
    if isinstance(product, core.Conv) and is_depthwise(product):
        outputs = (product.w.tensor.shape or ())[product.w_layout.index("O")]
        assert isinstance(outputs, int)
        count = outputs
    return Sink(product, 1, Channels((_weights_axis(product),), (count,)), divides=False)


def _factors(candidate: Candidate, largest: Array) -> Array | None:
    """Powers of two, one for each channel; None where all are 1."""
    weights = np.max([_largest(p, largest.size) for p in candidate.products], axis=0)
    depthwise = all(isinstance(p, core.Conv) and is_depthwise(p) for p in candidate.products)
    alpha = 1.0 if depthwise else _ALPHA
    live = (largest > 0) & (weights > 0)
    if not live.any():
        return None
    raw = np.zeros(largest.shape)
    raw[live] = alpha * np.log2(largest[live].astype(np.float64)) - (1 - alpha) * np.log2(weights[live])
    raw[live] -= raw[live].max() if depthwise else raw[live].mean()
    return powers_of_two(raw)


def _are_convs(candidate: Candidate) -> bool:
    """No product of matrices, which may round what it reads when it runs."""
    return not any(isinstance(product, core.MatMul) for product in candidate.products)


def _even(candidate: Candidate, largest: Array) -> Array | None:
    """Powers of two that bring weights of all input channels to like root mean squares, each row of weights, which has
    a scale of its own, counting the same.  None where all are 1; filters of one channel need none.
    """
    products = [p for p in candidate.products if not (isinstance(p, core.Conv) and is_depthwise(p))]
    squares = np.sum([_squares(p) for p in products], axis=0)
    live = (largest > 0) & (squares > 0)
    if not live.any():
        return None
    raw = np.zeros(largest.shape)
    raw[live] = -np.log2(squares[live]) / 2
    raw[live] -= raw[live].mean()
    return powers_of_two(raw)


def _squares(product: OpDef) -> Array:
    """Mean squares of the weights of each input channel, over those of the row."""
    weights = const_of(product.operands[1])
    assert weights is not None
    inputs, outputs = _weights_axis(product), output_axis(product)
    w = np.square(weights.view().astype(np.float64))
    if outputs is not None:
        sizes = w.mean(axis=tuple(i for i in range(w.ndim) if i != outputs), keepdims=True)
        w /= np.where(sizes > 0, sizes, 1.0)
    return np.asarray(w.mean(axis=tuple(i for i in range(w.ndim) if i != inputs)))


def _largest(product: OpDef, channels: int) -> Array:
    """The largest weight of each input channel."""
    weights = const_of(product.operands[1])
    assert weights is not None
    axis, x = _weights_axis(product), np.abs(weights.view())
    found = x.max(axis=tuple(i for i in range(x.ndim) if i != axis))
    return np.asarray(found.reshape(channels, -1).max(axis=1), np.float64)


def _carry_out(way: Way, factors: Array, done: Equalized) -> None:
    for sink in way.sinks:
        value = sink.op.operands[sink.operand]
        constant = const_of(value)
        assert constant is not None and value is not None
        vector = np.repeat(factors, sink.channels.total // factors.size)
        changed = _scaled(constant, vector, sink)
        place = sink.op.location
        assert sink.op.block is not None and place is not None
        made = Builder(sink.op.block, place, sink.op).emit(core.Constant(value=changed)).y
        edit.set_operand(sink.op, sink.operand, made)
        done.before.append((sink.op, sink.operand, value))
    for clamp in way.unbound:
        done.limits[clamp] = clamp.hi
        edit.set_attribute(clamp, "hi", float("inf"))


def _scaled(constant: Const, vector: Array, sink: Sink) -> Const:
    """A constant times, or divided by, factors along its channels; one that is broadcast there becomes wide."""
    axes, sizes = sink.channels
    rank = max(len(constant.shape), max(axes) + 1)
    shape = [1] * rank
    for axis, size in zip(axes, sizes, strict=True):
        shape[axis] = size
    spread = _spread(vector, axes, sizes, shape)
    numbers = make_const((1 / spread if sink.divides else spread).astype(constant.dtype.numpy), constant.dtype)
    return recipes.binary("mul", constant, numbers)


def _spread(vector: Array, axes: tuple[int, ...], sizes: tuple[int, ...], shape: list[int]) -> Array:
    """Factors by channels, in the order of axes."""
    order = sorted(range(len(axes)), key=lambda i: axes[i])
    return vector.reshape(sizes).transpose(order).reshape(shape)


def wanted(function: Function) -> dict[Value, int | None]:
    """Values whose ranges equalization asks for or changes, with the axis of channels."""
    found: dict[Value, int | None] = {c.value: c.axis for c in candidates(function)}
    for candidate in candidates(function):
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
