"""What the 3 x 3 convolution by Winograd's minimal filtering computes, of floats and of integers, as attributes."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel.attributes import PANEL, Gemm, Ints, OutputIndexing, ProductTypes, View, known
from mlconv.dialects.winograd import SMALL_PLACES, SMALL_TILE
from mlconv.ir.attributes import attribute
from mlconv.ir.dims import Size, ceildiv
from mlconv.ir.dtypes import DType

PAIRS = ProductTypes(DType.I16, DType.I16, DType.I32, DType.I32)
"""Transformed integers."""


@attribute("kernel.winograd")
class Winograd(NamedTuple):
    """The 3 x 3 convolution of stride 1 by Winograd's minimal filtering F(4 x 4, 3 x 3), float32 (Lavin and Gray 2015).

    depth: channels of x.  Weights: [36, panels, depth, PANEL], transformed, and then those of a `Gemm`, for blocks that
    are summed directly.
    block_rows: tiles of 4 x 4 results are done in blocks of that many rows; parts: of the channels of the result, so
    that threads may share a block; slots: shares of the parts of all blocks that may run at once, each with its own
    scratch memory.  fewest: per cent of the tiles' points that the image has at least where the algorithm is faster
    than direct summation.
    """

    indexing: OutputIndexing
    depth: int
    block_rows: Size
    slots: int
    parts: int = 1
    fewest: int = 0

    @property
    def tiles(self) -> tuple[Size, Size]:
        """Rows and columns of tiles of an image."""
        height, width = self.indexing.rows[1:]
        return ceildiv(height, 4), ceildiv(width, 4)

    @property
    def of_block(self) -> Size:
        """Tiles of a block; a number that is known at run time only is rounded up, so that they are multiplied four at
        a time.
        """
        tiles = self.block_rows * self.tiles[1]
        return tiles if isinstance(tiles, int) else ceildiv(tiles, 4) * 4

    @property
    def pitches(self) -> tuple[Size, Size]:
        """Elements of scratch memory for each of the 36 places: of a block's transformed elements, and of its products
        for one part of the channels; all together have room for the direct sums of a line, in whole panels.
        """
        tiles, width = self.of_block, max(2, self.indexing.channels // self.parts)
        return tiles * self.depth + PANEL, tiles * width + PANEL

    @property
    def of_image(self) -> Size:
        """Blocks of an image."""
        return ceildiv(self.tiles[0], self.block_rows)

    @property
    def units(self) -> Size:
        """Parts of all blocks."""
        return self.indexing.rows[0] * self.of_image * self.parts

    @property
    def slot(self) -> Size:
        """Elements of scratch memory of a slot, for each of the 36 places: products of as many parts of a block as it
        may do.
        """
        elements, products = self.pitches
        most = -(-self.units // self.slots) if isinstance(self.units, int) else self.parts
        return elements + min(self.parts, most) * products

    @property
    def scratch(self) -> Size:
        """Bytes of scratch memory."""
        return self.slots * 36 * self.slot * 4


@attribute("kernel.integer_winograd")
class IntegerWinograd(NamedTuple):
    """The 3 x 3 convolution of stride 1 of bytes by Winograd's minimal filtering F(2 x 2, 3 x 3), in integers: the same
    sums as those of `direct`, for sets of instructions that multiply bytes two by two.

    depth: channels of x.  Weights: int16, as those of `products`, then those of `direct`, for sets that multiply four
    bytes at once.  shift: as `Gemm` has it.
    block_rows: tiles of 2 x 2 results are done in blocks of that many rows; parts: of the channels of the result, so
    that threads may share a block; slots: shares of the parts of all blocks that may run at once, each with its own
    scratch memory.
    """

    indexing: OutputIndexing
    depth: int
    types: ProductTypes
    shift: int
    block_rows: int
    slots: int
    parts: int = 1

    @property
    def direct(self) -> Gemm:
        """The convolution as sums over windows."""
        return Gemm(self.indexing, self.depth, types=self.types, shift=self.shift)

    @property
    def tiles(self) -> tuple[int, int]:
        """Rows and columns of tiles of an image."""
        height, width = known(self.indexing.rows[1:])
        return -(-height // SMALL_TILE), -(-width // SMALL_TILE)

    @property
    def of_image(self) -> int:
        """Blocks of an image."""
        return -(-self.tiles[0] // self.block_rows)

    @property
    def of_block(self) -> int:
        """Tiles of a block."""
        return self.block_rows * self.tiles[1]

    @property
    def width(self) -> int:
        """Channels of a part."""
        return self.indexing.channels // self.parts

    @property
    def pitches(self) -> Ints:
        """Elements of scratch memory for each of the 16 places: transformed ones of a block, and products of a part."""
        return self.of_block * self.depth + 2 * PANEL, self.of_block * self.width + PANEL

    @property
    def products(self) -> Gemm:
        """Those of a part of a block: a matrix for each of the 16 places."""
        elements, products = self.pitches
        x, out = View(0, (elements, 0, self.depth)), View(0, (products, 0, self.width, 1))
        indexing = OutputIndexing((SMALL_PLACES, 1, self.of_block), x, (), (), self.width, (), out)
        return Gemm(indexing, self.depth, (PAIRS.columns(self.indexing.channels) * self.depth, 0), PAIRS)

    @property
    def slot(self) -> int:
        """Bytes of scratch memory of a slot."""
        elements, products = self.pitches
        return SMALL_PLACES * (elements * PAIRS.x.bits + products * PAIRS.sums.bits) // 8
