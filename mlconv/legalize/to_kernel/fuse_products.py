"""Product, stages over its rows, product, over a length that is known at run time: one kernel for blocks of rows. What
lies between stays in the cache, and what rows are multiplied by is read once for a block of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.dialects.kernel import (
    LOADS,
    Instr,
    KernelOp,
    Program,
    RowPartsOp,
    RowReduce,
    Sizes,
    Step,
    View,
    dense,
)
from mlconv.dialects.kernel.row_blocks import BLOCK, mapped, row_blocks
from mlconv.ir.core import Block, Value
from mlconv.ir.dims import Size
from mlconv.legalize.to_kernel.chains import made_for, replace_chain, source_of

Rename = Callable[[Instr], Instr]


class _Chain(NamedTuple):
    """scores: makes rows of numbers.  middle: stages over these.  values: multiplies what they leave."""

    scores: KernelOp
    middle: KernelOp
    values: KernelOp

    @property
    def rows(self) -> Sizes:
        rows: Sizes = self.middle.problem.rows
        return rows


def fuse_products(block: Block) -> None:
    """Fuse every such chain of a block."""
    for op in block.ops:
        chain = _chain_of(op, block) if isinstance(op, KernelOp) and op.name == "kernel.loop_nest" else None
        if chain is not None and _fits(chain):
            _fuse(chain, block)


def _chain_of(values: KernelOp, block: Block) -> _Chain | None:
    """What ends in an op."""
    for value in values.inputs if _is_sum(values) else ():
        middle = made_for(value, values, "kernel.row_reduce", block)
        if middle is None:
            continue
        for given in middle.inputs:
            scores = made_for(given, middle, "kernel.loop_nest", block)
            if scores is not None and _is_sum(scores):
                return _Chain(scores, middle, values)
    return None


def _is_sum(op: KernelOp) -> bool:
    return len(op.steps) == 1 and op.steps[0].reduced > 0 and op.steps[0].combine == "add"


def _fits(chain: _Chain) -> bool:
    """All three go over the same rows, of a width that is not known before, element by element."""
    rows, (first,), (second,) = chain.rows, chain.scores.steps, chain.values.steps
    many = not isinstance(rows[-1], int) or rows[-1] >= BLOCK if rows else False
    width = first.kept[-1]
    if not many or isinstance(width, int) or first.kept != (*rows, width) or second.reduced != 1:
        return False
    if second.extents != (*rows, second.extents[-2], width) or not _runs(first.out, first.kept):
        return False
    stages: tuple[Step, ...] = chain.middle.problem.stages
    if any(not _is_row(s.extents[len(rows) :], width) for s in stages) or stages[-1].kept != (*rows, width):
        return False
    if not _runs(stages[-1].out, (*rows, width)):
        return False
    return all(_reads(s, chain.middle, chain.scores, (*rows, width)) for s in stages) and _reads(
        second, chain.values, chain.middle, (*rows, 1, width)
    )


def _is_row(extents: Sizes, width: Size) -> bool:
    """Of a row, of a number for it, or of a table."""
    return len(extents) == 1 and (extents[0] == width or isinstance(extents[0], int))


def _reads(step: Step, op: KernelOp, maker: KernelOp, over: Sizes) -> bool:
    """A step reads what another op makes at the row that it is at, in order, and not behind a reduction.  over:
    extents, 1 for an axis along which it reads the same.
    """

    def of_maker(program: Program) -> list[Instr]:
        made = source_of(maker.result)
        given = [source_of(v) is made for v in op.inputs]
        return [i for i in program if i.opcode in LOADS and i.args[0] < len(given) and given[i.args[0]]]

    if of_maker(step.after):
        return False
    return all(i.opcode == "load" and _runs(i.value, over, step.extents) for i in of_maker(step.body))


def _runs(view: View, over: Sizes, extents: Sizes | None = None) -> bool:
    """A view goes over elements in their order."""
    there = zip(over, extents or over, view.strides, dense(over), strict=True)
    return view.offset == 0 and all(s == (0 if n == 1 else d) or e == 1 for n, e, s, d in there)


def _fuse(chain: _Chain, block: Block) -> None:
    operands: list[Value] = []
    made = [source_of(op.result) for op in (chain.scores, chain.middle)]
    for op in chain:
        operands += [v for v in dict.fromkeys(op.inputs) if source_of(v) not in made and v not in operands]
    whole = _joined(chain, operands, made)
    joined = RowPartsOp(operands, row_blocks(whole, len(operands)), chain.values.result.tensor)
    replace_chain([*chain], joined, block)


def _joined(chain: _Chain, operands: Sequence[Value], made: Sequence[Value]) -> RowReduce:
    """All as stages over rows, in which the scores and what the middle leaves are temporaries."""
    rows, middle = len(chain.rows), chain.middle.problem
    first, left = len(operands), len(operands) + 1 + len(middle.temporaries)  # numbers of what the two ops make

    def renamed(op: KernelOp) -> Rename:
        sources = [source_of(v) for v in op.inputs]
        numbers = [
            (first, left)[made.index(s)] if s in made else operands.index(v)
            for v, s in zip(op.inputs, sources, strict=True)
        ]

        def rename(i: Instr) -> Instr:
            number = i.args[0]
            inner = number >= len(numbers)  # what an earlier stage of the op leaves
            number = first + 1 + number - len(numbers) if inner else numbers[number]
            i = i._replace(args=(number, *i.args[1:]))
            return i._replace(value=_inside(i.value, rows)) if not inner and number >= first else i

        return rename

    stages = [mapped(chain.scores.steps[0], renamed(chain.scores))]
    stages += [mapped(s, renamed(chain.middle)) for s in middle.stages]
    for i in (0, -1):
        stages[i] = stages[i]._replace(out=_inside(stages[i].out, rows))
    stages.append(mapped(chain.values.steps[0], renamed(chain.values)))
    kept = (chain.scores.result.tensor.dtype, *middle.temporaries, chain.middle.result.tensor.dtype)
    return RowReduce(chain.rows, tuple(stages), kept)


def _inside(view: View, rows: int) -> View:
    """The view at one row."""
    return View(0, (*(0,) * rows, *view.strides[rows:]))
