"""What the 3 x 3 convolution of integers by Winograd's minimal filtering computes, as an attribute."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel.attributes import PANEL, Gemm, Ints, OutputIndexing, ProductTypes, View, known
from mlconv.dialects.winograd import SMALL_PLACES, SMALL_TILE
from mlconv.ir.attributes import attribute
from mlconv.ir.dtypes import DType

PAIRS = ProductTypes(DType.I16, DType.I16, DType.I32, DType.I32)
"""Transformed integers."""


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
