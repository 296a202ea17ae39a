"""Inputs whose channels are of unlike sizes (features of a table, of sensors) are multiplied by a factor each, as
floats: there equalization has room for factors of what the first products read, which nothing computes.  So is what
ops of floats make and products of integers read (logarithms of features, joined with rows of tables), where no constant
takes factors.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.quantize.absorb import channels_of, way_to_divide
from mlconv.quantize.equalize import Candidate, candidates, factors_by_ranges, lost
from mlconv.quantize.factor_gains import bits_gained
from mlconv.quantize.homogeneous import Channels
from mlconv.quantize.ranges import Range
from mlconv.quantize.weight_inputs import inputs_axis, weights_of
from mlconv.rewrite import edit

_WORTH = 1.0  # bits that an op of floats is worth
_LEAST_LOST = 1.5  # by one scale for all channels, for samples to be asked what factors gain

SquaresOf = Callable[[Mapping[Value, int]], Mapping[Value, Array]]
"""Mean squares, over all samples, of the channels of values along an axis of each."""


def inputs_of_floats(function: Function) -> frozenset[Value]:
    return frozenset(v for v in function.inputs if v.tensor.dtype is DType.F32)


def multiply_inputs(function: Function, ranges: dict[Value, Range]) -> dict[Value, Value]:
    """By ones, in place, where channels of inputs of floats differ, which can be divided when what products read is,
    with the ranges of these.  Returns what took the place of inputs.
    """
    inputs = inputs_of_floats(function)
    unlike: dict[Value, Channels] = {}
    for candidate in candidates(function, function.inputs):
        channels = _losing(candidate, ranges, _WORTH)
        way = None if channels is None else way_to_divide(candidate.value, channels, lambda clamp: True, inputs=inputs)
        if way is not None and channels is not None:
            divided = way.divided(candidate.value, channels)
            unlike |= {v: along for v, along in divided.items() if v in inputs and len(along.axes) == 1}
    return _multiply(function, ranges, unlike)


def multiply_made(
    function: Function,
    ranges: dict[Value, Range],
    made: Callable[[], Container[Value]],
    inputs: frozenset[Value],
    squares_of: SquaresOf,
) -> dict[Value, Value]:
    """The same of what ops of floats make and products of integers read, and nothing in front is divided for.  made:
    tells what that is, which takes a while.  inputs: that may be divided.
    """
    losing = {c.value: (c, along) for c in candidates(function) if (along := _losing(c, ranges, _LEAST_LOST))}
    known = made() if losing else ()
    found = {
        value: (candidate, channels)
        for value, (candidate, channels) in losing.items()
        if value in known
        and _are_read_whole(candidate, channels)
        and way_to_divide(value, channels, lambda clamp: True, inputs=inputs) is None
    }
    squares = squares_of({value: candidate.axis for value, (candidate, _) in found.items()}) if found else {}

    def is_worth(value: Value, candidate: Candidate) -> bool:
        largest = _largest(ranges[value])
        factors = factors_by_ranges(candidate, largest, ranges)
        return factors is not None and bits_gained(candidate.products, largest, squares[value], factors) >= _WORTH

    unlike = {v: along for v, (candidate, along) in found.items() if v in squares and is_worth(v, candidate)}
    return _multiply(function, ranges, unlike)


def _multiply(function: Function, ranges: dict[Value, Range], unlike: Mapping[Value, Channels]) -> dict[Value, Value]:
    found = {x: _multiplied(function, x, along) for x, along in unlike.items()}
    ranges.update({y: ranges[x] for x, y in found.items() if x in ranges})
    return found


def _are_read_whole(candidate: Candidate, channels: Channels) -> bool:
    """All products read all channels, alone, and not in groups."""
    sizes = {weights_of(product).shape[inputs_axis(product)] for product in candidate.products}
    return not candidate.reads.passed and sizes == {channels.total}


def _losing(candidate: Candidate, ranges: Mapping[Value, Range], least: float) -> Channels | None:
    """Channels that lose so many bits by the scale that they share."""
    span, channels = ranges.get(candidate.value), channels_of(candidate.value, candidate.axis)
    if span is None or channels is None or span.axis != candidate.axis or lost(_largest(span)) < least:
        return None
    return channels


def _largest(span: Range) -> Array:
    return np.maximum(-span.low, span.high)


def _multiplied(function: Function, x: Value, along: Channels) -> Value:
    shape = [along.total if i == along.axes[0] else 1 for i in range(x.tensor.rank or 0)]
    uses = list(x.uses)
    maker = x.producer
    location = uses[0][0].location or function.location
    builder = Builder(function.block, location, function.block.first if maker is None else maker.next)
    ones = builder.emit(core.Constant(value=make_const(np.ones(shape, np.float32), DType.F32))).y
    y = builder.emit(core.Mul(x, ones)).y
    for user, i in uses:
        edit.set_operand(user, i, y)
    return y
