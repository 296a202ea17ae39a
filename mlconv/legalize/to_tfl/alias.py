"""Ops that only look at a tensor in another way: kept from sharing memory wrongly.

The runtime lets RESHAPE, EXPAND_DIMS, SQUEEZE and BITCAST share the memory of their input, and lets ADD, MUL and others write over an input that has
one user.  It counts the users of the first and of the last tensor of a chain of views but not of those between (core `arena_planner.cc`,
IdentifyInPlaceTensors), so that a tensor in the middle of a chain could be overwritten while it is still needed.  Here every view that another view
builds on has that one user; for further users it is made again from its own input, which then counts them all.
"""

from __future__ import annotations

from mlconv.dialects.tfl import TflOp
from mlconv.ir.core import Block, Op, Value, clone_op, walk

_VIEWS = frozenset({"RESHAPE", "EXPAND_DIMS", "SQUEEZE", "BITCAST"})


def separate_views(block: Block) -> int:
    """Make views of views independent, in a block and the regions within; returns how many ops were added or re-rooted."""
    changed = 0
    for op in reversed(list(walk(block))):
        if _is_view(op) and op.results[0].uses:
            changed += _shorten(op)
            changed += _divide(op)
    return changed


def _is_view(op: Op | None) -> bool:
    return isinstance(op, TflOp) and op.builtin in _VIEWS


def _shorten(op: Op) -> int:
    """RESHAPE of a RESHAPE looks at what the first one looks at."""
    source = op.operands[0]
    before = source.producer if source is not None else None
    if not isinstance(op, TflOp) or not isinstance(before, TflOp) or op.builtin != "RESHAPE" or before.builtin != "RESHAPE":
        return 0
    if before.block is not op.block or source is None:
        return 0
    op.set_operand(0, before.operands[0])
    if not source.uses:
        before.erase()
    return 1


def _divide(op: Op) -> int:
    """Give each view of this view's result its own copy of this view."""
    result = op.results[0]
    viewers = [user for user in result.users if _is_view(user) and user.block is op.block]
    if not viewers or len(result.uses) == 1:
        return 0
    others = len(result.uses) > len(viewers)
    for user in viewers if others else viewers[1:]:
        copy = clone_op(op, {})
        if op.block is not None:
            op.block.insert(copy, before=op)
        for i, value in enumerate(user.operands):
            if value is result:
                user.set_operand(i, _renamed(copy.results[0]))
    return len(viewers)


def _renamed(value: Value) -> Value:
    value.name = ""
    return value
