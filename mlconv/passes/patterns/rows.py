"""Rows that are written one after another, as unrolled loops write tensor lists: they are put together at once."""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.slicing import pad_amounts
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.rewrite import NoMatch, Rewriter, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
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


@rewrite(core.Concat)
def write_row(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """x[:i], a row, x[i + 1:] is x with the row written at i: how TFLiteConverter writes what was TensorListSetItem in
    a loop.  A row that is counted up lies within x, as slices that leave it do not run.
    """
    rank = op.y.tensor.rank
    if len(op.xs) != 3 or not rank or op.axis % rank:
        return NoMatch("not three operands along the first axis")
    before, row, after = op.xs
    head, tail = before.producer, after.producer
    if not isinstance(head, core.DynamicSlice) or not isinstance(tail, core.DynamicSlice) or head.x is not tail.x:
        return NoMatch("the first and the last operand are no slices of one tensor")
    x = head.x.tensor
    if x.shape is None or x.quant is not None or row.tensor.shape != (1, *x.shape[1:]):
        return NoMatch(f"{row.type} is no row of {head.x.type}")
    begin, size, second, rest = (_entries(v, rank) for v in (head.begin, head.size, tail.begin, tail.size))
    if begin is None or size is None or second is None or rest is None:
        return NoMatch("bounds are not known one by one")
    begins, sizes = (begin, second[1:]), (size[1:], rest)
    whole = all(n in (-1, d) for part in sizes for n, d in zip(part[::-1], x.shape[::-1], strict=False))
    if rest[0] != -1 or not whole or any(n != 0 for part in begins for n in part):
        return NoMatch("slices do not begin and end with the tensor")
    from mlconv.rewrite.index_forms import not_negative  # which few models need

    at = size[0]
    if not isinstance(at, Value) or not _is_next(at, second[0]) or not not_negative(at):
        return NoMatch("what is left out is not one row at a place from 0 on")
    e = CoreBuilder(rw)
    rw.fuse(head, tail, by="write-row")
    place = e.y(core.Reshape(at, e.constant(np.array([1, 1]), DType.I64)))
    return e.y(core.ScatterNd(head.x, place, row))


def _entries(vector: Value, count: int) -> list[Size | Value] | None:
    """Numbers of a vector, or the scalars that they are made of."""
    made = vector.producer
    found: list[Size | Value] = []
    for part in made.xs if isinstance(made, core.Concat) else [vector]:
        numbers = [n for n in known_ints(part) or () if n is not None]
        scalar = part.producer.x if isinstance(part.producer, core.Reshape | core.ExpandDims) else None
        if part.tensor.shape == (len(numbers),) and numbers:
            found += numbers
        elif scalar is not None and scalar.tensor.shape == () and part.tensor.shape == (1,):
            found.append(scalar)
        else:
            return None
    return found if len(found) == count else None


def _is_next(at: Value, behind: Size | Value) -> bool:
    step = behind.producer if isinstance(behind, Value) else None
    if not isinstance(step, core.Add) or at not in step.inputs:
        return False
    other = step.inputs[1] if step.inputs[0] is at else step.inputs[0]
    return known_ints(other) == (1,)


PATTERNS = (append_row, write_all_rows, join_concats, write_row)
