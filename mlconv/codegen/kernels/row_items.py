"""Rows of a product as work items: lines, or tiles of columns of the only line."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mlconv.codegen.kernels.indexing import Position, column_tiles, line
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import Value, index
from mlconv.dialects.kernel import OutputIndexing
from mlconv.ir.dims import Size

Tile = Callable[[Position, int], None]  # emits what is done at a position, for so many columns
EachTile = Callable[[Tile], None]


class RowItems(NamedTuple):
    """rows: of a register tile.  mode: `lines`, else `columns`."""

    b: Builder
    indexing: OutputIndexing
    rows: int
    mode: str

    @property
    def number(self) -> Size:
        """How many work items there are."""
        n, r, c = self.indexing.rows
        if self.mode == "lines":
            return n * r
        return c // self.rows if isinstance(c, int) else c // self.rows + 1  # the last one does what is left

    def run(self, body: Callable[[EachTile], None]) -> None:
        """body(each_tile) for every item, where each_tile(tile) emits the tiles that are there."""
        b, columns = self.b, self.indexing.rows[2]
        if self.mode == "lines":

            def one(number: Value) -> None:
                batch, row = line(b, self.indexing, number)
                body(lambda tile: self.all_of(batch, row, tile))

            b.work_items(one)
            return
        whole, rest = columns // self.rows, column_tiles(columns, self.rows)[1:]

        def column_tile(number: Value) -> None:
            at = Position(index(0), index(0), b.mul(number, index(self.rows)), index(0))
            body(lambda tile: tile(at, self.rows))

        def left() -> None:
            body(lambda tile: self._of(index(0), index(0), rest, tile))

        if isinstance(columns, int):
            b.work_items(column_tile)
            if rest:
                b.when(b.icmp("eq", b.end, b.number(whole)), left)
            return

        def item(number: Value) -> None:
            b.when(b.icmp("slt", number, b.number(whole)), lambda: column_tile(number))
            b.when(b.icmp("eq", number, b.number(whole)), left)

        b.work_items(item)

    def all_of(self, batch: Value, row: Value, tile: Tile) -> None:
        """All columns of a line."""
        self._of(batch, row, column_tiles(self.indexing.rows[2], self.rows), tile)

    def _of(self, batch: Value, row: Value, ranges: list[tuple[Size, Size, int]], tile: Tile) -> None:
        for start, stop, size in ranges:

            def body(column: Value, size: int = size) -> None:
                tile(Position(batch, row, column, index(0)), size)

            self.b.each(start, stop, size, body)
