"""Parameters of the routine that attends to keys and values of rows that a step of a decoder has few of."""

from __future__ import annotations

from typing import NamedTuple

from mlconv.dialects.kernel.attributes import SLOTS, Sizes
from mlconv.dialects.kernel.routine_base import Needs, shares
from mlconv.ir.dims import Size, ceildiv, common_factor, product
from mlconv.ir.dtypes import DType

MOST_ROWS = 8  # from which on keys that are transposed once for all rows are as fast
MANY_ROWS = 32  # each in a lane
SOME_ROWS = MANY_ROWS // 2  # up to which tiles of MOST_ROWS are faster
WHOLE = 16  # elements of a row of keys or values are whole times so many


class RowAttention(NamedTuple):
    """q [outer, rows, depth], keys [outer, past, depth] and, unless new is 0, [outer, new, depth] that stand behind
    them, values [outer, past, width] and [outer, new, width], where there is a `mask`, numbers for each key, [*mask,
    past + new], and where there is `chosen`, [*chosen, past + new], numbers that stand in place of scores unless they
    are NaN; y [outer, rows, width] = softmax(q keys^T * factor + mask) values.

    heads: matrices of a batch, the rest of outer.  mask: batches, heads and rows that it has, one for all or each its
    own; where it has fewer rows than a matrix, they are gone through again.  no_nan: what softmax leaves is 0 where it
    is NaN.  Rows that are many, or whose number is known at run time, go in tiles.  scratch: scores of each share,
    [key][rows of a tile, filled up], and many rows of q, [element][row].
    """

    outer: Size
    heads: Size
    rows: Size
    past: Size
    new: Size
    depth: int
    width: int
    factor: float
    mask: Sizes
    no_nan: bool
    chosen: Sizes = ()

    def fault(self) -> str:
        if isinstance(self.rows, int) and self.rows < 1:
            return f"there are {self.rows} rows"
        if self.depth < 1 or self.width < 1 or self.depth % WHOLE or self.width % WHOLE:
            return f"rows have {self.depth} and {self.width} elements, not whole times {WHOLE}"
        wrong = [axes for axes in (self.mask, self.chosen) if len(axes) not in (0, 3)]
        return f"its mask has the axes {list(wrong[0])}" if wrong else ""

    def needs(self) -> Needs:
        f32 = DType.F32
        sizes = [self.past, self.new] if self.new != 0 else [self.past]
        rows = [*((size, self.depth) for size in sizes), *((size, self.width) for size in sizes)]
        given = [(f32, product((self.outer, size, n))) for size, n in ((self.rows, self.depth), *rows)]
        given += [(f32, product((*axes, self.total))) for axes in (self.mask, self.chosen) if axes]
        made = [(f32, product((self.outer, self.rows, self.width)))]
        return Needs(given, made, f32.itemsize * self.room * self.shares)

    @property
    def parts(self) -> int:
        """Operands in front of masks."""
        return 5 if self.new != 0 else 3

    @property
    def operands(self) -> int:
        return self.parts + bool(self.mask) + bool(self.chosen)

    @property
    def total(self) -> Size:
        """Keys."""
        return self.past + self.new

    @property
    def tiles(self) -> tuple[int, ...]:
        """Rows that go at once: the fewest that there may be, some or many."""
        if isinstance(self.rows, int) and self.rows <= SOME_ROWS:
            return (min(self.rows, MOST_ROWS),)
        few = MOST_ROWS if isinstance(self.rows, int) else common_factor(self.rows)
        return (*((few,) if few < MOST_ROWS else ()), MOST_ROWS, MANY_ROWS)

    @property
    def is_tiled(self) -> bool:
        """There may be several tiles, the last of which does rows again."""
        return not isinstance(self.rows, int) or self.rows > MOST_ROWS

    @property
    def items(self) -> Size:
        """Tiles of all matrices."""
        return product((self.outer, ceildiv(self.rows, MOST_ROWS))) if self.is_tiled else self.outer

    @property
    def scores(self) -> Size:
        """Of a tile, in whole registers."""
        return (self.total * filled(self.tiles[-1]) + WHOLE - 1) // WHOLE * WHOLE + WHOLE

    @property
    def room(self) -> Size:
        """What a share has room for: scores, and rows that were transposed."""
        return self.scores + (self.depth * MANY_ROWS if MANY_ROWS in self.tiles else 0)

    @property
    def shares(self) -> int:
        return shares(product((self.outer, self.total, self.depth)), self.items, SLOTS)


def filled(rows: int) -> int:
    """Scores of a key: so many rows, filled up to a power of two."""
    return 1 << (rows - 1).bit_length()
