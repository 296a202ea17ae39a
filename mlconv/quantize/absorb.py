"""Where a factor for each channel of a value can go: into constants of the ops that make it, and of those that read it.

A value x is divided by factors s by dividing what makes it; what reads it multiplies by them again.  Between, the ops
must be homogeneous: f(x / s) = f(x) / s for s > 0.  Source: Nagel et al. 2019, "Data-Free Quantization", section 4.1;
SmoothQuant (Xiao et al. 2023), section 4.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef
from mlconv.quantize.homogeneous import Channels, StuckError, asks, fits
from mlconv.quantize.reached import Place


class Sink(NamedTuple):
    """A constant operand that factors go into, along its channels.  divides: they divide it, else they multiply.
    place: of the channels that have factors, where it has others, too.  rank: that it is broadcast to where it has one
    number for all channels, whose axes are of that rank; 0 where they are its own.  groups: of output channels, each
    of which reads channels of its own, where the axes are those of outputs and of inputs.
    """

    op: Op
    operand: int
    channels: Channels
    divides: bool
    place: Place | None = None
    rank: int = 0
    groups: int = 1

    def vector(self, factors: Array) -> Array:
        """Factors in the order of the axes, each as often as there are places for it."""
        if self.groups == 1:
            return np.repeat(factors, self.channels.total // factors.size)
        outputs, inputs = self.channels.sizes
        wide = factors.reshape(self.groups, 1, inputs)
        return np.broadcast_to(wide, (self.groups, outputs // self.groups, inputs)).reshape(-1)


@dataclass
class Way:
    """sinks: constants that change.  unbound: limits that calibration never reached, and that go.  asked: how often a
    value is asked to be divided, and along which channels.  picks: of products, which factor is divided, in the order
    in which they are met.  inputs: values that are divided though nothing makes them.
    """

    picks: tuple[int, ...] = ()
    sinks: list[Sink] = field(default_factory=list)
    unbound: list[core.Clamp] = field(default_factory=list)
    asked: dict[Value, tuple[Channels, int]] = field(default_factory=dict)
    met: int = 0
    inputs: Collection[Value] = ()

    def divided(self, value: Value, channels: Channels) -> dict[Value, Channels]:
        """Channels of each value that is divided when `value` is."""
        return {value: channels, **{v: along for v, (along, _) in self.asked.items() if v is not value}}


def powers_of_two(exponents: Array) -> Array | None:
    """Factors next to those with these binary logarithms, within limits; None where all are 1."""
    rounded = np.clip(np.rint(exponents), -_MOST, _MOST)
    return np.exp2(rounded).astype(np.float32) if rounded.any() else None


_PICKS = 4
_LONGEST = 64  # values on a way
_MOST = 12.0  # binary logarithm of the largest factor


Reaches = Callable[[core.Clamp], bool]
"""Tells whether calibration reached the upper limit."""


def channels_of(value: Value, axis: int) -> Channels | None:
    """One axis; None where its size is not known."""
    size = (value.tensor.shape or ())[axis]
    return Channels((axis,), (size,)) if isinstance(size, int) else None


def way_to_divide(
    value: Value,
    channels: Channels,
    reaches: Reaches,
    accepts: Callable[[Way], bool] = lambda way: True,
    inputs: Collection[Value] = (),
) -> Way | None:
    """How a value can be divided by factors for its channels, where all that uses it knows of them; None where it
    cannot.  accepts: tells of a way whether it is to be taken.  inputs: that can be divided themselves.
    """
    for number in range(1 << _PICKS):
        way = Way(tuple(number >> i & 1 for i in range(_PICKS)), inputs=inputs)
        try:
            _divide(value, channels, reaches, way)
        except StuckError:
            continue
        if all(len(v.uses) == times for v, (_, times) in way.asked.items()) and accepts(way):
            return way
        if number >> way.met:
            break  # other choices are not met
    return None


def _divide(value: Value, channels: Channels, reaches: Reaches, way: Way) -> None:
    """Raises StuckError."""
    maker = value.producer
    if maker is None and value in way.inputs:
        return
    if maker is None or len(way.asked) > _LONGEST:
        raise StuckError
    rule = _RULES.get(type(maker))
    if rule is not None:
        rule(maker, channels, reaches, way)
        return
    for operand, along in asks(maker, channels):
        _into(operand, along, reaches, way)


def _into(value: Value | None, channels: Channels, reaches: Reaches, way: Way) -> None:
    """An operand is divided; all else that uses it must ask for the same."""
    if value is None:
        raise StuckError
    before, times = way.asked.get(value, (channels, 0))
    if before != channels:
        raise StuckError
    way.asked[value] = channels, times + 1
    if not times:
        _divide(value, channels, reaches, way)


def _sink(op: OpDef, operand: int, channels: Channels, way: Way, rank: int = 0) -> None:
    constant = const_of(op.operands[operand])
    if constant is None or not constant.dtype.is_float:
        raise StuckError
    way.sinks.append(Sink(op, operand, channels, divides=True, rank=rank))


def _sink_broadcast(op: core.Add | core.Sub | core.Mul, operand: int, channels: Channels, way: Way) -> None:
    """A constant that is broadcast to the result, whose channels these are."""
    rank = op.y.tensor.rank or 0
    own = fits(op.operands[operand], channels, rank)
    _sink(op, operand, *((channels, way, rank) if own is None else (own, way)))


def _conv(op: core.Conv, channels: Channels, reaches: Reaches, way: Way) -> None:
    _filters(op, op.w_layout, op.y_layout, channels, way)


def _conv_transpose(op: core.ConvTranspose, channels: Channels, reaches: Reaches, way: Way) -> None:
    if op.groups != 1:
        raise StuckError
    _filters(op, op.w_layout, op.y_layout, channels, way)


def _filters(op: OpDef, w_layout: str, y_layout: str, channels: Channels, way: Way) -> None:
    if channels.axes != (y_layout.index("C"),):
        raise StuckError
    _sink(op, 1, Channels((w_layout.index("O"),), channels.sizes), way)
    if op.operands[2] is not None:
        _sink(op, 2, Channels((0,), channels.sizes), way)


def _matmul(op: core.MatMul, channels: Channels, reaches: Reaches, way: Way) -> None:
    """Columns of the right factor, or rows of the left one, and axes in front of them."""
    rank = op.y.tensor.rank or 0
    rows, columns = (axis in channels.axes for axis in (rank - 2, rank - 1))
    if rows and columns:
        raise StuckError
    place, turned = (0, op.transpose_a) if rows else (1, op.transpose_b)
    value = op.operands[place]
    last = rank - 1
    swapped = {last: last - 1, last - 1: last} if turned else {}
    axes = tuple(swapped.get(a, a) for a in channels.axes)
    found = fits(value, Channels(axes, channels.sizes), rank)
    if found is None:
        raise StuckError
    if const_of(value) is not None:
        _sink(op, place, found, way)
    else:
        _into(value, found, reaches, way)


def _sum(op: core.Add | core.Sub, channels: Channels, reaches: Reaches, way: Way) -> None:
    for i, value in enumerate((op.a, op.b)):
        if const_of(value) is not None:
            _sink_broadcast(op, i, channels, way)
        else:
            _one_of(value, channels, op, reaches, way)


def _one_of(value: Value, channels: Channels, op: OpDef, reaches: Reaches, way: Way) -> None:
    found = fits(value, channels, op.results[0].tensor.rank or 0)
    if found is None:
        raise StuckError
    _into(value, found, reaches, way)


def _mul(op: core.Mul, channels: Channels, reaches: Reaches, way: Way) -> None:
    """A constant factor, or else the one that is picked where both have the channels.  A constant with one number for
    all of them is the second choice, and so is one beside what others use that are divided, as those of PReLU are.
    """
    rank = op.y.tensor.rank or 0
    for i, value in enumerate((op.a, op.b)):
        own = fits(value, channels, rank)
        if const_of(value) is None or not (own is not None or _is_full(op.operands[1 - i], channels, rank)):
            continue
        other = op.inputs[1 - i]
        if const_of(other) is None and _prefers(other, own is not None, way):
            _one_of(other, channels, op, reaches, way)
        else:
            _sink_broadcast(op, i, channels, way)
        return
    full = [v for v in (op.a, op.b) if const_of(v) is None and _is_full(v, channels, rank)]
    if not full:
        raise StuckError
    _one_of(full[_pick(way) if len(full) > 1 else 0], channels, op, reaches, way)


def _prefers(other: Value, has_channels: bool, way: Way) -> bool:
    """Tells whether the factor that is no constant is divided.  has_channels: the constant has a number for each."""
    if other in way.asked:
        return True
    if has_channels:
        return not other.has_one_use and _pick(way) == 1
    return _pick(way) == 0


def _pick(way: Way) -> int:
    """The next choice of two."""
    pick = way.picks[way.met] if way.met < _PICKS else 0
    way.met += 1
    return pick


def _is_full(value: Value | None, channels: Channels, rank: int) -> bool:
    """The other operand has the channels, so that the result keeps its shape whatever the constant's is."""
    return value is not None and fits(value, channels, rank) is not None


def _clamp(op: core.Clamp, channels: Channels, reaches: Reaches, way: Way) -> None:
    if op.lo not in (0.0, -math.inf):
        raise StuckError
    if op.hi != math.inf:
        if reaches(op):
            raise StuckError
        way.unbound.append(op)
    _into(op.x, channels, reaches, way)


_RULES: dict[type[Op], Callable[..., None]] = {
    core.Conv: _conv,
    core.ConvTranspose: _conv_transpose,
    core.MatMul: _matmul,
    core.Add: _sum,
    core.Sub: _sum,
    core.Mul: _mul,
    core.Clamp: _clamp,
}
