"""What an op costs in its source: arithmetic, multiplications with additions, and bytes of floats."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.recurrent import Recurrent
from mlconv.dialects.core.reduce import REDUCTIONS, AlongAxis
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.core.window import AveragePooling, Convolution
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size, product, substitute
from mlconv.ir.shapes import Shape, static
from mlconv.ir.traits import Elementwise, Plumbing, has_trait
from mlconv.ir.types import TensorType
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
    found = _macs(op, x, w, y)
    return found if isinstance(found, int) else None


def _macs(op: Convolution | TransposedConvolution | Product, x: Shape, w: Shape, y: Shape) -> Size:
    if isinstance(op, Convolution):
        return product(y) * (product(w) // _channels(w, op.w_layout, "O"))
    if isinstance(op, TransposedConvolution):
        return product(x) * (product(w) // _channels(w, op.w_layout, "I"))
    return product(y) * x[-2 if op.transpose_a else -1]


def _channels(w: Shape, layout: str, letter: str) -> Size:
    return w[layout.index(letter)] or 1


class Work(NamedTuple):
    """What an op computes.  macs: multiplications with additions of products.  flops: a multiplication and an addition
    count one each, and so does a function such as exp; moving data is nothing.  None where nobody counts it; sizes that
    are open stand in the numbers as symbols.  What regions do is told of the ops in them.
    """

    macs: Size | None
    flops: Size | None


def work_of(op: Op) -> Work:
    """Of one run of an op of core, with the shapes that it has."""
    shapes = [v.type.shape if isinstance(v.type, TensorType) else None for v in (*op.inputs, *op.results)]
    if not op.results or op.regions or has_trait(op, Plumbing):
        return Work(0, 0)
    if any(shape is None for shape in shapes):
        return Work(None, None)
    known = [shape for shape in shapes if shape is not None]
    y = product(known[len(op.inputs)])
    if isinstance(op, (Convolution, TransposedConvolution, Product)):
        macs = _macs(op, known[0], known[1], known[len(op.inputs)])
        return Work(macs, 2 * macs + (y if getattr(op, "bias", None) is not None else 0))
    if isinstance(op, Recurrent):
        steps = product(known[0][:2])
        macs = steps * (product(known[1]) + product(known[2]))
        return Work(macs, 2 * macs)
    if isinstance(op, _WINDOWS):
        return Work(0, y * math.prod(op.window))
    if isinstance(op, _READERS):
        return Work(0, product(known[0]) * _PASSES.get(type(op), 1))
    if has_trait(op, Elementwise) or isinstance(op, _MAKERS):
        return Work(0, y)
    return Work(0, 0) if isinstance(op, _MOVERS) else Work(None, None)


_WINDOWS = (core.MaxPool, AveragePooling)
_READERS = (*REDUCTIONS, AlongAxis, core.CumSum, core.CumProd, core.ArgMax, core.ArgMin, core.Lrn)
_PASSES: Mapping[type[Op], int] = {core.Softmax: 5, core.LogSoftmax: 5}
"""Of softmax: the largest, its subtraction, exp, the sum and the division (or logarithm), element by element."""
_MAKERS = (core.Quantize, core.Dequantize, core.FakeQuant, core.Requantize, core.QuantBinary)
_MOVERS = (
    core.Bitcast,
    core.ShapeOf,
    core.ExpandDims,
    core.Squeeze,
    core.Concat,
    core.Split,
    core.Slice,
    core.DynamicSlice,
    core.UpdateSlice,
    core.Pad,
    core.Tile,
    core.Reverse,
    core.ReverseSequence,
    core.Range,
    core.DepthToSpace,
    core.SpaceToDepth,
    core.SpaceToBatch,
    core.BatchToSpace,
    core.Gather,
    core.GatherElements,
    core.GatherNd,
    core.OneHot,
    core.ScatterNd,
    core.ScatterElements,
    core.ScatterFill,
    core.DefineSize,
    core.Lookup,
    core.ReadVariable,
    core.AssignVariable,
    core.Complex,
    core.Real,
    core.Imag,
    core.StorageCast,
    core.ToIntegers,
    core.FromIntegers,
    core.QuantTable,
)


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
