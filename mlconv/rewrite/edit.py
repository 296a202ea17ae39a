"""Edits of IR: all changes to ops that stand in a module go through here, so that places in the source and names are
kept by one rule.

An op that takes the part of others has the places of all of them, fused; a value that takes the part of another keeps
its own name, and takes over the other's where it has none.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeVar

from mlconv.ir.core import Block, Op, Region, Value, clone_block
from mlconv.ir.types import Type
from mlconv.provenance.locations import Location, fuse

O = TypeVar("O", bound=Op)  # noqa: E741


def replace_uses(old: Value, new: Value) -> None:
    """Whoever uses `old` uses `new`."""
    old.replace_by(new)


def replace(op: Op, values: Sequence[Value]) -> None:
    """Whoever uses results of an op uses `values`; the op goes.  Raises ValueError for another number of them."""
    if len(values) != len(op.results):
        raise ValueError(f"{op.name} has {len(op.results)} results, the replacement has {len(values)}")
    for old, new in zip(op.results, values, strict=True):
        old.replace_by(new)
    op.erase()


def merge(op: Op, into: Op, by: str) -> None:
    """`into` stands for `op`, which goes; it has the places of both."""
    absorb(into, op, by=by)
    replace(op, into.results)


def absorb(op: Op, *others: Op, by: str) -> None:
    """An op that others go into has the places of all of them."""
    op.location = _fused((op, *others), by) or op.location


def join(joined: O, ops: Sequence[Op], by: str, before: Op) -> O:
    """Put an op in the place of others, with the places of all of them."""
    joined.location = _fused(ops, by)
    return insert(joined, before)


def _fused(ops: Iterable[Op], by: str) -> Location | None:
    found = [op.location for op in ops if op.location is not None]
    return fuse(found, by) if found else None


def insert(op: O, before: Op) -> O:
    """Put an op that has its place in the source before another one.  Raises ValueError when that is in no block."""
    if before.block is None:
        raise ValueError(f"{before.name} is not in a block")
    before.block.insert(op, before)
    return op


def move(op: Op, before: Op) -> None:
    """Take an op from where it stands and put it before another one."""
    unlink(op)
    insert(op, before)


def unlink(op: O) -> O:
    """Take an op out of its block, to be put elsewhere."""
    if op.block is not None:
        op.block.unlink(op)
    return op


def erase(op: Op) -> None:
    """An op, and all that is in it, goes.  Its results must be unused."""
    op.erase()


def forget(op: Op) -> None:
    """An op that stands in no block uses its operands no longer."""
    op.drop_operands()


def set_operand(op: Op, i: int, value: Value | None) -> None:
    op.set_operand(i, value)


def set_operands(op: Op, values: Sequence[Value | None]) -> None:
    """The whole list of operands."""
    op.set_operands(values)


def add_operands(op: Op, values: Iterable[Value]) -> None:
    op.set_operands([*op.operands, *values])


def keep_operands(op: Op, indices: Iterable[int]) -> None:
    op.set_operands([op.operands[i] for i in indices])


def add_result(op: Op, type_: Type) -> Value:
    value = Value(type_, op, len(op.results))
    op.results.append(value)
    return value


def keep_results(op: Op, indices: Iterable[int]) -> None:
    """Other results go, which must be unused."""
    op.results = _renumbered([op.results[i] for i in indices])


def add_argument(block: Block, type_: Type, name: str = "") -> Value:
    return block.add_argument(type_, name)


def keep_arguments(block: Block, indices: Iterable[int]) -> None:
    """Other arguments go, which must be unused."""
    block.arguments = _renumbered([block.arguments[i] for i in indices])


def _renumbered(values: list[Value]) -> list[Value]:
    for i, value in enumerate(values):
        value.index = i
    return values


def stand_in(block: Block) -> Block:
    """A copy of the block of an op that is about to go: what a value became is found through its copy."""
    mapping: dict[Value, Value] = {}
    copy = clone_block(block, mapping)
    for old, new in mapping.items():
        old.replaced = new
    return copy


def take_regions(op: Op) -> list[Region]:
    """The regions of an op that is about to go, to be given to another one."""
    regions, op.regions = op.regions, []
    return regions


def retype(value: Value, type_: Type) -> None:
    """More, or other, is known of a value."""
    value.type = type_


def set_attribute(op: Op, name: str, value: object) -> None:
    op.attributes[name] = value


def take_region(op: Op, i: int) -> Region:
    """Region i of an op that is about to go, to be given to another one; an empty one stands in its place."""
    region = op.regions[i]
    region.parent = None
    op.regions[i] = Region(Block())
    return region


def rename(value: Value, name: str) -> None:
    """A value is called otherwise, or, by an empty name, nothing."""
    value.name = name


def relocate(op: Op, location: Location | None) -> None:
    """An op has another place in the source."""
    op.location = location
