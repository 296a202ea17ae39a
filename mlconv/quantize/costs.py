"""What an op costs in its source: multiplications with additions, and bytes of floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, substitute
from mlconv.ir.shapes import static
from mlconv.quantize.choose import PRODUCTS

ShapeOf = Callable[[Value], tuple[int, ...] | None]
"""Sizes of a value; None where they are open."""


def sized(sizes: Mapping[str, int]) -> ShapeOf:
    """Shapes with sizes in place of symbols."""

    def shape_of(value: Value) -> tuple[int, ...] | None:
        shape = value.tensor.shape
        return (
            None if shape is None else static(tuple(substitute(d, sizes) if isinstance(d, Dim) else d for d in shape))
        )

    return shape_of


def least(value: Value) -> tuple[int, ...] | None:
    """Shapes with 1 in place of each size that is open."""
    shape = value.tensor.shape
    return None if shape is None else tuple(d if isinstance(d, int) else 1 for d in shape)


def macs_of(op: Op, shape_of: ShapeOf) -> int | None:
    """Multiplications with additions of a product; 0 for other ops, None where shapes are open."""
    if not isinstance(op, PRODUCTS):
        return 0
    shapes = [shape_of(v) for v in (*op.inputs[:2], *op.results)]
    if any(shape is None for shape in shapes):
        return None
    x, w, y = (shape or () for shape in shapes)
    if isinstance(op, core.Conv):
        return math.prod(y) * math.prod(w) // max(w[op.w_layout.index("O")], 1)
    if isinstance(op, core.ConvTranspose):
        return math.prod(x) * math.prod(w) // max(w[op.w_layout.index("I")], 1)
    return math.prod(y) * x[-2 if op.transpose_a else -1]


def bytes_of(op: Op, shape_of: ShapeOf) -> int | None:
    """Size of the floats of constants and results; None where shapes are open."""
    constants = [v for v in op.inputs if const_of(v) is not None]
    total = 0
    for value in (*constants, *op.results):
        shape = shape_of(value)
        if shape is None:
            return None
        total += math.prod(shape) * value.tensor.dtype.itemsize
    return total
