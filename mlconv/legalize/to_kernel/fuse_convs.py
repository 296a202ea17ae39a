"""Chains of products whose results do not stay in a second-level cache are done a tile of rows at a time.

Source: the loop fusion of Alwani et al. 2016, "Fused-layer CNN accelerators", with rows that two tiles share kept and
not made again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.dialects.kernel import (
    FLOAT32,
    LOADS,
    SLOTS,
    ConvChain,
    ConvChainOp,
    KernelOp,
    OutputIndexing,
    RowBuffer,
    Step,
    held,
    known,
    row_buffer,
)
from mlconv.ir.core import Block, Op, Value
from mlconv.legalize.to_kernel.chains import replace_chain
from mlconv.legalize.to_kernel.small_chains import cut_for_memory

LARGE = 512 << 10  # bytes that stay in a second-level cache
ROOM = 400 << 10  # bytes of it for a row tile and the weights of its stages
_HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16)
_STAGES = 8  # of one kernel, at most
_FAR, _NEAR = 100.0, 60.0  # bytes per nanosecond, from beyond that cache and from it


def fuse_convs(block: Block, memory: bool = False) -> None:
    """Fuse every chain of a block that it pays for; memory: in bytes, not in time."""
    taken: set[Op] = set()
    for op in list(block.ops):
        if op in taken or not isinstance(op, KernelOp) or not _is_stage(op, memory):
            continue
        ops, links = [op], list[RowBuffer]()
        while (found := _reader(ops[-1], block, memory)) is not None:
            ops.append(found[0])
            links.append(found[1])
        taken.update(ops)
        for i, j, height in cut_for_memory(ops, links) if memory else _cut(ops, links):
            _replace(ops[i : j + 1], links[i:j], height, block, memory)


def _is_stage(op: Op, integers: bool) -> bool:
    """A product of float32, or of integers, of one image of several lines, of known size, whose weights all lines
    share.
    """
    if (
        not isinstance(op, KernelOp)
        or op.name not in ("kernel.gemm", "kernel.depthwise")
        or not (op.problem.types == FLOAT32 or (integers and op.problem.types.sums.is_int))
        or not all(v.tensor.is_static for v in (*op.inputs, op.result))
    ):
        return False
    return op.indexing.rows[0] == 1 != op.indexing.rows[1] and getattr(op.problem, "weight_strides", (0, 0)) == (0, 0)


def _reader(op: KernelOp, block: Block, integers: bool) -> tuple[KernelOp, RowBuffer] | None:
    """The stage that reads the result of `op` as its x, when nothing else does, and what is known of the buffer between
    them.
    """
    value = op.result
    while len(value.uses) == 1:
        ((user, position),) = value.uses
        if not isinstance(user, KernelOp) or user.block is not block or position != 0:
            return None
        if user.name == "kernel.alias":
            value = user.result
            continue
        buffer = _row_buffer(op, user) if _is_stage(user, integers) else None
        return None if buffer is None else (user, buffer)
    return None


def _row_buffer(maker: KernelOp, reader: KernelOp) -> RowBuffer | None:
    """The buffer that one stage makes and another reads by whole rows, all of it zeros where nothing is written."""
    read, size = reader.indexing, math.prod(maker.result.tensor.static_shape())
    found = row_buffer(maker.indexing, read, getattr(reader.problem, "run", read.channels))
    fill, types = _fill(maker.indexing), (maker.problem.types.result, reader.problem.types.result)
    if found is None or size % found.pitch or fill is None or types[0] is not types[1]:
        return None
    rows, lines = size // found.pitch, known(read.rows)[1]
    if found.start + (lines - 1) * found.step + found.reach > rows:
        return None
    if any(i.opcode in LOADS and i.args[0] == 0 for i in read.after):
        return None  # the epilogue needs all of it
    return found._replace(held=rows, fill=fill)


def _fill(indexing: OutputIndexing) -> int | None:
    """The number that what lies around the result is filled with: 0 of floats, and where there is nothing; None for
    anything else.
    """
    numbers = {_constant(s) for s in indexing.borders} or {0}
    return numbers.pop() if len(numbers) == 1 else None


def _constant(step: Step) -> int | None:
    """The number that a step writes: a whole one, or 0.0."""
    if len(step.body) != 1 or step.body[0].opcode != "const" or step.after:
        return None
    number = step.body[0].value
    return number if isinstance(number, int) else 0 if number == 0.0 else None


def _cut(ops: Sequence[KernelOp], links: Sequence[RowBuffer]) -> list[tuple[int, int, int]]:
    """The best parts of a chain to fuse: (first, last, height) of each, in order."""
    # of the ops before each: nanoseconds, first op of the last part, its height or 0
    best: list[tuple[float, int, int]] = [(0.0, 0, 0)]
    for last in range(len(ops)):
        found = best[last][0], last, 0
        for first in range(max(0, last - _STAGES + 1), last):
            gain, height = _gain(ops[first : last + 1], links[first:last])
            if gain > 0 and best[first][0] + gain > found[0]:
                found = best[first][0] + gain, first, height
        best.append(found)
    out, end = [], len(ops)
    while end:
        _, first, height = best[end]
        out += [(first, end - 1, height)] if height else []
        end = first
    return out[::-1]


def _gain(ops: Sequence[KernelOp], links: Sequence[RowBuffer]) -> tuple[float, int]:
    """Nanoseconds that fusing saves, and the best height; (0, 0) when it saves nothing.

    Saved is writing and reading what a cache does not keep; it costs to move rows that the next row tile needs, and to
    read the weights for each row tile.
    """
    saved = sum(2 * max(0, 4 * t.pitch * t.held - LARGE) for t in links) / _FAR
    weights = sum(4 * math.prod(op.inputs[1].tensor.static_shape()) for op in ops)
    best, lines = (0.0, 0), known(ops[-1].indexing.rows)[1]
    moved = sum(2 * 4 * t.pitch * (t.reach - t.step) for t in links)
    for height in _HEIGHTS:
        if sum(4 * t.size for t in held(links, height)) + weights > ROOM or (
            height > 1 and -(-lines // height) < SLOTS
        ):
            break
        best = max(best, (saved - -(-lines // height) * (moved + weights) / _NEAR, height))
    return best


def _replace(ops: Sequence[KernelOp], links: Sequence[RowBuffer], height: int, block: Block, alone: bool) -> None:
    """One kernel in place of a chain."""
    operands: list[Value] = []
    numbers = []
    for i, op in enumerate(ops):
        own = op.inputs[1:] if i else op.inputs
        operands += [v for v in dict.fromkeys(own) if v not in operands]
        numbers.append((*((-1,) if i else ()), *(operands.index(v) for v in own)))
    last = ops[-1]
    problem = ConvChain(tuple(op.problem for op in ops), tuple(numbers), tuple(links), height, SLOTS, alone)
    joined = ConvChainOp(operands, problem.of_height(height), last.result.tensor)
    replace_chain(ops, joined, block)
