"""Convolutions by Winograd's algorithm: what they read of x and of their weights, and where they write."""

from __future__ import annotations

from mlconv.dialects.kernel.attributes import PANEL, SLOTS, View
from mlconv.dialects.kernel.verify.products import F32, check_extents, check_multiplied, check_written
from mlconv.dialects.kernel.verify.site import Site
from mlconv.dialects.kernel.winograd import PAIRS, IntegerWinograd, Winograd
from mlconv.dialects.winograd import LARGEST, OUTPUT_TILE, PLACES, SMALL_PLACES, SMALL_TILE
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static

_BORDER = 2  # lines that a tile reads besides as many as it makes
BYTE = 8


def check_winograd(site: Site) -> None:
    """Winograd's algorithm over whole tiles, whose image is padded for them."""
    problem: Winograd = site.problem
    indexing, depth = problem.indexing, problem.depth
    check_extents(site, indexing, site.given, 3)
    if indexing.window != (3, 3) or depth < 1 or not 0 <= problem.fewest <= 100:
        raise site.wrong(f"it has a window {list(indexing.window)} and {depth} channels of x")
    high, rows = problem.tiles[0], problem.block_rows
    if (isinstance(high, int) and isinstance(rows, int) and not 1 <= rows <= high) or not 1 <= problem.slots <= SLOTS:
        raise site.wrong(f"it does {rows} of {high} rows of tiles in {problem.slots} slots")
    if problem.parts < 1 or (problem.parts > 1 and indexing.channels % (problem.parts * PANEL)):
        raise site.wrong(f"it has {indexing.channels} channels in {problem.parts} parts")
    _check_tiles(site, problem, OUTPUT_TILE)
    panels = -(-indexing.channels // PANEL)
    for operand, places in ((1, PLACES), (2, 9)):
        site.demand_type(site.given[operand], F32, "its weights")
        site.check_view(View(0, (1,)), (places * panels * depth * PANEL,), site.given[operand])
    check_written(site, indexing, site.given, site.made[0], hidden=(1,))


def _check_tiles(site: Site, problem: Winograd | IntegerWinograd, tile: int) -> None:
    """The lines of all tiles, which are read whole, and lie side by side."""
    indexing = problem.indexing
    lines, columns = (n * tile + _BORDER for n in problem.tiles)
    pitch = indexing.window_strides[0]
    places: tuple[Size, ...] = pitch, problem.depth
    fine = indexing.x.strides[1:] == indexing.window_strides == places
    fine = fine and (not isinstance(pitch, int) or not isinstance(columns, int) or pitch >= columns * problem.depth)
    site.demand(fine, f"the strides of its image are {list(indexing.window_strides)}")
    view = View(indexing.x.offset, (indexing.x.strides[0], pitch, 1))
    site.check_view(view, (indexing.rows[0], lines, pitch), site.given[0])


def check_integer_winograd(site: Site) -> None:
    """The same of bytes, whose transformed products have room in their sums."""
    problem: IntegerWinograd = site.problem
    types, direct, channels = problem.types, problem.direct, problem.indexing.channels
    fine = types.x in (DType.I8, DType.U8) and (types.weights, types.sums) == (DType.I8, DType.I32)
    site.demand(fine and problem.indexing.window == (3, 3), "it has no bytes, or another window")
    site.demand(static(problem.indexing.rows) is not None, "the sizes of its image are not known")
    check_multiplied(site, direct, (site.given[0], *site.given[2:]))
    site.demand(1 <= problem.slots <= SLOTS, f"it has {problem.slots} slots")
    high = problem.tiles[0]
    site.demand(1 <= problem.block_rows <= high, f"it does {problem.block_rows} of {high} rows of tiles")
    fits = problem.depth % PAIRS.group == 0 and problem.depth * LARGEST << 2 * BYTE < 1 << PAIRS.sums.bits - 1
    site.demand(fits, f"it has {problem.depth} channels of x")
    site.demand(problem.parts >= 1, f"it has {problem.parts} parts")
    parted = problem.parts == 1 or channels % (problem.parts * PANEL) == 0
    site.demand(parted, f"it has {channels} channels in {problem.parts} parts")
    _check_tiles(site, problem, SMALL_TILE)
    site.demand_type(site.given[1], PAIRS.weights, "its weights")
    places = SMALL_PLACES * PAIRS.columns(channels) * problem.depth
    places += 0 if site.given[1].is_constant else PAIRS.slack(channels)
    site.check_view(View(0, (1,)), (places,), site.given[1])
    check_written(site, problem.indexing, site.given, site.made[0], hidden=(1, 2), types=types)
