"""Elements of up to 32 bits as numbers that have their order, with their positions below: all of them differ, and rows
of them are sorted by what they are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.routines.code import I32, I64, Code, Num
from mlconv.codegen.kernels.routines.sorted_rows import Rows
from mlconv.codegen.llvm.evaluate import load
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.scalars import Scalars
from mlconv.codegen.llvm.text import Carried
from mlconv.codegen.llvm.types import I1, Value, integer, integers, zero
from mlconv.codegen.llvm.types import I32 as LLVM_I32
from mlconv.dialects.kernel.routines import NEIGHBOURS, TopK
from mlconv.ir.dtypes import DType

LAST = (1 << 31) - 1
"""The rank of NaN."""
_UNROLLED = 4
_BITS = 8  # of a digit
_BUCKETS = 1 << _BITS


def rank_of(c: Code, x: Value, given: TopK) -> Value:
    """Elements, or a vector of them, as int32: what comes first is least, NaN is last, zeros of both signs are one.
    Those of integers of 8 and 16 bits have as many.
    """
    b, ops, lanes, dtype = c.b, Scalars(c.b, x.type.lanes), x.type.lanes, given.dtype
    t = LLVM_I32.of_lanes(lanes)
    if not dtype.is_float:
        rank = x if dtype.bits == I32.bits else ops.cast(x, dtype, I32)
        if dtype.is_int and not dtype.is_signed_int:
            rank = b.sub(rank, integer(t, 1 << dtype.bits - 1))
        return b.xor(rank, integer(t, -1)) if given.largest else rank
    wide = ops.cast(x, dtype, DType.F32)
    bits = b.bitcast(b.fadd(wide, literal(DType.F32, 0.0, lanes)), t)
    rank = b.xor(bits, b.and_(b.binary("ashr", bits, integer(t, 31)), integer(t, LAST)))
    rank = b.xor(rank, integer(t, -1)) if given.largest else rank
    return b.select(b.fcmp("uno", wide, wide), integer(t, LAST), rank)


def with_positions(c: Code, ranks: Value, positions: Value) -> Value:
    """Both in an int64, lane by lane.  positions: int64 that are not negative."""
    wide = c.b.convert("sext", ranks, positions.type)
    return c.b.or_(c.b.binary("shl", wide, integer(wide.type, 32)), positions)


def position_of(c: Code, entry: Num) -> Num:
    """The position in an entry, as int32."""
    return Num(c, c.b.convert("trunc", entry.value, LLVM_I32), I32)


def entry(c: Code, r: Rows, base: Num, at: Num) -> Num:
    """The rank of an element with its position `at`.  base: where its row begins."""
    x = load(c.b, r.given.dtype, c.address(r.x, r.given.dtype, base + at * r.given.inner))
    return Num(c, with_positions(c, rank_of(c, x, r.given), at.value), I64)


def by_counts(c: Code, r: Rows, lane: Num, n: Num, room: Value) -> Value:
    """The order of a short row: how many elements come before one is its place.  room: scratch memory."""
    ranks, counts, places = (c.address(room, I32, k * r.given.counted) for k in range(3))
    base, given = r.base(lane), r.given

    def element(at: Num, lanes: int = 1) -> None:
        x = load(c.b, given.dtype, c.address(r.x, given.dtype, base + at * given.inner), lanes)
        c.b.store(rank_of(c, x, given), c.address(ranks, I32, at), LLVM_I32.align)

    start = c.num(0)
    if given.inner == 1:
        start = c.raw("and", n, -NEIGHBOURS)
        _by_blocks(c, start, lambda at: element(at, NEIGHBOURS))
    c.each(n, element, start)
    end = c.raw("and", n + (NEIGHBOURS - 1), -NEIGHBOURS)
    c.each(end, lambda at: c.store(ranks, at, c.num(LAST, I32)), n)  # comes before nothing
    _by_blocks(c, end, lambda at: _count(c, ranks, counts, at, end))
    c.each(n, lambda at: c.store(places, c.load(counts, I32, at).to(I64), at.to(I32)))
    return places


def _by_blocks(c: Code, stop: Num, body: Callable[[Num], None]) -> None:
    def turn(at: Num) -> Sequence[Num]:
        body(at)
        return []

    c.fold(stop, [], turn, step=NEIGHBOURS)


def _count(c: Code, ranks: Value, counts: Value, first: Num, end: Num) -> None:
    """Of some neighbours, how many elements come before each: lower ranks, and equal ones at lower places."""
    b, t = c.b, LLVM_I32.of_lanes(NEIGHBOURS)
    own = b.load(t, c.address(ranks, I32, first), LLVM_I32.align)

    def other(at: Num) -> Value:
        return b.splat(c.load(ranks, I32, at).value, NEIGHBOURS)

    def counted(count: Value, before: Value) -> Value:
        return b.add(count, b.convert("zext", before, t))

    def blocks(start: Num, stop: Num, code: str, count: Value) -> Value:
        def turn(at: Value, carried: Carried) -> Carried:
            total = carried[0]
            for i in range(_UNROLLED):
                total = counted(total, b.icmp(code, other(Num(c, at, I64) + i), own))
            return [total]

        return b.over(start.value, stop.value, [count], turn, _UNROLLED)[0]

    total = blocks(c.num(0), first, "sle", zero(t))
    for i in range(NEIGHBOURS):
        x, later = other(first + i), integers(I1.of_lanes(NEIGHBOURS), [int(k > i) for k in range(NEIGHBOURS)])
        before = b.or_(b.icmp("slt", x, own), b.and_(b.icmp("eq", x, own), later))
        total = counted(total, before)
    total = blocks(first + NEIGHBOURS, end, "slt", total)
    b.store(total, c.address(counts, I32, first), LLVM_I32.align)


def by_digits(c: Code, rows: tuple[Value, Value], counts: Value, count: Num, dtype: DType) -> Value:
    """Sort entries by ranks, a digit after the other, the lowest first; returns the row with the result.

    rows: the entries, by rising positions, and room for as many.  counts: room for those of all digits.
    """
    digits = digits_of(dtype)
    c.each(digits * _BUCKETS, lambda i: c.store(counts, i, c.num(0, I32)))

    def look(at: Num) -> None:
        found = c.load(rows[0], I64, at)
        for digit in range(digits):
            place = _digit(c, found, digit, digits) + digit * _BUCKETS
            c.store(counts, place, c.load(counts, I32, place) + 1)

    c.each(count, look)
    source, target = rows
    for digit in range(digits):
        own = c.address(counts, I32, digit * _BUCKETS)

        def sums(i: Num, before: Num, own: Value = own) -> Sequence[Num]:
            found = c.load(own, I32, i)
            c.store(own, i, before)
            return [before + found]

        def move(at: Num, own: Value = own, digit: int = digit, source: Value = source, target: Value = target) -> None:
            found = c.load(source, I64, at)
            bucket = _digit(c, found, digit, digits)
            place = c.load(own, I32, bucket)
            c.store(own, bucket, place + 1)
            c.store(target, place.to(I64), found)

        c.fold(_BUCKETS, [c.num(0, I32)], sums)
        c.each(count, move)
        source, target = target, source
    return source


def digits_of(dtype: DType) -> int:
    """Digits of ranks of a type."""
    return max(1, (I32 if dtype.is_float else dtype).bits // _BITS)


def _digit(c: Code, found: Num, digit: int, digits: int) -> Num:
    """A digit of the rank of an entry, counted from the lowest one; the uppermost has the sign."""
    moved = c.raw("and", c.raw("lshr", found, 32 + _BITS * digit), _BUCKETS - 1)
    return c.raw("xor", moved, _BUCKETS >> 1) if digit == digits - 1 else moved
