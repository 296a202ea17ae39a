"""Distinct elements and slices, whose number data decide."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.passes.size_names import Names
from mlconv.rewrite.core_builder import CoreBuilder

_COLUMNS = 64  # numbers of a slice, of which each is a sort
I64 = DType.I64


def distinct(op: core.Unique, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """By sorting: equal rows are neighbours, the first one of each is where one begins."""
    rows = _rows(op, e)
    if rows is None or op.x.tensor.dtype in (DType.BOOL, DType.STRING):
        return None
    have, bound = e.dim(rows, 0), (rows.tensor.shape or ())[0]
    values, order = _in_order(e, rows)
    places = e.arange(have)
    before = e.gather(values, e.maximum(e.sub(places, 1), 0))
    other = e.logical_not(e.equal(values, before))
    new = e.logical_or(e.equal(places, 0), e.y(core.ReduceAny(other, axes=(1,))) if e.rank(other) > 1 else other)
    ones = e.cast(new, I64)
    group = e.sub(e.y(core.CumSum(ones, axis=0)), 1)
    count = names.define(e, e.sum(ones, (0,)), bound)
    zeros = e.full_like(group, 0)
    starts = e.reshape(e.slice_axis(e.y(core.NonZero(new, padded=True)), 0, 0, count), [-1])
    inverse = e.y(core.ScatterNd(zeros, e.expand_dims(order, 1), group, reduction="none"))
    counts = e.y(core.ScatterNd(zeros, e.expand_dims(group, 1), e.full_like(group, 1), reduction="add"))
    counts = e.slice_axis(counts, 0, 0, count)
    y, first = e.gather(values, starts), e.gather(order, starts)
    if not op.sorted:
        _, turn = e.ys(core.TopK(first, e.scalar(count), axis=0, largest=False, index_dtype=I64))
        y, first, counts = (e.gather(v, turn) for v in (y, first, counts))
        numbers = e.cast(e.arange(count), I64)
        rank = e.y(core.ScatterNd(e.full_like(turn, 0), e.expand_dims(turn, 1), numbers, reduction="none"))
        inverse = e.gather(rank, inverse)
    return [_slices(op, e, y, count), *(e.cast(v, op.index_dtype) for v in (first, inverse, counts))]


def _rows(op: core.Unique, e: CoreBuilder) -> Value | None:
    """What is compared: numbers [n], or the numbers of each slice, [n, m]; None where that is too many, or open."""
    rank, shape = e.rank(op.x), op.x.tensor.shape or ()
    if op.axis is None or rank == 1:
        size = op.x.tensor.size
        told = isinstance(size, int) or (size is not None and size.is_known)
        return (op.x if rank == 1 else e.reshape(op.x, [-1])) if told else None
    axis = e.axis_of(op.x, op.axis)
    columns = product((*shape[:axis], *shape[axis + 1 :]))
    if not is_told(shape) or not isinstance(columns, int) or not 0 < columns <= _COLUMNS:
        return None
    return e.reshape(e.transpose(op.x, [axis, *(i for i in range(rank) if i != axis)]), [-1, columns])


def _columns(rows: Value) -> int:
    last = (rows.tensor.shape or (0,))[-1]
    return last if isinstance(last, int) else 0


def _slices(op: core.Unique, e: CoreBuilder, rows: Value, count: Value) -> Value:
    """Rows as slices along the axis."""
    if op.axis is None or e.rank(rows) == 1:
        return rows
    axis, rank = e.axis_of(op.x, op.axis), e.rank(op.x)
    rest = [d for i, d in enumerate(e.dims(op.x)) if i != axis]
    return e.transpose(e.reshape(rows, [count, *rest]), [*range(1, axis + 1), 0, *range(axis + 1, rank)])


def _in_order(e: CoreBuilder, rows: Value) -> tuple[Value, Value]:
    """Rows that rise, and where each was; equal ones stay in order."""
    have = e.dim(rows, 0)
    k = e.scalar(have) if isinstance(have, Value) else e.constant(have, I64)
    if e.rank(rows) == 1:
        values, places = e.ys(core.TopK(rows, k, axis=0, largest=False, index_dtype=I64))
        return values, places
    order: Value | None = None
    for column in reversed(range(_columns(rows))):  # the last that is sorted by decides first
        numbers = e.squeeze(e.slice_axis(rows, 1, column, column + 1), 1)
        numbers = numbers if order is None else e.gather(numbers, order)
        _, places = e.ys(core.TopK(numbers, k, axis=0, largest=False, index_dtype=I64))
        order = places if order is None else e.gather(order, places)
    assert order is not None
    return e.gather(rows, order), order
