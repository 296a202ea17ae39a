"""Attention over keys and values that are read once, where they lie, of few rows or of many."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.kernels.kind import Written
from mlconv.codegen.kernels.routines.attention_tiles import RowTile
from mlconv.codegen.kernels.routines.code import Code, Num
from mlconv.codegen.kernels.routines.many_rows import ManyRows
from mlconv.codegen.llvm.types import Value
from mlconv.dialects.kernel.row_attention import MANY_ROWS, MOST_ROWS, SOME_ROWS, RowAttention
from mlconv.ir.dims import ceildiv
from mlconv.ir.estimates import estimate


def row_attention(c: Code, p: Sequence[Value], given: RowAttention) -> Written:
    """See `RowAttention`."""
    tiles = [n for n in given.tiles if n != MANY_ROWS or c.b.cpu.has_vectors]  # else they would only be more code
    generators = [ManyRows(c, p, given) if n == MANY_ROWS else RowTile(c, p, given, n) for n in tiles]
    shares = given.shares
    first, last = c.shared(given.items, shares)
    room = p[-1] if shares == 1 else c.address(p[-1], generators[0].dtype, c.first_share * given.room)
    if not given.is_tiled:
        c.each(last, lambda o: generators[0].tile(o, None, room), first)
    else:
        _in_tiles(c, given, generators, room, first, last)
    work = estimate(given.outer) * estimate(given.total) * estimate(given.rows) * (given.depth + given.width)
    return Written(shares, work / 25 / shares)


def _in_tiles(c: Code, given: RowAttention, generators: Sequence[RowTile], room: Value, first: Num, last: Num) -> None:
    """Items are tiles of some rows.  A tile of many is done where the first of them is; of rows that are left over and
    would not fill half of one, each is done for itself.
    """
    tiles, total = c.num(ceildiv(given.rows, MOST_ROWS)), c.num(given.rows)

    def tile(item: Num) -> None:
        matrix, row = c.raw("udiv", item, tiles), c.raw("urem", item, tiles) * MOST_ROWS
        within = c.raw("urem", row, MANY_ROWS)

        def fitting(generator: RowTile, *others: RowTile) -> None:
            rows = generator.rows
            if others:
                fits = total.le(rows) if rows < MOST_ROWS else (total - row + within).le(SOME_ROWS)
                c.when(fits, lambda: fitting(generator))
                c.when(~fits, lambda: fitting(*others))
            elif rows == MANY_ROWS:
                c.when(within.eq(0), lambda: generator.tile(matrix, row, room))
            else:
                generator.tile(matrix, row if rows == MOST_ROWS else None, room)

        fitting(*generators)

    c.each(last, tile, first)


GENERATORS = {"row_attention": row_attention}
