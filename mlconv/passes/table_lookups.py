"""Look-ups in small constant tables, as biases of attention by distance are: what one finds is looked up in no other
one, and has its axes in order.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Const, make_const
from mlconv.ir.core import Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
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


PATTERNS = (table_of_rows, columns_looked_up)
