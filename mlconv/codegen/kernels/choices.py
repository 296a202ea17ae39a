"""What may be chosen about kernels besides what they compute: candidates for a search by timing, and whether numbers
from a file are a choice.

A choice is a tuple of whole numbers: of a tile `TileChoice`, of a depthwise convolution `StripChoice`; of Winograd's
algorithm the rows of tiles of a block, and of bands the lines of a band, which are parts of their problems (`applied`).
"""

from __future__ import annotations

from typing import Any

from mlconv.codegen.kernels.depthwise import DepthwiseGenerator, StripChoice
from mlconv.codegen.kernels.tile import TileChoice, TileGenerator
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import PANEL, Bands, Depthwise, Ints, Tile, Winograd, known

KINDS = ("kernel.tile", "kernel.depthwise", "kernel.winograd", "kernel.bands")
_ROW_LIMITS = (28, 14, 12, 10, 8, 6)
_STRIPS = (2, 3, 4, 5, 6, 7, 8, 10, 14)
_HEIGHTS = (1, 2, 3, 4, 6, 8, 12, 16)
MAX_SCRATCH = 16 << 20  # bytes that a choice may make a kernel take


def plain(problem: Any) -> Any:
    """The problem without what is chosen."""
    if isinstance(problem, Winograd):
        return problem._replace(block_rows=1)
    return problem.of_height(1) if isinstance(problem, Bands) else problem


def applied(problem: Any, choice: Ints) -> Any:
    """The problem with a choice that is part of it."""
    if isinstance(problem, Winograd):
        return problem._replace(block_rows=choice[0])
    return problem.of_height(choice[0]) if isinstance(problem, Bands) else problem


def candidates(cpu: Cpu, problem: Any) -> list[Ints]:
    """Choices to try, the heuristic's own first."""
    found: dict[Ints, None]
    if isinstance(problem, Tile):
        found = dict.fromkeys(_tiles(cpu, problem))
    elif isinstance(problem, Depthwise):
        found = dict.fromkeys(_strips(cpu, problem))
    elif isinstance(problem, Winograd):
        high = problem.tiles[0]
        found = dict.fromkeys([(problem.block_rows,), *((-(-high // n),) for n in (1, 2, 3, 4, 6, 8, 12, 16, 32))])
    else:
        found = dict.fromkeys([(problem.height,), *((h,) for h in _HEIGHTS)])
    return [c for i, c in enumerate(found) if not i or fits(cpu, problem, c)]


def _tiles(cpu: Cpu, tile: Tile) -> list[Ints]:
    own = TileGenerator(Builder("own", ["%out"], {}), tile, cpu)
    per_panel, columns = max(1, PANEL // cpu.width), known(own.points.rows)[2]
    out = [TileChoice(own.rows, own.count)]
    for count in range(1, min(own.panels, 4) + 1):
        vectors = count * per_panel
        most = min((cpu.registers - vectors - 1) // vectors, columns)
        for limit in sorted({min(most, r) for r in _ROW_LIMITS if most >= 1}):
            out += [TileChoice(-(-columns // -(-columns // limit)), count), TileChoice(limit, count)]
    orders = [t._replace(inside=int(not own.weights_inside)) for t in out] if own.has_order else []
    return [tuple(t) for t in (*out, *orders)]


def _strips(cpu: Cpu, problem: Depthwise) -> list[Ints]:
    own = DepthwiseGenerator(Builder("own", ["%out"], {}), problem, cpu)
    columns = known(own.points.rows)[2]
    out = [StripChoice(own.strip, own.by_channels)]
    for limit in _STRIPS:
        out += [
            StripChoice(-(-columns // -(-columns // limit)), by_channels)
            for by_channels in (own.by_channels, not own.by_channels)
        ]
    return [(t.points, int(t.by_channels)) for t in out]


def fits(cpu: Cpu, problem: Any, choice: Ints) -> bool:
    """Whether numbers are a choice for a problem: within its sizes and the rule for registers."""
    if len(choice) != {Tile: 3, Depthwise: 2}.get(type(problem), 1):
        return False
    if isinstance(problem, Tile):
        vectors, (rows, count, inside) = choice[1] * max(1, PANEL // cpu.width), choice
        return (
            rows >= 1 <= count
            and -1 <= inside <= 1
            and ((rows, count) == (1, 1) or (rows + 1) * vectors + 1 <= cpu.registers)
        )
    if isinstance(problem, Depthwise):
        wide = problem.points.channels >= cpu.width
        return 1 <= choice[0] <= cpu.registers // 2 and (choice[1] == 0 or (choice[1] == 1 and wide))
    high = problem.tiles[0] if isinstance(problem, Winograd) else known(problem.points.rows)[1]
    return bool(1 <= choice[0] <= high and applied(problem, choice).scratch <= MAX_SCRATCH)
