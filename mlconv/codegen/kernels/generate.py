"""The generator of each kind of kernel."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from mlconv.codegen.kernels.attention import AttentionGenerator
from mlconv.codegen.kernels.bands import BandsGenerator
from mlconv.codegen.kernels.depthwise import DepthwiseGenerator
from mlconv.codegen.kernels.loops import StepGenerator
from mlconv.codegen.kernels.routines import run_routine
from mlconv.codegen.kernels.rows import RowsGenerator
from mlconv.codegen.kernels.tile import TileGenerator
from mlconv.codegen.kernels.winograd import WinogradGenerator
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import (
    Attention,
    Bands,
    Depthwise,
    Points,
    Routine,
    Rows,
    Tile,
    Winograd,
)
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType


def generate(
    b: Builder,
    problem: Any,
    dtype: DType,
    cpu: Cpu,
    operands: Sequence[str],
    results: Sequence[str] = ("%out",),
    choice: Sequence[int] = (),
) -> tuple[Size, float]:
    """Emit a kernel that writes its results, the first of elements `dtype`; returns its units of work and what one
    costs.

    Scratch memory, where a kernel needs some, is the last operand.  choice: of a tile or a depthwise convolution, in
    place of the heuristic's.
    """
    if isinstance(problem, Routine):
        run_routine(problem, b, operands, results)
        return 1, 0.0
    if isinstance(problem, Rows):
        rows = RowsGenerator(b, problem, dtype)
        rows.run(operands, "%out")
        return rows.units, rows.cost
    if isinstance(problem, Attention):
        attention = AttentionGenerator(b, problem, cpu)
        _borders(b, problem.values.points, dtype, operands)
        attention.run(operands, "%out")
        return attention.units, attention.cost
    generator: TileGenerator | DepthwiseGenerator | WinogradGenerator | BandsGenerator
    if isinstance(problem, Tile):
        generator = TileGenerator(b, problem, cpu, choice)
    elif isinstance(problem, Depthwise):
        generator = DepthwiseGenerator(b, problem, cpu, choice)
    elif isinstance(problem, Winograd):
        generator = WinogradGenerator(b, problem, cpu)
    elif isinstance(problem, Bands):
        generator = BandsGenerator(b, problem, cpu)
    else:
        return _steps(b, problem, dtype, operands)
    _borders(b, problem.points, dtype, operands)
    generator.run(operands, "%out")
    return generator.units, generator.cost


def _steps(b: Builder, steps: Any, dtype: DType, operands: Sequence[str]) -> tuple[Size, float]:
    """A single step has its outermost axis as units of work; several are done in order, since later ones may write over
    earlier ones.
    """
    generators = [StepGenerator(b, step, dtype) for step in steps]
    for generator in generators:
        generator.run(operands, "%out", as_units=len(generators) == 1)
    return (generators[0].units, generators[0].cost) if len(generators) == 1 else (1, 0.0)


def _borders(b: Builder, points: Points, dtype: DType, operands: Sequence[str]) -> None:
    """What lies around the result, filled by whoever has the first unit."""
    if points.borders:

        def fill() -> None:
            for step in points.borders:
                StepGenerator(b, step, dtype).run(operands, "%out")

        b.when(b.op("icmp eq i64 %begin, 0"), fill)
