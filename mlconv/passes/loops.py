"""Loops: what does not change from one turn to the next is taken out of them.

A carried value that the body gives back unchanged is read from outside instead.  Pure ops of a body whose operands come
from outside are moved before the
loop: a loop that never runs then computes them for nothing, which changes no result.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import edit


class Loops(Pass):
    """Invariant loop variables become captures, invariant ops move out; innermost loops first."""

    name: ClassVar[str] = "loops"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        moved = simplify_loops(function.block)
        context.count("loops", moved)
        if moved:
            eliminate_dead_code(function.block)


def simplify_loops(block: Block) -> int:
    """Work on every loop of a block; returns how many values and ops were taken out."""
    count = 0
    for op in block.ops:
        for region in op.regions:
            count += simplify_loops(region.block)
        if isinstance(op, core.While):
            count += _release_invariants(op) + _hoist(op, op.body.block) + _hoist(op, op.cond.block)
    return count


def _release_invariants(loop: core.While) -> int:
    body, cond = loop.body.block, loop.cond.block
    yields = body.terminator.operands
    count = 0
    for i, init in enumerate(loop.inits):
        argument = body.arguments[i]
        if (
            yields[i] is argument
            and argument.type == init.type
            and (len(argument.uses) > 1 or cond.arguments[i].uses or loop.results[i].uses)
        ):
            for value in (argument, cond.arguments[i], loop.results[i]):
                _replace(value, init)
            edit.set_operand(body.terminator, i, argument)
            count += 1
    return count


def _replace(value: Value, by: Value) -> None:
    """Unlike `Value.replace_by`, names stay where they are: the initial value has its own."""
    for user, i in list(value.uses):
        edit.set_operand(user, i, by)


def _hoist(loop: core.While, block: Block) -> int:
    """Move pure ops that depend on nothing inside the block before the loop."""
    inside: set[Value] = set(block.arguments)
    count = 0
    for op in block.ops:
        if _is_movable(op) and not any(v in inside for v in op.inputs) and loop.block is not None:
            edit.move(op, before=loop)
            count += 1
        else:
            inside.update(op.results)
    return count


def _is_movable(op: Op) -> bool:
    """Constants stay: they cost nothing, and targets want them beside their use."""
    return isinstance(op, OpDef) and not op.regions and is_pure(op) and bool(op.operands)
