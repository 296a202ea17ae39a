"""Generator of `kernel.row_reduce`: for each row, one stage after the other, with what lies between them on the
stack.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import reduce

from mlconv.codegen.kernels.arrange import certainly_below
from mlconv.codegen.kernels.division import ENOUGH, ITEM_NS, places_of
from mlconv.codegen.kernels.kind import Call, KernelKind, Lookup, Piece, Written
from mlconv.codegen.kernels.row_results import Shared, in_result
from mlconv.codegen.kernels.views import lookups_of, reads_at_indices, step_flops
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.dialects.kernel import LOADS, KernelOp, Program, RowReduce, Sizes, Step, View, known, view_of, with_view
from mlconv.dialects.kernel.row_blocks import BLOCK, row_blocks
from mlconv.ir.dims import Size, ceildiv, maximum, product, total
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate

SLOTS = 16  # shares of the rows that may run at once where stages leave what needs scratch memory
_STACK = 32 << 10  # bytes of what stages leave of several rows
_NEAR = 20 << 10  # bytes of that, beside the rows themselves, in a first-level cache
_FEW = 5 << 10  # bytes of that where lines are asked for ahead: more rows at once are behind, 3462 of 577 by a fifth
_SHORT = 8  # short rows that are done together
_LINE = 64  # bytes that what they leave is aligned to

Limits = Sequence[tuple[int, int]]  # rows, and the most bytes that their stages may leave for them to be done together
_PLAIN: Limits = [(_SHORT, _NEAR), (BLOCK, _NEAR)]
_ASKING: Limits = [(_SHORT, _FEW), (BLOCK, _FEW), (BLOCK // 2, _FEW)]


def lengths_of(problem: RowReduce) -> Sizes:
    """Elements of what stages leave of a row, of each but the last."""
    return tuple(product(s.kept[len(problem.rows) :]) for s in problem.stages[: len(problem.temporaries)])


def room_of(problem: RowReduce) -> Sizes:
    """Bytes of scratch memory for what each stage but the last leaves of a row; 0 for what is on the stack."""
    pairs = zip(lengths_of(problem), problem.temporaries, strict=True)
    return tuple(0 if isinstance(n, int) else ceildiv(n * d.itemsize, _LINE) * _LINE for n, d in pairs)


class RowReduceGenerator:
    """Emits one problem.  items: places along the outermost axis of the rows that has more than one, or along two where
    the first one has few; SLOTS equal shares of these where each needs scratch memory.
    """

    def __init__(self, b: Builder, problem: RowReduce, dtype: DType) -> None:
        self.b, self.problem = b, problem
        self.axes = [i for i, e in enumerate(problem.rows) if e != 1] or [0]
        self.dtypes = (*problem.temporaries, dtype)
        self.outer = self._outer() if problem.rows else ()
        self.lengths, room = lengths_of(problem), room_of(problem)
        self.needs = room if any(n != 0 for n in room) else ()

    def _outer(self) -> Sizes:
        """Extents of the axes whose places are shared: one, two where it has few, or more where rows take long."""
        rows = tuple(self.problem.rows[axis] for axis in self.axes)
        count = 0
        while count < len(rows):
            certain = math.prod(n for n in rows[:count] if isinstance(n, int))
            long = count < 2 or self._total_ns > ITEM_NS * estimate(product(rows))
            if count and (certain >= ENOUGH or not long):
                break
            count += 1
        return rows[:count]

    @property
    def items(self) -> Size:
        """How many work items there are."""
        return SLOTS if self.needs else product(self.outer)

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        return self._total_ns / max(1, estimate(self.items))

    @property
    def _total_ns(self) -> float:
        """Nanoseconds of all, roughly."""
        return sum(estimate(product(s.extents)) * (len(s.body) + 1) for s in self.problem.stages) / 20

    def run(self, operands: Sequence[Value], out: Value, everything: bool = False) -> None:
        """operands: those of the op.  everything: all rows, not those that the call asks for."""
        b = self.b
        if self.needs:
            *operands, scratch = operands
            rows = self._in_scratch(scratch)
        else:
            pairs = zip(self.problem.temporaries, known(self.lengths), strict=True)
            rows = [b.room(memory_type(d), n) for d, n in pairs]
        apart = all(out is not x for x in operands)  # else an operand would be written before it has been read
        shared = in_result(self.problem, self.dtypes, len(operands)) if apart else Shared(self.problem.stages)
        if shared.number >= 0:
            rows[shared.number] = out
        sources = [*operands, *rows]

        def place(axis: int, indices: list[Value]) -> None:
            if axis == len(self.axes):
                for number, target in enumerate([*rows, out]):
                    self._stage(shared, number, sources, target, indices)
                return

            b.each(0, self.problem.rows[self.axes[axis]], 1, lambda at: place(axis + 1, [*indices, at]))

        if everything:
            place(0, [])
        elif self.needs:
            first, stop = (b.udiv(b.mul(n, b.number(product(self.outer))), index(SLOTS)) for n in (b.begin, b.end))
            b.over_each(first, stop, lambda i: place(len(self.outer), places_of(b, i, self.outer)))
        elif self.problem.rows and self.items != 1:
            b.work_items(lambda i: place(len(self.outer), places_of(b, i, self.outer)))
        else:
            place(len(self.axes), [])

    def _in_scratch(self, scratch: Value) -> list[Value]:
        """Where what stages leave of a row lies, in the memory of the first slot of a call, or on the stack."""
        b, byte = self.b, memory_type(DType.I8)
        at = b.offset(scratch, byte, b.begin, total(self.needs))
        rows = []
        for dtype, length, need in zip(self.problem.temporaries, self.lengths, self.needs, strict=True):
            rows.append(b.room(memory_type(dtype), length) if isinstance(length, int) else at)
            at = b.moved(at, byte, need)
        return rows

    def _stage(
        self, shared: Shared, number: int, sources: Sequence[Value], target: Value, indices: Sequence[Value]
    ) -> None:
        """A stage at one row: a step over the inner axes, whose operands are one pointer for each load."""
        pointers: list[Value] = []
        stage, dtype = shared.stages[number], self.dtypes[number]

        def moved(pointer: Value, kind: DType, view: View) -> Value:
            pointer = self.b.moved(pointer, memory_type(kind), view.offset)
            for axis, place in zip(self.axes, indices, strict=False):
                if axis < len(view.strides) and view.strides[axis]:
                    pointer = self.b.offset(pointer, memory_type(kind), place, view.strides[axis])
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
        shared.generator(self.b, step, dtype, number).run(pointers, moved(target, dtype, stage.out))

    def _inner(self, strides: Sizes) -> Sizes:
        return strides[len(self.problem.rows) :]


class _RowReduce(KernelKind[RowReduce]):
    name = "kernel.row_reduce"

    def flops(self, problem: RowReduce) -> int:
        return sum(step_flops(s) for s in problem.stages)

    def scratch(self, problem: RowReduce) -> Size:
        return SLOTS * total(room_of(problem))

    def skips_empty(self, problem: RowReduce) -> bool:
        return True

    def lookups(self, problem: RowReduce) -> list[Lookup]:
        return lookups_of(problem.stages)

    def pieces(self, op: KernelOp) -> list[Piece]:
        parts = in_blocks(op.problem, len(op.inputs), op.result.tensor.dtype)
        return [Piece(part, tuple(op.inputs)) for part in parts]

    def generate(self, b: Builder, problem: RowReduce, call: Call) -> Written:
        generator = RowReduceGenerator(b, problem, call.dtype)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)


def in_blocks(problem: RowReduce, operands: int, dtype: DType) -> tuple[RowReduce, ...]:
    """Stages go over several rows before the next stage does: while one row waits for its sum, others go on, and sums
    that go over rows in order, one number after the other, are those of several rows at once.
    """
    asks = in_result(problem, (*problem.temporaries, dtype), operands).asked
    block = _block(problem, _ASKING if asks else _PLAIN)
    return row_blocks(problem, operands, block) if block > 1 else (problem,)


def _block(problem: RowReduce, limits: Limits) -> int:
    """Rows that are done together, within limits where there are several stages."""
    reduces = [stage for stage in problem.stages if stage.reduced]
    if not problem.rows or not reduces:
        return 1
    pairs = zip(lengths_of(problem), problem.temporaries, strict=True)
    room, count = total(n * d.itemsize for n, d in pairs), problem.rows[-1]
    limits = limits if len(problem.stages) > 1 else []
    limits = [*limits, (BLOCK, _STACK)] if any(map(_goes_in_order, reduces)) else limits
    fits = (n for n, most in limits if isinstance(count, int) and n <= count and certainly_below(n * room, most + 1))
    return next(fits, 1)


def _goes_in_order(stage: Step) -> bool:
    """It sums floats that it finds at computed places."""
    return stage.combine == "add" and stage.body[-1].dtype.is_float and reads_at_indices(stage)


ROW_REDUCE = _RowReduce()


class _RowParts(KernelKind[tuple[RowReduce, ...]]):
    """A call for each part."""

    name = "kernel.row_parts"

    def flops(self, problem: tuple[RowReduce, ...]) -> int:
        return sum(map(ROW_REDUCE.flops, problem))

    def scratch(self, problem: tuple[RowReduce, ...]) -> Size:
        return reduce(maximum, map(ROW_REDUCE.scratch, problem))

    def skips_empty(self, problem: tuple[RowReduce, ...]) -> bool:
        return True

    def lookups(self, problem: tuple[RowReduce, ...]) -> list[Lookup]:
        return [found for part in problem for found in ROW_REDUCE.lookups(part)]

    def pieces(self, op: KernelOp) -> list[Piece]:
        return [Piece((part,), tuple(op.inputs)) for part in op.problem]

    def generate(self, b: Builder, problem: tuple[RowReduce, ...], call: Call) -> Written:
        (part,) = problem
        return ROW_REDUCE.generate(b, part, call)


ROW_PARTS = _RowParts()
