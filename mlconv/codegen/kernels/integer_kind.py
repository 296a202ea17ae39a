"""Products of integers: which generator writes one, and what can be chosen about it."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator, integer_tiles
from mlconv.codegen.kernels.kind import Call
from mlconv.codegen.kernels.row_pair_gemm import RowPairGemmGenerator, row_pair
from mlconv.codegen.kernels.tile_gemm import TileGemmGenerator
from mlconv.codegen.kernels.tilings import tiling
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Gemm, Ints
from mlconv.ir.shapes import static


def integer_generator(b: Builder, problem: Gemm, call: Call) -> IntegerGemmGenerator | TileGemmGenerator:
    """The generator of a product of integers."""
    own = tiling(problem, call.cpu)
    if own is not None:
        return TileGemmGenerator(b, problem, call.cpu, own)
    return _by_vectors(problem, call.cpu)(b, problem, call.cpu, call.choice)


def _by_vectors(problem: Gemm, cpu: Cpu) -> type[IntegerGemmGenerator]:
    """The generator of a product of integers without tiles of matrices; one of a single row has nothing to pair."""
    rows = static(problem.indexing.rows)
    return RowPairGemmGenerator if row_pair(problem, cpu) and rows != (1, 1, 1) else IntegerGemmGenerator


def integer_instructions(cpu: Cpu, problem: Gemm) -> set[str]:
    """Intrinsics for a product of integers."""
    own, dots = tiling(problem, cpu), Dots(problem.types, problem.shift, cpu)
    if own is not None:
        return {own.matrix.intrinsic}
    pair = row_pair(problem, cpu)
    return {d.intrinsic for d in dots.rows.values()} | ({pair.intrinsic} if pair else set())


def integer_choices(cpu: Cpu, problem: Gemm) -> tuple[Ints, Sequence[Ints]] | None:
    """The choice that is made unasked, and others; None where there is nothing to choose."""
    return None if tiling(problem, cpu) is not None else integer_tiles(cpu, problem)
