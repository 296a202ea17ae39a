"""Columns of a line in tiles, of a number that is known when code is generated or when it runs."""

from __future__ import annotations

import pytest

from mlconv.codegen.kernels.indexing import column_tiles
from mlconv.ir.dim_fold import number_at
from mlconv.ir.dims import Dim, Size

N = Dim.symbol("n")


@pytest.mark.parametrize("rows", [1, 2, 3, 4, 5, 6, 8, 10, 14])
@pytest.mark.parametrize("columns", [N, N * 3, N + 1, N * 4 + 2, N + 200])
def test_open_columns_are_done_once_each(columns: Size, rows: int) -> None:
    """By tiles of three sizes at most: more of them are more code than they save time."""
    tiles = column_tiles(columns, rows)
    assert len(tiles) <= 3 and tiles[0][2] == rows
    for n in range(40):
        done = []
        for start, stop, size in tiles:
            first, last = (number_at(end, {"n": n}) for end in (start, stop))
            assert first is not None and last is not None
            for at in range(first, last, size):
                done.extend(range(at, at + size))
        assert done == list(range(number_at(columns, {"n": n}) or 0))
