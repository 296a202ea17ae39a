"""Rows that are repeated as often as data say: `tf.repeat`, of which TensorFlow makes ops that repeat all rows as often
as the one that is repeated most, and pick what counts.

Source: tensorflow/python/ops/array_ops.py, repeat_with_axis, sequence_mask, boolean_mask.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeVar

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.types import TensorType
from mlconv.passes.bounded_sizes import named
from mlconv.passes.size_names import Names
from mlconv.rewrite import NoMatch, Rewriter, edit, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

I64 = DType.I64
_Op = TypeVar("_Op", bound=OpDef)


def repeated_rows(op: core.Gather, e: CoreBuilder, names: Names) -> Sequence[Value] | None:
    """Of an op that picks from rows that are repeated: the row of each place is how many rows end before it, so that
    the sum of the numbers is the only size that data decide.
    """
    found = None if op.axis or op.batch_dims else _rows(op)
    if found is None or not is_told(found[1].tensor.shape):
        return None
    rows, times = found
    times = e.maximum(e.cast(e.reshape(times, [-1]), I64), 0)
    count = named(e, e.sum(times, (0,)), names, op.y, 0)
    if count is None:
        return None
    ends = e.expand_dims(e.y(core.CumSum(times, axis=0)), 1)
    none = e.broadcast_to(e.constant(0, I64), [e.reshape(e.add(count, 1), [1])])
    ended = e.y(core.ScatterNd(none, ends, e.full_like(times, 1), reduction="add", from_start=True))
    row = e.slice_axis(e.y(core.CumSum(ended, axis=0)), 0, 0, e.reshape(count, [1]))
    return [e.gather(e.squeeze(rows, 1), row, from_start=True)]


@rewrite(core.Gather)
def rows_that_count(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """Rows that are repeated are not, where they are picked by rows of the mask that says which of them count."""
    found = None if op.axis or op.batch_dims else _rows(op)
    places = _made_by(op.indices, core.NonZero)
    mask = None if places is None else _made_by(places.x, core.Less)
    if found is None or places is None or mask is None or places.padded:
        return NoMatch("not picked from rows that are repeated, by what counts of them")
    rw.fuse(places, by="rows-that-count")
    e = CoreBuilder(rw)
    tuples = e.y(core.NonZero(mask.y))
    edit.retype(tuples, TensorType(I64, ((places.y.tensor.shape or ())[0], 2)))
    row = e.gather(tuples, 0, axis=1, from_start=True)
    rows = _plain(found[0])
    return e.cast(row, rows.tensor.dtype) if _counts(rows) else e.gather(e.squeeze(found[0], 1), row, from_start=True)


def _counts(rows: Value) -> bool:
    """0, 1, 2, ..., of any shape."""
    counted, constant = rows.producer, const_of(rows)
    if isinstance(counted, core.Range):
        return (known_ints(counted.start), known_ints(counted.step)) == ((0,), (1,))
    if constant is None or not constant.dtype.is_int:
        return False
    return np.array_equal(constant.view().reshape(-1), np.arange(constant.size))


def _rows(op: core.Gather) -> tuple[Value, Value] | None:
    """[n, 1, ...] and how often each is repeated, of `reshape(tile(rows, [1, most]))` from which the places of
    `arange(most) < times[:, None]` are picked, where none is repeated more often than `most`.
    """
    places, repeated = _made_by(op.indices, core.NonZero), _made_by(op.x, core.Tile)
    mask = None if places is None else _made_by(places.x, core.Less)
    steps = None if mask is None else _made_by(mask.a, core.Range)
    if mask is None or steps is None or repeated is None:
        return None
    times, most = mask.b, _plain(steps.limit)
    shape, before, parts = times.tensor.shape or (), repeated.x.tensor.shape or (), _parts(repeated.repeats)
    if (
        (known_ints(steps.start), known_ints(steps.step)) != ((0,), (1,))
        or steps.y.tensor.rank != 1
        or len(shape) != 2
        or shape[1] != 1
        or before[:2] != shape
        or op.x.tensor.rank != len(before) - 1
        or len(parts) != len(before)
        or _plain(parts[1]) is not most
        or any(known_ints(p) != (1,) for i, p in enumerate(parts) if i != 1)
        or not _is_most_of(most, _plain(times))
    ):
        return None
    return repeated.x, times


def _made_by(value: Value, kind: type[_Op]) -> _Op | None:
    """The op of a kind that made a value, in front of reshapes."""
    producer = _plain(value).producer
    return producer if isinstance(producer, kind) else None


def _plain(value: Value) -> Value:
    """A value in front of what leaves its elements in their order."""
    while isinstance(value.producer, (core.Reshape, core.ExpandDims, core.Squeeze)):
        value = value.producer.inputs[0]
    return value


def _parts(vector: Value) -> list[Value]:
    """The operands of a vector that is joined of single numbers."""
    joined = vector.producer
    return list(joined.xs) if isinstance(joined, core.Concat) and all(x.tensor.size == 1 for x in joined.xs) else []


def _is_most_of(most: Value, times: Value) -> bool:
    """`maximum(0, max(times))`."""
    larger = most.producer
    if not isinstance(larger, core.Maximum):
        return False
    for zero, largest in ((larger.a, larger.b), (larger.b, larger.a)):
        found = _plain(largest).producer
        if known_ints(zero) == (0,) and isinstance(found, core.ReduceMax) and _plain(found.x) is times:
            return len(found.axes) == found.x.tensor.rank
    return False
