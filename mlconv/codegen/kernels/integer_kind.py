"""Products of integers: which generator writes one, and what can be chosen about it."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.integer_gemm import MOST_ROWS, IntegerGemmGenerator, counts
from mlconv.codegen.kernels.kind import Call
from mlconv.codegen.kernels.row_pair_gemm import RowPairGemmGenerator, row_pair
from mlconv.codegen.kernels.tile_gemm import TileGemmGenerator
from mlconv.codegen.kernels.tilings import tiling
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Gemm, Ints, known
from mlconv.ir.shapes import static

_NO_ORDER = -1  # of loops, to choose


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
    if tiling(problem, cpu) is not None:
        return None
    own = _own(problem, cpu)
    (columns,) = known(own.indexing.rows[2:])
    others: list[Ints] = [
        (-(-columns // -(-columns // limit)), count, _NO_ORDER)
        for count in counts(own.dots)
        for limit in range(1, MOST_ROWS + 1)
    ]
    return (own.rows, own.count, _NO_ORDER), others


def fits_registers(cpu: Cpu, problem: Gemm, rows: int, count: int) -> bool:
    """Whether a tile leaves room for what a step needs besides."""
    own = _own(problem, cpu)
    few = rows <= own.most_rows(count * own.dots.registers)
    return count in counts(own.dots) and rows >= 1 and ((rows, count) == (1, 1) or few)


def _own(problem: Gemm, cpu: Cpu) -> IntegerGemmGenerator:
    return _by_vectors(problem, cpu)(Builder("own", [], {}, cpu), problem, cpu)
