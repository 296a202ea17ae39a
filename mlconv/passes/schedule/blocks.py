"""Ops of blocks as graphs, and their new order.

Constants are no ops here: they are there at the start, and stand in front where an order changes.  Ops that are not
pure, or that read what is no tensor (the handle of a variable), keep their order among each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value, Yield, walk
from mlconv.ir.dims import Size
from mlconv.ir.facts import Condition
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.traits import is_pure
from mlconv.ir.types import TensorType
from mlconv.passes.schedule.graph import Graph, least
from mlconv.rewrite import edit

Taken: TypeAlias = tuple[Size, ...]
_NOTHING = SizeFacts()
_TYPICAL = (2, 9, 64, 300)  # sizes to compare at


def scheduled_ops(block: Block) -> list[Op]:
    """The ops whose order is chosen, in the order that they have."""
    return [op for op in block.ops if not isinstance(op, (core.Constant, Yield))]


def reads(op: Op) -> Iterator[Value]:
    """What an op and the ops in its regions read."""
    yield from op.inputs
    for region in op.regions:
        for inner in walk(region.block):
            yield from inner.inputs


def needs(ops: Sequence[Op]) -> list[tuple[int, ...]]:
    """The ops that each op must follow, by position: those that make what it reads, and, where it cannot be moved past
    others, the last one before it of which that is true.
    """
    at = {op: i for i, op in enumerate(ops)}
    out, last = [], -1
    for i, op in enumerate(ops):
        found = {at[v.producer] for v in reads(op) if v.producer in at}
        if not _is_free(op) or any(not _is_free(inner) for r in op.regions for inner in walk(r.block)):
            found |= {last} if last >= 0 else set()
            last = i
        out.append(tuple(sorted(found)))
    return out


def _is_free(op: Op) -> bool:
    """The op does nothing but make its results, of tensors."""
    return isinstance(op, Yield) or (is_pure(op) and all(isinstance(v.type, TensorType) for v in op.inputs))


def reorder(block: Block, ops: Sequence[Op]) -> None:
    """Give the ops of a block another order."""
    _put(block, [*(op for op in block.ops if isinstance(op, core.Constant)), *ops])


def _put(block: Block, ops: Sequence[Op]) -> None:
    """All ops of a block but its end, in order."""
    end = block.terminator
    for op in ops:
        edit.move(op, before=end)


def _candidates(graph: Graph) -> Iterator[Sequence[int]]:
    from mlconv.passes.schedule.order import candidates

    yield from candidates(graph)


def least_of(
    block: Block, ops: Sequence[Op], graph: Graph, measure: Callable[[], Taken], where: SizeFacts = _NOTHING
) -> Taken:
    """Put the ops of a block into the order that takes the least memory: their own, or the best of `candidates`.
    Returns what it takes.

    graph: of the ops.  measure: the bytes that the block takes as it stands, when its buffers have places.  Where they
    are several numbers, an order takes less that takes no more of any; sizes that are known at run time are compared at
    typical ones.
    """
    source = [op for op in block.ops if not isinstance(op, Yield)]
    best, order = measure(), source
    bound = least(graph)
    for positions in _candidates(graph) if best[0] != bound else ():
        tried = [ops[i] for i in positions]
        reorder(block, tried)
        taken = measure()
        if taken != best and all(_no_more(a, b, where) for a, b in zip(taken, best, strict=True)):
            best, order = taken, [op for op in block.ops if not isinstance(op, Yield)]
        if best[0] == bound:
            break
    _put(block, order)
    return best


def _no_more(a: Size, b: Size, where: SizeFacts) -> bool:
    """a <= b, at all typical sizes where these are known at run time only."""
    asked = Condition("least", b, a)
    tried = (dict.fromkeys(asked.symbols, n) for n in _TYPICAL)
    return all(asked.holds_at(_within(sizes, where)) for sizes in tried)


def _within(sizes: Mapping[str, int], where: SizeFacts) -> dict[str, int]:
    """The nearest sizes in their ranges."""
    ends = {name: where.ranges.get(name, (n, n)) for name, n in sizes.items()}
    return {name: min(max(n, ends[name][0]), ends[name][1]) for name, n in sizes.items()}
