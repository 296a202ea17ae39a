"""Factors and offsets of channels as convolutions with one filter a channel; divisions by constants as products.

What is left of a normalization behind a sum or a concatenation multiplies each channel and adds to it.  As an op of two
tensors it would have one scale for all factors, and the least of them few of its bits; filters of channels have a scale
for each, biases 32 bits, and the limit behind them comes along.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir import recipes
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.quantize.choose import walk_floats
from mlconv.rewrite import Rewriter
from mlconv.rewrite.core_builder import CoreBuilder

_LEAST = float(np.finfo(np.float32).tiny * 4)  # numbers from this to one over it have reciprocals of all bits
_FILTERS = {"N01C": "01IO", "NC01": "OI01"}  # by the layout of the images


def multiply_by_reciprocals(function: Function, wants: Callable[[Op], bool]) -> int:
    """Divisions by constants become products, which have a form over integers, in place, where that is wanted.  Returns
    how many did.
    """
    count = 0
    for op in [*walk_floats(function)]:
        if not isinstance(op, core.Div) or (divisor := const_of(op.b)) is None:
            continue
        if not wants(op) or not _has_reciprocals(divisor):
            continue
        one = make_const(np.asarray(1, np.float32))
        rewriter = Rewriter(op)
        b = CoreBuilder(rewriter)
        rewriter.replace(op, b.mul(op.a, b.y(core.Constant(value=recipes.binary("div", one, divisor)))))
        count += 1
    return count


def _has_reciprocals(divisor: Const) -> bool:
    """Of all numbers, none of which is lost."""
    if divisor.dtype is not DType.F32 or not divisor.size:
        return False
    size = np.abs(divisor.view())
    return bool((size >= _LEAST).all() and (size <= 1 / _LEAST).all())


def join_affine(function: Function, wants: Callable[[Op], bool]) -> int:
    """Products with a number for each channel of an image and sums behind them become convolutions, in place, where
    that is wanted of the sum.  Returns how many did.
    """
    count, layouts = 0, _layouts(function)
    for op in [*function.block.ops]:
        if isinstance(op, (core.Add, core.Sub)) and wants(op):
            count += any(_join(op, function, layout) for layout in layouts)
    return count


def _layouts(function: Function) -> Sequence[str]:
    """Where channels may be: as convolutions have them, then otherwise."""
    found = dict.fromkeys(op.x_layout for op in function.block.ops if isinstance(op, core.Conv))
    return [layout for layout in (*found, *_FILTERS) if layout in _FILTERS]


def _join(op: core.Add | core.Sub, function: Function, layout: str) -> bool:
    product, offset = op.a.producer, const_of(op.b)
    if isinstance(op, core.Add) and offset is None:
        product, offset = op.b.producer, const_of(op.a)
    if not isinstance(product, core.Mul) or offset is None or not product.y.has_one_use:
        return False
    x, factors = product.a, const_of(product.b)
    if factors is None:
        x, factors = product.b, const_of(product.a)
    if factors is None or x in function.inputs or not _is_image(x):
        return False
    axis = layout.index("C")
    channels = (x.tensor.shape or ())[axis]
    if not isinstance(channels, int) or not all(_is_vector(c, channels, axis) for c in (factors, offset)):
        return False
    rewriter = Rewriter(op)
    rewriter.fuse(product, by="join-affine")
    b = CoreBuilder(rewriter)
    bias = recipes.binary("mul", offset, make_const(np.asarray(-1, np.float32))) if isinstance(op, core.Sub) else offset
    filters, biases = (
        b.y(core.Constant(value=const))
        for const in (factors.reshape(_filter_shape(layout, channels)), bias.reshape((channels,)))
    )
    one = (1, 1)
    conv = core.Conv(
        x,
        filters,
        biases,
        strides=one,
        pads=((0, 0), (0, 0)),
        dilations=one,
        groups=channels,
        x_layout=layout,
        w_layout=_FILTERS[layout],
        y_layout=layout,
    )
    rewriter.replace(op, b.y(conv))
    return True


def _filter_shape(layout: str, channels: int) -> tuple[int, ...]:
    return tuple(channels if c == "O" else 1 for c in _FILTERS[layout])


def _is_image(x: Value) -> bool:
    return x.tensor.rank == 4 and x.tensor.dtype is DType.F32 and const_of(x) is None


def _is_vector(const: Const, channels: int, axis: int) -> bool:
    """It has a number for each channel, along that axis of an image, and one for all else."""
    shape = (1,) * (4 - len(const.shape)) + tuple(const.shape)
    return channels > 1 and shape == tuple(channels if i == axis else 1 for i in range(4))
