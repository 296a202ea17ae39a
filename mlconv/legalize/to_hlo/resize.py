"""Resampling: rows by constant indices for nearest modes, else weighted sums of the elements that a result reads, by a
matrix where they are many.
"""

from __future__ import annotations

from functools import reduce

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.resize import MAX_SIZE
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.types import TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.legalize.to_hlo.dynamic_sizes.places import number, rows
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import is_dynamic
from mlconv.rewrite import Rules

RULES = Rules()

_MOST_TAPS = 16
"""Above so many elements for each result, a product with a matrix is less work."""


@RULES.rule(core.Resize)
def resize(op: core.Resize, e: HloBuilder) -> Value:
    """Axis by axis, as the op's `eval`."""
    dtype, out = op.x.tensor.dtype, dims(op.y)
    wide = DType.F64 if dtype is DType.F64 or (dtype.is_int and dtype.bits >= 32) else DType.F32
    y = op.x if op.mode == "nearest" else e.convert(op.x, wide)
    if is_dynamic(e.sizes.of(op.x)):
        e.sizes.shapes[y] = e.sizes.of(op.x)
    cropped = op.coordinates == "tf_crop_and_resize"
    outside = np.zeros([1] * len(out), bool)
    for i, axis in enumerate(op.axes):
        n, m = dims(op.x)[axis], out[axis]
        if op.keeps(i, n, m) and op.keeps(i, e.sizes.of(op.x)[axis], e.sizes.of(op.y)[axis]):
            continue
        if isinstance(e.sizes.of(op.x)[axis], Dim):
            y = _at_run_time(op, e, y, i)
            continue
        spots = op.positions(i, n, m)
        if op.mode == "nearest":
            y = e.take(y, op.nearest(spots, n), axis)
        else:
            elements, weights = op.taps(i, n, m)
            few = elements.shape[1] <= _MOST_TAPS
            y = (
                _elements(e, y, elements, weights, axis)
                if few
                else _product(e, y, e.constant(op.weights(i, n, m), wide), axis)
            )
        if cropped:
            outside = outside | ((spots < 0) | (spots > n - 1)).reshape(
                [-1 if a == axis else 1 for a in range(len(out))]
            )
    if outside.any():
        y = e.select(e.constant(outside, DType.BOOL), e.scalar(op.extrapolation, y.tensor.dtype), y)
    if dtype.is_int and op.mode != "nearest":
        y = e.unary("round-nearest-even", y)
    return e.convert(y, dtype)


def _at_run_time(op: core.Resize, e: HloBuilder, x: Value, i: int) -> Value:
    """Along an axis whose size has a range: places are those of the largest size, the last element is that of the
    run.
    """
    axis = op.axes[i]
    n, m = dims(op.x)[axis], dims(op.y)[axis]
    check_table((m,), "the places of a resize")
    size, shape = e.sizes.of(op.x)[axis], with_size(e.sizes.of(x), axis, e.sizes.of(op.y)[axis])
    last = e.binary("subtract", number(e, size), e.scalar(1, DType.I32))

    def taken(elements: Array) -> Value:
        places = e.constant(elements.astype(np.int32), DType.I32)
        return rows(e, x, e.binary("minimum", places, last), axis, shape)

    if op.mode == "nearest":
        return taken(op.nearest(op.positions(i, n, m), MAX_SIZE))
    elements, weights = op.taps(i, n, m)
    lie = [-1 if a == axis else 1 for a in range(len(dims(x)))]
    terms = [
        e.binary("multiply", taken(elements[:, k]), e.constant(weights[:, k].reshape(lie), x.tensor.dtype))
        for k in range(elements.shape[1])
    ]
    y = reduce(lambda a, b: e.binary("add", a, b), terms)
    e.sizes.state(y, shape)
    return y


def _elements(e: HloBuilder, x: Value, elements: Array, weights: Array, axis: int) -> Value:
    """The sum over k of the elements [m, k] of `axis` times their weights [m, k]."""
    shape = [-1 if i == axis else 1 for i in range(len(dims(x)))]
    terms = [
        e.binary("multiply", e.take(x, elements[:, k], axis), e.constant(weights[:, k].reshape(shape), x.tensor.dtype))
        for k in range(elements.shape[1])
    ]
    return reduce(lambda a, b: e.binary("add", a, b), terms)


def _product(e: HloBuilder, x: Value, weights: Value, axis: int) -> Value:
    """weights [m, n] times `axis` of x."""
    shape = dims(x)
    rest = [i for i in range(len(shape)) if i != axis]
    type_ = TensorType(x.tensor.dtype, (*(shape[i] for i in rest), dims(weights)[0]))
    y = e.one("dot", [x, weights], type_, lhs_contracting=(axis,), rhs_contracting=(1,), lhs_batch=(), rhs_batch=())
    order = [*rest, axis]
    return e.transpose(y, [order.index(i) for i in range(len(shape))])
