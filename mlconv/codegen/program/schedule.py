"""The order of kernels: that which takes the smallest arena.

Regions come before the block around them, since what they take is scratch memory of their op.  Orders are found by what
lives at the same time and judged by the memory plan, which also knows where buffers can lie; a block keeps its order
where no other one takes less.  Sizes that are known at run time count as typical ones, and another order must take no
more whatever they are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import ClassVar

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of
from mlconv.codegen.program.memory_plan import BlockMemory, block_memory, nbytes, region_roles, root
from mlconv.codegen.program.packing import aligned
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.data_sizes import data_sizes
from mlconv.ir.dims import Dim, Size, maximum
from mlconv.ir.estimates import estimate
from mlconv.ir.module import Function
from mlconv.ir.size_facts import SizeFacts
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.schedule.blocks import least_of, needs, reads, scheduled_ops
from mlconv.passes.schedule.graph import Buffer, Graph

_SMALL = 512  # the part of the largest buffer that others must have to count


class KernelSchedule(Pass):
    """Kernels are put into the order that takes the smallest arena.

    Where data decide sizes, they stay in their order, in which what has a size stands behind what defines it.
    """

    name: ClassVar[str] = "kernel-schedule"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if data_sizes(function.block):
            return
        order_kernels(function.block, function.facts.where, {**KINDS, **context.kernels})


def order_kernels(
    block: Block, where: SizeFacts, kinds: Kinds = KINDS, carried: bool = False, test: bool = False
) -> Size:
    """Order a block and the regions in it; returns the bytes that it takes.  carried, test: see `region_roles`."""
    ops = scheduled_ops(block)
    inner: dict[Op, Size] = {}
    for op in ops:
        for region, role in zip(op.regions, region_roles(op), strict=True):
            taken = order_kernels(region.block, where, kinds, *role)
            inner[op] = maximum(inner.get(op, 0), aligned(taken))
    memory = block_memory(block, kinds, carried, test, inner)
    graph = kernel_graph(block, ops, memory, kinds)
    (size,) = least_of(block, ops, graph, lambda: (block_memory(block, kinds, carried, test, inner).size,), where)
    return size


def kernel_graph(block: Block, ops: Sequence[Op], memory: BlockMemory, kinds: Kinds = KINDS) -> Graph:
    """The buffers of a block, in bytes; sizes that are known at run time count as typical ones.  Small buffers beside
    large ones count nothing then: places and weights of resizes are many, and may stand anywhere.
    """
    made = {v: i for i, op in enumerate(ops) for v in op.results if op.name != "kernel.alias"}
    values = list(made)
    sizes = {v: 0 if v in memory.elsewhere else estimate(aligned(nbytes(v))) for v in values}
    if any(isinstance(nbytes(v), Dim) for v in values):
        least = max(sizes.values()) // _SMALL
        sizes = {v: n if n > least else 0 for v, n in sizes.items()}
    work = [estimate(aligned(memory.scratch.get(op, 0))) for op in ops]
    number = {v: i for i, v in enumerate(values)}
    readers: list[dict[int, None]] = [{} for _ in values]
    for i, op in enumerate(ops):
        for value in reads(op):
            if root(value) in number:
                readers[number[root(value)]][i] = None
    kept = {root(v) for v in block.outputs}
    buffers = [Buffer(sizes[v], made[v], tuple(readers[number[v]]), v in kept) for v in values]
    return Graph(buffers, needs(ops), work, [_over(op, sizes, number, kinds) for op in ops])


def _over(op: Op, sizes: Mapping[Value, int], number: Mapping[Value, int], kinds: Kinds) -> tuple[int, ...]:
    """Buffers of operands that results may take over."""
    if not isinstance(op, KernelOp) or op.name == "kernel.alias":
        return ()
    if op.name == "kernel.while":
        pairs = list(zip(op.results, op.inputs, strict=False))
    else:
        reused = -1 if op.regions else kind_of(op, kinds).reused(op.problem)
        pairs = [(op.results[0], op.inputs[reused])] if reused >= 0 else []
    read = list(map(root, reads(op)))
    found = []
    for result, operand in pairs:
        source = root(operand)
        if source in number and sizes[source] == sizes[result] and read.count(source) == 1:
            found.append(number[source])
    return tuple(found)
