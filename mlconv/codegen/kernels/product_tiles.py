"""Register tiles of sums of products whose operands are not packed: some rows by some vectors that lie side by side.
What a row of the one operand is multiplied by is read once for all rows of the other.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from mlconv.codegen.kernels.arrange import certainly_below
from mlconv.codegen.kernels.transposed_tiles import Pointers
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Builder, Carried
from mlconv.codegen.llvm.types import I16, I32, Value, index, memory_type, zero
from mlconv.codegen.machines.cpus import Cpu
from mlconv.dialects.kernel import Instr, Step, view_of
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType

_ROWS = 4
_BUSY = 8  # sums: two units, and four cycles before a sum can be added to
_NARROW = (DType.I8, DType.U8, DType.I16)  # integers that 16 bits hold
_FEW = 1 << 7  # products of int16 with a byte whose sum int32 holds
Advance = Callable[[Pointers, int, Value], Pointers]
Finish = Callable[[Value, Pointers], None]


class Factors(Protocol):
    """How the elements of a row and of a column are multiplied.  places: that are multiplied at once."""

    @property
    def places(self) -> int: ...

    def column(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        """Elements side by side at each of the places, or at the first ones."""

    def row(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        """An element at each of the places, for all lanes."""

    def added(self, b: Builder, x: Value, column: Value, sums: Value) -> Value:
        """sums + x * column, lane by lane."""


class _Floats(NamedTuple):
    """dtype: float32 or float64, of the factors and of their sums."""

    dtype: DType
    places: int = 1

    def column(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        return load(b, self.dtype, pointers[0], lanes)

    def row(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        return b.splat(load(b, self.dtype, pointers[0], 1), lanes)

    def added(self, b: Builder, x: Value, column: Value, sums: Value) -> Value:
        return Scalars(b, sums.type.lanes).intrinsic("fma", self.dtype, [x, column, sums])


class _Pairs(NamedTuple):
    """Integers of up to 16 bits, two products at a time (PMADDWD).  x, weights: types of a row, whose elements lie side
    by side, and of a column.  lanes: of the instruction.
    """

    x: DType
    weights: DType
    intrinsic: str
    lanes: int
    places: int = 2

    def column(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        found = [load(b, self.weights, p, lanes) for p in pointers]
        found += [zero(found[0].type)] * (2 - len(found))
        both = b.chosen(b.joined(*found), [i + half * lanes for i in range(lanes) for half in range(2)])
        return Scalars(b, 2 * lanes).cast(both, self.weights, DType.I16)

    def row(self, b: Builder, pointers: Sequence[Value], lanes: int) -> Value:
        """What stands in the upper half of a word beside a single element meets zeros."""
        found = load(b, self.x, pointers[0], len(pointers))
        if len(pointers) == 1:
            word = Scalars(b, 1).cast(found, self.x, DType.I32)
        else:
            word = b.bitcast(Scalars(b, 2).cast(found, self.x, DType.I16), I32)
        return b.bitcast(b.splat(word, lanes), I16.of_lanes(2 * lanes))

    def added(self, b: Builder, x: Value, column: Value, sums: Value) -> Value:
        parts = []
        for first in range(0, 2 * sums.type.lanes, 2 * self.lanes):
            pair = [b.lanes(v, first, 2 * self.lanes) for v in (x, column)]
            parts.append(b.call(I32.of_lanes(self.lanes), self.intrinsic, pair))
        while len(parts) > 1:
            parts = [b.joined(*parts[i : i + 2]) for i in range(0, len(parts), 2)]
        return b.add(sums, parts[0])


class Tile(NamedTuple):
    """rows, and vectors of each.  row, column: the loads of the body by number: of a number of each row, and of what
    lies along the vectors and serves all rows.
    """

    rows: int
    vectors: int
    row: int
    column: int
    factors: Factors


def product_tile(step: Step, lanes: int, cpu: Cpu) -> Tile | None:
    """The tile of the two innermost kept axes of a sum of products; None for other steps, and for few rows.  lanes: of
    a vector along the innermost one.
    """
    kept = len(step.kept)
    loads = _factors_of(step)
    if step.reduced == 0 or step.combine != "add" or kept < 2 or step.out.strides[-1] != 1 or loads is None:
        return None
    along = [_is_column(i, kept) for i in loads]
    if None in along or along[0] == along[1]:
        return None
    row, column = along.index(False), along.index(True)
    factors = _multiplied(loads[row], loads[column], step.body[-1].dtype, lanes, cpu)
    own = cpu.lanes(DType.F64 if factors == _Floats(DType.F64) else DType.F32)
    room = cpu.registers // 2 * own // lanes  # vectors in half of the registers
    rows = next((n for n in (_ROWS, _ROWS // 2) if n <= room), 0)
    if factors is None or not rows or certainly_below(step.extents[kept - 2], rows):
        return None
    parts = max(1, lanes // own)  # registers of a vector
    vectors = min(room // rows, max(1, _BUSY // (rows * parts)))
    while vectors and certainly_below(step.extents[kept - 1], vectors * lanes):
        vectors -= 1
    return Tile(rows, vectors, row, column, factors) if vectors else None


def _factors_of(step: Step) -> list[Instr] | None:
    """The two loads whose elements a body multiplies, as they are or widened, in their order; None for other bodies."""
    *others, last = step.body
    if last.opcode != "mul" or len(set(last.args)) != 2:
        return None
    places = {a if step.body[a].opcode == "load" else step.body[a].args[0] for a in last.args if step.body[a].args}
    loads = [i for i in others if i.opcode == "load"]
    plain = all(i.opcode in ("load", "cast") for i in others) and len(others) - len(loads) <= 2
    return loads if plain and len(loads) == len(places) == 2 else None


def _is_column(instr: Instr, kept: int) -> bool | None:
    """A load lies along the vectors and is the same for all rows, or one number for each row; else None."""
    by_row, along = view_of(instr).strides[kept - 2 : kept]
    if along == 1 and by_row == 0:
        return True
    return False if along == 0 and by_row != 0 else None


def _multiplied(row: Instr, column: Instr, sums: DType, lanes: int, cpu: Cpu) -> Factors | None:
    """How an instruction set multiplies the elements of two loads; None where it has nothing for several at once."""
    if row.dtype is column.dtype is sums and sums in (DType.F32, DType.F64):
        return _Floats(sums)
    found = [p for p in cpu.pairs if lanes % p.lanes == 0]
    narrow = row.dtype in _NARROW and column.dtype in _NARROW and view_of(row).strides[-1] == 1
    if sums not in (DType.I32, DType.I64) or not narrow or not found:
        return None
    if sums is DType.I64 and DType.I16 is row.dtype is column.dtype:
        return None
    most = max(found, key=lambda p: p.lanes)
    return _Pairs(row.dtype, column.dtype, most.intrinsic, most.lanes)


class ProductTiles:
    """Emits the sums of one step.  advance: pointers at an index of an axis.  finish: writes one vector of sums."""

    def __init__(self, b: Builder, step: Step, tile: Tile, lanes: int, advance: Advance, finish: Finish) -> None:
        self.b, self.step, self.shape, self.lanes, self.advance, self.finish = b, step, tile, lanes, advance, finish
        self.axis = len(step.kept) - 2
        loads = [i for i in step.body if i.opcode == "load"]
        self.widens = step.body[-1].dtype is DType.I64
        self.loads = [loads[tile.column], *[loads[tile.row]] * tile.rows]  # of what `starts` point at

    @property
    def width(self) -> int:
        """Neighbours of a row in a tile."""
        return self.shape.vectors * self.lanes

    def run(self, pointers: Pointers, nothing: Value) -> None:
        """One tile, whose first place the pointers are at.  nothing: what a vector of sums starts from."""
        rows, vectors, row, column, _ = self.shape
        places = [self.advance(pointers, self.axis, index(r)) for r in range(rows)]
        starts = [pointers[column], *(p[row] for p in places)]
        totals = self._reduce(self.axis + 2, starts, [nothing] * (rows * vectors))
        for r, there in enumerate(places):
            for v in range(vectors):
                at = self.advance(there, self.axis + 1, index(v * self.lanes))
                self.finish(totals[r * vectors + v], at)

    def _reduce(self, axis: int, starts: Pointers, totals: Carried) -> Carried:
        """Sums over an axis and the ones inside it.  starts: of the columns, then of each row."""
        if axis == len(self.step.extents) - 1:
            return (self._wide if self.widens else self._narrow)(starts, totals)

        def inside(at: Value, carried: Carried) -> Carried:
            return self._reduce(axis + 1, self._moved(starts, axis, at), carried)

        return self.b.loop(0, self.step.extents[axis], 1, totals, inside)

    def _narrow(self, starts: Pointers, totals: Carried) -> Carried:
        """Sums over the innermost axis."""
        extent = self.step.extents[-1]
        begin: Size = 0
        for count in range(self.shape.factors.places, 0, -1):
            stop = begin + (extent - begin) // count * count
            if stop != begin:
                totals = self.b.loop(begin, stop, count, totals, self._turn(starts, count))
            begin = stop
        return totals

    def _wide(self, starts: Pointers, totals: Carried) -> Carried:
        """Sums over the innermost axis in int64, to which those of so many products as int32 holds are added."""
        b, places = self.b, self.shape.factors.places
        extent = b.number(self.step.extents[-1])
        nothing: Carried = [zero(I32.of_lanes(self.lanes))] * len(totals)

        def block(at: Value, carried: Carried) -> Carried:
            end = b.least(b.add(at, index(_FEW)), extent)
            stop = b.sub(end, b.urem(b.sub(end, at), index(places)))
            few = b.over(at, stop, nothing, self._turn(starts, places), places)
            few = b.over(stop, end, few, self._turn(starts, 1))
            return [b.add(c, b.convert("sext", f, c.type)) for c, f in zip(carried, few, strict=True)]

        return b.over(index(0), extent, totals, block, _FEW)

    def _turn(self, starts: Pointers, count: int) -> Callable[[Value, Carried], Carried]:
        """A turn of the innermost loop: so many places at once."""
        b, axis = self.b, len(self.step.extents) - 1

        def turn(at: Value, carried: Carried) -> Carried:
            there = [self._moved(starts, axis, b.add(at, index(i)) if i else at) for i in range(count)]
            return self._step([list(each) for each in zip(*there, strict=True)], carried)

        return turn

    def _moved(self, starts: Pointers, axis: int, at: Value) -> Pointers:
        """At an index of an axis."""
        out = []
        for start, instr in zip(starts, self.loads, strict=True):
            way = view_of(instr).strides[axis]
            out.append(self.b.offset(start, memory_type(instr.dtype), at, way) if way != 0 else start)
        return out

    def _step(self, places: Sequence[Pointers], totals: Carried) -> Carried:
        """places: one after the other that are multiplied at once, of the columns, then of each row."""
        b, vectors, factors = self.b, self.shape.vectors, self.shape.factors
        first, *rows = places
        element = memory_type(self.loads[0].dtype)
        columns = [
            factors.column(b, [b.moved(p, element, v * self.lanes) for p in first], self.lanes) for v in range(vectors)
        ]
        out = []
        for r, row in enumerate(rows):
            x = factors.row(b, row, self.lanes)
            out += [factors.added(b, x, c, totals[r * vectors + v]) for v, c in enumerate(columns)]
        return out
