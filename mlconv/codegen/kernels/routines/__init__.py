"""Generators of `kernel.routine`: named algorithms that are neither a map nor a reduction.  One file for each
family.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlconv.codegen.kernels.routines import boxes, fourier, noise, scan, scatter, sort
from mlconv.codegen.kernels.routines.code import Code
from mlconv.codegen.llvm.text import Builder
from mlconv.diagnostics import Code as Codes
from mlconv.diagnostics import ConversionError
from mlconv.dialects.kernel import Routine

# By name: (code, pointers to operands, results and scratch memory, parameters).
GENERATORS: dict[str, Callable[..., None]] = {
    name: generator
    for family in (scan, sort, scatter, boxes, fourier, noise)
    for name, generator in family.GENERATORS.items()
}


def run_routine(routine: Routine, b: Builder, operands: Sequence[str], results: Sequence[str]) -> None:
    """Write the function of a routine.  Raises ConversionError MLC0901 for a name without generator."""
    generator: Callable[..., Any] | None = GENERATORS.get(routine.name)
    if generator is None:
        raise ConversionError(Codes.InternalError, f"no generator for the routine {routine.name}")
    scratch = 1 if routine.scratch else 0
    given = operands[: len(operands) - scratch]
    generator(Code(b), [*given, *results, *operands[len(given) :]], *routine.params)
