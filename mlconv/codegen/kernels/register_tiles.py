"""Shapes of the register tiles of a product of floats: rows by panels of channels, of all and of what is left.

The rule for tiles: accumulators, one row of weights and one broadcast fit into the registers; beyond that LLVM spills
and speed falls by half or more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.costs import GemmCosts
from mlconv.codegen.kernels.products import panel_vectors
from mlconv.codegen.kernels.tile_costs import by_hand, tile_costs
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import FLOAT32, ProductTypes
from mlconv.ir.dtypes import DType

ROW_LIMITS = (28, 14, 12, 10, 8, 6)  # rows of a register tile, to try


class TileChoice(NamedTuple):
    """Rows and panels of a register tile; inside: whether all panels are done for a few rows and then for the next ones
    (1), or not (0), or the heuristic says (-1)."""

    rows: int
    panels: int
    inside: int = -1


class Group(NamedTuple):
    """`repeat` groups of `width` panels from panel `start`; masked: the last panel is not full."""

    start: int
    width: int
    repeat: int
    masked: bool


def groups_of(panels: int, count: int, tail: bool) -> list[Group]:
    """Panels in groups of `count`, the rest in one of its own."""
    full, rest = divmod(panels, count)
    out = []
    if tail and not rest:
        full -= 1
        rest = count
    if full:
        out.append(Group(0, count, full, False))
    if rest:
        out.append(Group(full * count, rest, 1, tail))
    return out


def _split(total: int, size: int) -> list[tuple[int, int]]:
    """Parts of one size and what is left, each with how many there are."""
    return [(size, total // size), (total % size, 1 if total % size else 0)]


def tile_shape(cpu: Cpu, columns: int, panels: int, types: ProductTypes = FLOAT32) -> tuple[int, int]:
    """Rows and panels of a register tile."""
    return cheapest_tile(cpu, columns, panels, costs_of(cpu, types), types)


def costs_of(cpu: Cpu, types: ProductTypes) -> GemmCosts:
    """Of a register tile.  Panels of float64 take as many registers as two of float32."""
    costs = (tile_costs(cpu) if types.group == 1 else by_hand(cpu)).gemm
    return costs._replace(panels=max(1, costs.panels // 2)) if types.sums is DType.F64 else costs


def cheapest_tile(
    cpu: Cpu, columns: int, panels: int, costs: GemmCosts, types: ProductTypes = FLOAT32
) -> tuple[int, int]:
    """Rows and panels of the register tile that needs the fewest cycles for all columns and panels, by the register
    rule.
    """
    per_panel = panel_vectors(types, cpu)
    best: tuple[float, int, int] = (math.inf, 1, 1)
    for count in range(1, min(panels, costs.panels) + 1):
        vectors = count * per_panel
        if count > 1 and not rows_that_fit(types, cpu, vectors):
            break
        limit = min(14, max(1, rows_that_fit(types, cpu, vectors)))
        rows = -(-columns // -(-columns // limit))
        column_tiles, widths = _split(columns, rows), _split(panels, count)
        cycles = sum(m * n * costs.cycles(r, w * per_panel) for w, m in widths for r, n in column_tiles)
        best = min(best, (cycles, -rows, count), key=lambda t: (t[0], -t[2]))
    return -best[1], best[2]


def registers_of(types: ProductTypes, cpu: Cpu) -> int:
    """Registers for sums and weights: x takes one; of pairs that are widened, each side has a second half, and a
    mask.
    """
    return cpu.registers - (1 if types.group == 1 or cpu.half_pairs else 3)


def numbers_at_once(types: ProductTypes, cpu: Cpu) -> int:
    """Of a row of x, that a register holds: see `Cpu.by_element`."""
    return cpu.lanes(types.sums) if cpu.by_element and types.group == 1 and types.sums.is_float else 1


def rows_that_fit(types: ProductTypes, cpu: Cpu, vectors: int) -> int:
    """Rows of a register tile of so many vectors of weights: each has their sums, and a register of its own where it
    holds several numbers of x.
    """
    own = 1 if numbers_at_once(types, cpu) > 1 else 0
    return (registers_of(types, cpu) - vectors) // (vectors + own)


def parts_of(columns: int, sizes: Sequence[int]) -> list[int]:
    """Tiles of the sizes, the largest first, that columns are done in."""
    out = []
    for size in sizes:
        out += [size] * (columns // size)
        columns %= size
    return out
