"""Ops that let factors of channels through: f(x / s) = f(x) / s for s > 0."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef
from mlconv.passes.patterns.algebra import uniform

Asked = tuple[Value, "Channels"]


class Channels(NamedTuple):
    """The axes of a value that its channels are, the slowest first, and their sizes."""

    axes: tuple[int, ...]
    sizes: tuple[int, ...]

    @property
    def total(self) -> int:
        return math.prod(self.sizes)


class StuckError(Exception):
    """An op on the way does not let factors through."""


def fits(value: Value | None, channels: Channels, rank: int) -> Channels | None:
    """Channels of a result as those of an operand that is broadcast to its rank; None where it has one number for
    all.
    """
    shape = () if value is None else value.tensor.shape or ()
    shift = rank - len(shape)
    axes = tuple(a - shift for a in channels.axes)
    if all(a >= 0 and shape[a] == n for a, n in zip(axes, channels.sizes, strict=True)):
        return Channels(axes, channels.sizes)
    return None


def asks(op: Op, channels: Channels) -> Iterator[Asked]:
    """What is to be divided, and along which channels, for the result to be; constants of nothing but zeros, or of
    infinities, stay as they are.  Raises StuckError.
    """
    rule = _RULES.get(type(op))
    if rule is None:
        raise StuckError
    yield from rule(op, channels)


def is_unmoved(value: Value) -> bool:
    """A constant that no factor changes."""
    number = uniform(value)
    return number is not None and (number == 0 or math.isinf(number))


def _same_axes(op: OpDef, channels: Channels) -> Iterator[Asked]:
    """Pools and the like: the axis of channels is none that the op works along."""
    yield op.inputs[0], channels


def _pool(op: core.MaxPool | core.AvgPool, channels: Channels) -> Iterator[Asked]:
    if channels.axes != (op.layout.index("C"),):
        raise StuckError
    yield op.x, channels


def _reduce(op: core.ReduceMean | core.ReduceMax, channels: Channels) -> Iterator[Asked]:
    rank = op.x.tensor.rank or 0
    kept = [i for i in range(rank) if op.keepdims or i not in op.axes]
    axes = tuple(kept[a] for a in channels.axes)
    if any(a in op.axes for a in axes):
        raise StuckError
    yield op.x, Channels(axes, channels.sizes)


def _pad(op: core.Pad, channels: Channels) -> Iterator[Asked]:
    amounts = pad_amounts(op.pads)
    if amounts is None or any(amounts[a] != (0, 0) for a in channels.axes):
        raise StuckError
    if op.mode == "constant" and not is_unmoved(op.value):
        raise StuckError
    yield op.x, channels


def _resize(op: core.Resize, channels: Channels) -> Iterator[Asked]:
    if op.coordinates == "tf_crop_and_resize" or any(a in op.axes for a in channels.axes):
        raise StuckError
    yield op.x, channels


def _select(op: core.Select, channels: Channels) -> Iterator[Asked]:
    """PReLU is one of them: what it asks of the sign of a number it asks of the divided one as well."""
    test = op.cond.producer
    if isinstance(test, Compare):
        yield from _sign(test, channels, op.y.tensor.rank or 0)
    yield from _each(op, channels)


def _sign(test: Compare, channels: Channels, rank: int) -> Iterator[Asked]:
    for x, other in ((test.a, test.b), (test.b, test.a)):
        along = fits(x, channels, rank)
        if along is not None and is_unmoved(other):
            yield x, along


def _each(op: core.Select | core.Maximum | core.Minimum, channels: Channels) -> Iterator[Asked]:
    for value in (op.a, op.b):
        along = fits(value, channels, op.y.tensor.rank or 0)
        if is_unmoved(value):
            continue
        if along is None:
            raise StuckError
        yield value, along


def _transpose(op: core.Transpose, channels: Channels) -> Iterator[Asked]:
    yield op.x, Channels(tuple(op.perm[a] for a in channels.axes), channels.sizes)


def _reshape(op: core.Reshape, channels: Channels) -> Iterator[Asked]:
    yield op.x, _unshaped(op, channels)


def _unshaped(op: core.Reshape, channels: Channels) -> Channels:
    """Channels before a reshape: their axes are as they were, or one axis was several.  Raises StuckError."""
    old, new = op.x.tensor.shape or (), op.y.tensor.shape or ()
    axes: list[int] = []
    for first, last in _runs(channels.axes):
        behind = new[last + 1 :]
        if not all(isinstance(d, int) for d in behind):
            raise StuckError
        size = math.prod(n for a, n in zip(channels.axes, channels.sizes, strict=True) if first <= a <= last)
        axes += _axes_of(old, math.prod(d for d in behind if isinstance(d, int)), size)
    return Channels(tuple(axes), tuple(d for a in axes if isinstance(d := old[a], int)))


def _runs(axes: tuple[int, ...]) -> list[tuple[int, int]]:
    """First and last of axes that stand next to one another."""
    found: list[tuple[int, int]] = []
    for axis in axes:
        if found and found[-1][1] == axis - 1:
            found[-1] = found[-1][0], axis
        else:
            found.append((axis, axis))
    return found


def _axes_of(shape: tuple[object, ...], behind: int, size: int) -> list[int]:
    """The axes that have `behind` elements behind them and `size` together, without those of size 1.  Raises
    StuckError.
    """
    axis, count = len(shape) - 1, 1
    while axis >= 0 and isinstance(d := shape[axis], int) and count < behind:
        count *= d
        axis -= 1
    if count != behind:
        raise StuckError
    found: list[int] = []
    whole = 1
    while axis >= 0 and isinstance(d := shape[axis], int) and whole < size:
        whole *= d
        if d != 1:  # it may lie on either side of the channels, and ops work along it
            found.insert(0, axis)
        axis -= 1
    if whole != size:
        raise StuckError
    return found


_RULES: Mapping[type[Op], Callable[..., Iterator[Asked]]] = {
    core.LeakyRelu: _same_axes,
    core.Neg: _same_axes,
    core.Abs: _same_axes,
    core.MaxPool: _pool,
    core.AvgPool: _pool,
    core.ReduceMean: _reduce,
    core.ReduceSum: _reduce,
    core.ReduceMax: _reduce,
    core.ReduceMin: _reduce,
    core.Pad: _pad,
    core.Resize: _resize,
    core.Select: _select,
    core.Maximum: _each,
    core.Minimum: _each,
    core.Transpose: _transpose,
    core.Reshape: _reshape,
}
