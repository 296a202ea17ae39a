"""Factors and offsets of channels as convolutions with one filter a channel.

What is left of a normalization behind a sum or a concatenation multiplies each channel and adds to it.  As an op of two
tensors it would have one scale for all factors, and the least of them few of its bits; filters of channels have a scale
for each, biases 32 bits, and the limit behind them comes along.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder

_LAYOUT, _FILTERS = "N01C", "01IO"


def join_affine(function: Function, wants: Callable[[Op], bool]) -> int:
    """Products with a number for each channel of an image and sums behind them become convolutions, in place, where
    that is wanted of the sum.  Returns how many did.
    """
    count = 0
    for op in [*function.block.ops]:
        if isinstance(op, (core.Add, core.Sub)) and wants(op):
            count += _join(op, function)
    return count


def _join(op: core.Add | core.Sub, function: Function) -> bool:
    product, offset = op.a.producer, const_of(op.b)
    if isinstance(op, core.Add) and offset is None:
        product, offset = op.b.producer, const_of(op.a)
    if not isinstance(product, core.Mul) or offset is None or not product.y.has_one_use:
        return False
    x, factors = product.a, const_of(product.b)
    if factors is None:
        x, factors = product.b, const_of(product.a)
    channels = (x.tensor.shape or ())[-1:]
    if factors is None or x in function.inputs or not _is_image(x) or not isinstance(channels[0], int):
        return False
    if not _is_vector(factors, channels[0]) or not _is_vector(offset, channels[0]):
        return False
    rewriter = Rewriter(op)
    rewriter.fuse(product, by="join-affine")
    b = CoreBuilder(rewriter)
    bias = recipes.binary("mul", offset, make_const(np.asarray(-1, np.float32))) if isinstance(op, core.Sub) else offset
    filters, biases = (
        b.y(core.Constant(value=const))
        for const in (factors.reshape((1, 1, 1, channels[0])), bias.reshape((channels[0],)))
    )
    one = (1, 1)
    conv = core.Conv(
        x,
        filters,
        biases,
        strides=one,
        pads=((0, 0), (0, 0)),
        dilations=one,
        groups=channels[0],
        x_layout=_LAYOUT,
        w_layout=_FILTERS,
        y_layout=_LAYOUT,
    )
    rewriter.replace(op, b.y(conv))
    return True


def _is_image(x: Value) -> bool:
    return x.tensor.rank == len(_LAYOUT) and x.tensor.dtype is DType.F32 and const_of(x) is None


def _is_vector(const: Const, channels: int) -> bool:
    """It has a number for each channel, the last axis, and one for all else."""
    return channels > 1 and const.size == channels and const.shape[-1:] == (channels,)
