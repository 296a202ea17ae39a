"""How a product of integers is cut into tiles of matrices (`Cpu.matrices`: AMX), where that pays."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.matrix_tiles import ROWS
from mlconv.codegen.kernels.staging import Reads
from mlconv.codegen.machines.cpus import Cpu, Matrix
from mlconv.dialects.kernel import PANEL, TILE_ROW, Gemm

GROUP = 4  # places that lie side by side in weights
# Cycles of a tile of sums besides its products: it is cleared, stored and loaded; of a product of tiles, by rows; of
# products in vectors, a cycle.
_TILE_COST, _PRODUCT_COST, _VECTOR_PRODUCTS = 48, 16, 96


class Tiling(NamedTuple):
    """How a problem of `lines` of `length` columns is cut.  per_line: tiles of a line.  step: places of x that a tile
    has.  staged: rows are laid side by side before.  block: tiles of rows, and panels, that are done at once.
    """

    matrix: Matrix
    reads: Reads
    lines: int
    length: int
    per_line: int
    step: int
    staged: bool
    block: tuple[int, int]

    @property
    def columns(self) -> int:
        """Of a tile."""
        return -(-self.length // self.per_line)

    @property
    def rows(self) -> int:
        """Of the result, in all."""
        return self.lines * self.length


def tiling(problem: Gemm, cpu: Cpu) -> Tiling | None:
    """None where an instruction set has no tiles for the element types, where sizes are known at run time, or where
    vectors are faster."""
    dots = Dots(problem.types, problem.shift, cpu)
    types = (dots.staged, problem.types.stored, problem.types.sums)
    matrix = next((m for m in cpu.matrices if m[:3] == types), None)
    if matrix is None or problem.depth % GROUP:
        return None
    reads = Reads.of(problem)
    n, r, c = reads.indexing.rows
    if not (isinstance(n, int) and isinstance(r, int) and isinstance(c, int)):
        return None
    staged = reads.run_length % problem.types.step != 0 or dots.staged is not problem.types.x
    step = _even_step(problem.depth if staged else reads.run_length, problem.types.step)
    per_line, panels = -(-c // ROWS), -(-problem.indexing.channels // PANEL)
    count = per_line if problem.weight_strides != (0, 0) else n * r * per_line
    own = Tiling(matrix, reads, n * r, c, per_line, step, staged, (min(2, count), min(2, panels)))
    return own if step and _pays(problem, own, panels) else None


def _even_step(run: int, group: int) -> int:
    """Places of each of the equal parts of a run, whole groups, at most a row of a tile; 0 where they would be many
    more than they must be.
    """
    least = -(-run // TILE_ROW)
    for parts in range(least, least + least // 2 + 2):
        if run % (group * parts) == 0:
            return run // parts
    return 0


def _pays(problem: Gemm, own: Tiling, panels: int) -> bool:
    """Whether tiles take fewer cycles than vectors."""
    products = problem.depth // own.step
    cycles = own.lines * own.per_line * panels * (products * max(own.columns, 8) / 16 * _PRODUCT_COST + _TILE_COST)
    return cycles < own.rows * panels * PANEL * problem.depth / _VECTOR_PRODUCTS
