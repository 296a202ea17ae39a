"""Inputs whose channels are of unlike sizes (features of a table, of sensors) are multiplied by a factor each, as
floats: there equalization has room for factors of what the first products read, which nothing computes.
"""

from __future__ import annotations

from collections.abc import Mapping

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

_LEAST_LOST = 1.0  # bits that an op of floats is worth


def multiply_inputs(function: Function, ranges: dict[Value, Range]) -> dict[Value, Value]:
    """By ones, in place, where channels differ, with the ranges of these.  Returns what took the place of inputs."""
    found = {x: _multiplied(function, x, along) for x, along in _unlike(function, ranges).items()}
    ranges.update({y: ranges[x] for x, y in found.items() if x in ranges})
    return found


def _unlike(function: Function, ranges: Mapping[Value, Range]) -> dict[Value, Channels]:
    """Inputs that can be divided when what products read is, and that are worth it."""
    inputs = frozenset(v for v in function.inputs if v.tensor.dtype is DType.F32)
    found: dict[Value, Channels] = {}
    for candidate in candidates(function, function.inputs):
        span, channels = ranges.get(candidate.value), channels_of(candidate.value, candidate.axis)
        if span is None or channels is None or span.axis != candidate.axis:
            continue
        if lost(np.maximum(-span.low, span.high)) < _LEAST_LOST:
            continue
        way = way_to_divide(candidate.value, channels, lambda clamp: True, inputs=inputs)
        if way is None:
            continue
        divided = way.divided(candidate.value, channels)
        found |= {v: along for v, along in divided.items() if v in inputs and len(along.axes) == 1}
    return found


def _multiplied(function: Function, x: Value, along: Channels) -> Value:
    shape = [along.total if i == along.axes[0] else 1 for i in range(x.tensor.rank or 0)]
    uses = list(x.uses)
    builder = Builder(function.block, uses[0][0].location or function.location, function.block.first)
    ones = builder.emit(core.Constant(value=make_const(np.ones(shape, np.float32), DType.F32))).y
    y = builder.emit(core.Mul(x, ones)).y
    for user, i in uses:
        edit.set_operand(user, i, y)
    return y
