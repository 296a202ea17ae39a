"""What a kernel has to do at least: arithmetic and bytes moved."""

from __future__ import annotations

import math
from typing import NamedTuple

from mlconv.codegen.llvm.sizes import estimate
from mlconv.codegen.program.plan import nbytes
from mlconv.dialects.kernel import (
    LIBM,
    LOADS,
    POLYNOMIAL,
    Attention,
    Bands,
    Depthwise,
    KernelOp,
    Program,
    Rows,
    Step,
    Tile,
    Winograd,
)
from mlconv.ir.dims import product

_FUNCTION = 20  # operations that a polynomial takes, roughly


class Work(NamedTuple):
    """flops: a multiplication and an addition count one each; of minimal filtering, those of its products.  bytes:
    operands and results, once.
    """

    flops: int
    bytes: int


def work(op: KernelOp) -> Work:
    """Of one call; what the regions of an op do is not counted, as nobody knows how often."""
    moved = sum(estimate(nbytes(v)) for v in dict.fromkeys([*op.inputs, *op.results]))
    return Work(0 if op.regions else _flops(op.problem), moved)


def _flops(problem: object) -> int:
    if isinstance(problem, (Tile, Depthwise)):
        points = problem.points
        results = estimate(product(points.rows)) * points.channels
        depth = math.prod(points.window) * (problem.run if isinstance(problem, Tile) else 1)
        return results * (2 * depth + _program(points.after))
    if isinstance(problem, Winograd):
        rows, columns = problem.tiles
        return 2 * 36 * estimate(problem.points.rows[0]) * rows * columns * problem.depth * problem.points.channels
    if isinstance(problem, Attention):
        return _flops(problem.scores) + _flops(problem.stages) + _flops(problem.values)
    if isinstance(problem, Rows):
        return sum(_of_step(s) for s in problem.stages)
    if isinstance(problem, Bands):
        return sum(_flops(stage) for stage in problem.stages)
    if isinstance(problem, tuple) and all(isinstance(s, Step) for s in problem):
        return sum(_of_step(s) for s in problem)
    return 0


def _of_step(step: Step) -> int:
    return estimate(product(step.extents)) * (_program(step.body) + (step.reduced > 0)) + estimate(
        product(step.kept)
    ) * _program(step.after)


def _program(program: Program) -> int:
    return sum(
        _FUNCTION if i.opcode in LIBM | POLYNOMIAL else 1
        for i in program
        if i.opcode not in LOADS and i.opcode != "const"
    )
