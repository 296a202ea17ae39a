"""Gather and search: ops that pick by index.

Sources: kernels/gather.cc, gather_nd.cc, one_hot.cc, where.cc, topk_v2.cc, unique.cc. The kernels want
indices that are not negative; constants are made so now, others at run time.
"""

from __future__ import annotations

import math
from itertools import accumulate

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.core import Value
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.limits import check_table
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.front import SLICED_RANK
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules, remake
from mlconv.rewrite.index_forms import counts_from_start

RULES = Rules()
FIRST = Rules()
_SLICED = (DType.F32, DType.I8, DType.U8, DType.I16, DType.I32, DType.I64, DType.BOOL)


def positive(e: TflBuilder, x: Value, axis: int, indices: Value, from_start: bool = False) -> Value:
    """Indices along one axis of x, counted from the front, int32 or int64.  from_start: they are already.  Those that
    were reshaped or repeated are counted before that, as often by other ops that pick with them.
    """
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
    if from_start or counts_from_start(indices, x):
        return indices
    moved = indices.producer
    if isinstance(moved, core.ExpandDims | core.Squeeze | core.Reshape | core.BroadcastTo):
        counted = positive(e, x, axis, moved.x)
        return e.y(remake(moved, [counted, *moved.operands[1:]]))
    if isinstance(size, int):
        bound = e.asarray(size, indices)
    else:
        bound = e.cast(e.reshape(e.size(size, x), ()), indices.tensor.dtype)
    negative = e.y(core.Less(indices, e.asarray(0, indices)))
    return e.y(core.Select(negative, e.y(core.Add(indices, bound)), indices))


@RULES.rule(core.Gather)
def gather(op: core.Gather, e: TflBuilder) -> Value:
    """GATHER; of strings, which have one axis there, out of all in a row."""
    rank = len(shape_of(op.x))
    axis = op.axis % rank
    last = _last(op, axis, e)
    if last is not None:
        return last
    indices = positive(e, op.x, axis, op.indices, op.from_start)
    if rank > 1 and op.x.tensor.dtype is DType.STRING:
        return _strings_in_a_row(op, axis, indices, e)
    return e.one("GATHER", [op.x, indices], op.y.type, axis=axis, batch_dims=op.batch_dims)


def _last(op: core.Gather, axis: int, e: TflBuilder) -> Value | None:
    """The last element of an axis whose size is known at run time: STRIDED_SLICE counts from the end itself."""
    shape = shape_of(op.x)
    if (
        isinstance(shape[axis], int)
        or not 1 < len(shape) <= SLICED_RANK
        or op.batch_dims
        or ints_of(op.indices) != (-1,)
    ):
        return None
    if op.indices.tensor.shape != () or op.x.tensor.dtype not in _SLICED:
        return None
    others = sum(1 << i for i in range(len(shape)) if i != axis)
    begin = e.ints([-1 if i == axis else 0 for i in range(len(shape))])
    bounds = (begin, e.ints([0] * len(shape)), e.ints([1] * len(shape)))
    masks = {"begin_mask": others, "end_mask": others, "shrink_axis_mask": 1 << axis}
    return e.one("STRIDED_SLICE", [op.x, *bounds], op.y.type, **masks)


def _strings_in_a_row(op: core.Gather, axis: int, indices: Value, e: TflBuilder) -> Value:
    """Strings at their places among all: those of indices are `within` apart, rows of the axes before `step`."""
    shape = shape_of(op.x)
    if op.batch_dims:
        raise ConversionError(
            Code.TargetLacksType, "TFLite gathers strings by the same indices for all rows", operand=0
        )
    before, within = product(shape[:axis]), product(shape[axis + 1 :])
    places = indices
    if before != 1 or within != 1:
        places = e.reshape(e.i32(indices), (1, product(shape_of(indices)), 1), indices)
        if within != 1:
            inner = _ramp(e, within, 1, op.x)
            places = e.y(core.Add(e.y(core.Mul(places, e.size(within, op.x))), inner))
        if before != 1:
            outer = e.reshape(_ramp(e, before, product(shape[axis:]), op.x), (before, 1, 1), op.x)
            places = e.y(core.Add(places, outer))
        places = e.reshape(places, (product(shape_of(places)),), op.x, indices)
    flat = e.reshape(op.x, (product(shape),))
    made = TensorType(DType.STRING, places.tensor.shape)
    picked = e.one("GATHER", [flat, places], made, axis=0, batch_dims=0)
    return e.reshape(picked, shape_of(op.y), op.x, indices)


def positive_tuples(e: TflBuilder, x: Value, indices: Value, batch_dims: int = 0, from_start: bool = False) -> Value:
    """Index tuples [..., k] into x, int32, counted from the front.  from_start: they are already."""
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
    if depth == 1:
        return e.i32(positive(e, x, batch_dims, indices, from_start))
    index = e.i32(indices)
    if depth == 0:
        return index
    if from_start or counts_from_start(indices, x):
        return index
    bound = e.sizes(sizes, x)
    return e.y(core.Select(e.y(core.Less(index, e.i(0))), e.y(core.Add(index, bound)), index))


@FIRST.rule(core.Transpose)
def transpose_of_strings(op: core.Transpose, e: TflBuilder) -> Value | NoMatch:
    """TRANSPOSE refuses strings when it runs: they are picked out of all in a row."""
    shape = shape_of(op.x)
    moving = [p for p in op.perm if shape[p] != 1]
    if op.x.tensor.dtype is not DType.STRING or moving == sorted(moving):
        return NOT_MEANT
    sizes = static(shape)
    if sizes is None:
        raise ConversionError(Code.TargetLacksType, f"TFLite transposes no {op.x.tensor}: sizes are not known")
    check_table(sizes, "the order of strings")
    order = np.arange(math.prod(sizes)).reshape(sizes).transpose(op.perm).reshape(-1)
    flat = e.reshape(op.x, (order.size,))
    picked = e.one("GATHER", [flat, e.constant(order, DType.I32)], flat.tensor, axis=0, batch_dims=0)
    return e.reshape(picked, shape_of(op.y))


@FIRST.rule(core.Split)
def split_of_strings(op: core.Split, e: TflBuilder) -> list[Value] | NoMatch:
    """SPLIT refuses strings, STRIDED_SLICE takes them."""
    if op.x.tensor.dtype is not DType.STRING or -1 in op.sizes:
        return NOT_MEANT
    axis = op.axis % len(shape_of(op.x))
    ends = accumulate(op.sizes)
    return [e.slice_axis(op.x, axis, end - size, end) for size, end in zip(op.sizes, ends, strict=True)]


@RULES.rule(core.GatherNd)
def gather_nd(op: core.GatherNd, e: TflBuilder) -> Value:
    """GATHER_ND; batch dimensions become part of the index tuples."""
    depth = shape_of(op.indices)[-1]
    if depth == 0:
        return e.broadcast_to(op.x, shape_of(op.y), op.indices, op.x)
    index = positive_tuples(e, op.x, op.indices, op.batch_dims, op.from_start)
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


def element_positions(e: TflBuilder, x: Value, indices: Value, axis: int) -> Value:
    """Row-major positions in x, int32 and shaped as `indices`, of what elementwise gathers and scatters along `axis`
    choose.
    """
    sizes, shape = shape_of(x), shape_of(indices)
    strides = [product(sizes[i + 1 :]) for i in range(len(sizes))]
    found = e.i32(positive(e, x, axis, indices))
    if strides[axis] != 1:
        found = e.y(core.Mul(found, e.reshape(e.size(strides[axis], x), ())))
    for group in _rows_in_order(sizes, shape, axis):
        starts = _ramp(e, product([shape[i] for i in group]), strides[group[-1]], x, indices)
        column = tuple(shape[i] if i in group else 1 for i in range(len(shape)))
        found = e.y(core.Add(found, e.reshape(starts, column, indices)))
    return found


def _rows_in_order(sizes: Shape, shape: Shape, axis: int) -> list[list[int]]:
    """The axes besides `axis`, those together along which positions follow one another at one distance."""
    groups: list[list[int]] = []
    for i in range(len(sizes)):
        if i == axis or shape[i] == 1:
            continue
        if groups and groups[-1][-1] == i - 1 and sizes[i] == shape[i]:
            groups[-1].append(i)
        else:
            groups.append([i])
    return groups


def _ramp(e: TflBuilder, count: Size, step: Size, *sources: Value) -> Value:
    """0, step, 2 * step, ...: `count` numbers."""
    if isinstance(count, int) and isinstance(step, int):
        return e.ints([i * step for i in range(count)])
    limit, distance = (e.reshape(e.size(size, *sources), ()) for size in (count * step, step))
    return e.y(core.Range(e.i(0), limit, distance))


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
