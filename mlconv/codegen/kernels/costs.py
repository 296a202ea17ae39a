"""What register tiles of products of floats cost: by these numbers the generators choose one."""

from __future__ import annotations

from typing import NamedTuple

# Of a multiply-add, for a load of 128 bits: four instructions begin at once, two of which may be either (Cortex-A76).
NARROW_LOAD = 0.25


class GemmCosts(NamedTuple):
    """Of a step along the depth, in multiply-adds of vectors: as many as there are sums, or `loads` for each vector of
    weights and each number of x, and `step`, or `latency`, whichever is most; and `each` for every load, of sets whose
    loads take turns that multiply-adds need.  panels: of a tile, at most.
    """

    loads: float
    step: float
    latency: float
    panels: int
    each: float = 0.0

    def cycles(self, rows: int, vectors: int) -> float:
        """Of a tile of rows and vectors of weights."""
        loads = rows + vectors
        return max(rows * vectors, self.loads * loads + self.step, self.latency) + self.each * loads


class ColumnCosts(NamedTuple):
    """Of a depthwise convolution.  few: columns of a column tile where the window has no more than `taps` elements,
    which is then done line by line; many: columns where it has more, block by block of channels where that is near.
    vectors: of channels in a column tile.
    """

    taps: int
    few: int
    many: int
    vectors: int = 1


class TileCosts(NamedTuple):
    gemm: GemmCosts
    columns: ColumnCosts
