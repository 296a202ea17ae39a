"""When a convolution is worth Winograd's algorithm, in what blocks, and its transformed weights."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from mlconv.dialects.kernel import PANEL, SLOTS, Sizes
from mlconv.dialects.winograd import EVEN, LIMIT, OUTPUT_TILE, PLACES, filter_places
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const
from mlconv.ir.dims import Size, ceildiv, floordiv, maximum, minimum
from mlconv.ir.shapes import static

MAX_WEIGHTS = 12 << 20  # bytes of transformed weights; larger ones take longer to read than the products that they save
_NEAR = 700 << 10  # bytes of scratch memory that stay in a second-level cache
_BYTES_PER_CYCLE = 12  # that come from further away
_GAIN = 0.8
_FULL = 90  # per cent of the points of tiles that usual images have
_TILES = (8, 12, 16, 24, 32, 48, 64, 96, 128)  # of a block, to choose among
_EVEN = 1.1  # of the mean share, the largest one that is good enough


class Blocks(NamedTuple):
    """Rows of tiles of a block, shares that may run at once, parts of the channels that a block has, per cent of the
    points of tiles that must lie in the image.
    """

    rows: Size
    slots: int
    parts: int
    fewest: int = 0


def blocks_of(result: Sizes, depth: Size) -> Blocks | None:
    """How to do a 3 x 3 convolution of stride 1 with a result of (batch, rows, columns, channels); None when direct
    summation is faster.

    Costs are cycles of one core with one 16-lane multiply-add a cycle: transformations have 144 and 120 of them for
    each vector of channels, besides loads and stores.
    """
    channels, image = static((depth, result[3])), static(result[1:3])
    if channels is None:
        return None
    cin, cout = channels
    if cin < PANEL or cout < PANEL or PLACES * cin * cout * 4 > MAX_WEIGHTS:
        return None
    each = PLACES * cin * -(-cout // PANEL) + 320 * cin / PANEL + 280 * cout / PANEL
    if image is None:
        return _open_blocks(result, cin, cout, each)
    height, width = image
    batch = result[0] if isinstance(result[0], int) else 1
    high, wide = -(-height // OUTPUT_TILE), -(-width // OUTPUT_TILE)
    direct = batch * height * width * 9 * cin * cout / PANEL
    best, chosen = math.inf, 0
    for count in range(1, high + 1):
        block = -(-high // count)
        scratch = PLACES * 4 * (cin + cout) * block * wide
        reads = PLACES * cin * cout * 4 + 4 * max(0, scratch - _NEAR)
        cost = batch * count * (block * wide * each + reads / _BYTES_PER_CYCLE)
        if cost < best:
            best, chosen = cost, block
    if best > _GAIN * (direct + 9 * cin * cout * 4 / _BYTES_PER_CYCLE):
        return None
    if not isinstance(result[0], int):
        return Blocks(chosen, SLOTS, 1)
    count = batch * -(-high // chosen)
    parts = parts_of(count, cout)
    return Blocks(chosen, min(SLOTS, count * parts), parts)


def _open_blocks(result: Sizes, cin: int, cout: int, each: float) -> Blocks | None:
    """Those of an image whose sizes are known at run time: as many rows as have nearly the best number of tiles, all
    blocks alike.  each: cycles for a tile.
    """
    cost = {}
    for tiles in _TILES:
        reads = PLACES * cin * cout * 4 + 4 * max(0, PLACES * 4 * (cin + cout) * tiles - _NEAR)
        cost[tiles] = each + reads / _BYTES_PER_CYCLE / tiles
    best = min(_TILES, key=cost.__getitem__)
    fewest = math.ceil(100 * cost[best] / (_GAIN * OUTPUT_TILE**2 * 9 * cin * cout / PANEL))
    if fewest > _FULL:
        return None
    high, wide = (ceildiv(d, OUTPUT_TILE) for d in result[1:3])
    rows = maximum(1, minimum(high, floordiv(best, maximum(1, wide))))
    return Blocks(maximum(1, ceildiv(high, maximum(1, ceildiv(high, rows)))), SLOTS, 1, fewest)


def parts_of(count: int, channels: int) -> int:
    """Of the channels of each of so many blocks, so that the slots have nearly equal shares: elements are transformed
    again for each slot that has a part of a block.
    """
    for parts in (1, 2, 4):
        most = -(-count * parts // SLOTS)
        if channels % (parts * PANEL) == 0 and most * SLOTS <= _EVEN * count * parts:
            return parts
    return max(n for n in (1, 2, 4) if n == 1 or channels % (n * PANEL) == 0) if count < SLOTS else 1


def are_moderate(weights: Const, layout: str) -> bool:
    """Whether float32 weights of a 3 x 3 convolution bound the error of Winograd's algorithm; layout: their axes, of 0,
    1, I, O.

    The largest one is zero or between 2^-LIMIT and 2^LIMIT: transformed, times numbers of the same bounds, they are far
    from the ends of float32.  No place of a filter has less than EVEN of what the places have on average, over the
    input channels: a filter that is zero somewhere (a mask, an edge detector) does not see the large numbers there,
    whose error it would take.  At most MAX_WEIGHTS bytes; `blocks_of` comes first.
    """
    magnitudes = _magnitudes(weights)
    shares = _shares(magnitudes, layout)
    return _are_bounded(magnitudes) and bool((shares.min(0) >= EVEN * shares.mean(0)).all())


def _magnitudes(weights: Const) -> Array:
    numbers = np.frombuffer(b"".join(weights.blocks()), np.float32)
    return np.asarray(np.abs(numbers)).reshape(weights.shape)


def _are_bounded(magnitudes: Array) -> bool:
    largest = float(magnitudes.max(initial=0))
    is_zero_or_moderate = not largest or 2.0**-LIMIT < largest < 2.0**LIMIT
    return is_zero_or_moderate and not np.isnan(magnitudes).any()


def _shares(magnitudes: Array, layout: str) -> Array:
    """[places, filters]: sums over the input channels."""
    order = tuple(layout.index(c) for c in "01OI")
    return np.asarray(np.transpose(magnitudes, order).sum(3, dtype=np.float64)).reshape(-1, magnitudes.shape[order[2]])


def middle_apart(weights: Const, layout: str) -> tuple[Const, Const] | None:
    """Weights of a 3 x 3 convolution as those whose middle place is as large as one beside it, and the rest of the
    middle, as a window of 1 x 1; layout as in `are_moderate`.  None where the first of the two are not moderate, or a
    middle is small: what it reads may be large.

    Filters that what they read goes into as it is (RepVGG's, trained with branches) are far larger in the middle.
    """
    if not _are_bounded(_magnitudes(weights)):
        return None
    rest = recipes.binary("sub", _place(weights, layout, (1, 1)), _place(weights, layout, (1, 0)))
    even = recipes.binary(
        "sub", weights, recipes.pad_zeros(rest, tuple((1, 1) if c in "01" else (0, 0) for c in layout))
    )
    if not are_moderate(even, layout):
        return None
    middle = _shares(_magnitudes(_place(weights, layout, (1, 1))), layout)[0]
    return (even, rest) if (middle >= EVEN * _shares(_magnitudes(even), layout).mean(0)).all() else None


def _place(weights: Const, layout: str, at: tuple[int, int]) -> Const:
    begin = [0 if c in "IO" else at[int(c)] for c in layout]
    end = [n if c in "IO" else at[int(c)] + 1 for c, n in zip(layout, weights.shape, strict=True)]
    return recipes.slices(weights, tuple(begin), tuple(end))


def transformed(weights: Const) -> Const:
    """Filters [3, 3, cin, cout] as [36, panels, cin, PANEL]."""
    cin, cout = weights.shape[2:]
    panels = -(-cout // PANEL)
    wide = recipes.pad_zeros(weights.reshape((9, cin, cout)), ((0, 0), (0, 0), (0, panels * PANEL - cout)))
    moved = recipes.transpose(wide.reshape((9, cin, panels, PANEL)), (0, 2, 1, 3))
    return recipes.combine(moved, filter_places())
