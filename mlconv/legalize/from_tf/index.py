"""Gathering, scattering, searching.  Source: tensorflow/core/ops/array_ops.cc, nn_ops.cc, math_ops.cc, sparse_ops.cc,
data_flow_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.base import normalize_axis
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import (
    ALL_OPEN,
    axis_of,
    dim_value,
    dtype_of,
    folded,
    rank_of,
    reshape,
    shape_of,
    static_shape,
    tf_rules,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode
from mlconv.rewrite import constant_array

RULES: Final = tf_rules()
_LARGEST_BFLOAT16: Final = float.fromhex("0x1.fep127")
_INDEX: Final = (DType.I32, DType.I64)


def indices_of(n: SourceNode, value: Value) -> Value:
    """int16 indices are widened.  Raises ConversionError ShapeMismatch for constant ones below 0: they do not count
    from the end.
    """
    known = constant_array(value)
    if known is not None and known.size and known.dtype.kind in "iu" and int(known.min()) < 0:
        raise ConversionError(
            Code.ShapeMismatch, f"{n.kind}: index {int(known.min())} is out of bounds, TensorFlow counts from 0"
        )
    return value if value.tensor.dtype in _INDEX else n.cast(value, DType.I32)


@RULES.rule("Gather", "GatherV2", "ResourceGather")
def gather(n: SourceNode) -> Value:
    """Operands: x, indices, and in V2 the axis."""
    x, indices = n.operand(0), indices_of(n, n.operand(1))
    axis = axis_of(n, 2, rank_of(x, "the gathered tensor")) if n.has(2) else 0
    batch = n.attr("batch_dims", 0)
    batch += rank_of(indices) if batch < 0 else 0
    return n.emit(core.Gather(x, indices, axis=axis, batch_dims=batch, from_start=True)).y


@RULES.rule("GatherNd")
def gather_nd(n: SourceNode) -> Value:
    return n.emit(core.GatherNd(n.operand(0), indices_of(n, n.operand(1)), from_start=True)).y


@RULES.rule("ScatterNd")
def scatter_nd(n: SourceNode) -> Value:
    """Operands: indices, updates, shape; duplicates are added."""
    return n.emit(core.ScatterFill(indices_of(n, n.operand(0)), n.operand(1), folded(n, 2))).y


_KINDS: Final = {"Update": "none", "Add": "add", "Sub": "sub", "Mul": "mul", "Min": "min", "Max": "max"}
_SCATTER: Final = {f"TensorScatter{kind}": _KINDS[kind] for kind in ("Update", "Add", "Sub", "Max", "Min")}


@RULES.rule(*_SCATTER)
def tensor_scatter(n: SourceNode) -> Value:
    x, indices, updates = n.operands()
    return n.emit(core.ScatterNd(x, indices_of(n, indices), updates, reduction=_SCATTER[n.kind], from_start=True)).y


_SCATTER_ROWS: Final = {f"ResourceScatter{kind}": reduction for kind, reduction in _KINDS.items()}
_SCATTER_TUPLES: Final = {f"ResourceScatterNd{kind}": _KINDS[kind] for kind in ("Update", "Add", "Sub", "Min", "Max")}


@RULES.rule(*_SCATTER_ROWS)
def scatter_rows(n: SourceNode) -> Value:
    """The next value of a variable.  Operands: its present value, rows, updates: a scalar, or indices + value[1:]."""
    x, indices, updates = n.operands()
    places = indices_of(n, indices)
    if rank_of(updates) == 0 and rank_of(x) + rank_of(indices) > 1:
        rows = n.emit(core.Gather(x, places, axis=0)).y
        updates = n.emit(core.BroadcastTo(updates, n.emit(core.ShapeOf(rows)).y)).y
    tuples, reduction = n.expand_dims(places, rank_of(places)), _SCATTER_ROWS[n.kind]
    return n.emit(core.ScatterNd(x, tuples, updates, reduction=reduction, from_start=True)).y


@RULES.rule(*_SCATTER_TUPLES)
def scatter_tuples(n: SourceNode) -> Value:
    """The next value of a variable.  Operands: its present value, index tuples, updates."""
    x, indices, updates = n.operands()
    tuples, reduction = indices_of(n, indices), _SCATTER_TUPLES[n.kind]
    return n.emit(core.ScatterNd(x, tuples, updates, reduction=reduction, from_start=True)).y


@RULES.rule("OneHot")
def one_hot(n: SourceNode) -> Value:
    indices, depth, on, off = n.operands()
    axis = n.attr("axis")
    wide = n.cast(indices, DType.I32) if indices.tensor.dtype not in _INDEX else indices
    return n.emit(core.OneHot(wide, n.scalar(depth), n.scalar(on), n.scalar(off), axis=axis)).y


@RULES.rule("Where")
def where(n: SourceNode) -> Value:
    return n.emit(core.NonZero(n.operand(0))).y


@RULES.rule("Unique", "UniqueWithCounts")
def unique(n: SourceNode) -> Sequence[Value]:
    """Values in order of first occurrence, and for each element the number of its value."""
    found = n.emit(core.Unique(n.operand(0), sorted=False, index_dtype=dtype_of(n, "out_idx")))
    return [found.y, found.inverse, found.count][: n.n_results]


@RULES.rule("UniqueV2", "UniqueWithCountsV2")
def unique_v2(n: SourceNode) -> Sequence[Value]:
    """Operand 1 is the axis, empty for a rank-1 input."""
    x = n.operand(0)
    listed = n.ints(1)
    axis = normalize_axis(listed[0], rank_of(x)) if listed and rank_of(x) != 1 else None
    found = n.emit(core.Unique(x, axis=axis, sorted=False, index_dtype=dtype_of(n, "out_idx")))
    return [found.y, found.inverse, found.count][: n.n_results]


@RULES.rule("TopK", "TopKV2")
def top_k(n: SourceNode) -> Sequence[Value]:
    """Along the last axis; always sorted, which the op allows."""
    k = n.scalar(n.operand(1)) if n.has(1) else n.constant(n.attr("k"), DType.I32)
    fixed = constant_array(k)
    if fixed is not None:  # an int16 k (attribute Tk) is a size as well
        k = n.constant(int(fixed), DType.I32)
    dtype = dtype_of(n, "index_type", DType.I32)
    wide = dtype if dtype in _INDEX else DType.I32
    found = n.emit(core.TopK(n.operand(0), k, axis=rank_of(n.operand(0)) - 1, index_dtype=wide))
    return [found.values, n.cast(found.indices, dtype)]


@RULES.rule("SparseToDense")
def sparse_to_dense(n: SourceNode) -> Value:
    """Operands: indices (scalar, [count] or [count, rank]), shape, values (scalar or [count]), default value."""
    indices, shape, values, default = n.operands()
    indices = indices_of(n, indices)
    if rank_of(indices) == 0:
        indices = n.emit(core.Reshape(indices, n.vector([1, 1]))).y
    elif rank_of(indices) == 1:
        indices = n.expand_dims(indices, 1)
    if rank_of(values) == 0:
        count = n.emit(core.DynamicSlice(n.emit(core.ShapeOf(indices)).y, n.vector([0]), n.vector([1]))).y
        values = n.emit(core.BroadcastTo(values, count)).y
    dense = n.emit(core.BroadcastTo(n.scalar(default), shape)).y
    return n.emit(core.ScatterNd(dense, indices, values)).y


@RULES.rule("Bucketize")
def bucketize(n: SourceNode) -> Value:
    """How many boundaries are not above each element: int32.  NaN is behind all, as nothing is above it."""
    boundaries = n.attr("boundaries")
    x = n.operand(0)
    wide = x if x.tensor.dtype.is_float else n.cast(x, DType.F32)
    below = n.emit(
        core.Less(n.expand_dims(wide, rank_of(x)), n.constant(np.asarray(boundaries, np.float32), wide.tensor.dtype))
    ).y
    return n.emit(core.ReduceSum(n.cast(n.emit(core.LogicalNot(below)).y, DType.I32), axes=(rank_of(x),))).y


@RULES.rule("LowerBound", "UpperBound")
def search_sorted(n: SourceNode) -> Value:
    """Operands: sorted rows [batch, n], values [batch, m]; the position at which each value would be inserted."""
    rows, values = n.expand_dims(n.operand(0), 1), n.expand_dims(n.operand(1), 2)
    if n.kind == "LowerBound":
        before = n.emit(core.Less(rows, values)).y
    else:  # NaN comes behind all
        before = n.emit(core.LogicalNot(n.emit(core.Less(values, rows)).y)).y
    below = n.cast(before, dtype_of(n, "out_type"))
    return n.emit(core.ReduceSum(below, axes=(2,))).y


@RULES.rule("InTopK", "InTopKV2")
def in_top_k(n: SourceNode) -> Value:
    """True where fewer than k predictions are larger than the target's, all are finite and the target is a class.
    Source: in_topk_op.h.
    """
    predictions, targets = n.operand(0), n.operand(1)
    k = n.attr("k") if n.kind == "InTopK" else n.ints(2)[0]
    classes = n.cast(dim_value(n, predictions, 1), targets.tensor.dtype)
    last = n.sub(classes, n.asarray(1, targets))
    bounded = n.emit(core.Maximum(n.emit(core.Minimum(targets, last)).y, n.asarray(0, targets))).y
    chosen = n.emit(core.Gather(predictions, n.expand_dims(bounded, 1), axis=1, batch_dims=1)).y
    larger = n.cast(n.emit(core.Greater(predictions, chosen)).y, DType.I32)
    fewer = n.emit(core.Less(n.emit(core.ReduceSum(larger, axes=(1,))).y, n.constant(k, DType.I32))).y
    finite = n.emit(core.ReduceAll(n.emit(core.IsFinite(predictions)).y, axes=(1,))).y
    return n.emit(core.And(n.emit(core.And(fewer, finite)).y, n.emit(core.Equal(targets, bounded)).y)).y


_SORTED: Final = {
    "SegmentSum": "add",
    "SegmentMean": "mean",
    "SegmentProd": "mul",
    "SegmentMax": "max",
    "SegmentMin": "min",
}
_UNSORTED: Final = {
    "UnsortedSegmentSum": "add",
    "UnsortedSegmentProd": "mul",
    "UnsortedSegmentMax": "max",
    "UnsortedSegmentMin": "min",
}


@RULES.rule(*_SORTED)
def segment(n: SourceNode) -> Value:
    """Ids are sorted: the last one plus 1 is the number of segments."""
    x, ids = n.operand(0), indices_of(n, n.operand(1))
    last = n.emit(core.Slice(ids, n.vector([-1]), n.vector([0]), n.vector([1]), end_mask=ALL_OPEN)).y
    count = n.add(n.scalar(last), n.asarray(1, ids))
    kind = _SORTED[n.kind]
    return n.emit(core.SegmentReduce(x, ids, count, reduction=kind, empty=1.0 if kind == "mul" else 0.0)).y


@RULES.rule(*_UNSORTED)
def unsorted_segment(n: SourceNode) -> Value:
    """An empty segment has the neutral element of its reduction."""
    x, ids, count = n.operands()
    kind = _UNSORTED[n.kind]
    numpy_type = x.tensor.dtype.numpy
    empty: float = 1.0 if kind == "mul" else 0.0
    if kind in ("max", "min") and numpy_type.kind in "iu":
        # stays an integer: int64 has no exact float
        empty = np.iinfo(numpy_type).min if kind == "max" else np.iinfo(numpy_type).max
    elif kind in ("max", "min") and x.tensor.dtype.is_float:
        largest = float(np.finfo(numpy_type).max) if numpy_type.kind == "f" else _LARGEST_BFLOAT16
        empty = -largest if kind == "max" else largest
    return n.emit(core.SegmentReduce(x, ids, n.scalar(count), reduction=kind, empty=empty)).y


@RULES.rule("DynamicStitch", "ParallelDynamicStitch")
def dynamic_stitch(n: SourceNode) -> Value:
    """Rows of several tensors placed by constant indices, later ones winning."""
    count = n.attr("N")
    rows: list[Value] = []
    places: list[int] = []
    for i in range(count):
        index, data = n.const(i), n.operand(count + i)
        indices_of(n, n.operand(i))
        rest = shape_of(data)[index.ndim :]
        rows.append(reshape(n, data, [index.size, *rest]))
        places += index.reshape(-1).tolist()
    size = max(places, default=-1) + 1
    check_table((size,), "result of DynamicStitch")
    source = np.full(size, -1)
    source[places] = np.arange(len(places))
    if (source < 0).any():
        raise ConversionError(
            Code.VariantUnsupported, f"DynamicStitch leaves row {int(np.argmin(source))} of its result open"
        )
    return n.emit(core.Gather(n.concat(rows, 0), n.constant(source, DType.I32), axis=0)).y


@RULES.rule("ListDiff")
def list_diff(n: SourceNode) -> Sequence[Value]:
    """Elements of x that are not in y, and where they stand."""
    x, y = n.operand(0), n.operand(1)
    equal = n.emit(core.Equal(n.expand_dims(x, 1), n.expand_dims(y, 0))).y
    kept = n.emit(core.LogicalNot(n.emit(core.ReduceAny(equal, axes=(1,))).y)).y
    where_kept = n.emit(core.Squeeze(n.emit(core.NonZero(kept)).y, axes=(1,))).y
    return [n.emit(core.Gather(x, where_kept, axis=0)).y, n.cast(where_kept, dtype_of(n, "out_idx"))]


@RULES.rule("LookupTableFindV2", "LookupTableFind")
def lookup(n: SourceNode) -> Value:
    """Operands: query, default, keys, values of a table that is filled once."""
    if n.n_operands != 4:
        raise n.unsupported(
            "the table is not filled by constants in the graph", help="freeze the model with its tables initialized"
        )
    query, default, keys, values = n.operands()
    (count,) = static_shape(keys, "the table's keys")
    if DType.STRING in (keys.tensor.dtype, values.tensor.dtype):
        return n.emit(core.Lookup(query, default, keys, values)).y
    check_table((count,), "list of keys")
    same = n.emit(core.Equal(n.expand_dims(query, rank_of(query)), keys)).y
    places = n.constant(np.arange(1, count + 1), DType.I32)
    hit = n.emit(core.Select(same, places, n.constant(0, DType.I32))).y
    position = n.emit(core.ReduceMax(hit, axes=(rank_of(query),))).y
    table = n.concat([reshape(n, default, [1]), values], 0)
    return n.emit(core.Gather(table, position, axis=0)).y


@RULES.rule("LookupTableSizeV2", "LookupTableSize")
def lookup_size(n: SourceNode) -> Value:
    (count,) = static_shape(n.operand(0), "the table's keys")
    return n.constant(count, DType.I64)


@RULES.rule("Bincount", "DenseBincount")
def bincount(n: SourceNode) -> Value:
    """Operands: x, size, weights (empty: ones).  Rows are counted on their own; values outside of [0, size) are
    dropped.
    """
    x, weights = n.operand(0), n.operand(2)
    binary = n.attr("binary_output", False)
    if n.kind == "Bincount":
        x = n.emit(core.Reshape(x, n.vector([-1]))).y
    size = n.cast(n.scalar(folded(n, 1)), x.tensor.dtype)
    classes = n.emit(core.Range(n.asarray(0, x), size, n.asarray(1, x))).y
    hot = n.emit(core.Equal(n.expand_dims(x, rank_of(x)), classes)).y
    axis = rank_of(x) - 1
    if binary:
        return n.cast(n.emit(core.ReduceAny(hot, axes=(axis,))).y, dtype_of(n, "T"))
    counted = n.cast(hot, dtype_of(n, "T"))
    if weights.tensor.size != 0:
        flat = n.emit(core.Reshape(weights, n.vector([-1]))).y if n.kind == "Bincount" else weights
        counted = n.emit(core.Mul(counted, n.expand_dims(flat, rank_of(flat)))).y
    return n.emit(core.ReduceSum(counted, axes=(axis,))).y


@RULES.rule("HistogramFixedWidth")
def histogram(n: SourceNode) -> Value:
    """Counts of equal bins between two values; what lies outside goes to the outer bins."""
    x, limits = n.operand(0), n.operand(1)
    bins = n.ints(2)[0]
    check_table((bins,), "list of bins")
    lo = n.emit(core.Gather(limits, n.constant(0, DType.I32), axis=0)).y
    hi = n.emit(core.Gather(limits, n.constant(1, DType.I32), axis=0)).y
    step = n.emit(core.Div(n.sub(hi, lo), n.asarray(bins, x))).y
    place = n.emit(core.Floor(n.emit(core.Div(n.sub(x, lo), step)).y)).y
    bounded = n.cast(n.emit(core.Clamp(place, lo=0.0, hi=float(bins - 1))).y, DType.I32)
    hot = n.emit(
        core.Equal(n.emit(core.Reshape(bounded, n.vector([-1, 1]))).y, n.constant(np.arange(bins), DType.I32))
    ).y
    return n.emit(core.ReduceSum(n.cast(hot, dtype_of(n, "dtype", DType.I32)), axes=(0,))).y
