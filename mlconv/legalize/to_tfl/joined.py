"""What is done to each part of a CONCATENATION or PACK is done once, to the whole: casts of positions and numbers that
are added to them, of the rows and columns of grids.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from mlconv.dialects.core.shape import const_of
from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.one_op import builder_at, feeds_one, made_by, replace
from mlconv.rewrite import edit

_JOINS: Final = ("CONCATENATION", "PACK")
_VIEWS: Final = ("RESHAPE", "EXPAND_DIMS", "SQUEEZE", "TRANSPOSE", "BROADCAST_TO")
_ARITHMETIC: Final = ("ADD", "SUB", "MUL", "DIV")
_DEEP: Final = 16


class _Part(NamedTuple):
    """What an operand is a view of.  views: the last one first."""

    last: TflOp
    views: list[TflOp]


def join_last(block: Block) -> int:
    """Returns how many ops are done to a whole."""
    joins = [op for op in walk(block) if isinstance(op, TflOp) and op.builtin in _JOINS]
    return sum(_join(op) for op in joins)


def _join(op: TflOp) -> int:
    count = 0
    while True:
        parts = [part for x in op.inputs if (part := _part(x)) is not None]
        if not 2 <= len(parts) == len(op.inputs) or len({_kind(part.last) for part in parts}) > 1:
            return count
        op = _join_first(op, parts)
        count += 1


def _join_first(op: TflOp, parts: list[_Part]) -> TflOp:
    """Join what the parts were before their last op, and do that to the whole; returns the new join."""
    last, e = parts[0].last, builder_at(op)
    element = _operand(last).tensor
    for part in parts:
        for user, i in list(part.last.result.uses):
            edit.set_operand(user, i, _operand(part.last))
        for view in part.views:
            edit.retype(view.result, element.with_shape(view.result.tensor.shape))
            edit.rename(view.result, "")
    whole = e.tfl(op.builtin, op.inputs, [element.with_shape(op.result.tensor.shape)], **op.attributes)[0]
    operands = [v if _is_number(v) else whole for v in last.inputs]
    made = e.one(last.builtin, operands, op.result.type, **last.attributes)
    replace(op, [part.last for part in parts], made, "join")
    assert isinstance(whole.producer, TflOp)
    return whole.producer


def _part(x: Value) -> _Part | None:
    """None where something else reads it, and not its shape alone, or it is more than a number and an array."""
    views: list[TflOp] = []
    while (view := made_by(x, *_VIEWS)) is not None and feeds_one(x):
        views.append(view)
        x = view.inputs[0]
    last = made_by(x, "CAST", *_ARITHMETIC)
    if last is None or not feeds_one(x) or x.tensor.quant is not None or x.tensor.dtype is not DType.F32:
        return None
    if last.builtin == "CAST":
        is_meant = last.inputs[0].tensor.dtype in (DType.I32, DType.I64)
    else:
        is_meant = sum(map(_is_number, last.inputs)) == 1
    # a grid is more than what it is a grid of: what is read of a model stays as small as it is
    is_small = all(view.builtin != "BROADCAST_TO" for view in views) or _is_position(x)
    return _Part(last, views) if is_meant and is_small else None


def _is_number(x: Value) -> bool:
    constant = const_of(x)
    return constant is not None and constant.shape == ()


def _operand(last: TflOp) -> Value:
    """What is no number."""
    return next(v for v in last.inputs if last.builtin == "CAST" or not _is_number(v))


def _kind(last: TflOp) -> tuple[object, ...]:
    """Equal of ops that do the same."""
    numbers = [None if (c := const_of(v)) is None else float(c.view()) for v in last.inputs]
    options = sorted((k, str(v)) for k, v in last.attributes.items())
    return last.builtin, *numbers, str(_operand(last).tensor.element), *options


def _is_position(x: Value) -> bool:
    """Computed of a RANGE by casts and numbers."""
    for _ in range(_DEEP):
        made = made_by(x, "RANGE", "CAST", *_ARITHMETIC, *_VIEWS)
        if made is None:
            return False
        if made.builtin == "RANGE":
            return True
        x = next((v for v in made.inputs if const_of(v) is None), x)
    return False
