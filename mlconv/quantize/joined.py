"""A function as it was and as it is, as one function that computes both side by side, on the same inputs.

Loops take the turns, and branches the ways, of the function as it was: what one and the other compute in a turn can be
compared there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Region, Value, Yield, clone_op, walk
from mlconv.ir.facts import Facts
from mlconv.ir.module import Function, clone_function
from mlconv.ir.types import Type
from mlconv.rewrite import edit

_BEFORE = "before."


class Snapshot(NamedTuple):
    """A copy of a function.  values: those of the function, and their copies."""

    function: Function
    values: dict[Value, Value]


class Joined(NamedTuple):
    """function: without outputs.  before, after: its values for those of the copy, and of the function as it is."""

    function: Function
    before: dict[Value, Value]
    after: dict[Value, Value]


def snapshot(function: Function) -> Snapshot:
    """A copy that changes of the function do not reach; constants are shared."""
    values: dict[Value, Value] = {}
    return Snapshot(clone_function(function, values), values)


def joined(old: Snapshot, function: Function) -> Joined:
    """old: of the function, before ops were put into it and others took the place of ops; ops that are left stand in
    the order in which they were.
    """
    block = Block([v.type for v in function.inputs], function.input_names)
    variables = {**function.facts.variables, **_with_own_variables(old.function)}
    joiner = _Joiner(old)
    joiner.before.update(zip(old.function.inputs, block.arguments, strict=True))
    joiner.after.update(zip(function.inputs, block.arguments, strict=True))
    joiner.fill(block, old.function.block, function.block)
    Builder(block, function.location).emit(Yield([]))
    facts = Facts(variables=variables, state=function.facts.state)
    both = Function(function.name, block, location=function.location, facts=facts)
    return Joined(both, joiner.before, joiner.after)


def _with_own_variables(old: Function) -> dict[str, Const]:
    """Variables of a snapshot, under names of their own."""
    for op in walk(old.block):
        if isinstance(op, (core.ReadVariable, core.AssignVariable)) and not op.variable.startswith(_BEFORE):
            edit.set_attribute(op, "variable", _BEFORE + op.variable)
    return {_BEFORE + name: value for name, value in old.facts.variables.items()}


class _Joiner:
    """Ops of both are emitted in turns, each as soon as its counterpart is, so that little is kept for long."""

    def __init__(self, old: Snapshot) -> None:
        self.old = old
        self.before: dict[Value, Value] = {}
        self.after: dict[Value, Value] = {}

    def fill(self, out: Block, old: Block, new: Block) -> None:
        """All ops but the last, which yields."""
        waiting = _working(old)
        for op in _working(new):
            twin = self._twin(op, old)
            for other in waiting if twin is not None else ():
                if other is twin and isinstance(op, (core.If, core.While)):
                    break
                out.insert(clone_op(other, self.before))
                if other is twin:
                    break
            if isinstance(twin, core.If) and isinstance(op, core.If):
                self._branch(out, twin, op)
            elif isinstance(twin, core.While) and isinstance(op, core.While):
                self._loop(out, twin, op)
            else:
                out.insert(clone_op(op, self.after))
        for other in waiting:
            out.insert(clone_op(other, self.before))

    def _twin(self, op: Op, old: Block) -> Op | None:
        """The copy of an op that was there before."""
        value = self.old.values.get(op.results[0]) if op.results else None
        maker = None if value is None else value.producer
        return maker if maker is not None and maker.block is old else None

    def _branch(self, out: Block, old: core.If, new: core.If) -> None:
        blocks = []
        for a, b in ((old.then.block, new.then.block), (old.orelse.block, new.orelse.block)):
            block = Block()
            self.fill(block, a, b)
            blocks.append(self._ended(block, a, b, old))
        made = core.If(self.before[old.cond], then=Region(blocks[0]), orelse=Region(blocks[1]))
        self._emit(out, made, old, new)

    def _loop(self, out: Block, old: core.While, new: core.While) -> None:
        types = [*_types(old.body.block), *_types(new.body.block)]
        cond, body = Block(types), Block(types)
        count = len(old.body.block.arguments)
        self.before.update(zip(old.cond.block.arguments, cond.arguments[:count], strict=True))
        for op in old.cond.block.ops:
            cond.insert(clone_op(op, self.before))
        self.before.update(zip(old.body.block.arguments, body.arguments[:count], strict=True))
        self.after.update(zip(new.body.block.arguments, body.arguments[count:], strict=True))
        self.fill(body, old.body.block, new.body.block)
        self._ended(body, old.body.block, new.body.block, old)
        inits = [*(self.before[v] for v in old.inits), *(self.after[v] for v in new.inits)]
        self._emit(out, core.While(inits, cond=Region(cond), body=Region(body)), old, new)

    def _ended(self, block: Block, old: Block, new: Block, op: Op) -> Block:
        yields = Yield([*(self.before[v] for v in old.outputs), *(self.after[v] for v in new.outputs)], op.location)
        block.insert(yields)
        return block

    def _emit(self, out: Block, made: Op, old: Op, new: Op) -> None:
        Builder(out, old.location or self.old.function.location).emit(made)
        self.before.update(zip(old.results, made.results[: len(old.results)], strict=True))
        self.after.update(zip(new.results, made.results[len(old.results) :], strict=True))


def _working(block: Block) -> Iterator[Op]:
    return (op for op in block.ops if not isinstance(op, Yield))


def _types(block: Block) -> list[Type]:
    return [v.type for v in block.arguments]
