"""Distinct elements and slices.

UNIQUE takes a vector and gives its distinct values in order of first occurrence, and the inverse; everything else
follows from these.  Slices along an axis are compared all with all, so that their number must be known and small.
Source: kernels/unique.cc, unsorted_segment.cc.
"""

from __future__ import annotations

import math

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.index import flip_order
from mlconv.rewrite import Rules

RULES = Rules()

MAX_COMPARISONS = 1 << 24  # elements of the comparison of all slices with all


@RULES.rule(core.Unique)
def unique(op: core.Unique, e: TflBuilder) -> list[Value]:
    """Of all elements, or of slices along an axis."""
    if op.axis is not None and len(shape_of(op.x)) != 1:
        return _slices(op, e)
    x = (
        op.x
        if op.x.tensor.rank == 1
        else e.one("RESHAPE", [op.x, e.ints([-1])], op.x.tensor.with_shape((product(shape_of(op.x)),)), new_shape=(-1,))
    )
    n, whole = op.y.tensor.shape, shape_of(x)[0]
    y, inverse = e.tfl("UNIQUE", [x], [x.tensor.with_shape(n), TensorType(DType.I32, (whole,))], idx_out_type="INT32")
    count = _length(e, y)
    if op.sorted:
        _, order = e.tfl("TOPK_V2", [flip_order(e, y), count], [y.tensor, TensorType(DType.I32, n)])
        y = e.one("GATHER", [y, order], y.type, axis=0)
        inverse = e.one("GATHER", [_inverse_permutation(e, order, count), inverse], inverse.type, axis=0)
    return [y, *_facts(op, e, x, inverse, count, whole)]


def _length(e: TflBuilder, x: Value) -> Value:
    """The size of a vector, an int32 scalar."""
    shape = e.one("SHAPE", [x], TensorType(DType.I32, (1,)), out_type="INT32")
    return e.reshape(shape, ())


def _facts(op: core.Unique, e: TflBuilder, source: Value, inverse: Value, count: Value, whole: Size) -> list[Value]:
    """First index, inverse and count of each distinct value, from the inverse."""
    type_ = TensorType(DType.I32, op.count.tensor.shape)
    ones = e.broadcast_to(e.i(1), (whole,), source, inverse)
    number = e.one("UNSORTED_SEGMENT_SUM", [ones, inverse, count], type_)
    limit = e.reshape(e.size(whole, source, inverse), ())
    ramp = e.ints(range(whole)) if isinstance(whole, int) else e.y(core.Range(e.i(0), limit, e.i(1)))
    first = e.one("UNSORTED_SEGMENT_MIN", [ramp, inverse, count], type_)
    return [e.cast(v, op.index_dtype) for v in (first, inverse, number)]


def _inverse_permutation(e: TflBuilder, order: Value, count: Value) -> Value:
    """p with p[order[i]] = i."""
    ramp = e.one("RANGE", [e.i(0), count, e.i(1)], order.type)
    column = e.one("EXPAND_DIMS", [order, e.i(1)], TensorType(DType.I32, (*(order.tensor.shape or ()), 1)))
    return e.one("SCATTER_ND", [column, ramp, e.reshape(count, (1,))], order.type)


def _slices(op: core.Unique, e: TflBuilder) -> list[Value]:
    """Each slice is a row; rows are numbered by the first one that they equal, and ordered by counting the rows below
    them.
    """
    shape = static(shape_of(op.x)) or ()
    axis = (op.axis or 0) % len(shape_of(op.x))
    perm = [axis, *(i for i in range(len(shape)) if i != axis)]
    n, k = (shape[axis], math.prod(d for i, d in enumerate(shape) if i != axis)) if shape else (0, 0)
    if not shape or n * n * k > MAX_COMPARISONS:
        raise refuse(
            f"distinct slices along axis {axis} of {op.x.tensor}: all are "
            f"compared with all, which needs known sizes and less of them"
        )
    rows = e.reshape(e.transpose(op.x, perm), (n, k))
    left, right = e.reshape(rows, (n, 1, k)), e.reshape(rows, (1, n, k))
    equal = e.y(core.Equal(left, right))
    same = e.cast(e.y(core.ReduceAll(equal, axes=(2,))), DType.I32)
    first = e.y(core.ArgMax(same, axis=1, dtype=DType.I32))
    c = op.count.tensor.shape or (Dim.unknown(),)
    chosen, inverse = e.tfl(
        "UNIQUE", [first], [TensorType(DType.I32, c), TensorType(DType.I32, (n,))], idx_out_type="INT32"
    )
    count = _length(e, chosen)
    if op.sorted:
        below = _below(e, left, right, equal)
        for picked in (0, 1):
            sizes = (c[0], n) if picked == 0 else (c[0], c[0])
            below = e.one("GATHER", [below, chosen], TensorType(DType.I32, sizes), axis=picked)
        place = e.one("SUM", [below, e.ints([0])], TensorType(DType.I32, c), keep_dims=False)
        chosen = e.one("GATHER", [chosen, _inverse_permutation(e, place, count)], chosen.type, axis=0)
        inverse = e.one("GATHER", [place, inverse], inverse.type, axis=0)
    y = e.one("GATHER", [rows, chosen], rows.tensor.with_shape((c[0], k)), axis=0)
    back = e.one(
        "RESHAPE",
        [y, e.ints([-1, *(shape[i] for i in perm[1:])])],
        y.tensor.with_shape((c[0], *(shape[i] for i in perm[1:]))),
    )
    return [e.transpose(back, [perm.index(i) for i in range(len(shape))]), *_facts(op, e, rows, inverse, count, n)]


def _below(e: TflBuilder, left: Value, right: Value, equal: Value) -> Value:
    """int32 [n, n]: 1 where row i comes before row j in lexicographic order."""
    differs = e.cast(e.y(core.LogicalNot(equal)), DType.I32)
    earlier = e.y(core.CumSum(differs, axis=2, exclusive=True))
    decides = e.y(core.And(e.y(core.Less(left, right)), e.y(core.Equal(earlier, e.i(0)))))
    return e.cast(e.y(core.ReduceAny(decides, axes=(2,))), DType.I32)
