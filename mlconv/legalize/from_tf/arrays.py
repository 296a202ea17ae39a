"""Ops over rows and indices that are few core ops.  Source: tensorflow/core/ops/array_ops.cc, nn_ops.cc, math_ops.cc,
clustering_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dtype_of, tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()
_INPLACE: Final = {"InplaceUpdate": "none", "InplaceAdd": "add", "InplaceSub": "sub"}


@RULES.rule(*_INPLACE)
def inplace(n: SourceNode) -> Value:
    """Rows replaced, or added to.  Operands: x, numbers of rows, new rows."""
    x, rows, values = n.operands()
    return n.y(core.ScatterNd(x, n.expand_dims(rows, 1), values, reduction=_INPLACE[n.kind]))


@RULES.rule("ScatterNdNonAliasingAdd")
def scatter_nd_non_aliasing_add(n: SourceNode) -> Value:
    x, indices, updates = n.operands()
    return n.y(core.ScatterNd(x, indices, updates, reduction="add"))


@RULES.rule("NthElement")
def nth_element(n: SourceNode) -> Value:
    """The number that would stand in place n of each sorted row."""
    x, place = n.operand(0), n.scalar(n.operand(1))
    last = n.rank(x) - 1
    largest = bool(n.attr("reverse", False))
    found = n.emit(core.TopK(x, n.add(place, 1), axis=last, largest=largest))
    return n.gather(found.values, place, axis=last)


@RULES.rule("ApproxTopK")
def approx_top_k(n: SourceNode) -> Sequence[Value]:
    """All of the k best are found, which the op allows."""
    axis = n.axis(n.attr("reduction_dimension", -1), n.rank(n.operand(0)))
    k = n.constant(n.attr("k"), DType.I32)
    largest = bool(n.attr("is_max_k", True))
    found = n.emit(core.TopK(n.operand(0), k, axis=axis, largest=largest, index_dtype=DType.I32))
    return [found.values, found.indices]


@RULES.rule("UnravelIndex")
def unravel_index(n: SourceNode) -> Value:
    """Operands: flat indices, sizes.  Result: [rank, ...] coordinates."""
    indices, sizes = n.operands()
    strides = n.y(core.CumProd(sizes, axis=0, exclusive=True, reverse=True))
    ones = [1] * n.rank(indices)
    strides, sizes = (n.reshape(v, [-1, *ones]) for v in (strides, sizes))
    return n.y(core.FloorMod(n.y(core.FloorDiv(n.expand_dims(indices, 0), strides)), sizes))


@RULES.rule("ToBool")
def to_bool(n: SourceNode) -> Value:
    """A scalar that is not 0; another tensor that is not empty."""
    x = n.operand(0)
    if n.rank(x) == 0:
        return x if x.tensor.dtype is DType.BOOL else n.y(core.NotEqual(x, n.asarray(0, x)))
    return n.less(0, n.y(core.ReduceProd(n.shape_of(x), axes=(0,))))


def _places(n: SourceNode) -> list[int]:
    """For each axis of the old layout its place in the new one."""
    old, new = n.attr("src_format", "NHWC"), n.attr("dst_format", "NCHW")
    old, new = (f.decode() if isinstance(f, bytes) else f for f in (old, new))
    if sorted(old) != sorted(new):
        raise n.unsupported(f"formats {old} and {new}")
    return [new.index(axis) for axis in old]


@RULES.rule("DataFormatDimMap")
def data_format_dim_map(n: SourceNode) -> Value:
    """Axes of one layout, negative ones from the end, as those of another."""
    x, table = n.operand(0), _places(n)
    bounded = n.y(core.FloorMod(x, n.constant(len(table), x.tensor.dtype)))
    return n.gather(n.constant(np.asarray(table), x.tensor.dtype), bounded)


@RULES.rule("DataFormatVecPermute")
def data_format_vec_permute(n: SourceNode) -> Value:
    """What a layout has for each axis, or for each axis between batch and channels, in the order of another."""
    x, table = n.operand(0), _places(n)
    size = n.dim(x, 0)
    order = np.argsort(table)
    if size != len(table):
        old = n.attr("src_format", "NHWC")
        old = old.decode() if isinstance(old, bytes) else old
        inner = [i for i, axis in enumerate(old) if axis not in "NC"]
        order = np.asarray([inner.index(i) for i in order if i in inner])
    return n.gather(x, n.constant(order, DType.I64))


@RULES.rule("NearestNeighbors")
def nearest_neighbors(n: SourceNode) -> Sequence[Value]:
    """Operands: points [n, d], centers [m, d], how many.  Results: numbers of the nearest centers, and the squares of
    their distances.
    """
    points, centers, count = n.operands()
    apart = n.sub(n.expand_dims(points, 1), n.expand_dims(centers, 0))
    squares = n.sum(n.mul(apart, apart), (2,))
    limit = n.scalar(n.stack([n.dim(centers, 0)]))
    found = n.emit(core.TopK(squares, n.minimum(n.cast(n.scalar(count), DType.I64), limit), axis=1, largest=False))
    return [found.indices, found.values]


@RULES.rule("IsotonicRegression")
def isotonic_regression(n: SourceNode) -> Sequence[Value]:
    """Rows that fall and are nearest to the given ones, and which elements are one block.  An element is the least,
    over where a block begins, of the largest mean over where it ends (Barlow and Brunk, 1972).
    """
    x = n.operand(0)
    dtype = dtype_of(n, "output_dtype", x.tensor.dtype)
    wide = n.cast(x, dtype)
    last = n.rank(x) - 1
    sums = n.y(core.CumSum(wide, axis=last))
    before = n.expand_dims(n.sub(sums, wide), last + 1)
    size = n.dim(x, last)
    i, j = n.expand_dims(n.cast(n.arange(size), DType.I32), 1), n.cast(n.arange(size), DType.I32)
    count = n.cast(n.add(n.sub(j, i), 1), dtype)
    ordered = n.less_equal(i, j)
    mean = n.div(n.sub(n.expand_dims(sums, last), before), n.where(ordered, count, 1))
    mean = n.where(ordered, mean, -np.inf)
    # of blocks that begin at i and end at k or later, the largest mean; then the least of those that begin up to k
    later = n.less_equal(n.reshape(j, [-1, 1, 1]), n.reshape(j, [1, 1, -1]))
    ends = n.max(n.where(later, n.expand_dims(mean, last), -np.inf), (last + 2,))  # [..., k, i]
    begun = n.less_equal(n.reshape(j, [1, -1]), n.reshape(j, [-1, 1]))
    y = n.y(core.ReduceMin(n.where(begun, ends, np.inf), axes=(last + 1,)))
    changed = n.y(core.NotEqual(n.slice_axis(y, last, 1, None), n.slice_axis(y, last, None, -1)))
    pads = [(0, 0)] * last + [(1, 0)]
    return [y, n.y(core.CumSum(n.pad(n.cast(changed, DType.I32), pads), axis=last))]
