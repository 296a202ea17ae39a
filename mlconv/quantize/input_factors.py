"""Inputs whose channels are of unlike sizes (features of a table, of sensors) are multiplied by a factor each, as
floats: there equalization has room for factors of what the first products read, which nothing computes.  So is what
ops of floats make and products of integers read (logarithms of features, joined with rows of tables), where no constant
takes factors.
"""

from __future__ import annotations

from collections.abc import Container, Mapping

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.quantize.absorb import channels_of, way_to_divide
from mlconv.quantize.equalize import candidates, lost
from mlconv.quantize.homogeneous import Channels
from mlconv.quantize.ranges import Range
from mlconv.rewrite import edit

_LEAST_LOST = 1.0  # bits, by one scale for all channels of an input, that an op of floats is worth
_LEAST_LOST_LATER = 1.5  # and of what ops of floats make


def multiply_unlike(
    function: Function, ranges: dict[Value, Range], inputs: frozenset[Value], made: Container[Value] = ()
) -> dict[Value, Value]:
    """By ones, in place, where channels differ, with the ranges of these.  inputs: those of floats; made: what ops of
    floats make and products of integers read.  Returns what took the place of values.
    """
    found = {x: _multiplied(function, x, along) for x, along in _unlike(function, ranges, inputs, made).items()}
    ranges.update({y: ranges[x] for x, y in found.items() if x in ranges})
    return found


def _unlike(
    function: Function, ranges: Mapping[Value, Range], inputs: frozenset[Value], made: Container[Value]
) -> dict[Value, Channels]:
    """What can be divided when what products read is, and is worth it: inputs, or what products read itself."""
    found: dict[Value, Channels] = {}
    for candidate in candidates(function, function.inputs):
        span, channels = ranges.get(candidate.value), channels_of(candidate.value, candidate.axis)
        if span is None or channels is None or span.axis != candidate.axis:
            continue
        bits = lost(np.maximum(-span.low, span.high))
        if bits < _LEAST_LOST:
            continue
        way = way_to_divide(candidate.value, channels, lambda clamp: True, inputs=inputs)
        if way is not None:
            divided = way.divided(candidate.value, channels)
            found |= {v: along for v, along in divided.items() if v in inputs and len(along.axes) == 1}
        elif bits >= _LEAST_LOST_LATER and candidate.value in made:
            found[candidate.value] = channels
    return found


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
