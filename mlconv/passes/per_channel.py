"""Constants with one number for each channel, and the convolutions whose weights take them."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Value

Window = core.Conv | core.ConvTranspose


def foldable_window(x: Value) -> tuple[Window, Const, int] | None:
    """The convolution behind x (used by nobody else), its constant weights and its number of output channels."""
    conv = x.producer
    if not isinstance(conv, (core.Conv, core.ConvTranspose)) or not x.has_one_use:
        return None
    weights = const_of(conv.w)
    channels = x.tensor.shape[conv.y_layout.index("C")] if x.tensor.shape is not None else None
    if weights is None or not isinstance(channels, int) or (conv.bias is not None and const_of(conv.bias) is None):
        return None
    return (conv, weights, channels) if isinstance(conv, core.Conv) or conv.groups == 1 else None


def per_channel(c: Const, rank: int, axis: int, channels: int) -> Const | None:
    """c as [channels] when it broadcasts along one axis of a value of that rank only; None otherwise."""
    shape = (1,) * (rank - len(c.shape)) + c.shape
    if len(c.shape) > rank or any(d != 1 for i, d in enumerate(shape) if i != axis):
        return None
    if shape[axis] == channels:
        return c.reshape((channels,))
    return None if c.size != 1 else recipes.Derived("broadcast", (channels,), (c.reshape((1,)),), c.dtype, (channels,))


def split_operands(op: Binary) -> tuple[Value, Const] | None:
    """(variable, constant) of a commutative op."""
    for x, other in ((op.a, op.b), (op.b, op.a)):
        c = const_of(other)
        if c is not None and const_of(x) is None:
            return x, c
    return None
