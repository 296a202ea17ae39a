"""Ragged tensors: rows of different lengths as splits, numbers of rows, and flat values.

Source: tensorflow/core/ops/ragged_*_ops.cc, tensorflow/core/kernels/ragged_*_op*.cc.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import dtype_of, folded, tf_rules
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import Part

RULES: Final = tf_rules()
_FIRST: Final = "FIRST_DIM_SIZE"
_ROWIDS: Final = "VALUE_ROWIDS"
_SPLITS: Final = "ROW_SPLITS"


def _count(n: SourceNode, x: Value) -> Value:
    """The size of the first axis, an int64 scalar."""
    size = n.dim(x, 0)
    return n.constant(size, DType.I64) if isinstance(size, int) else n.scalar(size)


def lengths_of(n: SourceNode, splits: Value) -> Value:
    return n.sub(n.slice_axis(splits, 0, 1, None), n.slice_axis(splits, 0, None, -1))


def splits_of(n: SourceNode, lengths: Value) -> Value:
    """0, and the sums of the lengths."""
    zero = n.constant([0], lengths.tensor.dtype)
    return n.concat([zero, n.y(core.CumSum(lengths, axis=0))], 0)


def rows_of(n: SourceNode, splits: Value, steps: Value) -> Value:
    """The row of each of the values 0, 1, ..."""
    ends = n.cast(n.slice_axis(splits, 0, 1, None), DType.I64)
    passed = n.less_equal(ends, n.expand_dims(steps, 1))
    return n.sum(n.cast(passed, DType.I64), (1,))


def _total(n: SourceNode, splits: Value) -> Value:
    return n.cast(n.scalar(n.slice_axis(splits, 0, -1, None)), DType.I64)


@RULES.rule("RaggedRange")
def ragged_range(n: SourceNode) -> Sequence[Value]:
    """Operands: starts, limits, deltas, vectors or scalars.  Results: splits, values."""
    starts, limits, deltas = n.operands()
    dtype, kind = starts.tensor.dtype, dtype_of(n, "Tsplits", DType.I64)
    span = n.sub(limits, starts)
    if dtype.is_float:
        sizes = n.y(core.Ceil(n.y(core.Abs(n.div(span, deltas)))))
    else:
        sizes = n.y(core.FloorDiv(n.sub(n.add(n.y(core.Abs(span)), n.y(core.Abs(deltas))), 1), n.y(core.Abs(deltas))))
    backwards = n.logical_or(
        n.logical_and(n.less(0, deltas), n.less(span, 0)), n.logical_and(n.less(deltas, 0), n.less(0, span))
    )
    sizes = n.cast(n.where(backwards, 0, sizes), kind)
    sizes = n.reshape(sizes, [-1])
    splits = splits_of(n, sizes)
    steps = n.arange(_total(n, splits))
    row = rows_of(n, splits, steps)
    inner = n.sub(steps, n.cast(n.gather(splits, row), DType.I64))
    every = [n.y(core.BroadcastTo(n.reshape(v, [-1]), n.y(core.ShapeOf(sizes)))) for v in (starts, deltas)]
    begin, step = (n.gather(v, row) for v in every)
    return [splits, n.add(begin, n.mul(n.cast(inner, dtype), step))]


def _part(n: SourceNode, x: Value) -> Part:
    return n.dim(x, 0)


@RULES.rule("RaggedGather")
def ragged_gather(n: SourceNode) -> Sequence[Value]:
    """Operands: nested splits, values, indices.  Results: nested splits, values; a level more for each axis of the
    indices beyond the first.
    """
    depth = n.attr("PARAMS_RAGGED_RANK")
    nested, values, indices = [n.operand(i) for i in range(depth)], n.operand(depth), n.operand(depth + 1)
    kind = nested[0].tensor.dtype
    outer: list[Value] = []
    sizes = n.dims(indices)
    for axis in range(len(sizes) - 1):
        rows, width = n.prod(sizes[: axis + 1]), n.scalar(n.stack([sizes[axis + 1]]))
        ends = n.arange(n.scalar(n.add(n.stack([rows]), 1)))
        outer.append(n.cast(n.mul(ends, width), kind))
    where = n.cast(n.reshape(indices, [-1]), DType.I64)
    made: list[Value] = []
    for splits in nested:
        wide = n.cast(splits, DType.I64)
        begin = n.gather(wide, where)
        new = splits_of(n, n.sub(n.gather(wide, n.add(where, 1)), begin))
        made.append(n.cast(new, kind))
        steps = n.arange(_total(n, new))
        row = rows_of(n, new, steps)
        inner = n.sub(steps, n.gather(new, row))
        where = n.add(n.gather(begin, row), inner)
    return [*outer, *made, n.gather(values, where)]


def _as_splits(n: SourceNode, kinds: Sequence[str]) -> list[Value]:
    """The row partition operands of RaggedTensorToTensor as splits, int64."""
    splits: list[Value] = []
    rows: Value | None = None
    for i, kind in enumerate(kinds):
        part = n.cast(folded(n, 3 + i), DType.I64)
        if kind == _FIRST:
            rows = n.scalar(part)
            continue
        if kind == _ROWIDS:
            if rows is None:
                raise n.unsupported("rows by number, without how many there are")
            steps = n.y(core.Range(n.constant(0, DType.I64), n.add(rows, 1), n.constant(1, DType.I64)))
            before = n.less(part, n.expand_dims(steps, 1))
            splits.append(n.sum(n.cast(before, DType.I64), (1,)))
            rows = _count(n, part)
        elif kind == _SPLITS:
            splits.append(part)
            rows = _total(n, part)
        else:
            raise n.unsupported(f"a row partition {kind}")
    return splits


@RULES.rule("RaggedTensorToTensor")
def ragged_tensor_to_tensor(n: SourceNode) -> Value:
    """Operands: shape (-1: as large as needed), values, default value, row partitions.  Every place of the result looks
    whether it lies in its row.
    """
    values, default = n.operand(1), n.operand(2)
    splits = _as_splits(n, [k.decode() if isinstance(k, bytes) else k for k in n.attr("row_partition_types")])
    rank = len(splits) + n.rank(values)
    sizes = _sizes(n, splits, rank, values)
    place: Value | None = None
    inside: Value | None = None
    for level, part in enumerate(splits):
        lengths = lengths_of(n, part)
        if place is None:
            place = n.arange(sizes[0])
            if _given(n, rank, 0) is not None:
                inside = n.less(place, n.sub(_count(n, part), 1))
                place = n.where(inside, place, 0)
        if inside is not None:  # there may be no row
            lengths = n.concat([lengths, n.constant([0], DType.I64)], 0)
        along = n.arange(sizes[level + 1])
        begin, length = (n.gather(v, place, from_start=True) for v in (part, lengths))
        begin = n.expand_dims(begin, level + 1)
        fits = n.less(along, n.expand_dims(length, level + 1))
        if inside is not None:
            fits = n.logical_and(fits, n.expand_dims(inside, level + 1))
        inside = fits
        place = n.where(inside, n.add(begin, along), 0)
    if place is None or inside is None:
        raise n.unsupported("values without rows")
    rest = n.dims(values)[1:]
    filler = n.y(core.BroadcastTo(default, n.vector([1, *rest])))
    found = n.gather(n.concat([values, filler], 0), place, from_start=True)
    mask = n.expand_dims(inside, *range(n.rank(inside), n.rank(found))) if rest else inside
    return n.where(mask, found, default)


def _sizes(n: SourceNode, splits: Sequence[Value], rank: int, values: Value) -> list[Part]:
    """Of the ragged axes: given, or the number of rows and the longest of each level, in which there is no more than
    there are rows of the next level, or values: the kernel refuses splits that do not end there.
    """
    sizes: list[Part] = []
    for axis in range(len(splits) + 1):
        known = _given(n, rank, axis)
        if known is not None:
            sizes.append(known)
        elif n.const_or_none(0) is None and n.known(0) is None:
            raise n.unsupported("a shape that is computed by the model")
        elif axis == 0:
            rows = n.dim(splits[0], 0)
            sizes.append(rows - 1 if isinstance(rows, int) else n.sub(rows, 1))
        else:
            lengths = n.concat([n.constant([0], DType.I64), lengths_of(n, splits[axis - 1])], 0)
            have = n.sub(_count(n, splits[axis]), 1) if axis < len(splits) else _count(n, values)
            sizes.append(n.reshape(n.minimum(n.max(lengths, (0,)), have), [1]))
    return sizes


def _given(n: SourceNode, rank: int, axis: int) -> int | None:
    """The size of an axis, where the shape says one."""
    given = n.known(0) or ()
    known = given[axis] if len(given) == rank else None
    return known if isinstance(known, int) and known >= 0 else None


@RULES.rule("RaggedTensorToSparse")
def ragged_tensor_to_sparse(n: SourceNode) -> Sequence[Value]:
    """Operands: nested splits, values.  Results: indices, values, shape."""
    depth = n.attr("RAGGED_RANK")
    nested = [n.cast(n.operand(i), DType.I64) for i in range(depth)]
    values = n.operand(depth)
    if n.rank(values) != 1:
        raise n.unsupported(f"rows of {values.tensor}")
    at = n.arange(n.dim(values, 0))
    columns: list[Value] = []
    for splits in reversed(nested):
        ends = n.slice_axis(splits, 0, 1, None)
        row = n.sum(n.cast(n.less_equal(ends, n.expand_dims(at, 1)), DType.I64), (1,))
        columns.append(n.sub(at, n.gather(splits, row)))
        at = row
    columns.append(at)
    indices = n.concat([n.expand_dims(c, 1) for c in reversed(columns)], 1)
    zero = n.constant([0], DType.I64)
    widths = [n.max(n.concat([zero, lengths_of(n, splits)], 0), (0,)) for splits in nested]
    return [indices, values, n.stack([n.sub(_count(n, nested[0]), 1), *widths])]


@RULES.rule("RaggedFillEmptyRows")
def ragged_fill_empty_rows(n: SourceNode) -> Sequence[Value]:
    """Operands: row of each value, values, number of rows, default value.  Results: rows and values with one for each
    empty row, which rows were empty, where each value went.
    """
    ids, values, rows, default = n.operands()
    order, keys, empty, moved = fill_rows(n, ids, n.cast(n.scalar(rows), DType.I64))
    filled = n.concat(
        [values, n.y(core.BroadcastTo(default, n.y(core.ShapeOf(n.slice_axis(keys, 0, _part(n, ids), None)))))], 0
    )
    return [n.gather(keys, order), n.gather(filled, order), empty, moved]


def fill_rows(n: SourceNode, ids: Value, rows: Value) -> tuple[Value, Value, Value, Value]:
    """The order in which values and one for each empty row behind them stand, their rows in the old order, which rows
    are empty, and where each value goes.
    """
    steps = n.y(core.Range(n.constant(0, DType.I64), rows, n.constant(1, DType.I64)))
    empty = n.logical_not(n.y(core.ReduceAny(n.equal(n.expand_dims(steps, 1), ids), axes=(1,))))
    added = n.squeeze(n.y(core.NonZero(empty)), 1)
    keys = n.concat([ids, added], 0)
    count = _count(n, keys)
    order = n.emit(core.TopK(keys, count, axis=0, largest=False)).indices
    before = n.sum(n.cast(n.less(added, n.expand_dims(ids, 1)), DType.I64), (1,))
    number = n.arange(_part(n, ids))
    earlier = n.logical_or(
        n.less(ids, n.expand_dims(ids, 1)),
        n.logical_and(n.equal(ids, n.expand_dims(ids, 1)), n.less(number, n.expand_dims(number, 1))),
    )
    return order, keys, empty, n.add(before, n.sum(n.cast(earlier, DType.I64), (1,)))


@RULES.rule("RaggedBincount")
def ragged_bincount(n: SourceNode) -> Value:
    """Operands: splits, values, size, weights (empty: ones).  Result: counts of each row [rows, size]; values of size
    and more are dropped.
    """
    splits, values, size, weights = n.operands()
    rows = n.sub(_count(n, splits), 1)
    row = rows_of(n, splits, n.arange(_count(n, values)))
    return counted_rows(n, row, rows, values, n.scalar(size), weights)


def counted_rows(n: SourceNode, row: Value, rows: Value, values: Value, size: Value, weights: Value) -> Value:
    """How often each number below the size stands in each row."""
    dtype = weights.tensor.dtype
    classes = n.y(core.Range(n.asarray(0, values), n.cast(size, values.tensor.dtype), n.asarray(1, values)))
    numbers = n.y(core.Range(n.constant(0, DType.I64), rows, n.constant(1, DType.I64)))
    mine = n.equal(n.expand_dims(numbers, 1), row)
    hot = n.equal(n.expand_dims(values, 1), classes)
    if n.attr("binary_output", False):
        total = n.matmul(n.cast(mine, DType.F32), n.cast(hot, DType.F32))
        return n.cast(n.less(0.0, total), dtype)
    each = n.cast(hot, dtype)
    each = each if weights.tensor.size == 0 else n.mul(each, n.expand_dims(weights, 1))
    return n.matmul(n.cast(mine, dtype), each)
