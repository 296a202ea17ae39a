"""StridedSlice with its five masks.  Source: tensorflow/core/util/strided_slice_op.cc."""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK
from mlconv.legalize.from_tf.operands import (
    rank_of,
    reshape,
    shape_of,
    static_shape,
    tf_rules,
)
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


class Item(NamedTuple):
    """What the slice says of one axis of x: entry number `entry` of the begin/end/strides vectors (-1: nothing), and
    its masks.
    """

    entry: int
    open_begin: bool
    open_end: bool
    shrink: bool


class Plan(NamedTuple):
    """Items for all axes of x, and where axes of size 1 are put into the result."""

    items: list[Item]
    new_axes: list[int]


def plan_slice(n: SourceNode, entries: int, rank: int) -> Plan:
    """Spread the sparse specification over the axes of x.  Raises ConversionError ShapeMismatch when it has too many
    entries.
    """
    begin_mask, end_mask, ellipsis, new_axis, shrink = (
        n.attr(f"{k}_mask", 0) for k in ("begin", "end", "ellipsis", "new_axis", "shrink_axis")
    )
    if bin(ellipsis).count("1") > 1:
        raise ConversionError(Code.ShapeMismatch, "StridedSlice has more than one ellipsis")
    consumed = sum(1 for i in range(entries) if not (ellipsis | new_axis) >> i & 1)
    items: list[Item] = []
    new_axes: list[int] = []
    position = 0  # axis of the result before shrunk axes are removed; new axes count
    for i in range(entries):
        if ellipsis >> i & 1:
            count = max(0, rank - consumed)
            items += [Item(-1, True, True, False)] * count
            position += count
        elif new_axis >> i & 1:
            new_axes.append(position)
            position += 1
        else:
            is_shrunk = bool(shrink >> i & 1)
            items.append(Item(i, bool(begin_mask >> i & 1) and not is_shrunk, bool(end_mask >> i & 1), is_shrunk))
            position += 0 if is_shrunk else 1
    if len(items) > rank:
        raise ConversionError(Code.ShapeMismatch, f"StridedSlice has {len(items)} indices for an input of rank {rank}")
    items += [Item(-1, True, True, False)] * (rank - len(items))
    return Plan(items, new_axes)


def _entries(n: SourceNode) -> int:
    """How many entries the bounds have."""
    lengths = [shape_of(n.operand(i), "a slice bound") for i in (1, 2, 3)]
    entries = lengths[0][0] if lengths[0] else None
    if not isinstance(entries, int):
        raise ConversionError(Code.ShapeNotStatic, f"the number of slice bounds of {n.kind} must be known")
    if entries > 2 * MAX_RANK:  # each takes an axis of the operand or makes one of the result
        raise ConversionError(Code.ShapeMismatch, f"{n.kind} has {entries} slice bounds")
    return entries


@RULES.rule("StridedSlice")
def strided_slice(n: SourceNode) -> Value:
    """x[begin:end:strides]; axes that shrink are picked at `begin` and vanish, axes that are new have size 1."""
    x, entries = n.operand(0), _entries(n)
    return _cut(n, x, plan_slice(n, entries, rank_of(x, "the sliced tensor")), entries)


@RULES.rule("TensorStridedSliceUpdate", "ResourceStridedSliceAssign")
def strided_slice_update(n: SourceNode) -> Value:
    """x with x[begin:end:strides] replaced.  Operands: x, begin, end, strides, values of the slice's shape.

    The same slice of the positions 0, 1, ... says where the values go; axes behind the last one that is cut are
    scattered as rows.
    """
    x, values, entries = n.operand(0), n.operand(4), _entries(n)
    sizes = static_shape(x, "the tensor that is updated")
    plan = plan_slice(n, entries, len(sizes))
    strides = _known(n, 3) or (None,) * entries
    whole = [item.entry < 0 or (item.open_begin and item.open_end and strides[item.entry] == 1) for item in plan.items]
    lead = max((axis + 1 for axis, is_whole in enumerate(whole) if not is_whole), default=0)
    count, rest = math.prod(sizes[:lead]), sizes[lead:]
    check_table((count,), "table of places")
    numbers = n.constant(np.arange(count).reshape(sizes[:lead]), DType.I32)
    places = _cut(n, numbers, Plan(plan.items[:lead], []), entries)
    rows = reshape(n, x, [count, *rest])
    updates = n.emit(core.Reshape(values, n.vector([-1, *rest]))).y
    placed = n.emit(core.ScatterNd(rows, n.emit(core.Reshape(places, n.vector([-1, 1]))).y, updates)).y
    return reshape(n, placed, sizes)


def _cut(n: SourceNode, x: Value, plan: Plan, entries: int) -> Value:
    """The slice that a plan says."""
    begin = _known(n, 1) or (None,) * entries
    picked = {a for a, item in enumerate(plan.items) if item.shrink and not isinstance(begin[item.entry], int)}
    y = _sliced(n, x, plan.items, picked)
    shrunk = [a for a, item in enumerate(plan.items) if item.shrink and a not in picked]
    for axis in sorted(picked, reverse=True):
        index = n.emit(core.Gather(n.operand(1), n.constant(plan.items[axis].entry, DType.I32), axis=0)).y
        y = n.emit(core.Gather(y, index, axis=axis)).y
        shrunk = [a - 1 if a > axis else a for a in shrunk]
    if shrunk:
        y = n.squeeze(y, *shrunk)
    return n.expand_dims(y, *plan.new_axes) if plan.new_axes else y


def _sliced(n: SourceNode, x: Value, items: list[Item], picked: set[int]) -> Value:
    """x with every axis cut to its range; axes in `picked` stay whole."""
    shape = shape_of(x)
    known = [_known(n, i) for i in (1, 2, 3)]
    ranges = [
        _range(item, known, shape[a]) if a not in picked else _Range(0, 0, 1, True, True)
        for a, item in enumerate(items)
    ]
    if all(r.open_begin and r.open_end and r.stride == 1 for r in ranges):
        return x
    begin_mask = sum(r.open_begin << a for a, r in enumerate(ranges))
    end_mask = sum(r.open_end << a for a, r in enumerate(ranges))
    begin, end, strides = (_bounds(n, k + 1, [r[k] for r in ranges], items) for k in range(3))
    return n.emit(core.Slice(x, begin, end, strides, begin_mask=begin_mask, end_mask=end_mask)).y


def _known(n: SourceNode, i: int) -> tuple[Size | None, ...] | None:
    """Contents of a bounds operand as far as they are known."""
    return n.known(i) or (n.ints(i) if n.const_or_none(i) is not None else None)


class _Range(NamedTuple):
    """Bounds of one axis; None where only the run-time operand has them."""

    begin: Size | None
    end: Size | None
    stride: Size | None
    open_begin: bool
    open_end: bool


def _range(item: Item, known: list[tuple[Size | None, ...] | None], size: Size) -> _Range:
    if item.entry < 0:
        return _Range(0, 0, 1, True, True)
    begin, end, stride = (None if k is None else k[item.entry] for k in known)
    if item.shrink and isinstance(begin, int):
        if isinstance(size, int) and not -size <= begin < size:
            raise ConversionError(Code.ShapeMismatch, f"slice index {begin} is out of range for the size {size}")
        return _Range(begin, begin + 1, 1, False, begin == -1)
    open_begin = item.open_begin or (begin == 0 and isinstance(stride, int) and stride > 0)
    open_end = item.open_end or (
        isinstance(end, int) and isinstance(size, int) and isinstance(stride, int) and end >= size and stride > 0
    )
    return _Range(0 if open_begin else begin, 0 if open_end else end, stride, open_begin, open_end)


def _bounds(n: SourceNode, operand: int, values: list[Size | None], items: list[Item]) -> Value:
    """A bound for every axis of x, as a constant where all are known."""
    ints = [v for v in values if isinstance(v, int)]
    if len(ints) == len(values):
        return n.constant(np.asarray(ints, np.int64), DType.I32)
    source = n.cast(n.operand(operand), DType.I32)
    parts: list[Value] = []
    for value, item in zip(values, items, strict=True):
        if isinstance(value, int):
            parts.append(n.constant(np.asarray([value], np.int64), DType.I32))
        else:
            index = n.constant(np.asarray([item.entry], np.int64), DType.I32)
            parts.append(n.emit(core.Gather(source, index, axis=0)).y)
    return n.concat(parts, 0)
