"""How a product of integers is cut into tiles of matrices (`Cpu.matrices`: AMX), where that pays."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.codegen.kernels.dots import Dots
from mlconv.codegen.kernels.matrix_tiles import ROWS
from mlconv.codegen.kernels.staging import Reads
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.instructions import Matrix
from mlconv.dialects.kernel import PANEL, TILE_ROW, Gemm
from mlconv.ir.dims import Size, ceildiv, minimum
from mlconv.ir.estimates import estimate

GROUP = 4  # places that lie side by side in weights
# Cycles of a call, whose tiles are given shapes and released; of a tile of sums besides its products: it is cleared,
# stored and loaded; of a product of tiles, by rows; of products in vectors, a cycle.  Fitted to products of 16 to 240
# places, 4 to 784 rows and 16 to 200 columns on Sapphire Rapids, whose choices take 1.006 times as long as the best.
_CALL_COST, _TILE_COST, _LEAST_ROWS, _VECTOR_PRODUCTS = 550, 88, 8, 96


class Tiling(NamedTuple):
    """How a problem of `lines` of `length` columns is cut.  per_line: tiles of a line.  step: places of x that a tile
    has.  staged: rows are laid side by side before.  block: tiles of rows, and panels, that are done at once.
    """

    matrix: Matrix
    reads: Reads
    lines: Size
    length: Size
    per_line: Size
    step: int
    staged: bool
    block: tuple[int, int]

    @property
    def columns(self) -> Size:
        """Of a tile: as many of each, or all that it has room for where a run tells how many there are."""
        if isinstance(self.length, int):
            return ceildiv(self.length, self.per_line)
        return minimum(self.length, ROWS)

    @property
    def most_columns(self) -> int:
        return self.columns if isinstance(self.columns, int) else ROWS

    @property
    def rows(self) -> int:
        """Of the result, in all, as many as there are in a typical run."""
        return estimate(self.lines) * estimate(self.length)


def tiling(problem: Gemm, cpu: Cpu) -> Tiling | None:
    """None where an instruction set has no tiles for the element types, or where vectors are faster, as they are for
    weights of 4 bits where a run may have a single row.
    """
    dots = Dots(problem.types, problem.shift, cpu)
    types = (dots.staged, problem.types.stored, problem.types.sums)
    matrix = next((m for m in cpu.matrices if m[:3] == types), None)
    if matrix is None or problem.depth % GROUP:
        return None
    reads = Reads.of(problem)
    n, r, c = reads.indexing.rows
    if problem.types.shared > 1 and not isinstance(c, int):
        return None
    staged = reads.run_length % problem.types.step != 0 or dots.staged is not problem.types.x
    step = _even_step(problem.depth if staged else reads.run_length, problem.types.step)
    per_line, panels = ceildiv(c, ROWS), -(-problem.indexing.channels // PANEL)
    count = per_line if problem.weight_strides != (0, 0) else n * r * per_line
    at_once = min(2, count) if isinstance(count, int) else 2
    own = Tiling(matrix, reads, n * r, c, per_line, step, staged, (at_once, min(2, panels)))
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
    products, columns = problem.depth // own.step, own.most_columns
    tiles = estimate(own.lines) * -(-estimate(own.length) // columns) * panels
    cycles = _CALL_COST + tiles * (products * max(columns, _LEAST_ROWS) + _TILE_COST)
    return cycles < own.rows * panels * PANEL * problem.depth / _VECTOR_PRODUCTS
