"""The kind `kernel.gemm`: which generator writes a product, and what can be chosen about it."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.codegen.kernels.borders import fill_borders
from mlconv.codegen.kernels.gemm import GemmGenerator
from mlconv.codegen.kernels.kind import Call, KernelKind, Written, roundings, tried
from mlconv.codegen.kernels.matrix_tiles import matrix_of
from mlconv.codegen.kernels.products import panel_vectors
from mlconv.codegen.kernels.register_tiles import ROW_LIMITS, TileChoice, rows_that_fit
from mlconv.codegen.kernels.views import program_flops
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Matrix
from mlconv.dialects.kernel import LOADS, Gemm, Ints, Sizes, View, known
from mlconv.ir.dims import product
from mlconv.ir.estimates import estimate

if TYPE_CHECKING:
    from mlconv.codegen.kernels.integer_gemm import IntegerGemmGenerator
    from mlconv.codegen.kernels.tile_gemm import TileGemmGenerator


def float_gemm(b: Builder, problem: Gemm, cpu: Cpu, choice: Sequence[int] = ()) -> GemmGenerator:
    """The generator of a product of floats."""
    if _tiles(problem, cpu) is not None:
        from mlconv.codegen.kernels.matrix_gemm import MatrixGemmGenerator

        return MatrixGemmGenerator(b, problem, cpu, choice)
    if problem.types.group == 1:
        return GemmGenerator(b, problem, cpu, choice)
    from mlconv.codegen.kernels.bfloat16_gemm import Bfloat16GemmGenerator

    return Bfloat16GemmGenerator(b, problem, cpu, choice)


def _tiles(problem: Gemm, cpu: Cpu) -> Matrix | None:
    """What multiplies tiles of matrices, where that is worth it."""
    matrix = matrix_of(problem.types, cpu)
    if matrix is None:
        return None
    from mlconv.codegen.kernels.matrix_gemm import takes

    return matrix if takes(problem, cpu) else None


def _generator(b: Builder, problem: Gemm, call: Call) -> GemmGenerator | IntegerGemmGenerator | TileGemmGenerator:
    if problem.types.sums.is_float:
        generator = float_gemm(b, problem, call.cpu, call.choice)
        generator.weights_of_all = call.weights
        return generator
    from mlconv.codegen.kernels.integer_kind import integer_generator

    return integer_generator(b, problem, call)


def _same(view: object, rows: Sizes, out: View) -> bool:
    """A view is that of the result, but for axes of one element."""
    if not isinstance(view, View) or view.offset != out.offset:
        return False
    extents = (*rows, 2)
    return all(n == 1 or a == b for n, a, b in zip(extents, view.strides, out.strides, strict=True))


def _of_halves(cpu: Cpu, problem: Gemm) -> set[str]:
    """Intrinsics for sums of products of bfloat16."""
    matrix = _tiles(problem, cpu)
    if matrix is not None:
        return {matrix.intrinsic}
    return {p.intrinsic for p in cpu.half_pairs} if problem.types.group > 1 else set()


class _Gemm(KernelKind[Gemm]):
    """A choice: `TileChoice`; of integers, panels are vectors of sums."""

    name = "kernel.gemm"
    has_choices = True

    def flops(self, problem: Gemm) -> int:
        indexing = problem.indexing
        results = estimate(product(indexing.rows)) * indexing.channels
        return results * (2 * math.prod(indexing.window) * problem.run + program_flops(indexing.after))

    def generate(self, b: Builder, problem: Gemm, call: Call) -> Written:
        generator = _generator(b, problem, call)
        fill_borders(b, problem.indexing, call, generator.items)
        generator.run(call.operands, call.out)
        return Written(generator.items, generator.nanoseconds)

    def reused(self, problem: Gemm) -> int:
        """What is added where the result is written: each element is read right before its place is written."""
        indexing, types = problem.indexing, problem.types
        loads = [i for i in indexing.after if i.opcode in LOADS]
        places = (indexing.rows, indexing.out)
        same = [
            i.args[0] for i in loads if i.dtype is types.result and _same(i.value, *places) and not indexing.borders
        ]
        once = (n for n in same if n > 1 and sum(i.args[0] == n for i in loads) == 1)
        return next(once, -1)

    def instructions(self, cpu: Cpu, problem: Gemm) -> set[str]:
        if problem.types.sums.is_float:
            return roundings(cpu, problem) | _of_halves(cpu, problem)
        from mlconv.codegen.kernels.integer_kind import integer_instructions

        return integer_instructions(cpu, problem)

    def choices(self, cpu: Cpu, problem: Gemm) -> list[Ints]:
        if problem.types.sums.is_int:
            from mlconv.codegen.kernels.integer_kind import integer_choices

            found = integer_choices(cpu, problem)
            return [] if found is None else tried(*found, self, cpu, problem)
        own = float_gemm(Builder("own", [], {}, cpu), problem, cpu)
        per_panel, columns = panel_vectors(own.types, cpu), known(own.indexing.rows)[2]
        out = [TileChoice(own.rows, own.count)]
        if own.types.group > 1:
            return [tuple(t) for t in out]
        for count in range(1, min(own.panels, 4) + 1):
            vectors = count * per_panel
            most = min(rows_that_fit(own.types, cpu, vectors), columns)
            for limit in sorted({min(most, r) for r in ROW_LIMITS if most >= 1}):
                out += [TileChoice(-(-columns // -(-columns // limit)), count), TileChoice(limit, count)]
        orders = [t._replace(inside=int(not own.weights_inside)) for t in out] if own.has_order else []
        return tried(tuple(out[0]), [tuple(t) for t in (*out, *orders)], self, cpu, problem)

    def small_choice(self, cpu: Cpu, problem: Gemm, sums: int) -> Ints:
        columns = problem.indexing.rows[2]
        # what divides the columns leaves no tile of other rows over
        rows = next(n for n in range(sums, 0, -1) if columns % n == 0) if isinstance(columns, int) else sums
        choice = TileChoice(rows, 1)
        return choice if self.fits_choice(cpu, problem, choice) else TileChoice(1, 1)

    def fits_choice(self, cpu: Cpu, problem: Gemm, choice: Ints) -> bool:
        if len(choice) != len(TileChoice._fields):
            return False
        rows, count, inside = choice
        if problem.types.sums.is_int:
            from mlconv.codegen.kernels.integer_kind import fits_registers

            return inside == -1 and fits_registers(cpu, problem, rows, count)
        if problem.types.group > 1:
            own = float_gemm(Builder("own", [], {}, cpu), problem, cpu)
            return (rows, count) == (own.rows, own.count) and -1 <= inside <= 1
        vectors = count * panel_vectors(problem.types, cpu)
        least, few = (rows, count) == (1, 1), rows <= rows_that_fit(problem.types, cpu, vectors)
        return rows >= 1 <= count and -1 <= inside <= 1 and (least or few)


GEMM = _Gemm()
