"""A size that data decide: the number itself.  Who calls asks whether it is one, and tells it to what stands behind."""

from __future__ import annotations

from mlconv.codegen.kernels.kind import Call, KernelKind, Written
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I64
from mlconv.dialects.kernel import DefinedSize


class _DefineSize(KernelKind[DefinedSize]):
    name = "kernel.define_size"

    def flops(self, problem: DefinedSize) -> int:
        return 0

    def skips_empty(self, problem: DefinedSize) -> bool:
        return True

    def generate(self, b: Builder, problem: DefinedSize, call: Call) -> Written:
        b.store(b.load(I64, call.operands[0], 8), call.out, 8)
        return Written()


DEFINE_SIZE = _DefineSize()
