"""What a column and a row of constants give, as angles of positions: repeated, or given more axes of size 1."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.ir.core import Op, Value
from mlconv.ir.shapes import without_units
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.traits import Elementwise
from mlconv.ir.types import Shape
from mlconv.rewrite import NoMatch, Rewriter, remake, rewrite
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.rewrite.pattern import Replacement

_DEPTH = 6
_USES = 64  # of one value that are looked at


@rewrite(core.Concat)
def repeat_row(op: core.Concat, rw: Rewriter) -> Replacement | NoMatch:
    """What a column and a row of constants give, behind itself, is what they give of the row behind itself: angles of
    rotary positions.
    """
    x = op.inputs[0]
    inner, shape = x.producer, x.tensor.shape
    if len(op.inputs) < 2 or any(v is not x for v in op.inputs) or not isinstance(inner, Binary) or not shape:
        return NoMatch("not the same behind itself, computed of two")
    row = _row(inner, shape)
    if row is None or op.axis != len(shape) - 1 or x.tensor.quant is not None or any(u is not op for u in x.users):
        return NoMatch("not of a column and a row of constants, or read otherwise")
    wide = CoreBuilder(rw).y(core.Concat([row] * len(op.inputs), axis=(row.tensor.rank or 1) - 1))
    return rw.emit(remake(inner, [wide if v is row else v for v in inner.operands])).results[0]


@rewrite(core.Reshape)
def axes_before_spread(op: core.Reshape, rw: Rewriter) -> Replacement | NoMatch:
    """Axes of size 1 that what is computed of a column and a row of constants is given are given to the column, which
    was given others before: sines and cosines of positions, for all heads.
    """
    before, after = op.x.tensor.shape, op.y.tensor.shape
    if not before or not after or known_ints(op.shape) is None or op.x.tensor.quant is not None:
        return NoMatch("sizes are computed, or the operand is quantized")
    if before[-1] != after[-1] or without_units(before) != without_units(after):
        return NoMatch(f"{op.x.type} is not given axes of size 1 before its last one")
    if sum(not isinstance(n, int) for n in after) > 1:
        return NoMatch(f"several sizes of {op.y.type} are open")
    if not _begins_with_reshape(op.x, _DEPTH) or not _becomes(op.x, after, _DEPTH):
        return NoMatch("not computed of what was reshaped, or read otherwise")
    made = op.x.producer
    assert isinstance(made, OpDef)
    e, column = CoreBuilder(rw), _column(made)
    assert column is not None
    last = (column.tensor.shape or (1,))[-1]
    moved = e.reshape(column, [n if isinstance(n, int) else -1 for n in (*after[:-1], last)])
    return rw.emit(remake(made, [moved if v is column else v for v in made.operands])).results[0]


def _row(op: Binary, shape: Shape) -> Value | None:
    """The constant of two operands that has all elements of the last axis, where the other one has one there."""
    sizes = [(v.tensor.shape or (1,))[-1] for v in op.inputs]
    rows = [v for v, n in zip(op.inputs, sizes, strict=True) if n == shape[-1] and n != 1]
    return rows[0] if sizes.count(1) == 1 and rows and isinstance(rows[0].producer, core.Constant) else None


def _column(op: Op | None) -> Value | None:
    """The one operand of an elementwise op that is no constant of one axis at most, of all axes of the result but the
    last one.
    """
    if not isinstance(op, OpDef) or Elementwise not in op.spec.traits or len(op.results) != 1:
        return None
    others = [v for v in op.operands if v is not None and not _is_row(v)]
    shape, y = (others[0].tensor.shape if len(others) == 1 else None), op.results[0].tensor
    if not shape or not y.shape or len(shape) != len(y.shape) or shape[:-1] != y.shape[:-1] or y.quant is not None:
        return None
    return others[0] if shape[-1] in (1, y.shape[-1]) else None


def _is_row(value: Value) -> bool:
    return isinstance(value.producer, core.Constant) and (value.tensor.rank or 0) <= 1


def _begins_with_reshape(value: Value, depth: int) -> bool:
    """Whether a value is a reshape, or computed of one and of constants."""
    column = _column(value.producer)
    if column is None or not depth:
        return False
    return isinstance(column.producer, core.Reshape) or _begins_with_reshape(column, depth - 1)


def _becomes(value: Value, shape: Shape, depth: int) -> bool:
    """Whether all that reads a value, or what is computed of it and of constants, is reshapes to one shape but for the
    last axis.
    """
    if len(value.uses) > _USES:
        return False
    for user in value.users:
        if isinstance(user, core.Reshape):
            y = user.y.tensor.shape
            if not y or y[:-1] != shape[:-1] or known_ints(user.shape) is None:
                return False
        elif not depth or _column(user) is not value or not _becomes(user.results[0], shape, depth - 1):
            return False
    return True


PATTERNS = (repeat_row, axes_before_spread)
