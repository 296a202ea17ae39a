"""Ops that read and write at places.

Sources: ONNX Gather-13, GatherND-13, ScatterND-11, -16 and -18, ScatterElements-11, -16 and -18, TopK-11, Unique-11,
NonMaxSuppression-11, LabelEncoder-2 of ai.onnx.ml.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.lookups import by_comparison
from mlconv.legalize.to_onnx.builder import ML, OnnxBuilder, rank_of, refuse
from mlconv.rewrite import Rules, constant_array
from mlconv.rewrite.core_builder import Part

RULES = Rules()

_COMBINED = {"none": 0, "add": 16, "mul": 16, "max": 18, "min": 18}
"""Reductions of ScatterND and ScatterElements, and the operator sets that they need."""


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: OnnxBuilder) -> Value:
    """Gather; with axes of a batch, GatherND behind them."""
    indices = e.indices(op.indices)
    if not op.batch_dims:
        return e.one("Gather", [op.x, indices], op.y.type, axis=op.axis)
    rank, own, batch = rank_of(op.x, "x"), rank_of(indices, "the indices"), op.batch_dims
    between = list(range(batch, op.axis))
    x = e.transpose(op.x, [*range(batch), op.axis, *between, *range(op.axis + 1, rank)])
    y = e.y(core.GatherNd(x, e.expand_dims(indices, own), batch_dims=batch))
    first, count = own - batch, len(between)
    order = [
        *range(batch),
        *(batch + first + i for i in range(count)),
        *(batch + i for i in range(first)),
        *range(batch + first + count, own + rank - 1 - batch),
    ]
    return e.transpose(y, order)


@RULES.rule(core.GatherElements)
def gather_elements(op: core.GatherElements, e: OnnxBuilder) -> Value:
    """GatherElements."""
    return e.one("GatherElements", [op.x, e.indices(op.indices)], op.y.type, axis=op.axis)


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: OnnxBuilder) -> Value:
    """GatherND."""
    batch = {"batch_dims": op.batch_dims} if op.batch_dims else {}
    return e.one("GatherND", [op.x, e.int64(op.indices)], op.y.type, **batch)


def _updates(e: OnnxBuilder, updates: Value, reduction: str) -> tuple[Value, str]:
    """What is written, and how, of those reductions that ONNX has: differences are sums, quotients of floats
    products.
    """
    if reduction == "sub":
        return e.neg(updates), "add"
    if reduction == "div":
        if not updates.tensor.dtype.is_float:
            raise refuse("ONNX scatters no quotients of integers")
        return e.div(e.constant(1, updates.tensor.dtype), updates), "mul"
    return updates, reduction


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: OnnxBuilder) -> Value:
    """ScatterND."""
    updates, how = _updates(e, op.updates, op.reduction)
    reduction: dict[str, str] = {} if how == "none" else {"reduction": how}
    operands = [op.data, e.int64(op.indices), updates]
    return e.one("ScatterND", operands, op.y.type, since=_COMBINED[how], **reduction)


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: OnnxBuilder) -> Value:
    """ScatterElements."""
    updates, how = _updates(e, op.updates, op.reduction)
    reduction: dict[str, str] = {} if how == "none" else {"reduction": how}
    operands = [op.data, e.indices(op.indices), updates]
    return e.one("ScatterElements", operands, op.y.type, since=_COMBINED[how], axis=op.axis, **reduction)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: OnnxBuilder) -> Value:
    """Added to zeros."""
    zeros = e.broadcast_to(e.asarray(0, op.updates), e.int64(op.shape))
    return e.y(core.ScatterNd(zeros, op.indices, op.updates, reduction="add"))


@RULES.rule(core.OneHot)
def one_hot(op: core.OneHot, e: OnnxBuilder) -> Value:
    """Places compared with indices: OneHot would take negative ones from the end."""
    rank = rank_of(op.indices, "the indices")
    axis = op.axis % (rank + 1)
    dtype = op.indices.tensor.dtype if op.indices.tensor.dtype.is_int else DType.I64
    depth = const_of(op.depth)
    limit: Part = int(depth.view().reshape(-1)[0]) if depth is not None else e.reshape(e.int64(op.depth), [1])
    places = e.cast(e.arange(limit), dtype)
    row = e.reshape(places, [-1 if i == axis else 1 for i in range(rank + 1)])
    return e.where(e.equal(e.expand_dims(e.cast(op.indices, dtype), axis), row), op.on, op.off)


@RULES.rule(core.NonZero)
def nonzero(op: core.NonZero, e: OnnxBuilder) -> Value:
    """NonZero gives the transpose."""
    shape = op.y.tensor.shape or (None, None)
    t = TensorType(DType.I64, None if None in shape else (shape[1], shape[0]))  # type: ignore[arg-type]
    if op.x.tensor.rank == 0:
        flat = e.one("NonZero", [e.reshape(op.x, [1])], TensorType(DType.I64, None))
        return e.one("Reshape", [flat, e.ints([-1, 0])], op.y.type, allowzero=1)
    x = e.cast(op.x, DType.BOOL) if op.x.tensor.dtype in (DType.F64, DType.U64) else op.x
    return e.transpose(e.one("NonZero", [x], t), (1, 0))


@RULES.rule(core.TopK)
def top_k(op: core.TopK, e: OnnxBuilder) -> list[Value]:
    """TopK, sorted; its places are int64."""
    count = e.reshape(e.int64(op.k), [1])
    types = [op.values.tensor, op.indices.tensor.with_dtype(DType.I64)]
    values, places = e.op("TopK", [op.x, count], types, axis=op.axis, largest=int(op.largest), sorted=1)
    return [values, e.cast(places, op.index_dtype)]


@RULES.rule(core.Lookup)
def lookup(op: core.Lookup, e: OnnxBuilder) -> Value:
    """Every key compared; LabelEncoder for strings, which nothing else compares in all runtimes."""
    if DType.STRING not in (op.keys.tensor.dtype, op.values.tensor.dtype):
        return by_comparison(op, e.y, "ONNX")
    (of, keys), (to, values), (_, default) = (_as_attribute(v) for v in (op.keys, op.values, op.default))
    found = {f"keys_{of}s": keys, f"values_{to}s": values, f"default_{to}": default[0]}
    made, x = _ENCODED[op.values.tensor.dtype][1], e.cast(op.x, _ENCODED[op.keys.tensor.dtype][1])
    return e.cast(e.of_domain(ML, 2, "LabelEncoder", [x], op.y.tensor.with_dtype(made), **found), op.y.tensor.dtype)


_ENCODED = {
    DType.STRING: ("string", DType.STRING),
    DType.F32: ("float", DType.F32),
    DType.I64: ("int64", DType.I64),
    DType.I32: ("int64", DType.I64),
}
"""What LabelEncoder-2 calls the elements of a table, and has for them."""


def _as_attribute(table: Value) -> tuple[str, tuple[object, ...]]:
    """What the attributes for a part of a table are called, and its elements.  Raises ConversionError TargetLacksOp."""
    array, dtype = constant_array(table), table.tensor.dtype
    if array is None or dtype not in _ENCODED:
        raise refuse(
            f"LabelEncoder has tables of strings, int64 and float32 that are constants, not {table.type}",
            "let the model begin behind the lookup with --inputs",
        )
    return _ENCODED[dtype][0], tuple(array.reshape(-1).tolist())


@RULES.rule(core.Unique)
def unique(op: core.Unique, e: OnnxBuilder) -> list[Value]:
    """Unique, whose places are int64."""
    axis = {} if op.axis is None else {"axis": op.axis}
    types = [op.y.tensor, *(v.tensor.with_dtype(DType.I64) for v in (op.first, op.inverse, op.count))]
    y, *places = e.op("Unique", [op.x], types, sorted=int(op.sorted), **axis)
    return [y, *(e.cast(v, op.index_dtype) for v in places)]


_NEUTRAL = {"add": 0.0, "mean": 0.0, "mul": 1.0, "max": -np.inf, "min": np.inf}


@RULES.rule(core.SegmentReduce)
def segment_reduce(op: core.SegmentReduce, e: OnnxBuilder) -> Value:
    """Scattered into one row more than there are segments, which takes what is dropped; segments that got nothing are
    filled then.
    """
    dtype, lead = op.x.tensor.dtype, rank_of(op.ids, "the ids")
    sizes = e.dims(op.x)
    many, rest = e.prod(sizes[:lead]), sizes[lead:]
    x = e.reshape(op.x, [many, *rest])
    count = e.reshape(e.int64(op.count), [1])
    ids = e.reshape(e.int64(op.ids), [many])
    outside = e.logical_or(e.less(ids, 0), e.greater_equal(ids, count))
    places = e.expand_dims(e.where(outside, count, ids), 1)
    rows = e.add(count, 1)
    start = e.constant(_neutral(op.reduction, dtype), dtype)
    filled = e.broadcast_to(start, e.vector([rows, *rest]))
    how = "add" if op.reduction == "mean" else op.reduction
    total = e.y(core.ScatterNd(filled, places, x, reduction=how))
    ones = e.y(core.BroadcastTo(e.constant(1, DType.I32), e.shape_of(ids)))
    none = e.broadcast_to(e.constant(0, DType.I32), rows)
    found = e.y(core.ScatterNd(none, places, ones, reduction="add"))
    found = e.reshape(found, [rows, *[1] * len(rest)])
    if op.reduction == "mean":
        total = e.div(total, e.cast(e.maximum(found, 1), dtype))
    y = e.where(e.equal(found, 0), e.constant(np.asarray(op.empty).astype(dtype.numpy), dtype), total)
    return e.slice_axis(y, 0, 0, -1)


def _neutral(reduction: str, dtype: DType) -> np.ndarray[tuple[int, ...], np.dtype[np.generic]]:
    number = _NEUTRAL[reduction]
    if np.isinf(number) and dtype.is_int:
        limits = np.iinfo(dtype.numpy)
        return np.asarray(limits.max if number > 0 else limits.min, dtype.numpy)
    return np.asarray(number).astype(dtype.numpy)


@RULES.rule(core.NonMaxSuppression)
def non_max_suppression(op: core.NonMaxSuppression, e: OnnxBuilder) -> list[Value]:
    """NonMaxSuppression of one batch and one class, whose third column are the boxes."""
    soft = const_of(op.soft_sigma)
    if soft is None or bool((soft.view() != 0).any()):
        raise refuse("ONNX suppresses boxes wholly: soft_sigma must be the constant 0")
    scores = e.expand_dims(op.scores, 0, 1)
    limits = [e.reshape(e.int64(op.max_output), [1])]
    limits += [e.reshape(e.cast(v, DType.F32), [1]) for v in (op.iou_threshold, op.score_threshold)]
    boxes = e.cast(e.expand_dims(op.boxes, 0), DType.F32)
    shape = op.selected.tensor.shape
    rows = TensorType(DType.I64, None if shape is None or op.padded else (*shape, 3))
    found = e.one("NonMaxSuppression", [boxes, e.cast(scores, DType.F32), *limits], rows)
    column = e.one("Gather", [found, e.constant(2, DType.I64)], rows.with_shape(None), axis=1)
    flat = e.one("Reshape", [column, e.ints([-1])], op.selected.tensor.with_dtype(DType.I64))
    count = e.one("Size", [flat], TensorType(DType.I64, ()))
    best = e.one("Gather", [op.scores, flat], op.selected_scores.tensor, axis=0)
    chosen, valid = e.raw_cast(flat, DType.I32), e.raw_cast(count, DType.I32)
    if not op.padded:
        return [chosen, best, valid]
    room = e.concat([e.ints([0]), e.sub(limits[0], e.reshape(count, [1]))], 0)
    return [
        e.one("Pad", [chosen, room], op.selected.tensor),
        e.one("Pad", [best, room], op.selected_scores.tensor),
        valid,
    ]
