"""Loops: what does not change from one turn to the next is taken out of them.

A carried value that the body gives back unchanged is read from outside instead; those that begin alike and that each
turn makes alike are one (Keras and TensorFlow count the turns twice).  Pure ops of a body whose operands come from
outside are moved before the loop: a loop that never runs then computes them for nothing, which changes no result.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import is_pure
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.cse import key_of
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
            from mlconv.passes.counted import drop_limits

            count += drop_limits(op) + _release_invariants(op) + _join_equal(op)
            count += _hoist(op, op.body.block) + _hoist(op, op.cond.block)
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


def _join_equal(loop: core.While) -> int:
    """The first of equal variables stands for the others, which the body then gives back unchanged."""
    body, cond = loop.body.block, loop.cond.block
    leaders = _equal_variables(loop)
    count = 0
    for i, leader in enumerate(leaders):
        if leader == i or body.outputs[i] is body.arguments[i]:
            continue
        for values in (body.arguments, cond.arguments, loop.results):
            _replace(values[i], values[leader])
        edit.set_operand(body.terminator, i, body.arguments[i])
        count += 1
    return count


def _equal_variables(loop: core.While) -> list[int]:
    """For each variable the first that equals it in every turn: all that begin alike, less those that a turn parts."""
    body = loop.body.block
    firsts: dict[Hashable, int] = {}
    begins = zip(loop.inits, body.arguments, strict=True)
    leaders = [firsts.setdefault(_beginning(v, a), i) for i, (v, a) in enumerate(begins)]
    while any(leader != i for i, leader in enumerate(leaders)):
        numbers = _numbers(body, leaders)
        groups: dict[Hashable, int] = {}
        ends = [numbers.get(v, id(v)) for v in body.outputs]
        parted = [groups.setdefault(pair, i) for i, pair in enumerate(zip(leaders, ends, strict=True))]
        if parted == leaders:
            break
        leaders = parted
    return leaders


def _beginning(init: Value, argument: Value) -> Hashable:
    maker = init.producer
    same = key_of(maker, id) if isinstance(maker, core.Constant) else None
    return (id(init) if same is None else same, str(argument.type), str(init.type))


def _numbers(body: Block, leaders: list[int]) -> dict[Value, int]:
    """Values of a body, equal ones with equal numbers, where each variable equals its leader."""
    numbers = {a: id(body.arguments[leader]) for a, leader in zip(body.arguments, leaders, strict=True)}
    seen: dict[Hashable, Op] = {}
    for op in body.ops:
        key = None if op.regions or not is_pure(op) else key_of(op, lambda v: numbers.get(v, id(v)))
        first = op if key is None else seen.setdefault(key, op)
        alike = all(a.type == b.type for a, b in zip(op.results, first.results, strict=True))
        numbers.update(zip(op.results, map(id, first.results if alike else op.results), strict=True))
    return numbers


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
