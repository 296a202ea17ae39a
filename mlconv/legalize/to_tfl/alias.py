"""Ops that share memory with an operand: kept from sharing it wrongly.

The runtime lets RESHAPE, EXPAND_DIMS, SQUEEZE and BITCAST share the memory of their input, and lets ADD, MUL and others
write over an input that has one user.  It counts the users of the first and of the last tensor of a chain of such ops
but not of those between (core `arena_planner.cc`, IdentifyInPlaceTensors), so that a tensor in the middle of a chain
could be overwritten while it is still needed.  Here every view that another view builds on has that one user; for
further users it is made again from its own input, which then counts them all.  Where an op that writes stands in the
chain, its result cannot be made again; then the last op of the chain gets a copy to write over.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects.core import Constant
from mlconv.dialects.tfl import TflOp, View
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline
from mlconv.ir.core import Block, Op, Value, Yield, clone_op, walk
from mlconv.ir.dims import Dim, product
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.unit_axes import SHAPE_VIEWS
from mlconv.rewrite import edit

# The operands that a kernel may write its first result over: `inplace_operator` of the registrations, confirmed by the
# addresses in LiteRT 2.3.
WRITES = {"ADD": (0, 1), "SUB": (0, 1), "MUL": (0, 1), "DIV": (0, 1), "SOFTMAX": (0,), "DYNAMIC_UPDATE_SLICE": (0,)}
_MAXIMUM_TYPES = (DType.F32, DType.I32, DType.I64, DType.I8)
SCALAR_BYTES = 4  # tensors up to this size are never written over


def separate_views(block: Block) -> int:
    """Make tensors independent that the runtime would lay over one another, in a block and the regions within; returns
    how many ops it changed.
    """
    changed = 0
    for op in reversed(list(walk(block))):
        if _is_view(op) and op.results[0].uses:
            changed += _shorten(op)
            changed += _divide(op) if op.block is not None else 0
    pending = [block]
    while pending:
        current = pending.pop()
        pending.extend(region.block for op in current.ops for region in op.regions)
        changed += _guard(current)
    return changed


def _guard(block: Block) -> int:
    """Copy what an op would write over while a tensor in the middle of the chain behind it has other users.

    exposed: tensors that share the memory of an operand where they, or one between them and the owner of the memory,
    have several users.
    counted: views whose owner has several users, which the runtime sees.
    """
    exposed: set[Value] = set()
    counted: set[Value] = set()
    changed = 0
    for op in list(block.ops):
        if not isinstance(op, TflOp) or not op.results or any(isinstance(user, Yield) for user in op.results[0].users):
            continue
        result, view = op.results[0], View in op.spec.traits
        for i in (0,) if view else WRITES.get(op.builtin, ()):
            source = op.operands[i]
            if source is None or source.producer is None or isinstance(source.producer, Constant):
                continue
            if not view:
                if len(source.uses) > 1 or not _may_fit(source, result):
                    continue
                if source in exposed and source not in counted:
                    source = _copy(op, source)
                    edit.set_operand(op, i, source)
                    changed += 1
            elif source in counted or (not _is_sharing(source) and len(source.uses) > 1):
                counted.add(result)
            if len(result.uses) > 1 or source in exposed:
                exposed.add(result)
    return changed


def _is_sharing(value: Value) -> bool:
    return isinstance(value.producer, TflOp) and (
        View in value.producer.spec.traits or value.producer.builtin in WRITES
    )


def _may_fit(source: Value, result: Value) -> bool:
    """The two may be of one size in bytes, which the runtime asks for."""
    a, b = (None if v.tensor.shape is None else product(v.tensor.shape) for v in (source, result))
    if a is None or b is None or isinstance(a, Dim) or isinstance(b, Dim):
        return True
    return a == b and a * source.tensor.dtype.bits > 8 * SCALAR_BYTES


def _copy(op: Op, source: Value) -> Value:
    """The same elements in memory of their own."""
    assert op.block is not None and op.location is not None
    e = TflBuilder(Builder(op.block, op.location, op))
    if source.tensor.dtype in _MAXIMUM_TYPES:
        return e.one("MAXIMUM", [source, source], source.type)
    true = e.constant(Inline(np.asarray(True), DType.BOOL))
    return e.one("SELECT_V2", [true, source, source], source.type)


def _is_view(op: Op | None) -> bool:
    return isinstance(op, TflOp) and View in op.spec.traits


def _shorten(op: Op) -> int:
    """RESHAPE of a view looks at what the first one looks at, or is that, where the shape is the same."""
    source = op.operands[0]
    before = source.producer if source is not None else None
    if (
        not isinstance(op, TflOp)
        or not isinstance(before, TflOp)
        or op.builtin != "RESHAPE"
        or before.builtin not in SHAPE_VIEWS
    ):
        return 0
    if before.block is not op.block or source is None:
        return 0
    first = before.operands[0]
    edit.set_operand(op, 0, first)
    if not source.uses:
        edit.erase(before)
    if first is not None and first.type == op.result.type and not any(isinstance(u, Yield) for u in op.result.users):
        edit.replace(op, [first])
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
        edit.insert(copy, before=op)
        for i, value in enumerate(user.operands):
            if value is result:
                edit.set_operand(user, i, _renamed(copy.results[0]))
    return len(viewers)


def _renamed(value: Value) -> Value:
    edit.rename(value, "")
    return value
