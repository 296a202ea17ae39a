"""Scatter and segments: ops that write or combine what indices choose.

Sources: kernels/scatter_nd.cc, dynamic_update_slice.cc, segment_sum.cc, unsorted_segment.cc.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.index import element_positions, element_tuples, positive_tuples
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import Rules, remake

RULES = Rules()


@RULES.rule(core.ScatterElements)
def scatter_elements(op: core.ScatterElements, e: TflBuilder) -> Value:
    """By positions in the flattened data; scatter_nd with the positions of all axes where they are summed up."""
    axis = op.axis % max(len(shape_of(op.data)), 1)
    if 0 in shape_of(op.updates):
        return e.copy(op.data)
    if op.reduction != "none":
        tuples = element_tuples(e, op.data, op.indices, axis)
        return e.y(core.ScatterNd(op.data, tuples, op.updates, reduction=op.reduction, from_start=True))
    flat = _flattened(e, element_positions(e, op.data, op.indices, axis))
    return _keep_last(e, op.data, flat, op.updates, len(shape_of(op.data)))


@RULES.rule(core.ScatterNd)
def scatter_nd(op: core.ScatterNd, e: TflBuilder) -> Value:
    """SCATTER_ND adds up into zeros.

    none: the updates where something was scattered, else data.  add, sub: data plus or minus the sum.  Others: by
    segments over flat positions.
    """
    if 0 in shape_of(op.updates):
        return e.copy(op.data)
    index = positive_tuples(e, op.data, op.indices, from_start=op.from_start)
    if op.reduction in ("add", "sub") and op.data.tensor.dtype is not DType.BOOL:
        total = _scatter(e, index, op.updates, op.data)
        if op.reduction == "add" and _is_zero(op.data):
            return total
        return e.y((core.Add if op.reduction == "add" else core.Sub)(op.data, total))
    if op.reduction == "none":
        return _update(op, e, index) or _overwrite(op, e, index)
    return _scatter_reduce(op, e, index)


_MOST_NUMBERS = 1024  # in a constant
_UPDATED = (DType.F32, DType.I32, DType.I64, DType.I8, DType.BOOL)  # kernels/dynamic_update_slice.cc, version 1


def _update(op: core.ScatterNd, e: TflBuilder, index: Value) -> Value | None:
    """DYNAMIC_UPDATE_SLICE, where there is a single tuple."""
    data, depth = shape_of(op.data), shape_of(index)[-1]
    if product(shape_of(index)[:-1]) != 1 or depth == 0 or not isinstance(depth, int):
        return None
    if op.data.tensor.element not in _UPDATED or 0 in data:
        return None
    begins = e.reshape(_number(e, index) if depth == 1 else index, (depth,))
    if depth < len(data):
        begins = e.y(core.Concat([begins, e.ints([0] * (len(data) - depth))], axis=0))
    update = e.reshape(op.updates, (*[1] * depth, *data[depth:]), op.updates, op.data)
    return e.one("DYNAMIC_UPDATE_SLICE", [op.data, update, begins], op.y.type)


def _number(e: TflBuilder, index: Value) -> Value:
    """An index tuple of one number, int32, before it was a tuple: PACK takes the number itself."""
    made = index.producer
    while isinstance(made, (core.Reshape, core.ExpandDims, core.Cast)) and made.x.tensor.dtype.is_int:
        index, made = made.x, made.x.producer
    return e.i32(index)


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
        mask = None if constant is None else _written(constant.view(), shape_of(op.data))
        if mask is not None:
            return e.y(core.Select(e.constant(mask), summed, op.data))
        ones = e.broadcast_to(e.constant(1, DType.I32), shape_of(op.updates), op.updates)
        hits = e.one(
            "SCATTER_ND",
            [index, ones, e.sizes(shape_of(op.data), op.data)],
            TensorType(DType.I32, op.data.tensor.shape),
        )
        return e.y(core.Select(e.y(core.NotEqual(hits, e.i(0))), summed, op.data))
    return _last_wins(op, e, index, depth)


def _written(index: Array, data: Shape) -> Array | None:
    """Where constant tuples point, over the axes that they choose along; None where that is not known, or much."""
    rows = index.reshape(-1, index.shape[-1])
    lead = static(data[: rows.shape[1]])
    if lead is None or not 0 < math.prod(lead) <= _MOST_NUMBERS or (rows < 0).any() or (rows >= lead).any():
        return None
    mask = np.zeros(lead, np.bool_)
    mask[tuple(rows.T)] = True
    return mask.reshape(*lead, *[1] * (len(data) - len(lead)))


def _flat_positions(e: TflBuilder, index: Value, sizes: tuple[Size, ...], source: Value) -> Value:
    """Row-major positions, int32 [count], of index tuples into axes of `sizes`."""
    strides = [product(sizes[i + 1 :]) for i in range(len(sizes))]
    if len(sizes) == 1:
        return _flattened(e, index)
    total = e.y(core.ReduceSum(e.y(core.Mul(index, e.sizes(strides, source))), axes=(len(shape_of(index)) - 1,)))
    return _flattened(e, total)


def _flattened(e: TflBuilder, x: Value) -> Value:
    view = x.producer
    if isinstance(view, (core.Reshape, core.ExpandDims)) and view.x.tensor.rank == 1:
        return view.x
    type_ = x.tensor.with_shape((product(shape_of(x)),))
    return x if x.tensor.rank == 1 else e.one("RESHAPE", [x, e.ints([-1])], type_, new_shape=(-1,))


def _last_wins(op: core.ScatterNd, e: TflBuilder, index: Value, depth: int) -> Value:
    if depth == 0:
        raise refuse("scatter with index tuples of length 0")
    flat = _flat_positions(e, index, shape_of(op.data)[:depth], op.data)
    return _keep_last(e, op.data, flat, op.updates, depth)


def _keep_last(e: TflBuilder, data: Value, flat: Value, updates: Value, depth: int) -> Value:
    """For each place, of the first `depth` axes of data, the number of the last update (segment maximum), then a gather
    from data and, behind it, the updates, which have the larger numbers.  Where data is one number: from the updates,
    in front of which that stands.  Places without an update hold the lowest integer.
    """
    shape = shape_of(data)
    lead, tail = shape[:depth], shape[depth:]
    count, places = shape_of(flat)[0], product(lead)
    segments = e.reshape(e.size(places, data), ())
    same = _repeated(e, data)
    first = places if same is None else 1
    numbers = _numbers(e, e.i(1) if same is not None else segments, first, count, flat)
    last = e.one("UNSORTED_SEGMENT_MAX", [numbers, flat, segments], TensorType(DType.I32, (places,)))
    updates = e.reshape(updates, (count, *tail), updates, data)
    if same is None:
        rows = e.y(core.Concat([e.reshape(data, (places, *tail)), updates], axis=0))
        own = _numbers(e, e.i(0), 0, places, data)
    else:
        front = np.asarray([[1, 0], *([0, 0] for _ in tail)])
        rows, own = e.y(core.Pad(updates, e.constant(front, DType.I32), same)), e.i(0)
    picked = updates.tensor.with_shape((places, *tail))
    chosen = e.one("GATHER", [rows, e.y(core.Maximum(last, own))], picked, axis=0)
    return e.reshape(chosen, shape, data)


def _numbers(e: TflBuilder, first: Value, told: Size, count: Size, source: Value) -> Value:
    """As many numbers, from the first on, which is told; many of them are no constant."""
    if isinstance(count, int) and isinstance(told, int) and count <= _MOST_NUMBERS:
        return e.ints(range(told, told + count))
    size = e.reshape(e.size(count, source), ())
    limit = size if told == 0 else e.y(core.Add(size, first))
    return e.y(core.Range(first, limit, e.i(1)))


def _is_zero(data: Value) -> bool:
    """0 everywhere, of which SCATTER_ND starts as well."""
    return _number_everywhere(data) == 0


def _number_everywhere(data: Value) -> float | None:
    made = data.producer
    return uniform(made.x if isinstance(made, core.BroadcastTo) else data)


def _repeated(e: TflBuilder, data: Value) -> Value | None:
    """The one number that is everywhere in data."""
    made = data.producer
    if isinstance(made, core.BroadcastTo):
        return made.x if made.x.tensor.shape == () else None
    number = uniform(data) if data.tensor.dtype in (DType.F32, DType.I32) else None
    return None if number is None else e.asarray(number, data)


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
    if _takes_neutral(op):
        number = _repeated(e, op.data)
        return e.y(combine(op.data if number is None else number, e.reshape(reduced, data, op.data)))
    base = e.reshape(op.data, (places, *tail))
    ones = e.broadcast_to(e.i(1), (count,), flat)
    hits = e.one("UNSORTED_SEGMENT_SUM", [ones, flat, segments], TensorType(DType.I32, (places,)))
    mask = e.reshape(e.y(core.NotEqual(hits, e.i(0))), (places, *(1 for _ in tail)))
    return e.reshape(e.y(core.Select(mask, e.y(combine(base, reduced)), base)), data, op.data)


def _takes_neutral(op: core.ScatterNd) -> bool:
    """Whether data stays as it is beside what the kernel writes where nothing was scattered: 1 in products, the number
    that is farthest from the wanted one, but finite, for max and min.
    """
    if op.reduction == "mul" or op.data.tensor.dtype is DType.I32:
        return True
    number = _number_everywhere(op.data)
    return number is not None and math.isfinite(number)


@RULES.rule(core.ScatterFill)
def scatter_fill(op: core.ScatterFill, e: TflBuilder) -> Value:
    """SCATTER_ND."""
    return e.one("SCATTER_ND", [e.i32(op.indices), op.updates, e.i32(op.shape)], op.y.type)


@RULES.rule(core.SegmentReduce)
def segment_reduce(op: core.SegmentReduce, e: TflBuilder) -> Value:
    """UNSORTED_SEGMENT_*; where a segment is empty the kernel's neutral element is replaced when the source wants
    another.  SEGMENT_SUM refuses sorted ids that leave a segment empty (kernels/segment_sum.cc: a step of 0 or 1).
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
