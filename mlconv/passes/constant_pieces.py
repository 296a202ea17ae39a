"""Tensors that are written piece by piece with one number each, as the masks of shifted windows are
(`mask[:-4, -4:-2] = 3`): every element is looked up, in a small table by which pieces its coordinates lie in.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.size_relations import Relation
from mlconv.ir.types import Shape
from mlconv.passes.block_writes import written
from mlconv.rewrite import NoMatch, Rewriter
from mlconv.rewrite.core_builder import CoreBuilder, Part

_READ = 1 << 12  # elements of a constant that is looked at, or made
_LEAST = 2  # writes that are joined
_PIECES = 16  # along an axis, at most
_PICKING = (
    core.Slice,
    core.DynamicSlice,
    core.Gather,
    core.GatherElements,
    core.GatherNd,
    core.Reshape,
    core.ExpandDims,
    core.Squeeze,
    core.BroadcastTo,
)


class _Piece(NamedTuple):
    """Where a number is written: the begin and the end along each axis."""

    spans: Sequence[tuple[Size, Size]]
    number: Array


def same_everywhere(value: Value, depth: int = 8) -> Value | None:
    """A constant of which every element of a value is the same one."""
    constant = const_of(value)
    if constant is not None:
        if constant.dtype is DType.STRING or not 0 < constant.size <= _READ:
            return None
        data = constant.view().reshape(-1)
        return value if (data == data[0]).all() else None
    op = value.producer
    return same_everywhere(op.x, depth - 1) if depth and isinstance(op, _PICKING) else None


def look_up_pieces(block: Block) -> None:
    """In place; the last write of a tensor tells all of it."""
    for op in [op for op in block.ops if isinstance(op, core.ScatterNd) and not _is_continued(op)]:
        rewriter = Rewriter(op)
        made = _looked_up(op, rewriter)
        if isinstance(made, NoMatch):
            rewriter.undo()
        else:
            rewriter.replace(op, made)


def _is_continued(op: core.ScatterNd) -> bool:
    return any(isinstance(user, core.ScatterNd) and place == 0 for user, place in op.y.uses)


def _looked_up(op: core.ScatterNd, rw: Rewriter) -> Value | NoMatch:
    shape = op.data.tensor.shape
    if shape is None or static(shape) is not None:
        return NoMatch("constants are folded")
    found = _pieces(op, shape)
    if isinstance(found, NoMatch):
        return found
    first, pieces = found
    there = [Relation(end - begin, ">=", 0) for piece in pieces for begin, end in piece.spans]
    facts = SizeFacts(relations=[r for r in there if isinstance(r.a, Dim)])
    edges = [_edges(n, [piece.spans[axis] for piece in pieces], facts) for axis, n in enumerate(shape)]
    if any(e is None or len(e) > _PIECES for e in edges):
        return NoMatch("where pieces begin and end is in no certain order")
    known = [e for e in edges if e is not None]
    if math.prod(len(e) - 1 for e in known) > _READ:
        return NoMatch("the table would be large")
    table = np.full([len(e) - 1 for e in known], first)
    for piece in pieces:
        parts = (slice(ends.index(a), ends.index(b)) for ends, (a, b) in zip(known, piece.spans, strict=True))
        table[tuple(parts)] = piece.number
    e = CoreBuilder(rw)
    y = e.constant(table, op.y.tensor.dtype)
    for axis, ends in enumerate(known):
        if all(b - a == 1 for a, b in pairwise(ends)):
            continue  # every coordinate is a piece
        places = _places(e, op.data, axis, ends)
        if places is None:
            return NoMatch(f"how long the pieces along axis {axis} are is no small number, and none beside the size")
        y = e.y(core.Gather(y, places, axis=axis))
    return y if y.tensor.shape == op.y.tensor.shape else NoMatch("the shape is no longer known")


def _pieces(op: core.ScatterNd, shape: Shape) -> tuple[Array, list[_Piece]] | NoMatch:
    """What is written last to first, in the order of time, and what all elements were before."""
    pieces: list[_Piece] = []
    value: Value = op.y
    while isinstance(made := value.producer, core.ScatterNd):
        block, number = written(made), same_everywhere(made.updates)
        if isinstance(block, NoMatch):
            return block
        if number is None or len(block.sizes) != len(shape):
            return NoMatch("a piece is not one number")
        spans = [(begin, begin + size) for begin, size in zip(block.begins, block.sizes, strict=True)]
        pieces.append(_Piece(spans, _number(number)))
        value = made.data
    first = same_everywhere(value)
    if first is None or len(pieces) < _LEAST:
        return NoMatch("what is written to is not one number, or too little is written")
    return _number(first), pieces[::-1]


def _number(value: Value) -> Array:
    constant = const_of(value)
    assert constant is not None
    return constant.view().reshape(-1)[:1]


def _edges(whole: Size, spans: Sequence[tuple[Size, Size]], facts: SizeFacts) -> list[Size] | None:
    """All places where pieces begin or end, in order; None where that depends on sizes."""
    edges: list[Size] = [0, whole]
    for edge in dict.fromkeys(edge for span in spans for edge in span):
        if edge in edges:
            continue
        after = [holds(other, "<=", edge, facts) for other in edges]
        before = [holds(edge, "<=", other, facts) for other in edges]
        if any(a is not True and b is not True for a, b in zip(after, before, strict=True)):
            return None
        edges.insert(sum(a is True for a in after), edge)
    return edges


def _places(e: CoreBuilder, data: Value, axis: int, edges: Sequence[Size]) -> Value | None:
    """In which piece each coordinate along an axis lies."""
    parts: list[Value] = []
    fixed: list[int] = []
    whole = (data.tensor.shape or ())[axis]
    for i, length in enumerate(b - a for a, b in pairwise(edges)):
        if isinstance(length, int) and length <= _READ:
            fixed += [i] * length
            continue
        less = length - whole
        if isinstance(length, int) or not isinstance(less, int):
            return None
        size: Part = e.dim(data, axis)
        size = e.add(size, less) if less and isinstance(size, Value) else size
        parts += [e.constant(np.asarray(fixed), DType.I64)] if fixed else []
        parts.append(e.broadcast_to(e.constant(i, DType.I64), [size]))
        fixed = []
    parts += [e.constant(np.asarray(fixed), DType.I64)] if fixed else []
    return e.concat(parts, 0)
