"""Look-ups in small constant tables, as biases of attention by distance are: what one finds is looked up in no other
one, and has its axes in order.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.shape import const_of, ints_of
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.index_forms import difference, positions
from mlconv.rewrite.pattern import Replacement

_LARGEST = 1 << 16  # elements of a table


def _table(op: core.Gather) -> Const | None:
    """A small constant whose rows are looked up."""
    table = const_of(op.x)
    plain = table is not None and op.axis == op.batch_dims == 0 and op.x.tensor.quant is None
    return table if plain and table is not None and 0 < table.size <= _LARGEST else None


@rewrite(core.Gather)
def table_of_rows(op: core.Gather, rw: Rewriter) -> Replacement | NoMatch:
    """rows[places[i]] is (rows[places])[i]: the bucket of a distance, and its row."""
    inner = op.indices.producer
    if not isinstance(inner, core.Gather) or not inner.y.has_one_use:
        return NoMatch("places are not looked up")
    rows, places = _table(op), _table(inner)
    if rows is None or places is None or len(places.shape) != 1:
        return NoMatch("not in small constants")
    count, at = rows.shape[0], places.view()
    if len(at) * rows.size > count * _LARGEST or at.min() < (0 if op.from_start else -count) or at.max() >= count:
        return NoMatch(f"{len(at)} rows are many, or some are outside")
    rw.fuse(inner, by="table-of-rows")
    table = rw.emit(core.Constant(value=make_const(rows.view()[at], rows.dtype))).y
    return rw.emit(core.Gather(table, inner.indices, axis=0, from_start=inner.from_start)).y


@rewrite(core.Transpose)
def columns_looked_up(op: core.Transpose, rw: Rewriter) -> Replacement | NoMatch:
    """Rows of numbers whose axis goes to the front are columns of the table turned."""
    inner: core.Gather | None = op.x.producer if isinstance(op.x.producer, core.Gather) else None
    table = None if inner is None or not op.x.has_one_use else _table(inner)
    rank = op.x.tensor.rank or 0
    if inner is None or table is None or len(table.shape) != 2 or op.perm != (rank - 1, *range(rank - 1)):
        return NoMatch("no rows of a small constant whose axis goes to the front")
    rw.fuse(inner, by="columns-looked-up")
    turned: Value = rw.emit(core.Constant(value=make_const(np.ascontiguousarray(table.view().T), table.dtype))).y
    return rw.emit(core.Gather(turned, inner.indices, axis=1, from_start=inner.from_start)).y


@rewrite(core.Select)
def mask_by_distance(op: core.Select, rw: Rewriter) -> Replacement | NoMatch:
    """What is hidden by distance, of what is looked up by the same distance, is a number of the table more: causal
    masks of biases.
    """
    rows, hidden = op.a.producer, const_of(op.b)
    limits = limited(rows.indices) if isinstance(rows, core.Gather) and op.a.has_one_use else None
    table = const_of(rows.x) if isinstance(rows, core.Gather) and rows.axis == (rows.x.tensor.rank or 0) - 1 else None
    if not isinstance(rows, core.Gather) or rows.batch_dims or limits is None or table is None:
        return NoMatch("nothing is looked up by distance in the last axis of a constant")
    if hidden is None or hidden.size != 1 or op.a.tensor.shape != op.y.tensor.shape or table.size > _LARGEST:
        return NoMatch("something else than a number is chosen")
    distance, low, high = limits
    shown = _by_distance(op.cond, distance)
    if shown is None or table.shape[-1] != high - low + 1:
        return NoMatch("the condition is none of this distance")
    low, high = min(low, shown.turn - 1), max(high, shown.turn + 1)
    if (high - low + 1) * table.size > _LARGEST * table.shape[-1]:
        return NoMatch("the table would be large")
    distances = np.arange(low, high + 1)
    known = table.view()[..., np.clip(distances, limits.low, limits.high) - limits.low]
    values = np.where(shown.at(distances), known, hidden.view().reshape(()))
    changes = np.flatnonzero((values[..., 1:] != values[..., :-1]).reshape(-1, high - low).any(axis=0))
    if not len(changes):
        return NoMatch("the table is of one number")
    first, last = int(changes[0]), int(changes[-1]) + 1
    e = CoreBuilder(rw)
    rw.fuse(rows, by="mask-by-distance")
    at = e.maximum(e.minimum(distance, low + last), low + first)
    return e.y(
        core.Gather(e.constant(values[..., first : last + 1], table.dtype), e.sub(at, low + first), axis=rows.axis)
    )


class _Limits(NamedTuple):
    """A distance that is held between two numbers."""

    distance: Value
    low: int
    high: int


def limited(places: Value) -> _Limits | None:
    """max(min(distance, high), low) - low."""
    moved = places.producer
    at = moved.a if isinstance(moved, core.Sub) else places
    by = ints_of(moved.b) if isinstance(moved, core.Sub) else (0,)
    least = at.producer
    most = least.a.producer if isinstance(least, core.Maximum) else None
    if not isinstance(least, core.Maximum) or not isinstance(most, core.Minimum):
        return None
    low, high = ints_of(least.b), ints_of(most.b)
    if by is None or low is None or high is None or not len(low) == len(high) == 1 or low != by:
        return None
    return _Limits(most.a, low[0], high[0])


class _Shown(NamedTuple):
    """A condition of a distance: what it compares is 0 at `turn`, and rises or falls with the distance."""

    op: Compare
    turn: int
    sign: int

    def at(self, distances: Array) -> Array:
        return np.asarray(self.op.eval((distances - self.turn) * self.sign, np.zeros_like(distances)))


def _by_distance(cond: Value, distance: Value) -> _Shown | None:
    compare = cond.producer
    if not isinstance(compare, Compare) or not compare.a.tensor.dtype.is_int:
        return None
    apart, counted = difference(compare), positions(distance)
    if apart is None or counted is None or not counted.steps:
        return None
    ranks = cond.tensor.rank or 0, distance.tensor.rank or 0
    ours, theirs = ({a - r: s for a, s in p.steps.items()} for p, r in zip((apart, counted), ranks, strict=True))
    sign = 1 if ours == theirs else -1
    turn = counted.offset - apart.offset * sign
    if ours != {a: s * sign for a, s in theirs.items()} or not isinstance(turn, int) or abs(turn) > _LARGEST:
        return None
    return _Shown(compare, turn, sign)


PATTERNS = (table_of_rows, columns_looked_up, mask_by_distance)
