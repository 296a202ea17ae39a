"""Sparse tensors: indices [count, rank], values [count], shape [rank].  What unites or reduces them goes by way of a
dense tensor and a mask of what is there.

Source: tensorflow/core/ops/sparse_ops.cc, count_ops.cc, math_ops.cc and their kernels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dtype_of, folded, static_shape, tf_rules
from mlconv.legalize.from_tf.ragged import counted_rows, fill_rows, rows_of
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


def _shape(n: SourceNode, i: int) -> Value:
    return n.cast(folded(n, i), DType.I64)


def _strides(n: SourceNode, shape: Value) -> Value:
    return n.y(core.CumProd(shape, axis=0, exclusive=True, reverse=True))


def flat_places(n: SourceNode, indices: Value, shape: Value) -> Value:
    """Row-major places."""
    return n.sum(n.mul(indices, _strides(n, shape)), (1,))


def place_tuples(n: SourceNode, flat: Value, shape: Value) -> Value:
    """Row-major places as indices."""
    return n.y(core.FloorMod(n.y(core.FloorDiv(n.expand_dims(flat, 1), _strides(n, shape))), shape))


def first_size(n: SourceNode, x: Value) -> Value:
    """The size of the first axis, an int64 scalar."""
    size = n.dim(x, 0)
    return n.constant(size, DType.I64) if isinstance(size, int) else n.scalar(size)


def _sorted(n: SourceNode, keys: Value) -> Value:
    """The order of rising keys, equal ones as they are."""
    return n.emit(core.TopK(keys, first_size(n, keys), axis=0, largest=False)).indices


def _dense(n: SourceNode, indices: Value, values: Value, shape: Value) -> Value:
    return n.y(core.ScatterFill(indices, values, shape))


def _there(n: SourceNode, indices: Value, shape: Value) -> Value:
    """bool: where a tensor has values."""
    ones = n.y(core.BroadcastTo(n.constant(1, DType.I32), n.reshape(first_size(n, indices), [1])))
    return n.less(0, _dense(n, indices, ones, shape))


def _gathered(n: SourceNode, dense: Value, indices: Value) -> Value:
    return n.y(core.GatherNd(dense, indices))


@RULES.rule("SparseReshape")
def sparse_reshape(n: SourceNode) -> Sequence[Value]:
    """Operands: indices, shape, new shape (with one -1 at most).  Results: indices, shape."""
    indices, shape, wanted = n.operand(0), _shape(n, 1), _shape(n, 2)
    open_ = n.less(wanted, 0)
    known = n.y(core.ReduceProd(n.where(open_, 1, wanted), axes=(0,)))
    rest = n.y(core.FloorDiv(n.y(core.ReduceProd(shape, axes=(0,))), known))
    made = n.where(open_, rest, wanted)
    return [place_tuples(n, flat_places(n, indices, shape), made), made]


@RULES.rule("SparseReorder")
def sparse_reorder(n: SourceNode) -> Sequence[Value]:
    """Indices in row-major order, and their values."""
    indices, values, shape = n.operand(0), n.operand(1), _shape(n, 2)
    order = _sorted(n, flat_places(n, indices, shape))
    return [n.gather(indices, order), n.gather(values, order)]


@RULES.rule("SparseTensorDenseAdd")
def sparse_tensor_dense_add(n: SourceNode) -> Value:
    indices, values, _, dense = n.operands()
    return n.y(core.ScatterNd(dense, indices, values, reduction="add"))


@RULES.rule("SparseDenseCwiseAdd", "SparseDenseCwiseMul", "SparseDenseCwiseDiv")
def sparse_dense_cwise(n: SourceNode) -> Value:
    """Values with those of a dense tensor, which broadcasts, at their places."""
    indices, values, dense = n.operand(0), n.operand(1), n.operand(3)
    other = _gathered(n, n.y(core.BroadcastTo(dense, _shape(n, 2))), indices)
    return (
        n.add(values, other) if "Add" in n.kind else n.mul(values, other) if "Mul" in n.kind else n.div(values, other)
    )


def _reduced(n: SourceNode) -> tuple[Value, Value]:
    """Sums or largest numbers along axes, and whether there was any.  Operands: indices, values, shape, axes."""
    indices, values, shape = n.operand(0), n.operand(1), _shape(n, 2)
    rank = static_shape(indices, "the indices")[1]
    axes = tuple(sorted({a % rank for a in n.ints(3)}))
    keep = bool(n.attr("keep_dims", False))
    present = _there(n, indices, shape)
    dense = _dense(n, indices, values, shape)
    found = n.y(core.ReduceAny(present, axes=axes, keepdims=keep))
    if "Sum" in n.kind:
        return n.sum(dense, axes, keepdims=keep), found
    least = -math.inf if values.tensor.dtype.is_float else -(2 ** (values.tensor.dtype.bits - 1))
    largest = n.max(n.where(present, dense, least), axes, keepdims=keep)
    return n.where(found, largest, 0), found


@RULES.rule("SparseReduceSum", "SparseReduceMax")
def sparse_reduce(n: SourceNode) -> Value:
    return _reduced(n)[0]


@RULES.rule("SparseReduceSumSparse", "SparseReduceMaxSparse")
def sparse_reduce_sparse(n: SourceNode) -> Sequence[Value]:
    total, found = _reduced(n)
    return _as_sparse(n, total, found)


def _as_sparse(n: SourceNode, dense: Value, present: Value) -> list[Value]:
    """Indices, values, shape of what is there, in row-major order."""
    indices = n.y(core.NonZero(present))
    return [indices, _gathered(n, dense, indices), n.y(core.ShapeOf(dense))]


@RULES.rule("SparseAdd")
def sparse_add(n: SourceNode) -> Sequence[Value]:
    """Operands: indices, values, shape of both; a threshold below which the sum of two values is dropped."""
    parts = [(n.operand(i), n.operand(i + 1), _shape(n, i + 2)) for i in (0, 3)]
    total = n.add(*(_dense(n, *part) for part in parts))
    first, second = (_there(n, indices, shape) for indices, _, shape in parts)
    small = n.less(n.y(core.Abs(total)), n.cast(n.scalar(n.operand(6)), total.tensor.dtype))
    dropped = n.logical_and(n.logical_and(first, second), small)
    return _as_sparse(n, total, n.logical_and(n.logical_or(first, second), n.logical_not(dropped)))


@RULES.rule("SparseSparseMaximum", "SparseSparseMinimum")
def sparse_sparse(n: SourceNode) -> Sequence[Value]:
    """What one tensor lacks is 0."""
    parts = [(n.operand(i), n.operand(i + 1), _shape(n, i + 2)) for i in (0, 3)]
    first, second = (_dense(n, *part) for part in parts)
    best = n.maximum(first, second) if "Max" in n.kind else n.minimum(first, second)
    present = n.logical_or(*(_there(n, indices, shape) for indices, _, shape in parts))
    return _as_sparse(n, best, present)[:2]


@RULES.rule("SparseSoftmax")
def sparse_softmax(n: SourceNode) -> Value:
    """Along the last axis, over the values that are there."""
    indices, values, shape = n.operand(0), n.operand(1), _shape(n, 2)
    dense = n.where(_there(n, indices, shape), _dense(n, indices, values, shape), -math.inf)
    last = static_shape(indices, "the indices")[1] - 1
    top = n.max(dense, (last,), keepdims=True)
    powers = n.exp(n.sub(dense, n.where(n.equal(top, -math.inf), 0.0, top)))
    total = n.sum(powers, (last,), keepdims=True)
    return n.div(_gathered(n, powers, indices), _gathered(n, n.y(core.BroadcastTo(total, shape)), indices))


def _sliced(n: SourceNode, indices: Value, values: Value, begin: Value, size: Value) -> tuple[Value, Value]:
    """The part from `begin` on, with indices of its own."""
    moved = n.sub(indices, begin)
    inside = n.y(core.ReduceAll(n.logical_and(n.less_equal(0, moved), n.less(moved, size)), axes=(1,)))
    chosen = n.squeeze(n.y(core.NonZero(inside)), 1)
    return n.gather(moved, chosen), n.gather(values, chosen)


@RULES.rule("SparseSlice")
def sparse_slice(n: SourceNode) -> Sequence[Value]:
    """Operands: indices, values, shape, begin, size.  Results: those of the part."""
    shape, begin, size = (_shape(n, i) for i in (2, 3, 4))
    size = n.maximum(n.minimum(size, n.sub(shape, begin)), 0)
    return [*_sliced(n, n.operand(0), n.operand(1), begin, size), size]


@RULES.rule("SparseSplit")
def sparse_split(n: SourceNode) -> Sequence[Value]:
    """Operands: axis, indices, values, shape.  The first parts are one larger where the size is no multiple."""
    axis, count, shape = n.ints(0)[0], n.attr("num_split"), _shape(n, 3)
    rank = static_shape(n.operand(1), "the indices")[1]
    whole = n.gather(shape, axis % rank)
    along = n.constant([int(i == axis % rank) for i in range(rank)], DType.I64)
    parts: list[tuple[Value, Value, Value]] = []
    share = n.y(core.FloorDiv(whole, n.constant(count, DType.I64)))
    rest = n.y(core.FloorMod(whole, n.constant(count, DType.I64)))
    for i in range(count):
        begin = n.add(n.mul(share, i), n.minimum(rest, i))
        length = n.add(share, n.cast(n.less(i, rest), DType.I64))
        size = n.where(n.equal(along, 1), length, shape)
        parts.append((*_sliced(n, n.operand(1), n.operand(2), n.mul(along, begin), size), size))
    return [part[k] for k in range(3) for part in parts]


@RULES.rule("SparseConcat")
def sparse_concat(n: SourceNode) -> Sequence[Value]:
    """Operands: indices of all, values of all, shapes of all.  Results in row-major order."""
    count = n.attr("N")
    rank = static_shape(n.operand(0), "the indices")[1]
    axis = n.attr("concat_dim") % rank
    along = n.constant([int(i == axis) for i in range(rank)], DType.I64)
    offset: Value = n.constant(0, DType.I64)
    moved: list[Value] = []
    for i in range(count):
        moved.append(n.add(n.operand(i), n.mul(along, offset)))
        offset = n.add(offset, n.gather(_shape(n, 2 * count + i), axis))
    indices, values = n.concat(moved, 0), n.concat([n.operand(count + i) for i in range(count)], 0)
    shape = n.where(n.equal(along, 1), offset, _shape(n, 2 * count))
    order = _sorted(n, flat_places(n, indices, shape))
    return [n.gather(indices, order), n.gather(values, order), shape]


@RULES.rule("SparseFillEmptyRows")
def sparse_fill_empty_rows(n: SourceNode) -> Sequence[Value]:
    """Operands: indices, values, shape, default value.  Results: indices and values with one for each empty row, which
    rows were empty, where each value went.
    """
    indices, values, default = n.operand(0), n.operand(1), n.operand(3)
    rows = n.gather(_shape(n, 2), 0)
    order, keys, empty, moved = fill_rows(n, n.gather(indices, 0, axis=1), rows)
    rank = static_shape(indices, "the indices")[1]
    added = n.expand_dims(n.slice_axis(keys, 0, n.dim(indices, 0), None), 1)
    more = n.concat([added, *[n.mul(added, 0)] * (rank - 1)], 1)
    filled = n.concat([values, n.y(core.BroadcastTo(default, n.reshape(first_size(n, more), [1])))], 0)
    return [n.gather(n.concat([indices, more], 0), order), n.gather(filled, order), empty, moved]


@RULES.rule("SparseBincount")
def sparse_bincount(n: SourceNode) -> Value:
    """Operands: indices, values, shape, size, weights (empty: ones).  A matrix is counted row by row."""
    indices, values, shape, size, weights = n.operands()
    rank = static_shape(indices, "the indices")[1]
    if rank == 1:
        row, rows = n.mul(n.gather(indices, 0, axis=1), 0), n.constant(1, DType.I64)
    else:
        row, rows = n.gather(indices, 0, axis=1), n.gather(n.cast(shape, DType.I64), 0)
    total = counted_rows(n, row, rows, values, n.scalar(size), weights)
    return n.squeeze(total, 0) if rank == 1 else total


@RULES.rule("DenseCountSparseOutput", "SparseCountSparseOutput", "RaggedCountSparseOutput")
def count_sparse_output(n: SourceNode) -> Sequence[Value]:
    """How often each value stands in each row, as a sparse tensor of what is there.  `maxlength` drops larger values;
    the width is the largest value and one, at least `minlength`, or `maxlength`.
    """
    row, rows, values, weights = _counted(n)
    least, most = n.attr("minlength", -1), n.attr("maxlength", -1)
    flat = n.cast(values, DType.I64)
    wide = n.concat([n.constant([-1], DType.I64), flat], 0)
    size = n.add(n.max(wide, (0,)), 1)
    size = n.maximum(size, least) if least > 0 else size
    size = n.constant(most, DType.I64) if most > 0 else size
    dtype = dtype_of(n, "output_type", weights.tensor.dtype)
    total = counted_rows(n, row, rows, flat, size, weights)
    hits = counted_rows(n, row, rows, flat, size, n.constant([], DType.F32)) if weights.tensor.size != 0 else total
    found = n.less(0, hits)
    indices = n.y(core.NonZero(found))
    counts = _gathered(n, n.cast(total, dtype), indices)
    vector = n.kind == "DenseCountSparseOutput" and n.rank(n.operand(0)) == 1
    vector = vector or (n.kind == "SparseCountSparseOutput" and static_shape(n.operand(0), "the indices")[1] == 1)
    shape = n.stack([size]) if vector else n.stack([rows, size])
    return [n.slice_axis(indices, 1, 1, None) if vector else indices, counts, shape]


def _counted(n: SourceNode) -> tuple[Value, Value, Value, Value]:
    """The row of each value, how many rows there are, values and weights, flat."""
    if n.kind == "SparseCountSparseOutput":
        indices, values, shape, weights = n.operands()
        if static_shape(indices, "the indices")[1] == 1:
            return n.mul(n.gather(indices, 0, axis=1), 0), n.constant(1, DType.I64), values, weights
        return n.gather(indices, 0, axis=1), n.gather(shape, 0), values, weights
    if n.kind == "RaggedCountSparseOutput":
        splits, values, weights = n.operands()
        rows = n.sub(first_size(n, splits), 1)
        return rows_of(n, splits, n.arange(first_size(n, values))), rows, values, weights
    values, weights = n.operands()
    values = values if n.rank(values) == 2 else n.expand_dims(values, 0)
    rows = first_size(n, values)
    numbers = n.reshape(n.arange(n.dim(values, 0)), [-1, 1])
    row = n.reshape(n.y(core.BroadcastTo(numbers, n.y(core.ShapeOf(values)))), [-1])
    flat = weights if weights.tensor.size == 0 else n.reshape(weights, [-1])
    return row, rows, n.reshape(values, [-1]), flat
