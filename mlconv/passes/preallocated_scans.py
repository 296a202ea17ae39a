"""Preallocated scan outputs of loops: a carried tensor that starts empty and grows by one piece in every turn, as
ONNX's scan outputs do.

Loop variables of HLO and of native code keep their shape.  Where the number of turns follows from constants alone,
which running the few ops that decide it shows, the tensor gets its final size from the start and each turn writes its
piece into it.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Inline, Splat
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.passes.trip_count import MAX_TURNS, trip_count
from mlconv.rewrite import edit


def preallocate_scan_outputs(op: core.While) -> None:
    """Give the scan outputs of a loop their final size, in place; does nothing where the number of turns is not
    known.
    """
    scans = [(i, c) for i in range(len(op.inits)) if (c := _scan_concat(op, i)) is not None]
    turns = trip_count(op, MAX_TURNS) if scans else None
    if turns is None or op.location is None:
        return
    counter = op.body.block.arguments[add_counter(op, DType.I32)]
    for i, concat in scans:
        _preallocate(op, i, concat, turns, counter)


def _scan_concat(op: core.While, i: int) -> core.Concat | None:
    """The concat that appends to variable i, when the variable starts empty, and is used for nothing else."""
    argument, init = op.body.block.arguments[i], op.inits[i]
    concat = op.body.block.outputs[i].producer
    if (
        not isinstance(concat, core.Concat)
        or len(concat.xs) != 2
        or concat.xs[0] is not argument
        or len(argument.uses) != 1
        or op.cond.block.arguments[i].uses
    ):
        return None
    piece = concat.xs[1].tensor
    shape = init.tensor.shape
    if not piece.is_static or shape is None or shape[concat.axis] != 0 or len(concat.y.uses) != 1:
        return None
    return concat


def add_counter(op: core.While, dtype: DType) -> int:
    """Add a loop variable that counts turns; its place."""
    outer = Builder(op.block, op.location, op) if op.block is not None and op.location is not None else None
    if outer is None:
        raise ValueError("the loop is not in a block")
    scalar = TensorType(dtype, ())
    zero = outer.emit(core.Constant(value=Splat(0, dtype, ()))).y
    edit.add_argument(op.cond.block, scalar)
    argument = edit.add_argument(op.body.block, scalar)
    end = op.body.block.terminator
    inside = Builder(op.body.block, outer.location, end)
    following = inside.emit(core.Add(argument, inside.emit(core.Constant(value=Splat(1, dtype, ()))).y)).y
    edit.add_operands(end, [following])
    edit.add_operands(op, [zero])
    edit.add_result(op, scalar)
    return len(op.inits) - 1


def _preallocate(op: core.While, i: int, concat: core.Concat, turns: int, counter: Value) -> None:
    """Variable i as a tensor of all rows, which the body writes into."""
    if op.block is None or op.location is None or concat.location is None:
        return
    argument, piece, axis = op.body.block.arguments[i], concat.xs[1], concat.axis
    shape = list(piece.tensor.static_shape())
    rows = shape[axis]
    shape[axis] = rows * turns
    whole = TensorType(piece.tensor.dtype, tuple(shape))
    data = (
        Inline(np.zeros(shape, whole.dtype.numpy), whole.dtype) if 0 in shape else Splat(0, whole.dtype, tuple(shape))
    )
    start = Builder(op.block, op.location, op).emit(core.Constant(value=data)).y
    for value in (argument, op.cond.block.arguments[i], op.results[i]):
        edit.retype(value, whole)
    edit.set_operand(op, i, start)
    inside = Builder(op.body.block, concat.location, concat)
    if turns == 0:
        edit.replace_uses(concat.y, argument)
        edit.erase(concat)
        return
    zero = inside.emit(core.Constant(value=Splat(0, DType.I32, ()))).y
    at = inside.emit(core.Mul(counter, inside.emit(core.Constant(value=Splat(rows, DType.I32, ()))).y)).y
    begins = [at if k == axis else zero for k in range(len(shape))]
    edit.replace_uses(concat.y, inside.emit(core.UpdateSlice(argument, piece, begins)).y)
    edit.erase(concat)
