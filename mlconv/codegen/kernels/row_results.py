"""Stages of rows that leave numbers where the result will be: its lines come from afar while something is computed, and
rows take less of a near cache.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.arrange import certainly_below
from mlconv.codegen.kernels.spans import Span, spans
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.kernels.transposed_tiles import Pointers
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import memory_type
from mlconv.dialects.kernel import LOADS, Instr, RowReduce, Step, View, view_of, with_view
from mlconv.dialects.kernel.row_blocks import mapped
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType

_FAR = 1 << 20  # bytes of a result that stays in no near cache
_AHEAD = 4 << 10  # bytes
_LINE = 64  # bytes


class InPlaceStep(StepGenerator):
    """A step that reads elements from where it writes them, so that none may be done twice."""

    def _spans(self, extent: Size) -> list[Span]:
        return spans(extent, self._widths(extent))


class AskingStep(StepGenerator):
    """A step that asks for lines of its loads `asked` before it reads them: what lies between is many rows that other
    stages go through, which is where processors stop to look ahead.
    """

    def __init__(self, b: Builder, step: Step, dtype: DType, asked: Sequence[int]) -> None:
        super().__init__(b, step, dtype)
        self.asked = asked if b.cpu.has_vectors else ()

    def _point(self, pointers: Pointers, lanes: int) -> None:
        for k in self.asked:
            t = memory_type(self.loads[k].dtype)
            for line in range(0, lanes * t.size if lanes >= self.lanes else 0, _LINE):
                self.b.prefetch(self.b.moved(pointers[k], t, (_AHEAD + line) // t.size))
        super()._point(pointers, lanes)


class Shared(NamedTuple):
    """Stages, one of which (`number`, -1: none) leaves its numbers in the result.  asked: loads of its body whose lines
    it asks for ahead.
    """

    stages: tuple[Step, ...]
    number: int = -1
    asked: tuple[int, ...] = ()

    def generator(self, b: Builder, step: Step, dtype: DType, number: int) -> StepGenerator:
        """Of a step that stage `number` is at one row."""
        if self.number >= 0 and number == len(self.stages) - 1:
            return InPlaceStep(b, step, dtype)
        return AskingStep(b, step, dtype, self.asked) if number == self.number else StepGenerator(b, step, dtype)


def in_result(problem: RowReduce, dtypes: Sequence[DType], operands: int) -> Shared:
    """dtypes: of what each stage leaves.  operands: how many the op has."""
    last = problem.stages[-1]
    along = last.out.strides[-1:]
    plain = last.reduced == 0 and all(view_of(i).strides[-1:] in ((0,), along) for i in _loads(last))
    if plain and along == (1,):
        for number in reversed(range(len(problem.temporaries))):
            if dtypes[number] is dtypes[-1] and _goes_to_result(problem, number, operands):
                asked = _asked(problem.stages[number], operands) if _is_far(problem, dtypes[-1]) else ()
                return Shared(_with_views(problem.stages, number, operands), number, asked)
    return Shared(problem.stages)


def _is_far(problem: RowReduce, dtype: DType) -> bool:
    """The result stays in no near cache."""
    return not certainly_below(product(problem.stages[-1].extents) * dtype.itemsize, _FAR)


def _goes_to_result(problem: RowReduce, number: int, operands: int) -> bool:
    """The last stage reads what this one leaves, as all do that read it, element by element, each at its own place."""
    own, last = problem.stages[number], problem.stages[-1]
    if own.kept != last.extents:
        return False

    def places(view: View) -> tuple[Size, ...]:
        return (view.offset, *(n for n, extent in zip(view.strides, last.extents, strict=True) if extent != 1))

    def plain(stage: Step, i: Instr) -> bool:
        return i.opcode == "load" and stage.extents == last.extents and places(view_of(i)) == places(own.out)

    reads = [plain(s, i) for s in problem.stages for i in _loads(s) if i.args[0] == operands + number]
    return all(reads) and any(i.args[0] == operands + number for i in _loads(last))


def _asked(stage: Step, operands: int) -> tuple[int, ...]:
    """Loads that go through an operand of the op, one line after the other, while something else is computed."""

    def in_order(i: Instr) -> bool:
        run: Size = 1
        for extent, stride in zip(reversed(stage.extents), reversed(view_of(i).strides), strict=True):
            if extent != 1 and stride != run:
                return not certainly_below(run * i.dtype.itemsize, _AHEAD)
            run *= extent
        return True

    own = [i.opcode == "load" and i.args[0] < operands and in_order(i) for i in _loads(stage)]
    return () if stage.reduced else tuple(n for n, asks in enumerate(own) if asks)


def _with_views(stages: tuple[Step, ...], number: int, operands: int) -> tuple[Step, ...]:
    """What stage `number` leaves is read and written as the result is."""
    out = stages[-1].out

    def change(i: Instr) -> Instr:
        return with_view(i, out) if i.args[0] == operands + number else i

    changed = [mapped(stage, change) for stage in stages]
    changed[number] = changed[number]._replace(out=out)
    return tuple(changed)


def _loads(stage: Step) -> list[Instr]:
    return [i for i in (*stage.body, *stage.after) if i.opcode in LOADS]
