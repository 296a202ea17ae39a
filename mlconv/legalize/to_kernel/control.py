"""Control flow.  Regions keep using the values around them; each is a function of the object."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.kernel import (
    IfOp,
    Instr,
    KernelOp,
    LoopNestOp,
    Routine,
    RoutineOp,
    Step,
    View,
    WhileOp,
    dense,
)
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Splat
from mlconv.ir.core import Block, Value
from mlconv.legalize.to_kernel.builder import KernelBuilder, refuse, sizes
from mlconv.rewrite import Rules, edit

RULES = Rules()


@RULES.rule(core.If)
def if_(op: core.If, e: KernelBuilder) -> Sequence[Value]:
    return e.builder.emit(IfOp([op.cond], None, [v.tensor for v in op.ys], regions=edit.take_regions(op))).results


@RULES.rule(core.While)
def while_(op: core.While, e: KernelBuilder) -> Sequence[Value]:
    for a, y, v in zip(op.body.block.arguments, op.body.block.outputs, op.inits, strict=True):
        if not sizes(a) == sizes(y) == sizes(v):
            raise refuse(f"a loop variable whose shape changes from {v.tensor} to {y.tensor}")
    inits = [_filled(v, e) for v in op.inits]
    return e.builder.emit(WhileOp(inits, None, [v.tensor for v in op.ys], regions=edit.take_regions(op))).results


_LEAST_FILLED = 1 << 8  # bytes


def _filled(x: Value, e: KernelBuilder) -> Value:
    """Many elements of one number are written where they are changed, not copied there from the weights."""
    known = const_of(x)
    if not isinstance(known, Splat) or known.nbytes < _LEAST_FILLED or not (known.dtype.is_float or known.dtype.is_int):
        return x
    return e.map(x.tensor, lambda body: body.const(known.dtype, known.value.item()))


@RULES.rule(core.UpdateSlice)
def update_slice(op: core.UpdateSlice, e: KernelBuilder) -> Value:
    """A routine, in place where nobody needs the tensor as it was."""
    index = e.y(core.Concat([e.y(core.ExpandDims(v, axes=(0,))) for v in op.begins], axis=0))
    params = (op.x.tensor.dtype, index.tensor.dtype, sizes(op.x), sizes(op.update))
    return e.builder.emit(
        RoutineOp([_filled(op.x, e), op.update, index], Routine("update_slice", params, 0, 0), op.y.tensor)
    ).result


def detach(op: KernelOp) -> None:
    """A loop body that hands one variable on as another one yields a copy: all variables get their new values at the
    same time.
    """
    block = op.regions[1].block
    places = {v: i for i, v in enumerate(block.arguments)}
    end = block.terminator
    for i, value in enumerate(block.outputs):
        source = value
        while isinstance(source.producer, KernelOp) and source.producer.name == "kernel.alias":
            source = source.producer.inputs[0]
        if places.get(source, i) != i:
            edit.set_operand(end, i, _copied(block, value, end.location or op.location))


def _copied(block: Block, x: Value, location: Any) -> Value:
    shape = sizes(x)
    body = (Instr("load", x.tensor.dtype, (0,), View(0, dense(shape))),)
    return (
        Builder(block, location, block.terminator)
        .emit(LoopNestOp([x], (Step(shape, 0, "", body, (), View(0, dense(shape))),), x.tensor))
        .result
    )
