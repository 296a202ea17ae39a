"""Generator of `kernel.row_reduce`: for each row, one stage after the other, with what lies between them on the
stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.codegen.kernels.division import ENOUGH, places_of
from mlconv.codegen.kernels.kind import Call, KernelKind, Written
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.kernels.views import reads_at_indices, step_flops, view_of, with_view
from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, memory_type
from mlconv.dialects.kernel import LOADS, Program, RowReduce, Sizes, Step, View, known
from mlconv.ir.dims import Size, product
from mlconv.ir.dtypes import DType


class RowReduceGenerator:
    """Emits one problem.  items: places along the outermost axis of the rows that has more than one, or along two where
    the first one has few.
    """

    def __init__(self, b: Builder, problem: RowReduce, dtype: DType) -> None:
        self.b, self.problem = b, problem
        self.axes = [i for i, e in enumerate(problem.rows) if e != 1] or [0]
        self.dtypes = (*problem.temporaries, dtype)
        first = problem.rows[self.axes[0]] if problem.rows else 1
        few = not isinstance(first, int) or first < ENOUGH
        outer = self.axes[: 2 if few else 1] if problem.rows else []
        self.outer = tuple(problem.rows[axis] for axis in outer)

    @property
    def items(self) -> Size:
        """How many work items there are."""
        return product(self.outer)

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        return (
            sum(estimate(product(s.extents)) * (len(s.body) + 1) for s in self.problem.stages)
            / max(1, estimate(self.items))
            / 20
        )

    def run(self, operands: Sequence[Value], out: Value, everything: bool = False) -> None:
        """operands: those of the op.  everything: all rows, not those that the call asks for."""
        b, inner = self.b, len(self.problem.rows)
        rows = [
            b.room(memory_type(d), math.prod(known(s.kept[inner:])))
            for s, d in zip(self.problem.stages, self.problem.temporaries, strict=False)
        ]
        sources = [*operands, *rows]

        def place(axis: int, indices: list[Value]) -> None:
            if axis == len(self.axes):
                for stage, dtype, target in zip(self.problem.stages, self.dtypes, [*rows, out], strict=True):
                    self._stage(stage, dtype, sources, target, indices)
                return

            b.each(0, self.problem.rows[self.axes[axis]], 1, lambda index: place(axis + 1, [*indices, index]))

        if everything:
            place(0, [])
        elif self.problem.rows and self.items != 1:
            b.work_items(lambda i: place(len(self.outer), places_of(b, i, self.outer)))
        else:
            place(len(self.axes), [])

    def _stage(
        self, stage: Step, dtype: DType, sources: Sequence[Value], target: Value, indices: Sequence[Value]
    ) -> None:
        """A stage at one row: a step over the inner axes, whose operands are one pointer for each load."""
        pointers: list[Value] = []

        def moved(pointer: Value, kind: DType, view: View) -> Value:
            pointer = self.b.moved(pointer, memory_type(kind), view.offset)
            for axis, index in zip(self.axes, indices, strict=False):
                if axis < len(view.strides) and view.strides[axis]:
                    pointer = self.b.offset(pointer, memory_type(kind), index, view.strides[axis])
            return pointer

        def narrow(program: Program) -> Program:
            out = []
            for i in program:
                if i.opcode in LOADS:
                    view = view_of(i)
                    pointers.append(moved(sources[i.args[0]], i.dtype, view))
                    i = with_view(i._replace(args=(len(pointers) - 1, *i.args[1:])), View(0, self._inner(view.strides)))
                out.append(i)
            return tuple(out)

        rows = len(self.problem.rows)
        body, after = narrow(stage.body), narrow(stage.after)
        step = Step(
            stage.extents[rows:], stage.reduced, stage.combine, body, after, View(0, self._inner(stage.out.strides))
        )
        StepGenerator(self.b, step, dtype).run(pointers, moved(target, dtype, stage.out))

    def _inner(self, strides: Sizes) -> Sizes:
        return strides[len(self.problem.rows) :]


class _RowReduce(KernelKind[RowReduce]):
    name = "kernel.row_reduce"

    def flops(self, problem: RowReduce) -> int:
        return sum(step_flops(s) for s in problem.stages)

    def skips_empty(self, problem: RowReduce) -> bool:
        return not any(reads_at_indices(s) for s in problem.stages)

    def generate(self, b: Builder, problem: RowReduce, call: Call) -> Written:
        generator = RowReduceGenerator(b, problem, call.dtype)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)


ROW_REDUCE = _RowReduce()
