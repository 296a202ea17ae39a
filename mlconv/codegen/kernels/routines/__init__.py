"""Generators of `kernel.routine`: named algorithms that are neither a map nor a reduction.  One file for each
family.
"""

from __future__ import annotations

from collections.abc import Callable

from mlconv.codegen.kernels.kind import Call, KernelKind, Written
from mlconv.codegen.kernels.routines import boxes, fourier, noise, scan, scatter, sort
from mlconv.codegen.kernels.routines.code import Code
from mlconv.codegen.llvm.text import Builder
from mlconv.diagnostics import Code as Codes
from mlconv.diagnostics import ConversionError
from mlconv.dialects.kernel import Routine
from mlconv.ir.dims import Size

# By name: (code, pointers to operands, results and scratch memory, parameters).
GENERATORS: dict[str, Callable[..., None]] = {
    name: generator
    for family in (scan, sort, scatter, boxes, fourier, noise)
    for name, generator in family.GENERATORS.items()
}


class _Routine(KernelKind[Routine]):
    name = "kernel.routine"

    def flops(self, problem: Routine) -> int:
        """None: what a routine does is no arithmetic to speak of."""
        return 0

    def scratch(self, problem: Routine) -> Size:
        return problem.scratch

    def reused(self, problem: Routine) -> int:
        return problem.reuse

    def generate(self, b: Builder, problem: Routine, call: Call) -> Written:
        """Raises ConversionError InternalError for a name without generator."""
        generator = GENERATORS.get(problem.name)
        if generator is None:
            raise ConversionError(Codes.InternalError, f"no generator for the routine {problem.name}")
        given = call.operands[: len(call.operands) - (1 if problem.scratch else 0)]
        generator(Code(b), [*given, *call.results, *call.operands[len(given) :]], *problem.params)
        return Written()


ROUTINE = _Routine()
