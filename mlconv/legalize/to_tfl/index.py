"""Gather, scatter, search: ops that pick or place by index.

Sources: kernels/gather.cc, gather_nd.cc, scatter_nd.cc, one_hot.cc, where.cc, topk_v2.cc, unique.cc,
unsorted_segment.cc. The kernels want indices that are not negative; constants are made so now, others at run time.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.rewrite import Rules, remake
from mlconv.rewrite.index_forms import not_negative

RULES = Rules()


def positive(e: TflBuilder, x: Value, axis: int, indices: Value) -> Value:
    """Indices along one axis of x, counted from the front, int32 or int64."""
    size = shape_of(x)[axis]
    constant = const_of(indices)
    if constant is not None and constant.size <= 1 << 16:
        data = constant.view().astype(np.int64)
        if not np.any(data < 0):
            return indices if constant.dtype in (DType.I32, DType.I64) else e.cast(indices, DType.I32)
        if isinstance(size, int):
            return e.constant(np.where(data < 0, data + size, data), DType.I32)
    if indices.tensor.dtype not in (DType.I32, DType.I64):
        if indices.tensor.dtype.is_unsigned_int:
            return e.cast(indices, DType.I32 if indices.tensor.dtype.bits < 32 else DType.I64)
        indices = e.cast(indices, DType.I32)
    if not_negative(indices):
        return indices
    if isinstance(size, int):
        bound = e.asarray(size, indices)
    else:
        bound = e.cast(e.reshape(e.size(size, x), ()), indices.tensor.dtype)
    negative = e.y(core.Less(indices, e.asarray(0, indices)))
    return e.y(core.Select(negative, e.y(core.Add(indices, bound)), indices))


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: TflBuilder) -> Value:
    """GATHER."""
    rank = len(shape_of(op.x))
    axis = op.axis % rank
    indices = positive(e, op.x, axis, op.indices)
    return e.one("GATHER", [op.x, indices], op.y.type, axis=axis, batch_dims=op.batch_dims)


def positive_tuples(e: TflBuilder, x: Value, indices: Value, batch_dims: int = 0) -> Value:
    """Index tuples [..., k] into x, int32, counted from the front."""
    depth = shape_of(indices)[-1]
    if not isinstance(depth, int):
        raise refuse("the length of the index tuples is not known at conversion time")
    sizes = shape_of(x)[batch_dims : batch_dims + depth]
    constant = const_of(indices)
    fixed = static(sizes)
    if constant is not None and constant.size <= 1 << 16 and fixed is not None:
        data = constant.view().astype(np.int64)
        bounds = np.asarray(fixed)
        return e.constant(np.where(data < 0, data + bounds, data), DType.I32)
    index = e.i32(indices)
    if depth == 0:
        return index
    if not_negative(indices):
        return index
    bound = e.sizes(sizes, x)
    return e.y(core.Select(e.y(core.Less(index, e.i(0))), e.y(core.Add(index, bound)), index))


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: TflBuilder) -> Value:
    """GATHER_ND; batch dimensions become part of the index tuples."""
    depth = shape_of(op.indices)[-1]
    if depth == 0:
        return e.broadcast_to(op.x, shape_of(op.y), op.indices, op.x)
    index = positive_tuples(e, op.x, op.indices, op.batch_dims)
    if op.batch_dims:
        index = e.y(core.Concat([*_grid(e, index, op.batch_dims), index], axis=len(shape_of(index)) - 1))
    return e.one("GATHER_ND", [op.x, index], op.y.type)


def _grid(e: TflBuilder, index: Value, axes: int) -> list[Value]:
    """For each of the first `axes` axes, an int32 tensor like index[..., :1] that holds the position along the axis."""
    shape = (*shape_of(index)[:-1], 1)
    out = []
    for axis in range(axes):
        size = shape[axis]
        if isinstance(size, int):
            ramp = e.ints(range(size))
        else:
            limit = e.reshape(e.size(size, index), ())
            ramp = e.y(core.Range(e.i(0), limit, e.i(1)))
        column = e.reshape(ramp, tuple(size if i == axis else 1 for i in range(len(shape))))
        out.append(e.broadcast_to(column, shape, index))
    return out


def element_tuples(e: TflBuilder, x: Value, indices: Value, axis: int) -> Value:
    """Index tuples [..., rank] for elementwise gathers and scatters along `axis`."""
    index = e.i32(positive(e, x, axis, indices))
    rank = len(shape_of(indices))
    spread = e.reshape(index, (*shape_of(index), 1))
    parts = [spread if i == axis else None for i in range(rank)]
    if rank > 1:
        grid = _grid(e, spread, rank)
        parts = [p if p is not None else g for p, g in zip(parts, grid, strict=True)]
    return e.y(core.Concat([p for p in parts if p is not None], axis=rank))


@RULES.rule(core.GatherElements)
def gather_elements(op: core.GatherElements, e: TflBuilder) -> Value:
    """GATHER along the last axis, the others its batch, where there are that many; else GATHER_ND with the positions
    of all axes.
    """
    axis, rank = op.axis % max(len(shape_of(op.x)), 1), len(shape_of(op.x))
    if 0 in shape_of(op.y):
        return _empty(e, op.y.tensor)
    alike = shape_of(op.x)[: rank - 1] == shape_of(op.indices)[: rank - 1]
    if alike and axis == rank - 1 and not op.indices.tensor.is_static:
        indices = positive(e, op.x, axis, op.indices)
        return e.one("GATHER", [op.x, indices], op.y.type, axis=axis, batch_dims=axis)
    return e.one("GATHER_ND", [op.x, element_tuples(e, op.x, op.indices, axis)], op.y.type)


def _empty(e: TflBuilder, t: TensorType) -> Value:
    shape = tuple(d if isinstance(d, int) else 0 for d in t.shape or ())
    return e.constant(np.zeros(shape, t.dtype.numpy), t.dtype)


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: TflBuilder) -> Value:
    """scatter_nd with the positions of all axes."""
    axis = op.axis % max(len(shape_of(op.data)), 1)
    if 0 in shape_of(op.updates):
        return e.copy(op.data)
    tuples = element_tuples(e, op.data, op.indices, axis)
    return e.y(core.ScatterNd(op.data, tuples, op.updates, reduction=op.reduction))


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: TflBuilder) -> Value:
    """SCATTER_ND adds up into zeros.

    none: the updates where something was scattered, else data.  add, sub: data plus or minus the sum.  Others: by
    segments over flat positions.
    """
    if 0 in shape_of(op.updates):
        return e.copy(op.data)
    index = positive_tuples(e, op.data, op.indices)
    if op.reduction in ("add", "sub") and op.data.tensor.dtype is not DType.BOOL:
        total = _scatter(e, index, op.updates, op.data)
        return e.y((core.Add if op.reduction == "add" else core.Sub)(op.data, total))
    if op.reduction == "none":
        return _overwrite(op, e, index)
    return _scatter_reduce(op, e, index)


def _scatter(e: TflBuilder, index: Value, updates: Value, like: Value) -> Value:
    shape = e.sizes(shape_of(like), like)
    return e.one("SCATTER_ND", [index, updates, shape], updates.tensor.with_shape(like.tensor.shape))


def _overwrite(op: core.ScatterNd, e: TflBuilder, index: Value) -> Value:
    """The last update to a place wins: SCATTER_ND would add duplicates, so each place first learns the number of its
    last update.
    """
    constant = const_of(index)
    depth = shape_of(index)[-1]
    if constant is not None:
        rows = constant.view().reshape(-1, max(constant.shape[-1], 1))
        unique = len(np.unique(rows, axis=0)) == len(rows)
    else:
        unique = False
    if unique or not isinstance(depth, int):
        summed = _scatter(e, index, op.updates, op.data)
        ones = e.broadcast_to(e.constant(1, DType.I32), shape_of(op.updates), op.updates)
        hits = e.one(
            "SCATTER_ND",
            [index, ones, e.sizes(shape_of(op.data), op.data)],
            TensorType(DType.I32, op.data.tensor.shape),
        )
        return e.y(core.Select(e.y(core.NotEqual(hits, e.i(0))), summed, op.data))
    return _last_wins(op, e, index, depth)


def _flat_positions(e: TflBuilder, index: Value, sizes: tuple[Size, ...], source: Value) -> Value:
    """Row-major positions, int32 [count], of index tuples into axes of `sizes`."""
    depth = len(sizes)
    strides: list[Value] = []
    for i in range(depth):
        rest: Size = 1
        for d in sizes[i + 1 :]:
            rest = rest * d
        strides.append(e.size(rest, source))
    vector = strides[0] if depth == 1 else e.y(core.Concat(strides, axis=0))
    total = e.y(core.ReduceSum(e.y(core.Mul(index, vector)), axes=(len(shape_of(index)) - 1,)))
    return e.one(
        "RESHAPE", [total, e.ints([-1])], TensorType(DType.I32, (product(shape_of(index)[:-1]),)), new_shape=(-1,)
    )


def _last_wins(op: core.ScatterNd, e: TflBuilder, index: Value, depth: int) -> Value:
    """For each place the number of the last update (segment maximum), then a gather from the updates."""
    data = shape_of(op.data)
    lead, tail = data[:depth], data[depth:]
    if depth == 0:
        raise refuse("scatter with index tuples of length 0")
    flat = _flat_positions(e, index, lead, op.data)
    count = shape_of(flat)[0]
    numbers = e.ints(range(1, count + 1)) if isinstance(count, int) else None
    if numbers is None:
        limit = e.reshape(e.y(core.Add(e.size(count, flat), e.ints([1]))), ())
        numbers = e.y(core.Range(e.i(1), limit, e.i(1)))
    places = product(lead)
    segments = e.reshape(e.size(places, op.data), ())
    last = e.one("UNSORTED_SEGMENT_MAX", [numbers, flat, segments], TensorType(DType.I32, (places,)))
    hit = e.y(core.Greater(last, e.i(0)))
    rows = e.y(core.Sub(e.y(core.Maximum(last, e.i(1))), e.i(1)))  # an untouched place holds the lowest integer
    updates = e.reshape(op.updates, (count, *tail), op.updates, op.data)
    if not isinstance(count, int):  # there may be none, and untouched places point at the first
        spare = np.asarray([[0, 1], *([0, 0] for _ in tail)])
        updates = e.y(core.Pad(updates, e.constant(spare, DType.I32), e.asarray(0, updates)))
    picked = e.one("GATHER", [updates, rows], op.updates.tensor.with_shape((places, *tail)), axis=0)
    base = e.reshape(op.data, (places, *tail))
    mask = e.reshape(hit, (places, *(1 for _ in tail)))
    return e.reshape(e.y(core.Select(mask, picked, base)), data, op.data)


def _scatter_reduce(op: core.ScatterNd, e: TflBuilder, index: Value) -> Value:
    """mul, max, min: a segment reduction of the updates, then combined with data."""
    kinds = {
        "mul": ("UNSORTED_SEGMENT_PROD", core.Mul),
        "max": ("UNSORTED_SEGMENT_MAX", core.Maximum),
        "min": ("UNSORTED_SEGMENT_MIN", core.Minimum),
    }
    if op.reduction not in kinds:
        raise refuse(f"scatter with the reduction {op.reduction} on {op.data.tensor.dtype.display}")
    dtype = op.data.tensor.dtype
    if dtype not in (DType.F32, DType.I32):
        wide = e.y(
            core.ScatterNd(
                e.cast(op.data, DType.I32), op.indices, e.cast(op.updates, DType.I32), reduction=op.reduction
            )
        )
        if dtype is DType.I64:
            raise refuse(
                f"scatter with the reduction {op.reduction} on int64: TFLite's segment kernels take float32 and int32"
            )
        return e.cast(wide, dtype)
    name, combine = kinds[op.reduction]
    depth, data = shape_of(index)[-1], shape_of(op.data)
    if not isinstance(depth, int) or depth == 0:
        raise refuse("scatter with index tuples whose length is not known")
    lead, tail = data[:depth], data[depth:]
    flat = _flat_positions(e, index, lead, op.data)
    places, count = product(lead), shape_of(flat)[0]
    segments = e.reshape(e.size(places, op.data), ())
    updates = e.reshape(op.updates, (count, *tail), op.updates, op.data)
    reduced = e.one(name, [updates, flat, segments], updates.tensor.with_shape((places, *tail)))
    base = e.reshape(op.data, (places, *tail))
    ones = e.broadcast_to(e.i(1), (count,), flat)
    hits = e.one("UNSORTED_SEGMENT_SUM", [ones, flat, segments], TensorType(DType.I32, (places,)))
    mask = e.reshape(e.y(core.NotEqual(hits, e.i(0))), (places, *(1 for _ in tail)))
    return e.reshape(e.y(core.Select(mask, e.y(combine(base, reduced)), base)), data, op.data)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: TflBuilder) -> Value:
    """SCATTER_ND."""
    return e.one("SCATTER_ND", [e.i32(op.indices), op.updates, e.i32(op.shape)], op.y.type)


@RULES.rule(core.OneHot)
def one_hot(op: core.OneHot, e: TflBuilder) -> Value:
    """ONE_HOT."""
    indices = op.indices if op.indices.tensor.dtype in (DType.I32, DType.I64) else e.cast(op.indices, DType.I32)
    depth = e.reshape(e.i32(op.depth), ())
    on, off = e.reshape(op.on, ()), e.reshape(op.off, ())
    return e.one("ONE_HOT", [indices, depth, on, off], op.y.type, axis=op.axis)


@RULES.rule(core.NonZero)
def nonzero(op: core.NonZero, e: TflBuilder) -> Value:
    """WHERE gives int64 tuples."""
    if not shape_of(op.x):
        raise refuse("nonzero of a scalar")
    return e.one("WHERE", [op.x], op.y.type)


@RULES.rule(core.TopK)
def top_k(op: core.TopK, e: TflBuilder) -> list[Value]:
    """TOPK_V2: largest along the last axis; the smallest of numbers are the largest of their negatives."""
    x, rank = op.x, len(shape_of(op.x))
    axis = op.axis % rank
    if axis != rank - 1:
        perm = [i for i in range(rank) if i != axis] + [axis]
        back = [perm.index(i) for i in range(rank)]
        inner = e.emit(remake(op, [e.transpose(x, perm), op.k], axis=rank - 1))
        return [e.transpose(v, back) for v in inner.results]
    if not op.largest:
        flipped = flip_order(e, x)
        inner = e.emit(remake(op, [flipped, op.k], largest=True))
        values, indices = inner.results
        return [flip_order(e, values), indices]
    k = e.reshape(e.i32(op.k), ())
    shape = op.values.tensor.shape
    values, indices = e.tfl("TOPK_V2", [x, k], [op.values.type, TensorType(DType.I32, shape)])
    return [values, e.cast(indices, op.index_dtype)]


def flip_order(e: TflBuilder, x: Value) -> Value:
    """-x, or -1 - x for integers, which has no overflow; unsigned numbers from their largest."""
    dtype = x.tensor.dtype
    if dtype.is_float:
        return e.y(core.Neg(x))
    return e.y(core.Sub(e.constant(np.iinfo(dtype.numpy).max if dtype.is_unsigned_int else -1, dtype), x))


@RULES.rule(core.SegmentReduce)
def segment_reduce(op: core.SegmentReduce, e: TflBuilder) -> Value:
    """UNSORTED_SEGMENT_*; where a segment is empty the kernel's neutral element is replaced when the source wants
    another.
    """
    count = e.reshape(e.i32(op.count), ())
    ids = e.i32(op.ids)
    if op.reduction == "mean":
        total = e.y(remake(op, list(op.operands), reduction="add", empty=0.0))
        ones = e.broadcast_to(e.asarray(1, op.x), shape_of(op.ids), op.ids)
        number = e.one("UNSORTED_SEGMENT_SUM", [ones, ids, count], total.tensor.with_shape(shape_of(op.y)[:1]))
        number = e.y(core.Maximum(number, e.asarray(1, number)))
        return e.y(core.Div(total, e.reshape(number, (*shape_of(number), *(1 for _ in shape_of(op.y)[1:])))))
    names = {
        "add": "UNSORTED_SEGMENT_SUM",
        "mul": "UNSORTED_SEGMENT_PROD",
        "max": "UNSORTED_SEGMENT_MAX",
        "min": "UNSORTED_SEGMENT_MIN",
    }
    y = e.one(names[op.reduction], [op.x, ids, count], op.y.type)
    dtype = op.x.tensor.dtype
    limits = np.finfo(np.float32) if dtype is DType.F32 else np.iinfo(np.int32)
    neutral = {"add": 0, "mul": 1, "max": limits.min, "min": limits.max}[op.reduction]
    if float(neutral) == op.empty or (op.reduction in ("max", "min") and math.isinf(op.empty) and dtype is DType.F32):
        return y
    ones = e.broadcast_to(e.i(1), shape_of(op.ids), op.ids)
    hits = e.one("UNSORTED_SEGMENT_SUM", [ones, ids, count], TensorType(DType.I32, shape_of(op.y)[:1]))
    mask = e.reshape(e.y(core.NotEqual(hits, e.i(0))), (*shape_of(hits), *(1 for _ in shape_of(op.y)[1:])))
    return e.y(core.Select(mask, y, e.constant(np.asarray(op.empty).astype(dtype.numpy), dtype)))
