"""Rows by blocks of a few: stages of `kernel.row_reduce` are done for all rows of a block together."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects.kernel.attributes import Instr, RowReduce, Step, View
from mlconv.dialects.kernel.functions import LOADS
from mlconv.dialects.kernel.loads import view_of, with_view
from mlconv.ir.dims import product

BLOCK = 4  # rows: as many as a register tile has


def row_blocks(whole: RowReduce, operands: int, block: int = BLOCK) -> tuple[RowReduce, ...]:
    """Blocks of so many rows, and the rows that are left, one by one.  operands: how many the op has."""
    blocks = _blocks(whole, operands, block)
    return (blocks, _end(whole, operands, block)) if whole.rows[-1] % block != 0 else (blocks,)


def _blocks(whole: RowReduce, operands: int, block: int) -> RowReduce:
    """The last axis of the rows is blocks, whose rows the stages have an axis for."""
    count, axis = len(whole.rows), len(whole.rows) - 1
    lengths = [product(s.kept[count:]) for s in whole.stages]

    def split(view: View, number: int = -1) -> View:
        """number: of the stage that leaves what is viewed, or -1."""
        before, (along, *behind) = view.strides[:axis], view.strides[axis:]
        ways = (along * block, along) if number < 0 else (0, lengths[number])
        return View(view.offset, (*before, *ways, *behind))

    def change(i: Instr) -> Instr:
        return with_view(i, split(view_of(i), i.args[0] - operands))

    def blocked(number: int, step: Step) -> Step:
        extents = (*step.extents[:axis], whole.rows[axis] // block, block, *step.extents[count:])
        out = split(step.out, number if number < len(whole.temporaries) else -1)
        return mapped(step, change)._replace(extents=extents, out=out)

    rows = (*whole.rows[:axis], whole.rows[axis] // block)
    return RowReduce(rows, tuple(blocked(i, s) for i, s in enumerate(whole.stages)), whole.temporaries)


def _end(whole: RowReduce, operands: int, block: int) -> RowReduce:
    """The last rows."""
    axis, length = len(whole.rows) - 1, whole.rows[-1]
    rest = length % block
    first = length - rest

    def moved(view: View) -> View:
        return View(view.offset + view.strides[axis] * first, view.strides)

    def change(i: Instr) -> Instr:
        return with_view(i, moved(view_of(i))) if i.args[0] < operands else i

    def ended(step: Step) -> Step:
        extents = (*step.extents[:axis], rest, *step.extents[axis + 1 :])
        return mapped(step, change)._replace(extents=extents)

    *steps, last = map(ended, whole.stages)
    last = last._replace(out=moved(last.out))
    return RowReduce((*whole.rows[:axis], rest), (*steps, last), whole.temporaries)


def mapped(step: Step, change: Callable[[Instr], Instr]) -> Step:
    """The step with its loads changed."""
    body, after = (tuple(change(i) if i.opcode in LOADS else i for i in p) for p in (step.body, step.after))
    return step._replace(body=body, after=after)
