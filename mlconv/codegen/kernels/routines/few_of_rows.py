"""The first few of many rows at once, each in a lane of its own: what comes goes through the best so far."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.codegen.kernels.routines.code import I32, I64, Code, Num
from mlconv.codegen.kernels.routines.ranks import position_of, rank_of, with_positions
from mlconv.codegen.kernels.routines.sorted_rows import Rows
from mlconv.codegen.kernels.transposed_tiles import transposed
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import I32 as LLVM_I32
from mlconv.codegen.llvm.types import I64 as LLVM_I64
from mlconv.codegen.llvm.types import Value, integer
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel.routines import TopK
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

_HELD = 8  # that registers hold
_MOST = 512  # steps of a row that is read from its first element to its last: longer ones have blocks to pass over
_QUAD = 4  # elements of 128 bits


def lanes_of(given: TopK, cpu: Cpu) -> int:
    """How many rows are done at once; 0 where they are better done one by one."""
    n, k, rows = given.n, given.k, given.outer * given.inner
    lanes = 0 if cpu.lanes(DType.I64) == 1 else max(_QUAD, min(8, cpu.lanes(DType.I64)))
    if not lanes or not given.has_ranks or not isinstance(k, int) or not 0 < k <= _HELD or _is_below(rows, lanes):
        return 0
    if given.inner == 1:
        return lanes if isinstance(n, int) and n * k <= _MOST else 0
    return 0 if _is_below(given.inner, lanes) else lanes


def _is_below(size: Size, limit: int) -> bool:
    return isinstance(size, int) and size < limit


class _Place(NamedTuple):
    """Rows side by side.  x: the first element of the first row; y: its first result.  From row to row: steps."""

    x: Num
    y: Num
    x_step: Size
    y_step: Size


def first_of_rows(c: Code, r: Rows, lanes: int, first: Num, last: Num) -> None:
    """All rows from `first` to `last`.  Of those that fill no vector, some may be done twice."""
    given, inner = r.given, r.given.inner

    def turn(row: Num) -> Sequence[Num]:
        begin, end, outer = first, last, row
        if inner != 1:
            outer = c.raw("udiv", row, inner)
            begin, end = first.max(outer * inner), last.min((outer + 1) * inner)

        def place(at: Num) -> _Place:
            if inner == 1:
                return _Place(at * given.n, at * given.k, given.n, given.k)
            within = at - outer * inner
            return _Place(outer * (given.n * inner) + within, outer * (given.k * inner) + within, 1, 1)

        def several() -> Sequence[Num]:
            at = row.min(end - lanes)
            _write(c, r, place(at), _best(c, r, place(at), lanes))
            return [at + lanes]

        def single() -> Sequence[Num]:
            _write(c, r, place(row), _best(c, r, place(row), 1))
            return [row + 1]

        return c.choose((end - begin).ge(lanes), several, single, [I64])

    c.repeat([first], lambda row: row.lt(last), turn)


def _best(c: Code, r: Rows, place: _Place, lanes: int) -> Carried:
    """Entries of the first k of each row, in their order."""
    b, given, t = c.b, r.given, LLVM_I64.of_lanes(lanes)
    best: Carried = [integer(t, (1 << 63) - 1)] * (given.k if isinstance(given.k, int) else 0)
    tile = lanes if given.inner == 1 and isinstance(given.n, int) and given.n >= lanes > 1 else 1

    def step(at: Num, held: Carried, skipped: int = 0) -> Carried:
        columns = _tile(c, r, place, at, lanes) if tile > 1 else [_column(c, r, place, at, lanes)]
        for i, ranks in list(enumerate(columns))[skipped:]:
            held = _inserted(c, held, with_positions(c, ranks, b.splat((at + i).value, lanes)))
        return held

    whole = given.n // tile * tile
    best = b.over(c.num(0).value, c.num(whole).value, best, lambda at, held: step(Num(c, at, I64), held), tile)
    if tile > 1 and whole != given.n:  # columns that are left stand at the end of a last tile
        best = step(c.num(given.n - tile), best, tile - int(given.n - whole))  # type: ignore[arg-type]
    return best


def _column(c: Code, r: Rows, place: _Place, at: Num, lanes: int) -> Value:
    """Ranks of an element of each row."""
    b, given = c.b, r.given
    x = c.address(r.x, given.dtype, place.x + at * given.inner)
    if lanes == 1 or place.x_step == 1:
        return rank_of(c, load(b, given.dtype, x, lanes), given)
    room = b.room(LLVM_I32, lanes)

    def row(i: Num) -> None:
        c.store(room, i, Num(c, rank_of(c, c.load(x, given.dtype, i * place.x_step).value, given), I32))

    c.each(lanes, row)
    return b.load(LLVM_I32.of_lanes(lanes), room, LLVM_I32.align)


def _tile(c: Code, r: Rows, place: _Place, at: Num, lanes: int) -> list[Value]:
    """Ranks of as many neighbours of each row as there are rows, by neighbours."""
    given, rows = r.given, []
    for i in range(lanes):
        x = c.address(r.x, given.dtype, place.x + at + c.num(i) * place.x_step)
        rows.append(rank_of(c, load(c.b, given.dtype, x, lanes), given))
    return transposed(c.b, rows, _QUAD)


def _inserted(c: Code, held: Carried, entry: Value) -> Carried:
    """Held entries, the best first, with another one in its place; the last one is gone."""
    out, name = [], entry.type.name
    for one in held:
        out.append(c.b.call(entry.type, f"llvm.smin.{name}", [one, entry]))
        entry = c.b.call(entry.type, f"llvm.smax.{name}", [one, entry])
    return out


def _write(c: Code, r: Rows, place: _Place, best: Carried) -> None:
    """Values and positions of entries."""
    b, given, lanes = c.b, r.given, best[0].type.lanes
    room = b.room(LLVM_I64, lanes * len(best))
    for i, entries in enumerate(best):
        b.store(entries, b.moved(room, LLVM_I64, i * lanes), LLVM_I64.align)

    def row(i: Num) -> None:
        x, y = place.x + i * place.x_step, place.y + i * place.y_step
        for k in range(len(best)):
            at = position_of(c, c.load(room, I64, i + k * lanes)).to(I64)
            target = y + c.num(k) * given.inner
            c.store(r.values, target, c.load(r.x, given.dtype, x + at * given.inner))
            c.store(r.indices, target, at.to(given.positions))

    c.each(lanes, row)
