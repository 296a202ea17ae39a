"""When a convolution of bytes is worth Winograd's algorithm, in what blocks, and its transformed weights.

Sums of products of integers are the same in any order, and the algorithm's are whole numbers: its results are those of
direct summation, bit by bit.
"""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel import PAIRS, SLOTS, Ints
from mlconv.dialects.winograd import LARGEST, SMALL_PLACES, SMALL_TILE, small_filter_places
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_kernel.arithmetic import packed_groups
from mlconv.legalize.to_kernel.integers import BYTE
from mlconv.legalize.to_kernel.winograd import parts_of

MAX_WEIGHTS = 12 << 20  # bytes of transformed weights; larger ones take long to read, and much room in a file
_LANES = 16  # products of 16 bits a cycle, that costs are counted in
_NEAR = 320 << 10  # bytes of scratch memory that stay in a second-level cache, beside weights
_BYTES_PER_CYCLE = 8  # that come from further away
_LEAST = 16  # channels from which on vectors are full
_ELEMENT, _POINT = 30, 20  # cycles to transform a tile's vector of elements, and of points
_GAIN = 0.8


class IntegerBlocks(NamedTuple):
    """Rows of tiles of a block, shares that may run at once, and parts of the channels that a block has."""

    rows: int
    slots: int
    parts: int


def integer_blocks_of(result: Ints, depth: int) -> IntegerBlocks | None:
    """How to do a 3 x 3 convolution of stride 1 with a result of (batch, rows, columns, channels); None when direct
    summation is faster, or sums may not fit.

    Costs are cycles of one core that multiplies two vectors of 16 bits and adds two of sums in one.
    """
    batch, height, width, channels = result
    fits = depth * LARGEST << 2 * BYTE < 1 << PAIRS.sums.bits - 1
    weights = SMALL_PLACES * depth * channels * PAIRS.weights.bits // 8
    if min(depth, channels) < _LEAST or depth % PAIRS.group or not fits or not batch * height * width:
        return None
    if weights > MAX_WEIGHTS:
        return None
    high, wide = -(-height // SMALL_TILE), -(-width // SMALL_TILE)
    tile = SMALL_PLACES * depth * channels / 2 / _LANES + _ELEMENT * depth / 16 + _POINT * channels / 8
    each = SMALL_PLACES * (depth * PAIRS.x.bits + channels * PAIRS.sums.bits) // 8  # bytes of scratch memory of a tile

    def cost(rows: int) -> float:
        far = weights + max(0, each * rows * wide - _NEAR)
        return -(-high // rows) * (rows * wide * tile + far / _BYTES_PER_CYCLE)

    rows = min({-(-high // n) for n in range(1, high + 1)}, key=cost)
    if cost(rows) > _GAIN * height * width * 9 * depth * channels / 2 / _LANES:
        return None
    count = batch * -(-high // rows)
    parts = parts_of(count, channels)
    return IntegerBlocks(rows, min(SLOTS, count * parts), parts)


def small_transformed(weights: Const) -> Const:
    """Filters [3, 3, cin, cout] of bytes as those of a product for each of the 16 places."""
    cin, cout = weights.shape[2:]
    wide = recipes.cast(weights.reshape((9, cin, cout)), DType.F32)  # which holds them exactly
    places = recipes.cast(recipes.combine(wide, small_filter_places()), PAIRS.weights)
    rows = recipes.transpose(places, (1, 0, 2))
    return packed_groups(rows, cin, cout, PAIRS, cin, SMALL_PLACES)
