"""Products: what they read of x, of their weights and in their epilogues, and where they write."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.dialects.kernel.attributes import (
    BLOCK_GROUP,
    BLOCKS,
    FLOAT32,
    LONG,
    MOST_OF_BLOCK,
    PANEL,
    WORD,
    BlockGemm,
    Depthwise,
    Gemm,
    OutputIndexing,
    ProductTypes,
    View,
    has_code,
)
from mlconv.dialects.kernel.functions import LOADS
from mlconv.dialects.kernel.verify.programs import check_lanes, check_program
from mlconv.dialects.kernel.verify.site import Buffer, Site
from mlconv.dialects.kernel.verify.steps import check_result, check_step
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import SIGN

F32 = DType.F32
_SCALES = (DType.F32, DType.F16, DType.BF16)
_FACTORS, _SUMS = (DType.I8, DType.I16), (DType.I32, DType.I64)
_UNSIGNED = (DType.I4, DType.I8)  # weights of bytes without a sign


def check_gemm(site: Site) -> None:
    """A product that reads operand 0, its packed weights are operand 1, and writes the only result."""
    check_multiplied(site, site.problem, site.given)
    check_written(site, site.problem.indexing, site.given, site.made[0], types=site.problem.types)


def check_block_gemm(site: Site) -> None:
    """Operands as `BlockGemm` has them."""
    problem: BlockGemm = site.problem
    indexing, (n, r, rows) = problem.indexing, problem.indexing.rows
    sizes = min(problem.depth, MOST_OF_BLOCK) >= problem.block >= BLOCK_GROUP and problem.depth % problem.block == 0
    sizes = sizes and problem.block % BLOCK_GROUP == 0 and problem.spread >= 1
    site.demand(sizes, f"blocks of {problem.block} of {problem.depth}, {problem.spread} together")
    site.demand(problem.types == BLOCKS and problem.scales in _SCALES, "there is no code for its types")
    site.demand(problem.bits in (4, 8), f"its weights have {problem.bits} bits")
    site.demand(0 <= problem.zero < 1 << problem.bits, f"its zero point is {problem.zero}")
    site.demand((n, r) == (1, 1) and not indexing.window, "its rows are not those of a matrix")
    least = 5 + problem.zeros
    check_extents(site, indexing, site.given, least, problem.types)
    of_blocks = problem.panels * PANEL * problem.scale_blocks
    x, weights, *scales = site.given[:least]
    site.demand_elements(x, rows * problem.depth, "x")
    site.check_view(View(indexing.x.offset, (*indexing.x.strides, 1)), (*indexing.rows, problem.depth), x)
    site.demand_type(weights, DType.U8, "its weights")
    site.demand_elements(weights, problem.panels * problem.place * problem.depth, "its weights")
    kinds = ((F32, rows * problem.blocks), (DType.I32, rows * problem.blocks), (problem.scales, of_blocks))
    for buffer, (dtype, count) in zip(scales, (*kinds, (DType.U8, of_blocks)), strict=False):
        site.demand_type(buffer, dtype, "an operand for blocks")
        site.demand_elements(buffer, count, "an operand for blocks")
    check_written(site, indexing, site.given, site.made[0], hidden=range(least), types=problem.types)


def check_depthwise(site: Site) -> None:
    """The same with a weight for each channel."""
    check_by_channels(site, site.problem, site.given)
    check_written(site, site.problem.indexing, site.given, site.made[0], types=site.problem.types)


def check_types(site: Site, types: ProductTypes) -> None:
    """There is code for a product of these: floats, or integers of 8 and 16 bits, x of 8 without a sign too, in wider
    sums; bytes with signs by more places at once, too.
    """
    fits = types.x in _FACTORS or (types.x is DType.U8 and types.weights in _UNSIGNED)
    integers = fits and types.stored in _FACTORS and types.sums in _SUMS
    fine = has_code(types) or integers
    elements = types.x, types.weights, types.sums, types.result
    site.demand(fine, f"there is no code for products of {', '.join(t.display for t in elements)}")
    packs = types.places == WORD or (types.places == LONG and types.x is types.stored is DType.I8)
    site.demand(packs, f"bytes are not multiplied {types.places} at once")


def check_multiplied(site: Site, tile: Gemm, given: Sequence[Buffer]) -> None:
    """What a GEMM reads.  given: x, weights and the operands of the epilogue."""
    indexing = tile.indexing
    check_types(site, tile.types)
    check_extents(site, indexing, given, 2, tile.types._replace(x=tile.source))
    rounds = tile.types.x is DType.BF16 and tile.types.group > 1
    site.demand(not tile.wide or rounds, "x is not rounded on the way to this product")
    site.demand(tile.run >= 0, f"its run is {tile.run}")
    fits = tile.shift == SIGN and tile.types.x is DType.I8 and tile.types.sums.is_int
    site.demand(tile.shift == 0 or fits, f"its shift is {tile.shift}")
    _check_window(site, indexing, tile.run, given[0])
    _check_weights(site, tile, given[1])


def _check_weights(site: Site, tile: Gemm, weights: Buffer) -> None:
    """Columns of the whole depth, for each (batch, row) where they do not share them, and what is read beyond."""
    indexing = tile.indexing
    site.demand(len(tile.weight_strides) == 2, f"its weights have the strides {list(tile.weight_strides)}")
    if tile.pitch:
        plain = tile.types.group == 1 and tile.types.sums.is_float and indexing.channels % PANEL == 0
        site.demand(plain and tile.pitch >= indexing.channels, f"its weights are not packed, {tile.pitch} apart")
        site.demand_type(weights, tile.types.weights, "its weights")
        places = (*indexing.rows[:2], tile.depth, indexing.channels)
        site.check_view(View(0, (*tile.weight_strides, tile.pitch, 1)), places, weights)
        return
    packed = tile.columns * tile.depth // tile.types.shared
    # an empty depth has no weights to read beyond
    packed += tile.slack if packed and not weights.is_constant else 0
    site.demand_type(weights, tile.types.stored, "its weights")
    site.check_view(View(0, (*tile.weight_strides, 1)), (*indexing.rows[:2], packed), weights)


def check_by_channels(site: Site, problem: Depthwise, given: Sequence[Buffer]) -> None:
    """What a depthwise convolution reads.  given: x, weights and the operands of the epilogue."""
    indexing = problem.indexing
    check_types(site, problem.types)
    check_extents(site, indexing, given, 2, problem.types)
    site.demand(bool(indexing.window), "it has no window")
    times = problem.times
    fits = times >= 1 and times & times - 1 == 0 and indexing.channels % times == 0
    site.demand(fits, f"it makes {times} of its {indexing.channels} channels of each one of x")
    members = problem.members
    whole = members >= 1 and members & members - 1 == 0 and indexing.channels % members == 0
    alone = members == 1 or (times == 1 and problem.types.sums.is_float)
    site.demand(whole and alone, f"it makes its {indexing.channels} channels of groups of {members}")
    _check_window(site, indexing, problem.run, given[0])
    site.demand_type(given[1], problem.types.weights, "its weights")
    pitch = problem.pitch or indexing.channels
    site.demand(pitch >= indexing.channels, f"its weights lie {pitch} apart")
    site.check_view(View(0, (pitch, 1)), (math.prod(indexing.window) * members, indexing.channels), given[1])


def check_extents(
    site: Site, indexing: OutputIndexing, given: Sequence[Buffer], operands: int, types: ProductTypes = FLOAT32
) -> None:
    """Rows, window and channels are those of a product, which has so many operands besides its epilogue's."""
    rows, window = indexing.rows, indexing.window
    site.demand(len(given) >= operands, f"it has {len(given)} operands")
    if len(rows) != 3 or len(window) != len(indexing.window_strides):
        raise site.wrong(f"it has rows {list(rows)} and a window {list(window)}")
    fine = indexing.channels >= 1 and all(n >= 1 for n in window)
    site.demand(fine, f"it has a window {list(window)} and {indexing.channels} channels")
    nothing = any(isinstance(n, int) and n < 1 for n in rows)
    site.demand(not nothing or site.is_idle or bool(site.sizes), f"it has rows {list(rows)}")
    site.demand(len(indexing.x.strides) == 3, f"x has the strides {list(indexing.x.strides)}")
    site.demand_type(given[0], types.x, "x")


def _check_window(site: Site, indexing: OutputIndexing, run: int, x: Buffer) -> None:
    """Elements of x: of every place of the window, `run` that lie side by side."""
    view = View(indexing.x.offset, (*indexing.x.strides, *indexing.window_strides, 1))
    site.check_view(view, (*indexing.rows, *indexing.window, run), x)


def check_epilogue(
    site: Site,
    indexing: OutputIndexing,
    given: Sequence[Buffer],
    hidden: Sequence[int] = (),
    types: ProductTypes = FLOAT32,
) -> None:
    """What follows the sums.  hidden: operands that an epilogue does not see."""
    extents, made = (*indexing.rows, indexing.channels), Buffer(types.result, None)
    found = check_program(site, indexing.after, given, extents, types.sums)
    check_result(site, found, made)
    check_lanes(site, indexing.after)
    for instr in indexing.after:
        if instr.opcode in LOADS:
            site.demand(instr.args[0] not in hidden, f"its epilogue loads operand {instr.args[0]}")
            aside = instr.value.strides[3]
            site.demand(indexing.channels == 1 or aside in (0, 1), f"its channels are {aside} elements apart")


def check_written(
    site: Site,
    indexing: OutputIndexing,
    given: Sequence[Buffer],
    made: Buffer,
    borders: Sequence[Buffer] | None = None,
    hidden: Sequence[int] = (),
    types: ProductTypes = FLOAT32,
) -> None:
    """The epilogue, and elements of the result.  borders: what the steps around it read, when that is not `given`."""
    check_epilogue(site, indexing, given, hidden, types)
    site.demand_type(made, types.result, "its result")
    site.check_output(indexing.out, (*indexing.rows, indexing.channels), made)
    check_channels(site, indexing)
    for step in indexing.borders:
        check_step(site, step, given if borders is None else borders, made)


def check_channels(site: Site, indexing: OutputIndexing) -> None:
    """Channels of the result lie side by side."""
    aside = indexing.out.strides[3]
    site.demand(indexing.channels == 1 or aside == 1, f"its channels are {aside} elements apart")
