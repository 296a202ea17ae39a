"""Generator of `kernel.conv_chain`: every stage is emitted by its own generator, which does the lines that the stage
behind it lacks.

What lies between two stages is kept in scratch memory of a row tile's height.  A stage sees it at the address that the
whole buffer would have, so that its views hold; rows that the next row tile needs again move to the front of the
memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.depthwise import DEPTHWISE, DepthwiseGenerator
from mlconv.codegen.kernels.gemm import GemmGenerator
from mlconv.codegen.kernels.gemm_kind import GEMM
from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator
from mlconv.codegen.kernels.kind import MAX_SCRATCH, Call, KernelKind, Written, tried
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import ConvChain, Depthwise, Gemm, Instr, Ints, RowBuffer, Step, View, known
from mlconv.dialects.kernel.in_place import is_in_place
from mlconv.ir.estimates import estimate

_HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16)

_FLOPS: dict[type, Callable[..., int]] = {Gemm: GEMM.flops, Depthwise: DEPTHWISE.flops}
_INSTRUCTIONS: dict[type, Callable[..., set[str]]] = {Gemm: GEMM.instructions, Depthwise: DEPTHWISE.instructions}


def _stage(b: Builder, stage: Gemm | Depthwise, cpu: Cpu) -> GemmGenerator | IntegerGemmGenerator | DepthwiseGenerator:
    """The generator of a stage, whose work items are lines."""
    if isinstance(stage, Depthwise):
        return DepthwiseGenerator(b, stage, cpu, by_lines=True)
    make = GemmGenerator if stage.types.sums.is_float else IntegerGemmGenerator
    return make(b, stage, cpu, by_lines=True)


class _Lines(NamedTuple):
    """What a row tile does in one buffer: rows `low` to `high` are needed, those before `fresh` are there from the row
    tile before, where row `base` was the first.

    begin, end: lines of the maker.
    """

    base: Value
    low: Value
    high: Value
    made: Value
    fresh: Value
    begin: Value
    end: Value


class ConvChainGenerator:
    """Emits one problem.  items: slots, with an equal share of the lines each; a call does its row tiles in order, in
    the scratch memory of its first slot.
    """

    def __init__(self, b: Builder, problem: ConvChain, cpu: Cpu) -> None:
        self.b, self.problem = b, problem
        self.dtype, self.element = problem.between, memory_type(problem.between)
        self.stages = [_stage(b, stage, cpu) for stage in problem.stages]
        self.lines = known(problem.indexing.rows)[1]

    @property
    def items(self) -> int:
        """How many work items there are."""
        return self.problem.slots

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        return sum(s.nanoseconds * estimate(s.items) for s in self.stages) / self.items

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: those of the op, then scratch memory."""
        b, memories = self.b, list[Value]()
        memory = b.offset(operands[-1], self.element, b.begin, sum(t.size for t in self.problem.buffers))
        for t in self.problem.buffers:
            memories.append(memory)
            self._clear_sides(t, memory)
            memory = b.moved(memory, self.element, t.size)
        first, stop = (b.udiv(b.mul(item, index(self.lines)), index(self.items)) for item in (b.begin, b.end))
        nothing: Carried = [index(0), index(-1)] * len(memories)

        def row_tile(begin: Value, state: Carried) -> Carried:
            end = b.least(b.add(begin, index(self.problem.height)), stop)
            return self._row_tile((begin, end), state, memories, operands, out)

        b.over(first, stop, nothing, row_tile, self.problem.height)

    def _row_tile(
        self,
        tile: tuple[Value, Value],
        state: Carried,
        memories: Sequence[Value],
        operands: Sequence[Value],
        out: Value,
    ) -> Carried:
        """All stages for one row tile.  tile: its first line, and that behind its last one.  state: of each buffer, its
        first row and the row behind its last one.
        """
        b, problem, asked = self.b, self.problem, tile
        needed: list[_Lines] = []
        for i in reversed(range(len(memories))):
            base, made = state[2 * i : 2 * i + 2]
            needed.insert(0, self._needed(problem.buffers[i], *asked, base, made))
            asked = needed[0].begin, needed[0].end
        source, after = out, []
        for i, stage in enumerate(self.stages):
            target = out
            if i < len(needed):
                t, lines = problem.buffers[i], needed[i]
                self._keep(t, lines, memories[i])
                self._clear_rows(t, lines, memories[i])
                target = b.offset(memories[i], self.element, b.sub(index(0), lines.low), t.pitch)
                asked = lines.begin, lines.end
                after += [lines.low, b.most(lines.fresh, lines.high)]
            else:
                asked = tile
            with b.part(*asked):
                stage.run([source if n < 0 else operands[n] for n in problem.numbers[i]], target)
            source = target
        return after

    def _needed(self, t: RowBuffer, begin: Value, end: Value, base: Value, made: Value) -> _Lines:
        """For lines `begin` to `end` of the reader."""
        b = self.b
        low = b.add(b.mul(begin, index(t.step)), index(t.start))
        high = b.add(b.mul(end, index(t.step)), index(t.start - t.step + t.reach))
        fresh = b.most(low, made)
        first = b.sub(b.most(fresh, index(t.top)), index(t.top))
        last = b.sub(b.least(high, index(t.top + t.lines)), index(t.top))
        return _Lines(base, low, high, made, fresh, first, last)

    def _keep(self, t: RowBuffer, lines: _Lines, buffer: Value) -> None:
        """Rows that are there already move to the front."""
        b = self.b
        count, ahead = b.sub(lines.made, lines.low), b.sub(lines.low, lines.base)
        copy = Step((t.pitch,), 0, "", (Instr("load", self.dtype, (0,), View(0, (1,))),), (), View(0, (1,)))

        def row(i: Value) -> None:
            source = b.offset(buffer, self.element, b.add(i, ahead), t.pitch)
            StepGenerator(b, copy, self.dtype).run([source], b.offset(buffer, self.element, i, t.pitch))

        b.over_each(index(0), count, row)

    def _clear_rows(self, t: RowBuffer, lines: _Lines, buffer: Value) -> None:
        """Rows above and below what the maker writes."""
        b, below = self.b, t.top + t.lines
        ranges = [(lines.fresh, b.least(lines.high, index(t.top)))] if t.top else []
        ranges.append((b.most(lines.fresh, index(below)), lines.high))
        for start, stop in ranges:

            def row(i: Value) -> None:
                place = b.offset(buffer, self.element, b.sub(i, lines.low), t.pitch)
                StepGenerator(b, self._filled(t, 1, t.pitch), self.dtype).run([], place)

            b.over_each(start, stop, row)

    def _clear_sides(self, t: RowBuffer, buffer: Value) -> None:
        """What lies left and right of the lines, in every row of the memory."""
        for start, stop in ((0, t.left), (t.right, t.pitch)):
            if stop > start:
                StepGenerator(self.b, self._filled(t, t.held, stop - start), self.dtype).run(
                    [], self.b.moved(buffer, self.element, start)
                )

    def _filled(self, t: RowBuffer, rows: int, columns: int) -> Step:
        fill = float(t.fill) if self.dtype.is_float else t.fill
        return Step((rows, columns), 0, "", (Instr("const", self.dtype, (), fill),), (), View(0, (t.pitch, 1)))


class _ConvChain(KernelKind[ConvChain]):
    """A choice: the lines of a row tile, which are a part of the problem."""

    name = "kernel.conv_chain"
    has_choices = True

    def flops(self, problem: ConvChain) -> int:
        return sum(_FLOPS[type(stage)](stage) for stage in problem.stages)

    def scratch(self, problem: ConvChain) -> int:
        return problem.scratch

    def reused(self, problem: ConvChain) -> int:
        return 0 if is_in_place(problem) else -1

    def instructions(self, cpu: Cpu, problem: ConvChain) -> set[str]:
        return set().union(*(_INSTRUCTIONS[type(stage)](cpu, stage) for stage in problem.stages))

    def generate(self, b: Builder, problem: ConvChain, call: Call) -> Written:
        generator = ConvChainGenerator(b, problem, call.cpu)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def choices(self, cpu: Cpu, problem: ConvChain) -> list[Ints]:
        return tried((problem.height,), [(h,) for h in _HEIGHTS], self, cpu, problem)

    def fits_choice(self, cpu: Cpu, problem: ConvChain, choice: Ints) -> bool:
        return (
            len(choice) == 1
            and 1 <= choice[0] <= known(problem.indexing.rows)[1]
            and self.scratch(self.apply_choice(problem, choice)) <= MAX_SCRATCH
        )

    def apply_choice(self, problem: ConvChain, choice: Ints) -> ConvChain:
        return problem.of_height(choice[0])

    def without_choice(self, problem: ConvChain) -> ConvChain:
        return problem.of_height(1)


CONV_CHAIN = _ConvChain()
