"""What lies around the result of a product in its buffer."""

from __future__ import annotations

from mlconv.codegen.kernels.kind import Call
from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import index
from mlconv.dialects.kernel import OutputIndexing


def fill_borders(b: Builder, indexing: OutputIndexing, call: Call) -> None:
    """Filled by whoever has the first work item."""
    if indexing.borders:

        def fill() -> None:
            for step in indexing.borders:
                StepGenerator(b, step, call.dtype).run(call.operands, call.out)

        b.when(b.icmp("eq", b.begin, index(0)), fill)
