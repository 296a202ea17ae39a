"""The arena plan as data: which buffer lies where, and from which call to which."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.kernels.kind import KINDS, Kinds, scratch_of
from mlconv.codegen.program.memory_plan import MemoryPlan, nbytes, root
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size
from mlconv.provenance.locations import first_name, frames


class Buffer(NamedTuple):
    """offset, size in bytes; first, last: the calls (counted from 0) that write it first and read it last; op, node,
    line: what writes it.
    """

    offset: Size
    size: Size
    first: int
    last: int
    op: str
    node: str
    line: str


def calls(block: Block) -> list[KernelOp]:
    """The kernels that are called, in order."""
    return [
        op
        for op in block.ops
        if isinstance(op, KernelOp) and op.name != "kernel.alias" and any(nbytes(v) != 0 for v in op.results)
    ]


def source_line(op: KernelOp) -> str:
    """`file:line` of an op, or an empty string."""
    found = frames(op.location)
    return f"{found[0].file}:{found[0].line}" if found and found[0].line > 0 else ""


def node_of(op: KernelOp) -> str:
    return first_name(op.location)


def buffers(block: Block, plan: MemoryPlan, kinds: Kinds = KINDS) -> list[Buffer]:
    """Buffers in the arena, by the call that makes them; those of a region live while the call that it belongs to
    runs.
    """
    order = calls(block)
    last: dict[Value, int] = {}
    for i, op in enumerate(order):
        for value in op.inputs:
            last[root(value)] = i
    for value in block.outputs:
        last[root(value)] = len(order)
    out = []
    for i, op in enumerate(order):
        facts = op.name, node_of(op), source_line(op)
        for value in op.results:
            if plan.allocations[value].kind == "arena" and nbytes(value) != 0:
                out.append(Buffer(plan.allocations[value].at, nbytes(value), i, last.get(root(value), i), *facts))
        if op in plan.scratch and not op.regions:
            out.append(Buffer(plan.scratch[op].at, scratch_of(op, kinds), i, i, *facts))
        for region in op.regions:
            out += [b._replace(first=i, last=i) for b in buffers(region.block, plan, kinds)]
    return out
