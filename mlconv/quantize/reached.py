"""Products that channels of a value reach: those that read it, and, where it is joined with others along the channels,
those that read what comes of that, as it is or pooled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, Value
from mlconv.ir.spec import OpDef

_MOST = 128  # values that channels pass through


class Place(NamedTuple):
    """Where a value's channels are among those of another one: from `start` on, of `total`."""

    start: int
    total: int

    def among(self, numbers: Array) -> Array:
        """Factors of the value's channels as those of all, 1 for others."""
        if numbers.size == self.total:
            return numbers
        found = np.ones(self.total, numbers.dtype)
        found[self.start : self.start + numbers.size] = numbers
        return found

    def of(self, numbers: Array, count: int) -> Array:
        """Those of the value's channels."""
        return numbers[self.start : self.start + count]


class Reached(NamedTuple):
    """axis: of channels, of all values.  products: that read the channels, each once.  passed: values that have them,
    too.
    """

    axis: int
    products: dict[OpDef, Place]
    passed: dict[Value, Place]


def reached(value: Value) -> Reached | None:
    """None where something else reads the channels, a product reads them twice, or sizes are not known."""
    axes = {axis_read(user, value) for user in value.users}
    axis = next(iter(axes)) if len(axes) == 1 else None
    total = None if axis is None else (value.tensor.shape or ())[axis]
    if axis is None or not isinstance(total, int):
        return None
    found = Reached(axis, {}, {})
    left = [(value, Place(0, total))]
    while left:
        one, place = left.pop()
        for user in one.users:
            if axis_read(user, one) != axis or not isinstance(user, OpDef) or len(found.passed) > _MOST:
                return None
            if not isinstance(user, (core.Concat, core.MaxPool, core.AvgPool)):
                if user in found.products:
                    return None
                found.products[user] = place
                continue
            behind = _behind(user, one, axis, place)
            if behind is None or user.results[0] in found.passed:
                return None
            found.passed[user.results[0]] = behind
            left.append((user.results[0], behind))
    joined = any(isinstance(v.producer, core.Concat) for v in found.passed)  # else what is pooled is looked at itself
    return found if found.products and (joined or not found.passed) else None


def _behind(op: OpDef, value: Value, axis: int, place: Place) -> Place | None:
    """Where channels of an operand are in the result; None where that is not known."""
    if not isinstance(op, core.Concat):
        return place
    sizes = [(x.tensor.shape or ())[axis] for x in op.xs]
    if op.xs.count(value) != 1:
        return None
    known = [size for size in sizes if isinstance(size, int)]
    if len(known) < len(sizes):
        return None
    return Place(place.start + sum(known[: op.xs.index(value)]), sum(known))


def axis_read(user: Op, value: Value) -> int | None:
    """The axis that a product sums along, or that its channels are, or that other ops leave channels along; None of
    ops that do not.
    """
    if isinstance(user, core.Concat):
        return user.axis
    if isinstance(user, (core.MaxPool, core.AvgPool)):
        return user.layout.index("C")
    if isinstance(user, core.Conv) and user.x is value and const_of(user.w) is not None:
        return user.x_layout.index("C")
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
