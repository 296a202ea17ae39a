"""Buffers through aliases, and chains of kernels that become one."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, Op, Value
from mlconv.rewrite import edit


def source_of(value: Value) -> Value:
    """The value whose buffer this is."""
    while isinstance(value.producer, KernelOp) and value.producer.name == "kernel.alias":
        value = value.producer.inputs[0]
    return value


def readers_of(value: Value, most: int | None = None) -> list[Op]:
    """Ops that read a buffer, through aliases or not; of very many uses, those of the first."""
    found: dict[Op, None] = {}
    for user, _ in itertools.islice(value.uses, most):
        is_alias = isinstance(user, KernelOp) and user.name == "kernel.alias"
        found |= dict.fromkeys(readers_of(user.results[0], most) if is_alias else [user])
    return list(found)


def only_reader(value: Value, op: KernelOp) -> bool:
    """Nothing but op reads value, through aliases or not."""
    user = next((user for user, _ in value.uses), None)
    if user is None or any(other is not user for other, _ in value.uses):
        return False
    return user is op or (isinstance(user, KernelOp) and user.name == "kernel.alias" and only_reader(user.result, op))


def made_for(value: Value, reader: KernelOp, name: str, block: Block) -> KernelOp | None:
    """What makes a value, when it is a kernel of a kind and nothing but `reader` reads it."""
    source = source_of(value)
    producer = source.producer
    if (
        not isinstance(producer, KernelOp)
        or producer.name != name
        or producer.block is not block
        or not only_reader(source, reader)
    ):
        return None
    return producer


def replace_chain(ops: Sequence[KernelOp], joined: KernelOp, block: Block) -> None:
    """`joined`, with the locations of all ops, in the place of the last of them; what leads to it and nobody else reads
    goes.
    """
    last = ops[-1]
    edit.join(joined, ops, "fuse", before=last)
    edit.replace_uses(last.result, joined.result)
    for op in reversed(ops):
        erase(op.result)


def erase(value: Value) -> None:
    """The op that makes value, and the aliases of what nobody reads."""
    for user in list(value.users):
        erase(user.results[0])
    if value.producer is not None:
        edit.erase(value.producer)
