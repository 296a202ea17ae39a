"""The first k of a long row: a value that at least k elements reach, by bisection, and the positions of these."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.codegen.kernels.routines.code import BOOL, I32, I64, Code, Num
from mlconv.codegen.llvm.evaluate import load, store
from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.types import I1, I16, Value, integer
from mlconv.codegen.llvm.types import I32 as LLVM_I32
from mlconv.dialects.kernel import known
from mlconv.dialects.kernel.routines import TopK
from mlconv.ir.dtypes import DType

BLOCK = 16  # neighbours that are looked at together
_ENDS = {DType.F32: (-2139095041, 2139095040), DType.I32: (-(1 << 31), (1 << 31) - 1)}
"""The ranks of the worst number and of the best one, in the order of numbers; of floats, without NaN."""
_UNROLLED = 16  # blocks of a turn
_CLOSE = 8  # this share of k more reach a value that is good enough


def takes(given: TopK) -> bool:
    """Rows that a value is looked for of: of types of 32 bits, elements of which are neighbours."""
    if not isinstance(given.n, int) or not isinstance(given.k, int) or given.inner != 1 or given.dtype not in _ENDS:
        return False
    return _groups(given)[1] * BLOCK >= given.k


def _groups(given: TopK) -> tuple[int, int]:
    """How many blocks are passed over at once, and how often, so that scratch memory has room for the best of each
    column.
    """
    n, room = known((given.n, given.room))
    together = max(1, -(-n // (2 * room)))
    return together, n // (BLOCK * together)


def reaching(c: Code, x: Value, rows: Value, given: TopK) -> Num:
    """Writes positions of all elements that reach a value that at least k do, in order, and returns how many these are;
    where there are more than `room`, or NaNs among the first, they are not the right ones.

    x: the row.  rows: scratch memory.
    """
    n, room = known((given.n, given.room))
    bound = _bound(c, x, rows, given)

    def block(first: Num, count: Num) -> Sequence[Num]:
        bits = _mask(c, load(c.b, given.dtype, c.address(x, given.dtype, first), BLOCK), bound, given)

        def one(left: Num, count: Num) -> Sequence[Num]:
            at = c.b.call(LLVM_I32, "llvm.cttz.i32", [left.value, integer(I1, 0)])
            c.store(rows, count.min(room - 1), first.to(I32) + Num(c, at, I32))
            return [c.raw("and", left, left - 1), count + 1]

        return [c.repeat([bits, count], lambda left, _: left.ne(0), one)[1]]

    def single(j: Num, count: Num) -> Sequence[Num]:
        c.store(rows, count.min(room - 1), j.to(I32))
        value = c.load(x, given.dtype, j)
        return [count + (value.ge(bound) if given.largest else value.le(bound)).to(I64)]

    whole = n // BLOCK * BLOCK
    (count,) = c.fold(whole, [c.num(0)], block, step=BLOCK)
    return c.fold(n, [count], single, start=whole)[0]


def _bound(c: Code, x: Value, rows: Value, given: TopK) -> Num:
    """A value that the best of at least k groups of elements reach, and of few more."""
    (_, groups), (k,), (worst, best) = _groups(given), known((given.k,)), _ENDS[given.dtype]
    _best_of_columns(c, x, rows, given)

    def count(bound: Num) -> Num:
        def some(at: Num, total: Num) -> Sequence[Num]:
            bits = _mask(c, load(c.b, given.dtype, c.address(rows, given.dtype, at), BLOCK), bound, given)
            return [total + Num(c, c.b.call(LLVM_I32, "llvm.ctpop.i32", [bits.value]), I32)]

        return c.fold(groups * BLOCK, [c.num(0, I32)], some, step=BLOCK)[0]

    def halve(low: Num, high: Num) -> Sequence[Num]:
        middle = high - c.raw("lshr", high - low, 1)
        found = count(_number(c, middle, given))
        enough, close = found.ge(k), found.le(k + k // _CLOSE)
        return [c.where(enough, middle, low), c.where(enough, c.where(close, middle, high), middle - 1)]

    ends = [c.num(worst, I32), c.num(best, I32)]
    return _number(c, c.repeat(ends, lambda low, high: low.lt(high), halve)[0], given)


def _best_of_columns(c: Code, x: Value, rows: Value, given: TopK) -> None:
    """The best of each lane of the blocks of a group, which are neighbours, beside those of the groups before."""
    b, (together, groups) = c.b, _groups(given)
    nothing = b.splat(literal(given.dtype, _least(given)), BLOCK)
    turns, rest = divmod(together, _UNROLLED) if together > _UNROLLED else (0, together)

    def best_of(first: Num, count: int, best: Value) -> Value:
        for j in range(count):
            found = load(b, given.dtype, c.address(x, given.dtype, (first + j) * BLOCK), BLOCK)
            best = b.select(_beyond(c, found, best, given, "gt" if given.largest else "lt"), found, best)
        return best

    def group(i: Num) -> None:
        place, first = c.address(rows, given.dtype, i * BLOCK), i * together

        def turn(j: Num) -> None:
            best = best_of(first + j * _UNROLLED, _UNROLLED, load(b, given.dtype, place, BLOCK))
            store(b, given.dtype, best, place)

        if turns:
            store(b, given.dtype, nothing, place)
            c.each(turns, turn)
        best = load(b, given.dtype, place, BLOCK) if turns else nothing
        store(b, given.dtype, best_of(first + turns * _UNROLLED, rest, best), place)

    c.each(groups, group)


def _least(given: TopK) -> float:
    """What no number comes behind."""
    if given.dtype.is_float:
        return -math.inf if given.largest else math.inf
    return _ENDS[given.dtype][0 if given.largest else 1]


def _number(c: Code, rank: Num, given: TopK) -> Num:
    """The number of a rank: the better, the higher."""
    if not given.largest:
        rank = c.raw("xor", rank, -1)
    if not given.dtype.is_float:
        return rank
    bits = c.raw("xor", rank, c.raw("and", c.raw("ashr", rank, 31), (1 << 31) - 1))
    return Num(c, c.b.bitcast(bits.value, literal(given.dtype, 0.0).type), given.dtype)


def _mask(c: Code, found: Value, bound: Num, given: TopK) -> Num:
    """A bit for each lane that reaches a value."""
    lanes = c.b.splat(bound.value, BLOCK)
    bits = c.b.bitcast(_beyond(c, found, lanes, given, "ge" if given.largest else "le"), I16)
    return Num(c, c.b.convert("zext", bits, LLVM_I32), I32)


def _beyond(c: Code, x: Value, y: Value, given: TopK, code: str) -> Value:
    return c.b.fcmp(f"o{code}", x, y) if given.dtype.is_float else c.b.icmp(f"s{code}", x, y)


def may_come(c: Code, x: Value, worst: Num, given: TopK) -> Num:
    """Whether one of the neighbours at a place is NaN or comes before a value."""
    b = c.b
    found, bound = load(b, given.dtype, x, BLOCK), b.splat(worst.value, BLOCK)
    if given.dtype.is_float:
        some = b.fcmp("ugt" if given.largest else "ult", found, bound)
    else:
        some = b.icmp(("s" if given.dtype.is_signed_int else "u") + ("gt" if given.largest else "lt"), found, bound)
    return Num(c, b.call(some.type.element, f"llvm.vector.reduce.or.{some.type.name}", [some]), BOOL)
