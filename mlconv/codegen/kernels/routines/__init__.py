"""Generators of `kernel.routine`: named algorithms that are neither a map nor a reduction.  One file for each
family.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from types import ModuleType
from typing import NamedTuple, cast

from mlconv.codegen.kernels.kind import Call, KernelKind, Piece, Written
from mlconv.codegen.kernels.routines.code import Code, Step
from mlconv.codegen.llvm.text import Builder
from mlconv.diagnostics import Code as Codes
from mlconv.diagnostics import ConversionError
from mlconv.dialects.kernel import KernelOp, Routine
from mlconv.dialects.kernel.routines import AnyRoutine, parameters
from mlconv.ir.dims import Size

# The module of each routine, which is loaded when there is one.  Its tables are by name: GENERATORS (code, pointers to
# operands, results and scratch memory, what it is given; returns what is known of work items), STEPS of routines that
# are several kernels, one after the other, of which some take a number, and PIECES: the steps of a routine, by what it
# is given.
FAMILIES = {
    **dict.fromkeys(("scatter_nd", "scatter_elements", "update_slice", "segment"), "scatter"),
    **dict.fromkeys(("uniform", "normal"), "noise"),
    "row_attention": "attention",
    "scan": "scan",
    "top_k": "sort",
    "suppress": "boxes",
    "forest": "forest",
    "fourier": "fourier",
    "nonzero": "places",
}


def family_of(name: str) -> ModuleType:
    return import_module(f"{__name__}.{FAMILIES[name]}")


class RoutineStep(NamedTuple):
    """What one kernel of a routine computes."""

    routine: Routine
    step: Step


class _Routine(KernelKind[Routine | RoutineStep]):
    name = "kernel.routine"

    def flops(self, problem: Routine | RoutineStep) -> int:
        """None: what a routine does is no arithmetic to speak of."""
        return 0

    def scratch(self, problem: Routine | RoutineStep) -> Size:
        return _of(problem).scratch

    def reused(self, problem: Routine | RoutineStep) -> int:
        return _of(problem).reuse

    def skips_empty(self, problem: Routine | RoutineStep) -> bool:
        """All of them go over elements; that places which indices name are there is a condition of the sizes."""
        return True

    def pieces(self, op: KernelOp) -> list[Piece]:
        problem: Routine = op.problem
        given, of = _given(problem), getattr(family_of(problem.name), "PIECES", {})
        steps = cast("list[Step]", of[problem.name](given)) if problem.name in of else [Step()]
        parts = [RoutineStep(problem, step) if step.name else problem for step in steps]
        return [Piece(part, tuple(op.inputs)) for part in parts]

    def generate(self, b: Builder, problem: Routine | RoutineStep, call: Call) -> Written:
        """Raises ConversionError InternalError for a name without generator."""
        routine, given = _of(problem), _given(_of(problem))
        operands = call.operands[: len(call.operands) - (1 if routine.scratch else 0)]
        pointers = [*operands, *call.results, *call.operands[len(operands) :]]
        if isinstance(problem, RoutineStep):
            number = [problem.step.number] if problem.step.number else []
            return _written(family_of(routine.name).STEPS[problem.step.name])(Code(b), pointers, given, *number)
        return _written(family_of(routine.name).GENERATORS[routine.name])(Code(b), pointers, given)


def _of(problem: Routine | RoutineStep) -> Routine:
    return problem.routine if isinstance(problem, RoutineStep) else problem


def _given(problem: Routine) -> AnyRoutine:
    """Raises ConversionError InternalError for a name without generator."""
    given = parameters(problem.name, problem.params)
    if isinstance(given, str):
        raise ConversionError(Codes.InternalError, f"no generator for the routine {problem.name}: {given}")
    return given


def _written(generator: object) -> Callable[..., Written]:
    return cast("Callable[..., Written]", generator)


ROUTINE = _Routine()
