"""Which parts of a chain of products are done a tile of rows at a time, so that they take the least memory."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects.kernel import AliasOp, KernelOp, RowBuffer, held
from mlconv.dialects.kernel.in_place import writes_over
from mlconv.ir.core import Value

STAGES = 16  # of one kernel, at most


def cut_for_memory(ops: Sequence[KernelOp], links: Sequence[RowBuffer]) -> list[tuple[int, int, int]]:
    """The parts to fuse, (first, last, height) of each, in order: with them the largest sum of what a part reads, what
    it makes and its rows between stages is least, and then as few stages as possible are fused.
    """
    # of the ops before each: the largest sum so far, how many are fused, the first op of the last part
    best: list[tuple[int, int, int]] = [(0, 0, 0)]
    for last in range(len(ops)):
        found: list[tuple[int, int, int]] = []
        for first in range(max(0, last - STAGES + 1), last + 1):
            taken = _taken(ops[first : last + 1], links[first:last])
            fused = last - first + 1 if last > first else 0
            found.append((max(best[first][0], taken), best[first][1] + fused, first))
        best.append(min(found))
    out, end = [], len(ops)
    while end:
        first = best[end][2]
        out += [(first, end - 1, 1)] if first < end - 1 else []
        end = first
    return out[::-1]


def _taken(ops: Sequence[KernelOp], links: Sequence[RowBuffer]) -> int:
    """Bytes of what a part reads, makes and keeps between its stages; inputs of the model lie elsewhere."""
    x, is_made = ops[0].inputs[0], _root(ops[0].inputs[0]).producer is not None
    given, made, between = _bytes(x) if is_made else 0, _bytes(ops[-1].result), _between(ops[0], links)
    alone = len(x.uses) == 1 and given == made
    over = bool(links) and alone and writes_over([op.problem for op in ops], links)
    return (made if over else given + made) + between


def _root(value: Value) -> Value:
    """The value whose buffer this is."""
    while isinstance(value.producer, AliasOp):
        value = value.producer.inputs[0]
    return value


def _bytes(value: Value) -> int:
    t = value.tensor
    count = t.size
    return count * t.dtype.itemsize if isinstance(count, int) else 0


def _between(maker: KernelOp, links: Sequence[RowBuffer]) -> int:
    """Bytes of rows between stages, where one line of the last one is done at a time."""
    return sum(t.size for t in held(links, 1)) * maker.result.tensor.dtype.itemsize
