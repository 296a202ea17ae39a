"""Rows that are written one after another, as unrolled loops write tensor lists: they are put together at once."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.core import Op, Value
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.pattern import Replacement


def _written_row(op: Op | None) -> int | None:
    """The row of the first axis that a scatter overwrites, where it is one that is known."""
    if not isinstance(op, core.ScatterNd) or op.reduction != "none" or op.indices.tensor.shape != (1, 1):
        return None
    index, shape = const_of(op.indices), op.data.tensor.shape
    if index is None or not shape or not isinstance(shape[0], int):
        return None
    row = int(index.view().reshape(()))
    return row + shape[0] if row < 0 else row


@rewrite(core.ScatterNd)
def append_row(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """A row written over the only one that a pad has added is appended."""
    row, pad = _written_row(op), op.data.producer
    if row is None or not isinstance(pad, core.Pad) or pad.mode != "constant" or not op.data.has_one_use:
        return NoMatch("not one row of a pad")
    amounts, before = pad_amounts(pad.pads), pad.x.tensor.shape
    if amounts is None or before is None or amounts != [(0, 1), *[(0, 0)] * (len(before) - 1)] or row != before[0]:
        return NoMatch(f"row {row} is not what the pad adds")
    rw.fuse(pad, by="append-row")
    return rw.emit(core.Concat([pad.x, op.updates], axis=0)).y


@rewrite(core.ScatterNd)
def write_all_rows(op: core.ScatterNd, rw: Rewriter) -> Replacement | NoMatch:
    """Scatters of one row each that write every row are the rows, one behind the other: later ones win."""
    shape = op.data.tensor.shape
    if _written_row(op) is None or not shape or not isinstance(shape[0], int):
        return NoMatch("not one row that is known")
    if any(_written_row(user) is not None and user.operands[0] is op.y for user in op.y.users) and op.y.has_one_use:
        return NoMatch("a later scatter is asked")
    rows: dict[int, Value] = {}
    steps: list[Op] = []
    at: Op | None = op
    while isinstance(at, core.ScatterNd) and (row := _written_row(at)) is not None and len(rows) < shape[0]:
        if at is not op and not at.y.has_one_use:
            break
        rows.setdefault(row, at.updates)
        steps.append(at)
        at = at.data.producer
    if sorted(rows) != list(range(shape[0])):
        return NoMatch(f"{len(rows)} of {shape[0]} rows are written")
    rw.fuse(*steps[1:], by="write-all-rows")
    return rw.emit(core.Concat([rows[i] for i in range(shape[0])], axis=0)).y


@rewrite(core.Concat)
def join_concats(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """A concat of concats along its axis is one; the outermost of a chain is asked, so that it is walked once."""
    if _is_part(op):
        return NoMatch("a concat around it is asked")
    parts: list[Value] = []
    inner: list[Op] = []
    open_ = list(reversed(op.xs))
    while open_:
        x = open_.pop()
        made = x.producer
        if isinstance(made, core.Concat) and made.block is op.block and _is_part(made):
            inner.append(made)
            open_ += reversed(made.xs)
        else:
            parts.append(x)
    if not inner:
        return NoMatch("no operand is a concat with one use")
    rw.fuse(*inner, by="join-concats")
    return rw.emit(core.Concat(parts, axis=op.axis)).y


def _is_part(op: core.Concat) -> bool:
    """Whether all that reads a concat is one other along the same axis."""
    user = op.y.users[0] if op.y.has_one_use else None
    if not isinstance(user, core.Concat) or user.block is not op.block or op.y.tensor.quant is not None:
        return False
    rank = op.y.tensor.rank
    return rank is not None and user.axis % rank == op.axis % rank


PATTERNS = (append_row, write_all_rows, join_concats)
