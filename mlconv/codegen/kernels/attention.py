"""Generator of `kernel.attention`: a block of rows of scores is made, goes through softmax and is multiplied by the
values, and never leaves the cache.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.gemm_kind import GEMM, float_gemm
from mlconv.codegen.kernels.indexing import Position, address
from mlconv.codegen.kernels.kind import Call, KernelKind, Written, roundings
from mlconv.codegen.kernels.row_reduce import ROW_REDUCE, RowReduceGenerator, in_blocks
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index, memory_type
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import LOADS, Attention, Gemm, OutputIndexing, Program, RowReduce, View, known


class AttentionGenerator:
    """Emits one problem.  items: blocks of rows of each (batch, row).

    The last block of a line starts early enough to be a whole one; what it shares with the one before is done twice.
    """

    def __init__(self, b: Builder, problem: Attention, cpu: Cpu) -> None:
        self.b, self.problem, self.cpu, self.types = b, problem, cpu, problem.values.types
        self.batch, self.lines, self.columns = known(problem.scores.indexing.rows)
        self.blocks = -(-self.columns // problem.block)

    @property
    def items(self) -> int:
        """How many work items there are."""
        return self.batch * self.lines * self.blocks

    @property
    def nanoseconds(self) -> float:
        """Nanoseconds of an item, roughly."""
        scores, values = self.problem.scores, self.problem.values
        return (
            self.problem.block
            * (scores.indexing.channels * (scores.run + 20) + values.indexing.channels * values.run)
            / 50
        )

    def run(self, operands: Sequence[Value], out: Value) -> None:
        """operands: x, packed weights and epilogue of the first product; packed weights and epilogue of the second."""
        b, split = self.b, self.problem.split
        size = self.problem.block * self.problem.scores.indexing.channels
        made, read = self.problem.scores.types.result, self.types.x
        scores = b.room(memory_type(made), size)
        weights = scores if read is made else b.room(memory_type(read), size)  # rows of what softmax leaves

        def item(number: Value) -> None:
            line, block = b.udiv(number, index(self.blocks)), b.urem(number, index(self.blocks))
            start = b.mul(block, index(self.problem.block))
            column = b.least(start, index(self.columns - self.problem.block))
            at = Position(b.udiv(line, index(self.lines)), b.urem(line, index(self.lines)), column, index(0))
            self._product(self.problem.scores, operands[:split], scores, at, first=True)
            self._rows(scores, weights)
            self._product(self.problem.values, [weights, *operands[split:]], out, at, first=False)

        b.work_items(item)

    def _product(self, tile: Gemm, operands: Sequence[Value], out: Value, at: Position, first: bool) -> None:
        """A product at a block: the room on the stack is its result, or its x."""
        b, indexing, size = self.b, tile.indexing, self.problem.block
        width = self.problem.scores.indexing.channels
        weights, element = operands[1], memory_type(self.types.weights)
        for place, stride in zip((at.batch, at.row), tile.weight_strides, strict=True):
            weights = b.offset(weights, element, place, stride) if stride != 0 else weights
        pointers = [operands[0] if not first else address(b, operands[0], self.types.x, indexing.x, at), weights]
        after = []
        for i in indexing.after:
            if i.opcode in LOADS:
                pointers.append(address(b, operands[i.args[0]], i.dtype, i.value, at))
                i = i._replace(args=(len(pointers) - 1,), value=View(0, (0, 0, *i.value.strides[2:])))
            after.append(i)
        x = View(0, (0, 0, indexing.x.strides[2] if first else width))
        result = View(0, (0, 0, width, 1) if first else (0, 0, *indexing.out.strides[2:]))
        here = OutputIndexing(
            (1, 1, size), x, indexing.window, indexing.window_strides, indexing.channels, tuple(after), result
        )
        target = out if first else address(b, out, self.types.result, indexing.out, at)
        with b.part(index(0), index(1)):
            float_gemm(b, Gemm(here, tile.run, (1, 1), tile.types, dense=tile.dense, pitch=tile.pitch), self.cpu).run(
                pointers, target
            )

    def _rows(self, scores: Value, weights: Value) -> None:
        """The stages, from one room to the other."""
        stages, size, width = self.problem.stages, self.problem.block, self.problem.scores.indexing.channels
        axes = len(stages.rows)

        def narrow(program: Program) -> Program:
            out = []
            for i in program:
                if i.opcode in LOADS:
                    i = i._replace(value=View(0, (width if i.args[0] == 0 else 0, *i.value.strides[axes:])))
                out.append(i)
            return tuple(out)

        steps = []
        for k, step in enumerate(stages.stages):
            last = k + 1 == len(stages.stages)
            target = View(0, (width if last else 0, *step.out.strides[axes:]))
            steps.append(
                step._replace(
                    extents=(size, *step.extents[axes:]), body=narrow(step.body), after=narrow(step.after), out=target
                )
            )
        for part in in_blocks(RowReduce((size,), tuple(steps), stages.temporaries), 1, self.types.x):
            RowReduceGenerator(self.b, part, self.types.x).run([scores], weights, everything=True)


class _Attention(KernelKind[Attention]):
    name = "kernel.attention"

    def flops(self, problem: Attention) -> int:
        return GEMM.flops(problem.scores) + ROW_REDUCE.flops(problem.stages) + GEMM.flops(problem.values)

    def instructions(self, cpu: Cpu, problem: Attention) -> set[str]:
        products = (GEMM.instructions(cpu, p) for p in (problem.scores, problem.values))
        return roundings(cpu, problem).union(*products)

    def generate(self, b: Builder, problem: Attention, call: Call) -> Written:
        generator = AttentionGenerator(b, problem, call.cpu)
        fill_borders(b, problem.values.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)


ATTENTION = _Attention()
