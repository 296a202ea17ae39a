"""Ops that read at places, and that find places.

Sources: tensorflow/core/ops/array_ops.cc, nn_ops.cc (TopKV2), math_ops.cc (UnsortedSegment...), image_ops.cc
(NonMaxSuppressionV5).  Gathers take no places below zero there.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.lookups import by_comparison
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of, refuse
from mlconv.rewrite import Rules
from mlconv.rewrite.core_builder import Part
from mlconv.rewrite.index_forms import not_negative

RULES = Rules()

_MOST_LOOKED_AT = 1 << 20
_SEGMENTS = {
    "add": "UnsortedSegmentSum",
    "mul": "UnsortedSegmentProd",
    "max": "UnsortedSegmentMax",
    "min": "UnsortedSegmentMin",
}


def places(e: TfBuilder, indices: Value, sizes: Sequence[Part]) -> Value:
    """Places counted from the front, int32 or int64.  sizes: of the axis, or of those that tuples are for."""
    known = const_of(indices)
    kept = indices if indices.tensor.dtype in (DType.I32, DType.I64) else e.cast(indices, DType.I64)
    if known is not None and known.size <= _MOST_LOOKED_AT:
        numbers = known.view()
        ints = [s for s in sizes if isinstance(s, int)]
        if (numbers >= 0).all():
            return e.indices(indices)[0]
        if len(ints) == len(sizes):
            ends = np.asarray(ints if len(ints) > 1 else ints[0], np.int64)  # one alone adds no axis to one number
            fixed = np.where(numbers < 0, numbers + ends, numbers)
            return e.indices(e.constant(fixed.astype(np.int64)))[0]
    if indices.tensor.dtype.is_unsigned_int or not_negative(indices):
        return kept
    size = e.cast(e.scalar(e.stack(sizes)) if len(sizes) == 1 else e.stack(sizes), kept.tensor.dtype)
    return e.where(e.less(kept, 0), e.add(kept, size), kept)


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: TfBuilder) -> Value:
    """GatherV2."""
    axis = op.axis % max(rank_of(op.x, "what is gathered from"), 1)
    indices = e.indices(op.indices)[0] if op.from_start else places(e, op.indices, [e.dim(op.x, axis)])
    operands = [op.x, indices, e.number(axis)]
    return e.one("GatherV2", operands, op.y.type, Tparams=op.x.tensor.dtype, batch_dims=op.batch_dims)


@RULES.rule(core.GatherElements)
def gather_elements(op: core.GatherElements, e: TfBuilder) -> Value:
    """GatherNd at the places of all elements, which differ from the indices' own along one axis."""
    tuples = element_places(e, op.x, op.indices, op.axis)
    return e.one("GatherNd", [op.x, tuples], op.y.type, Tparams=op.x.tensor.dtype)


def element_places(e: TfBuilder, x: Value, indices: Value, axis: int) -> Value:
    """Places of elements as tuples [..., rank]: those of the indices, and along `axis` what these say."""
    rank = rank_of(indices, "the indices")
    at = axis % rank
    wanted = e.cast(places(e, indices, [e.dim(x, at)]), DType.I64)
    shape = e.shape_of(indices)
    parts = []
    for i in range(rank):
        if i == at:
            parts.append(wanted)
            continue
        row = e.reshape(e.arange(e.dim(indices, i)), [-1 if k == i else 1 for k in range(rank)])
        parts.append(e.broadcast_to(row, shape))
    return e.concat([e.expand_dims(p, rank) for p in parts], rank)


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: TfBuilder) -> Value:
    """GatherNd; axes of a batch are places of their own in front."""
    tuples = batched_tuples(e, op.x, op.indices, op.batch_dims)
    return e.one("GatherNd", [op.x, tuples], op.y.type, Tparams=op.x.tensor.dtype)


def batched_tuples(e: TfBuilder, x: Value, indices: Value, batch: int) -> Value:
    """Index tuples counted from the front, with the places along batch axes before them."""
    rank, depth = rank_of(indices, "the indices"), _depth(indices)
    own = places(e, indices, [e.dim(x, batch + i) for i in range(depth)]) if depth else e.cast(indices, DType.I64)
    if not batch:
        return own
    own = e.cast(own, DType.I64)
    lead = e.vector([*e.dims(indices)[:-1], 1])
    parts = []
    for i in range(batch):
        row = e.reshape(e.arange(e.dim(indices, i)), [-1 if k == i else 1 for k in range(rank)])
        parts.append(e.broadcast_to(row, lead))
    return e.concat([*parts, own], rank - 1)


def _depth(indices: Value) -> int:
    depth = (indices.tensor.shape or (None,))[-1]
    if not isinstance(depth, int):
        raise refuse(f"the length of index tuples must be known, they are {indices.tensor}")
    return depth


@RULES.rule(core.OneHot)
def one_hot(op: core.OneHot, e: TfBuilder) -> Value:
    """OneHot."""
    indices = op.indices
    if indices.tensor.dtype not in (DType.U8, DType.I32, DType.I64):
        indices = e.cast(indices, DType.I64)
    depth = e.scalar(e.as_constant(op.depth, DType.I32))
    operands = [indices, depth, e.scalar(op.on), e.scalar(op.off)]
    axis = -1 if op.axis == indices.tensor.rank else op.axis
    return e.one("OneHot", operands, op.y.type, T=op.on.tensor.dtype, axis=axis)


@RULES.rule(core.NonZero)
def nonzero(op: core.NonZero, e: TfBuilder) -> Value:
    """Where; padded with zeros to as many rows as there are elements."""
    rank = rank_of(op.x, "what is looked through")
    found = e.one("Where", [op.x], op.y.tensor.with_shape(None if op.padded else op.y.tensor.shape))
    if not op.padded:
        return found
    whole = e.prod(e.dims(op.x))
    count = e.slice_axis(e.one("Shape", [found], TensorType(DType.I64, (2,)), T=DType.I64), 0, 0, 1)
    room = e.sub(e.vector([whole]), count)
    pads = e.concat([e.reshape(e.concat([e.vector([0]), room], 0), [1, 2]), e.constant([[0, 0]], DType.I64)], 0)
    padded = e.one("Pad", [found, pads], op.y.tensor.with_shape(None))
    return e.one("Reshape", [padded, e.vector([whole, rank])], op.y.type, T=DType.I64)


@RULES.rule(core.TopK)
def top_k(op: core.TopK, e: TfBuilder) -> list[Value]:
    """TopKV2 of the last axis; the smallest are the largest of numbers turned over, of integers by their bits."""
    rank = rank_of(op.x, "what is sorted")
    axis = op.axis % rank
    perm = [*(i for i in range(rank) if i != axis), axis]
    back = [perm.index(i) for i in range(rank)]
    x = e.transpose(op.x, perm)
    key = x if op.largest else _turned(e, x)
    moved = [v.tensor.with_shape(_moved(v, perm)) for v in (op.values, op.indices)]
    k = e.scalar(e.as_constant(op.k, DType.I32))
    types = [moved[0], moved[1].with_dtype(DType.I32)]
    values, found = e.op("TopKV2", [key, k], types, sorted=True, index_type=DType.I32, Tk=DType.I32)
    values = values if op.largest else _turned(e, values)
    return [e.transpose(values, back), e.cast(e.transpose(found, back), op.index_dtype)]


def _moved(value: Value, perm: Sequence[int]) -> Shape | None:
    shape = value.tensor.shape
    return None if shape is None else tuple(shape[p] for p in perm)


def _turned(e: TfBuilder, x: Value) -> Value:
    return e.y(core.BitwiseNot(x)) if x.tensor.dtype.is_int else e.neg(x)


@RULES.rule(core.Lookup)
def lookup(op: core.Lookup, e: TfBuilder) -> Value:
    """Every key compared."""
    return by_comparison(op, e.y, "TensorFlow", strings=True)


@RULES.rule(core.Unique)
def unique(op: core.Unique, e: TfBuilder) -> list[Value]:
    """UniqueWithCountsV2, in order of first occurrence; put into ascending order where that is asked for, which rows
    are column by column, the last one first, as stable sorts do.
    """
    axis = 0 if op.axis is None else op.axis
    x = e.reshape(op.x, [-1]) if op.axis is None else op.x
    t = op.y.tensor
    index = TensorType(DType.I64, None)
    y, inverse, count = e.op(
        "UniqueWithCountsV2",
        [x, e.constant(np.asarray([axis], np.int64))],
        [t, index, index],
        out_idx=DType.I64,
    )
    inverse, count = (_vector(e, v) for v in (inverse, count))
    many = e.one("Shape", [count], TensorType(DType.I64, (1,)), T=DType.I64)
    length = e.one("Shape", [inverse], TensorType(DType.I64, (1,)), T=DType.I64)
    steps = e.arange(length)
    first = e.one("UnsortedSegmentMin", [steps, inverse, e.scalar(many)], index)
    if op.sorted:
        order = _sorting(e, y, axis, many, op.axis is not None)
        rank = e.one("InvertPermutation", [order], index)
        y = e.one("GatherV2", [y, order, e.number(axis)], t, Tparams=t.dtype)
        first, count = (e.one("GatherV2", [v, order, e.number(0)], index, Tparams=DType.I64) for v in (first, count))
        inverse = e.one("GatherV2", [rank, inverse, e.number(0)], index, Tparams=DType.I64)
    flat = (op.first, op.inverse, op.count)
    made = [_vector(e, v, wanted.tensor) for v, wanted in zip((first, inverse, count), flat, strict=True)]
    return [y, *(e.cast(v, op.index_dtype) for v in made)]


def _vector(e: TfBuilder, x: Value, like: TensorType | None = None) -> Value:
    """x, which is a vector although its type does not say so."""
    t = TensorType(x.tensor.dtype, None if like is None else like.shape)
    return e.one("Reshape", [x, e.ints([-1])], t, T=x.tensor.dtype)


def _sorting(e: TfBuilder, y: Value, axis: int, many: Value, by_rows: bool) -> Value:
    """The order that sorts slices along an axis, int64."""
    if not by_rows:
        return _stable(e, y, many)
    sizes = y.tensor.shape
    others = [n for i, n in enumerate(sizes or ()) if i != axis and isinstance(n, int)]
    if sizes is None or len(others) != len(sizes) - 1:
        raise refuse(f"the sizes of slices that are sorted must be known, they are those of {y.tensor}")
    width = math.prod(others)
    rows = e.reshape(e.transpose(y, [axis, *(i for i in range(len(sizes)) if i != axis)]), [-1, width])
    order = e.arange(many)
    for column in reversed(range(width)):
        key = e.reshape(e.slice_axis(rows, 1, column, column + 1), [-1])
        t = TensorType(DType.I64, None)
        now = e.one("GatherV2", [key, order, e.number(0)], key.tensor.with_shape(None), Tparams=key.tensor.dtype)
        order = e.one("GatherV2", [order, _stable(e, now, many), e.number(0)], t, Tparams=DType.I64)
    return order


def _stable(e: TfBuilder, key: Value, many: Value) -> Value:
    """The order that sorts a vector, equal elements as they stand."""
    t = key.tensor.with_shape(None)
    count = e.scalar(e.cast(many, DType.I32))
    types = [t, TensorType(DType.I32, None)]
    found = e.op("TopKV2", [_turned(e, key), count], types, sorted=True, index_type=DType.I32, Tk=DType.I32)[1]
    return e.cast(found, DType.I64)


@RULES.rule(core.SegmentReduce)
def segment_reduce(op: core.SegmentReduce, e: TfBuilder) -> Value:
    """UnsortedSegmentSum and its like; segments that got nothing are filled, means divided by how many there were."""
    dtype, lead = op.x.tensor.dtype, rank_of(op.ids, "the ids")
    ids = op.ids if op.ids.tensor.dtype is DType.I32 else e.cast(op.ids, DType.I64)
    count = e.scalar(e.as_constant(op.count, DType.I32))
    how = "add" if op.reduction == "mean" else op.reduction
    y = e.one(_SEGMENTS[how], [op.x, ids, count], op.y.tensor)
    neutral = {"UnsortedSegmentSum": 0.0, "UnsortedSegmentProd": 1.0}.get(_SEGMENTS[how])
    if op.reduction != "mean" and op.empty == neutral:
        return y
    shape = op.y.tensor.shape
    t = TensorType(DType.I32, None if shape is None else shape[:1])
    ones = e.y(core.BroadcastTo(e.constant(1, DType.I32), e.shape_of(ids)))
    found = e.one("UnsortedSegmentSum", [ones, ids, count], t)
    inner = rank_of(op.x, "the rows") - lead
    found = e.expand_dims(found, *range(1, 1 + inner))
    if op.reduction == "mean":
        y = e.div(y, e.cast(e.maximum(found, 1), dtype))
    return e.where(e.equal(found, 0), e.constant(np.asarray(op.empty).astype(dtype.numpy), dtype), y)


@RULES.rule(core.NonMaxSuppression)
def non_max_suppression(op: core.NonMaxSuppression, e: TfBuilder) -> list[Value]:
    """NonMaxSuppressionV5."""
    dtype = op.scores.tensor.dtype
    numbers = [e.scalar(e.cast(v, dtype)) for v in (op.iou_threshold, op.score_threshold, op.soft_sigma)]
    limit = e.scalar(e.as_constant(op.max_output, DType.I32))
    operands = [e.cast(op.boxes, dtype), op.scores, limit, *numbers]
    types = [v.type for v in (op.selected, op.selected_scores, op.valid)]
    return e.op("NonMaxSuppressionV5", operands, types, pad_to_max_output_size=bool(op.padded))
