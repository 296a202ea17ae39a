"""Gather, scatter, sort and what is made of them.

HLO clamps the indices of a gather and skips those of a scatter that are out of range; negative ones are moved up
before.
Source: openxla.org/xla/operation_semantics, Gather and Scatter.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import with_size
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.lookups import by_comparison
from mlconv.legalize.to_hlo.builder import HloBuilder, dims, refuse
from mlconv.legalize.to_hlo.dynamic_sizes.places import behind, filled, number
from mlconv.legalize.to_hlo.dynamic_sizes.symbols import is_dynamic
from mlconv.legalize.to_hlo.reduce import extreme
from mlconv.rewrite import Rules

RULES = Rules()

_COMBINE = {"none": "", "add": "add", "sub": "add", "mul": "multiply", "max": "maximum", "min": "minimum"}


def non_negative(e: HloBuilder, indices: Value, sizes: Value) -> Value:
    """Indices with those below zero counted from the end; sizes broadcast."""
    constant = const_of(indices)
    if indices.tensor.dtype.is_unsigned_int or (constant is not None and bool(np.all(constant.view() >= 0))):
        return indices
    below = e.compare("LT", indices, e.scalar(0, indices.tensor.dtype))
    return e.select(below, e.binary("add", indices, sizes), indices)


def _counts(e: HloBuilder, shape: Shape, dtype: DType) -> Value:
    """Sizes as a tensor [rank]."""
    return e.sizes.vector(shape, dtype) if is_dynamic(shape) else e.constant(np.asarray(shape), dtype)


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: HloBuilder) -> Value:
    """Slices along one axis; leading batch axes are shared."""
    x, b = op.x, op.batch_dims
    shape = dims(x)
    axis = op.axis % len(shape)
    indices = non_negative(e, op.indices, number(e, e.sizes.of(x)[axis], op.indices.tensor.dtype))
    count = len(dims(indices))
    return e.one(
        "gather",
        [x, indices],
        op.y.tensor,
        offset_dims=(*range(b, axis), *range(axis + count - b, len(dims(op.y)))),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=tuple(range(b)),
        start_indices_batching_dims=tuple(range(b)),
        index_vector_dim=count,
        slice_sizes=tuple(1 if i == axis or i < b else d for i, d in enumerate(shape)),
    )


@RULES.rule(core.GatherElements)
def gather_elements(op: core.GatherElements, e: HloBuilder) -> Value:
    """Every other axis is a batch axis."""
    shape, index_shape = dims(op.x), dims(op.indices)
    rank = len(shape)
    axis = op.axis % rank
    x = e.slice(op.x, (0,) * rank, tuple(shape[axis] if i == axis else d for i, d in enumerate(index_shape)))
    indices = non_negative(e, op.indices, number(e, e.sizes.of(op.x)[axis], op.indices.tensor.dtype))
    others = tuple(i for i in range(rank) if i != axis)
    return e.one(
        "gather",
        [x, indices],
        op.y.tensor,
        offset_dims=(),
        collapsed_slice_dims=(axis,),
        start_index_map=(axis,),
        operand_batching_dims=others,
        start_indices_batching_dims=others,
        index_vector_dim=rank,
        slice_sizes=(1,) * rank,
    )


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: HloBuilder) -> Value:
    """Slices at index tuples."""
    shape, index_shape, b = dims(op.x), dims(op.indices), op.batch_dims
    depth = index_shape[-1]
    if depth == 0:
        lead = (1,) * (len(index_shape) - 1 - b)
        return e.broadcast_to(e.reshape(op.x, (*shape[:b], *lead, *shape[b:])), dims(op.y))
    dtype = op.indices.tensor.dtype
    indices = non_negative(e, op.indices, _counts(e, e.sizes.of(op.x)[b : b + depth], dtype))
    inner = tuple(range(b, b + depth))
    return e.one(
        "gather",
        [op.x, indices],
        op.y.tensor,
        offset_dims=tuple(range(len(index_shape) - 1, len(dims(op.y)))),
        collapsed_slice_dims=inner,
        start_index_map=inner,
        operand_batching_dims=tuple(range(b)),
        start_indices_batching_dims=tuple(range(b)),
        index_vector_dim=len(index_shape) - 1,
        slice_sizes=tuple(1 if i < b + depth else d for i, d in enumerate(shape)),
    )


def _combiner(reduction: str, updates: Value, e: HloBuilder) -> tuple[str, Value]:
    if reduction not in _COMBINE:
        raise refuse(f"scatter with the reduction {reduction!r} has no HLO form")
    if reduction == "sub":
        return "add", e.unary("negate", updates)
    combine = _COMBINE[reduction]
    if updates.tensor.dtype is DType.BOOL:
        combine = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}.get(combine, combine)
    return combine, updates


def _scatter_tuples(e: HloBuilder, data: Value, indices: Value, updates: Value, combine: str) -> Value:
    """updates at index tuples, the last axis of `indices`."""
    index_shape = dims(indices)
    depth = index_shape[-1]
    if depth == 0:
        indices, depth = e.constant(np.zeros((*index_shape[:-1], 1)), DType.I32), 1
        shape = dims(data)
        one = e.scatter(
            e.reshape(data, (1, *shape)), indices, updates, combine, **_numbers(len(index_shape), 1, len(shape))
        )
        return e.reshape(one, shape)
    return e.scatter(data, indices, updates, combine, **_numbers(len(index_shape), depth, len(dims(data)) - depth))


def _numbers(index_rank: int, depth: int, window: int) -> dict[str, int | tuple[int, ...]]:
    return {
        "update_window_dims": tuple(range(index_rank - 1, index_rank - 1 + window)),
        "inserted_window_dims": tuple(range(depth)),
        "scatter_dims_to_operand_dims": tuple(range(depth)),
        "index_vector_dim": index_rank - 1,
    }


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: HloBuilder) -> Value:
    """Index tuples."""
    if 0 in dims(op.updates):
        return op.data
    indices, updates = _as_many(e, op.indices, op.updates)
    sizes = _counts(e, e.sizes.of(op.data)[: dims(indices)[-1]], indices.tensor.dtype)
    combine, updates = _combiner(op.reduction, updates, e)
    return _scatter_tuples(e, op.data, non_negative(e, indices, sizes), updates, combine)


def _as_many(e: HloBuilder, indices: Value, updates: Value) -> tuple[Value, Value]:
    """Index tuples and updates, of as many as there are: what data decide has a size for each of them (`x[mask] = v`
    counts the mask, and the elements of v), of which the source says that they are equal.
    """
    for axis in range(len(dims(indices)) - 1):
        places, pieces = e.sizes.of(indices)[axis], e.sizes.of(updates)[axis]
        if places == pieces:
            continue
        most = min(dims(indices)[axis], dims(updates)[axis])
        is_shorter = dims(updates)[axis] == most < dims(indices)[axis]
        size = pieces if isinstance(pieces, Dim) and (is_shorter or not isinstance(places, Dim)) else places
        indices, updates = (_first(e, x, axis, most, size) for x in (indices, updates))
    return indices, updates


def _first(e: HloBuilder, x: Value, axis: int, most: int, size: Size) -> Value:
    """The first elements along an axis, of which `size` are valid."""
    shape = with_size(e.sizes.of(x), axis, size)
    y = e.one("copy", [x], x.tensor) if dims(x)[axis] == most else e.slice_axis(x, axis, 0, most)
    e.sizes.state(y, shape)
    return y


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: HloBuilder) -> Value:
    """Index tuples whose other coordinates are the element's own."""
    shape, dtype = dims(op.indices), op.indices.tensor.dtype
    if 0 in shape:
        return op.data
    axis = op.axis % len(shape)
    index = non_negative(e, op.indices, number(e, e.sizes.of(op.data)[axis], dtype))
    parts = [index if i == axis else e.iota(dtype, shape, i) for i in range(len(shape))]
    tuples = e.concat([e.reshape(p, (*shape, 1)) for p in parts], len(shape))
    combine, updates = _combiner(op.reduction, op.updates, e)
    return _scatter_tuples(e, op.data, tuples, updates, combine)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: HloBuilder) -> Value:
    """Into zeros, added."""
    dtype = op.updates.tensor.dtype
    zeros = e.full(dims(op.y), 0, dtype)
    if 0 in dims(op.updates):
        return zeros
    return _scatter_tuples(e, zeros, op.indices, op.updates, "or" if dtype is DType.BOOL else "add")


@RULES.rule(core.OneHot)
def one_hot(op: core.OneHot, e: HloBuilder) -> Value:
    """A comparison with the position along the new axis."""
    shape, out = dims(op.indices), dims(op.y)
    axis = op.axis if op.axis >= 0 else len(shape)
    indices = e.broadcast_to(e.reshape(op.indices, (*shape[:axis], 1, *shape[axis:])), out)
    hot = e.compare("EQ", indices, e.iota(op.indices.tensor.dtype, out, axis))
    return e.select(hot, e.reshape(op.on, ()), e.reshape(op.off, ()))


@RULES.rule(core.DefineSize)
def define_size(op: core.DefineSize, e: HloBuilder) -> Value:
    """The number itself: `Sizes` has a scalar of it."""
    return e.convert(op.x, DType.I64)


@RULES.rule(core.NonZero)
def nonzero(op: core.NonZero, e: HloBuilder) -> Value:
    """Positions, those of what is not zero first by a stable sort, as places along each axis; zeros behind."""
    if not op.padded:
        raise refuse("positions of as many elements as there are have no HLO form")
    shape, count, dtype = dims(op.x), dims(op.y)[0], op.x.tensor.dtype
    x = filled(e, op.x, e.scalar(0, dtype))
    found = e.reshape(x if dtype is DType.BOOL else e.compare("NE", x, e.scalar(0, dtype)), (count,))
    gone, at = _sorted(e, e.convert(e.unary("not", found), DType.I32), 0, "LT", DType.I32)
    at = e.select(e.compare("EQ", gone, e.scalar(0, DType.I32)), at, e.scalar(0, DType.I32))
    places = []
    for axis, size in enumerate(shape):
        inner = e.scalar(max(1, math.prod(shape[axis + 1 :])), DType.I32)
        place = e.binary("remainder", e.binary("divide", at, inner), e.scalar(max(1, size), DType.I32))
        places.append(e.reshape(place, (count, 1)))
    y = e.convert(e.concat(places, 1), DType.I64) if places else e.full((count, 0), 0, DType.I64)
    e.sizes.state(y, e.sizes.of(op.y))
    return y


def _sorted(e: HloBuilder, key: Value, axis: int, direction: str, index_dtype: DType) -> list[Value]:
    """key in order along an axis, and the place of each element before; those that are equal stay as they are."""
    dtype, shape = key.tensor.dtype, dims(key)
    pairs = [TensorType(t, ()) for t in (dtype, dtype, index_dtype, index_dtype)]
    region = e.region(pairs, lambda i, a: [i.compare(direction, a[0], a[1])])
    types = [key.tensor, TensorType(index_dtype, shape)]
    return e.hlo("sort", [key, e.iota(index_dtype, shape, axis)], types, [region], dimensions=(axis,), is_stable=True)


@RULES.rule(core.TopK)
def top_k(op: core.TopK, e: HloBuilder) -> list[Value]:
    """A stable sort of pairs (value, index), cut."""
    x = op.x
    shape = dims(x)
    axis = op.axis % len(shape)
    dtype = x.tensor.dtype
    key = e.convert(x, DType.I8) if dtype is DType.BOOL else x
    size = e.sizes.of(x)[axis]
    if isinstance(size, Dim):  # what lies behind is last, behind what equals it: the sort is stable
        key = behind(e, key, axis, size, e.scalar(extreme(key.tensor.dtype, lowest=op.largest), key.tensor.dtype))
    if dtype.is_float:  # XLA makes its own top-k of this sort, which takes -0 for less than 0
        zero = e.scalar(0, dtype)
        key = e.select(e.compare("EQ", key, zero), zero, key)
    values, order = _sorted(e, key, axis, "GT" if op.largest else "LT", op.index_dtype)
    k = dims(op.values)[axis]
    if isinstance(size, Dim):
        whole = with_size(e.sizes.of(x), axis, shape[axis]) if k < shape[axis] else e.sizes.of(op.values)
        e.sizes.state(values, whole)
        e.sizes.state(order, whole)
    cut = e.slice_axis(values, axis, 0, k)
    return [
        e.compare("NE", cut, e.scalar(0, DType.I8)) if dtype is DType.BOOL else cut,
        e.slice_axis(order, axis, 0, k),
    ]


@RULES.rule(core.SegmentReduce)
def segment_reduce(op: core.SegmentReduce, e: HloBuilder) -> Value:
    """A scatter of rows into neutral elements; empty segments are found by scattering ones."""
    x, ids, out, dtype = op.x, op.ids, dims(op.y), op.x.tensor.dtype
    shape, count = dims(x), math.prod(dims(op.ids))
    empty = e.full(out, np.asarray(op.empty).astype(dtype.numpy), dtype)
    if count == 0:
        return empty
    rows = e.reshape(x, (count, *shape[len(dims(ids)) :]))
    flat = e.reshape(ids, (count, 1))
    kind = "add" if op.reduction == "mean" else op.reduction
    start = {"add": 0, "mul": 1}.get(kind)
    neutral = extreme(dtype, lowest=kind == "max") if start is None else start
    y = _scatter_tuples(e, e.full(out, neutral, dtype), flat, rows, _COMBINE[kind])
    ones = _scatter_tuples(e, e.full(out[:1], 0, DType.I32), flat, e.full((count,), 1, DType.I32), "add")
    counts = e.reshape(ones, (out[0], *(1,) * (len(out) - 1)))
    if op.reduction == "mean":
        y = e.y(core.Div(y, e.convert(e.binary("maximum", counts, e.scalar(1, DType.I32)), dtype)))
    return e.select(e.compare("EQ", counts, e.scalar(0, DType.I32)), empty, y)


@RULES.rule(core.Lookup)
def lookup(op: core.Lookup, e: HloBuilder) -> Value:
    """Comparisons; HLO has no tables."""
    return by_comparison(op, e.y, "HLO")
