"""The code of `sample.square_kernel`: one number after the other."""

from __future__ import annotations

from mlconv.plugin import Call, CodeBuilder, CodeValue, KernelKind, Written, load, memory_type, store
from mlconv_sample.ops import Squares


class SquareKind(KernelKind[Squares]):
    """A work item is one number, so that threads share the buffer."""

    name = "sample.square_kernel"

    def flops(self, problem: Squares) -> int:
        return problem.count

    def generate(self, b: CodeBuilder, problem: Squares, call: Call) -> Written:
        element = memory_type(call.dtype)

        def item(i: CodeValue) -> None:
            x = load(b, call.dtype, b.offset(call.operands[0], element, i))
            store(b, call.dtype, b.fmul(x, x), b.offset(call.out, element, i))

        b.work_items(item)
        return Written(problem.count, 1.0)


SQUARE = SquareKind()
