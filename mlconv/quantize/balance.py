"""Queries and keys whose channels are brought to like ranges: their product stays as it is where one is divided by what
the other is multiplied by.

Source: Xiao et al. 2023, "SmoothQuant", equation 4, with a factor of two activations; factors are powers of two.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Mapping
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.equal_constants import EqualConstants
from mlconv.ir.module import Function
from mlconv.quantize.absorb import Reaches, Way, powers_of_two, way_to_divide
from mlconv.quantize.homogeneous import Channels
from mlconv.quantize.ranges import Range
from mlconv.quantize.shared import number_of


class Side(NamedTuple):
    """A factor of a product of activations.  observed: a value that has its channels along one axis."""

    value: Value
    channels: Channels
    way: Way
    observed: Value

    @property
    def axis(self) -> int:
        return self.way.divided(self.value, self.channels)[self.observed].axes[0]


class Pair(NamedTuple):
    """Both factors; channels that are summed over lie in the same order."""

    left: Side
    right: Side


def pairs(function: Function, reaches: Reaches) -> Iterator[Pair]:
    """Products of two activations, both of which take factors, in order.  A way is asked for when it is needed: one
    that was gone may block another.
    """
    for op in [*function.block.ops]:
        if isinstance(op, core.MatMul) and const_of(op.a) is None and const_of(op.b) is None and op.a is not op.b:
            found = _pair(op, reaches)
            if found is not None:
                yield found


def _pair(op: core.MatMul, reaches: Reaches) -> Pair | None:
    """With the heads where factors may differ between them, else without."""
    rank = op.a.tensor.rank or 0
    if rank != op.b.tensor.rank or rank < 2:
        return None
    summed = rank - (2 if op.transpose_a else 1), rank - (1 if op.transpose_b else 2)
    for heads in (1, 0):
        if rank - 3 < 0 and heads:
            continue
        sides = [
            _side(value, (*((rank - 3,) if heads else ()), axis), reaches)
            for value, axis in zip((op.a, op.b), summed, strict=True)
        ]
        left, right = sides
        if left is None or right is None or left.channels.sizes != right.channels.sizes:
            continue
        if not left.way.asked.keys() & right.way.asked.keys():
            return Pair(left, right)
    return None


def _side(value: Value, axes: tuple[int, ...], reaches: Reaches) -> Side | None:
    sizes = tuple(n for a in axes if isinstance(n := (value.tensor.shape or ())[a], int))
    if len(sizes) < len(axes) or len(value.uses) != 1:
        return None
    channels = Channels(axes, sizes)
    way = way_to_divide(value, channels, reaches)
    if way is None or not way.sinks:
        return None
    known = way.divided(value, channels).items()
    observed = next((v for v, along in known if len(along.axes) == 1 and along.total == channels.total), None)
    return None if observed is None else Side(value, channels, way, observed)


def largest_together(found: Iterable[Pair], ranges: Mapping[Value, Range]) -> dict[Value, _Largest]:
    """Largest numbers of channels of both factors, by the left one: pairs that the same weights make, or equal ones,
    have theirs together, are divided alike, and go on sharing weights.
    """
    layers: dict[Hashable, dict[Value, _Largest]] = {}
    equal = EqualConstants()
    for pair in found:
        largest = _largest(pair, ranges)
        if largest is not None:
            layers.setdefault(tuple(_weights_of(side, equal) for side in pair), {})[pair.left.value] = largest
    return {
        value: _Largest(*(np.max(ends, axis=0) for ends in zip(*like.values(), strict=True)))
        for like in layers.values()
        for value in like
    }


class _Largest(NamedTuple):
    left: Array
    right: Array


def _largest(pair: Pair, ranges: Mapping[Value, Range]) -> _Largest | None:
    found = []
    for side in pair:
        span = ranges.get(side.observed)
        if span is None or span.axis != side.axis:
            return None
        found.append(np.maximum(-span.low, span.high).astype(np.float64).reshape(-1))
    return _Largest(*found)


def _weights_of(side: Side, equal: EqualConstants) -> Hashable:
    """The constants that take the factors."""
    found = []
    for sink in side.way.sinks:
        constant = number_of(const_of(sink.op.operands[sink.operand]), equal)
        found.append((constant, sink.operand, sink.channels))
    return side.channels, tuple(found)


def factors_of(largest: _Largest | None) -> Array | None:
    """Powers of two that the left side is divided by, and the right side multiplied by; None where all are 1."""
    if largest is None:
        return None
    left, right = largest
    live = (left > 0) & (right > 0)
    exponents = np.zeros(left.shape)
    exponents[live] = np.log2(left[live] / right[live]) / 2
    return powers_of_two(exponents)
