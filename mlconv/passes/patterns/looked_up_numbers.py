"""Rows of tables of 4 bits whose numbers are spelled out behind lookups, with scales that are looked up, too.

Source: Keras, embeddings quantized to int4.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.traits import is_pure
from mlconv.passes.patterns.computed_integers import narrowed
from mlconv.passes.quantized.spelled import Integers, Spread, constant_moved, element_of, inverse
from mlconv.rewrite import NOT_MEANT, NoMatch, Rewriter, constant_array, rewrite
from mlconv.rewrite.pattern import Replacement


class _Rows(NamedTuple):
    """What is looked up in a table along its first axis."""

    table: Const
    indices: Value


class _Numbers(NamedTuple):
    """What is looked up in scales or zero points.  group: the column of these that each column takes."""

    rows: _Rows
    group: Array | None = None


def _rows(value: Value) -> _Rows | None:
    """Of a constant, or one of 4 bits that constants tell; behind it there may be an axis of size 1."""
    made = value.producer
    if isinstance(made, (core.ExpandDims, core.Reshape)) and value.tensor.shape == (*(made.x.tensor.shape or ()), 1):
        return _rows(made.x)
    if not isinstance(made, core.Gather) or made.batch_dims or made.axis != 0:
        return None
    table = constant_moved(made.x) or narrowed(made.x)
    return None if table is None else _Rows(table, made.indices)


def _uncast(value: Value) -> Value:
    made = value.producer
    return made.x if isinstance(made, core.Cast) and made.dtype is DType.F32 else value


def _groups(value: Value) -> _Numbers | None:
    """Rows of numbers, whose last axis may be looked up by group."""
    value = _uncast(value)
    made = value.producer
    group = constant_array(made.indices) if isinstance(made, core.Gather) and const_of(made.x) is None else None
    if isinstance(made, core.Gather) and group is not None and made.axis == (made.x.tensor.rank or 0) - 1:
        rows = _rows(made.x)
        return None if rows is None else _Numbers(rows, group)
    rows = _rows(value)
    return None if rows is None else _Numbers(rows)


def _is_by_row(value: Value, indices: Value) -> bool:
    """One axis lies behind those of the indices."""
    shape = value.tensor.shape
    return shape is not None and indices.tensor.shape is not None and shape[:-1] == indices.tensor.shape


def _is_same(a: Value, b: Value, depth: int = 8) -> bool:
    """Two values are computed in the same way from the same."""
    if a is b:
        return True
    x, y = a.producer, b.producer
    if x is None or y is None or not depth or x.regions or not is_pure(x) or a.type != b.type:
        return False
    if x.results.index(a) != y.results.index(b):
        return False
    known = const_of(a), const_of(b)
    if known[0] is not None and known[1] is not None:
        return known[0].key == known[1].key
    alike = x.name == y.name and x.attributes == y.attributes and len(x.operands) == len(y.operands)
    pairs = zip(x.operands, y.operands, strict=True) if alike else ()
    return alike and all(p is q or (p and q and _is_same(p, q, depth - 1)) for p, q in pairs)


def _spread(found: _Numbers, rows: int) -> Spread | None:
    """Numbers of the rows of a table, or of groups of columns in these."""
    (table, _), group = found
    if not table.shape or table.shape[0] != rows or len(table.shape) > 2:
        return None
    return Spread(table.view().reshape(rows, -1), group, 1)


def _element(table: Const, scales: _Numbers, zeros: _Numbers | None, divided: bool) -> QuantType | None:
    rows = table.shape[0]
    factors, points = _spread(scales, rows), None if zeros is None else _spread(zeros, rows)
    factors = inverse(factors) if factors is not None and divided else factors
    if factors is None or (zeros is not None and points is None):
        return None
    return element_of(Integers(table, points), factors)


@rewrite(core.Mul, core.Div)
def numbers_looked_up(op: core.Mul | core.Div, rw: Rewriter) -> Replacement | NoMatch:
    """Rows of integers, less zero points and times or by scales that are looked up: those of a table of numbers.

    Whole bytes are looked up as they are: targets that have no such lookup make numbers of all of the table first.
    """
    for value, other in ((op.a, op.b), (op.b, op.a))[: 1 + isinstance(op, core.Mul)]:
        shifted = value.producer if isinstance(value.producer, core.Sub) else None
        integers, scales = _rows(_uncast(shifted.a if shifted else value)), _groups(other)
        zeros = _groups(shifted.b) if shifted else None
        if integers is None or scales is None or (shifted and zeros is None) or op.y.tensor.dtype is not DType.F32:
            continue
        if integers.table.dtype not in (DType.I4, DType.U4) or len(integers.table.shape) != 2:
            continue
        found = [(other, scales)] + ([(shifted.b, zeros)] if shifted and zeros else [])
        if not all(_is_same(integers.indices, n.rows.indices) and _is_by_row(v, integers.indices) for v, n in found):
            return NoMatch("numbers of other rows")
        element = _element(integers.table, scales, zeros, isinstance(op, core.Div))
        if element is None:
            return NoMatch("scales or zero points that no rows of integers have")
        table = rw.emit(core.Dequantize(rw.emit(core.Constant(value=integers.table, element=element)).y)).y
        return rw.emit(core.Gather(table, integers.indices, axis=0)).y
    return NOT_MEANT


PATTERNS = (numbers_looked_up,)
