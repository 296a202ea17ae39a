"""The order of TFLite ops: that for which its runtime takes the smallest arena.

Each graph has an arena of its own.  Orders are found by what lives at the same time and judged by the runtime's own way
to place tensors; a graph keeps its order where no other one takes less, and where it has tensors whose sizes depend on
data.  Where inputs have sizes that are known at run time, an order must take no more for any of a few.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from mlconv.ir.core import Block, Op
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.arena import arena_bytes, memory_of, nbytes, owners, tensors_of
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.schedule.blocks import Taken, least_of, needs, scheduled_ops
from mlconv.passes.schedule.graph import Buffer, Graph

EXAMPLES = (1, 2, 16)  # of sizes that are known at run time; the file has the first
_TOO_MUCH = 1 << 62


class TflSchedule(Pass):
    """Ops are put into the order for which the runtime takes the smallest arena."""

    name: ClassVar[str] = "tfl-schedule"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        order_ops(function.block, main=True)


def order_ops(block: Block, main: bool = False) -> None:
    """Order a graph and those of the regions in it.  main: it is the graph of a function."""
    ops = scheduled_ops(block)
    for op in ops:
        for region in op.regions:
            order_ops(region.block)
    if None in arenas(block, ops, main):
        return

    def measure() -> Taken:
        return tuple(_TOO_MUCH if taken is None else taken for taken in arenas(block, scheduled_ops(block), main))

    least_of(block, ops, tfl_graph(block, ops), measure)


def arenas(block: Block, ops: Sequence[Op], main: bool) -> list[int | None]:
    """Bytes of the arena of a graph, for each of `EXAMPLES`; none where that is not known."""
    is_static = all(v.type.is_static for op in ops for v in op.results if isinstance(v.type, TensorType))
    found = [tensors_of(block, ops, main, each) for each in (EXAMPLES[:1] if is_static else EXAMPLES)]
    return [None if tensors is None else arena_bytes(tensors) for tensors in found]


def tfl_graph(block: Block, ops: Sequence[Op]) -> Graph:
    """The tensors of a block whose sizes are all known."""
    at = {op: i for i, op in enumerate(ops)}
    buffers = []
    for owner, (_, users, kept) in memory_of(block, ops, owners(block, ops)).items():
        readers = tuple(sorted({at[op] for op in users if op in at}))
        maker = at[owner.producer] if owner.producer else -1
        buffers.append(Buffer(nbytes(owner) or 0, maker, readers, kept))
    return Graph(buffers, needs(ops), [0] * len(ops), [()] * len(ops))
