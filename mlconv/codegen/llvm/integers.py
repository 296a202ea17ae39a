"""Integer functions that must not trap and have a meaning for every operand: division, remainders, shifts, powers;
casts from floats.
"""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm import helpers
from mlconv.codegen.llvm.lanes import Lanes
from mlconv.codegen.llvm.literals import wrapped
from mlconv.codegen.llvm.types import I1, Literal, Value, index
from mlconv.ir.dtypes import DType


def apply(s: Lanes, opcode: str, dtype: DType, args: Sequence[Value]) -> Value:
    """A guarded function.  Sources: core.Div, Rem, FloorDiv, FloorMod, ShiftLeft, ShiftRight, Pow."""
    a, b = args
    if opcode in ("shl", "shr"):
        return _shift(s, opcode, dtype, a, b)
    return _power(s, dtype, a, b) if opcode == "pow" else _divide(s, opcode, dtype, a, b)


def _divide(s: Lanes, opcode: str, dtype: DType, a: Value, b: Value) -> Value:
    """x / 0 and x mod 0 are 0; the smallest number over -1 is itself."""
    c, zero, one, signed = s.b, s.literal(dtype, 0), s.literal(dtype, 1), dtype.is_signed_int
    none = c.icmp("eq", b, zero)
    bad = none
    if signed:
        lowest = c.icmp("eq", a, s.literal(dtype, -(1 << dtype.bits - 1)))
        bad = c.or_(none, c.and_(lowest, c.icmp("eq", b, s.literal(dtype, -1))))
    safe = c.select(bad, one, b)
    quotient, rest = _quotient(s, dtype, a, safe) if _by_floats(s, dtype, b) else (None, None)
    kind = "s" if signed else "u"

    def left_over() -> Value:
        return c.binary(f"{kind}rem", a, safe) if rest is None else rest

    y = left_over() if opcode in ("rem", "floor_mod") else quotient or c.binary(f"{kind}div", a, safe)
    if signed and opcode in ("floor_div", "floor_mod"):
        left = y if opcode == "floor_mod" else left_over()
        apart = c.icmp("slt", c.xor(left, safe), zero)
        wrong = c.and_(apart, c.icmp("ne", left, zero))
        other = c.add(y, safe) if opcode == "floor_mod" else c.sub(y, one)
        y = c.select(wrong, other, y)
    return c.select(none, zero, y)


def _by_floats(s: Lanes, dtype: DType, b: Value) -> bool:
    """Vectors have no division of integers, which is done lane by lane; by a constant it is a product."""
    return s.lanes > 1 and s.b.cpu.has_vectors and dtype.bits <= 32 and not isinstance(b, Literal)


def _quotient(s: Lanes, dtype: DType, a: Value, b: Value) -> tuple[Value, Value]:
    """a / b towards zero, and what is left.  A quotient that is no integer is at least 1/b away from one, more than
    floats lose that have all bits of a.
    """
    c, wide, kind = s.b, s.type(DType.F32 if dtype.bits <= 16 else DType.F64), "s" if dtype.is_signed_int else "u"
    x, y = (c.convert(f"{kind}itofp", v, wide) for v in (a, b))
    quotient = c.convert(f"fpto{kind}i", c.binary("fdiv", x, y), s.type(dtype))
    return quotient, c.sub(a, c.mul(quotient, b))


def _shift(s: Lanes, opcode: str, dtype: DType, a: Value, b: Value) -> Value:
    """A width or more shifts everything out; a negative amount shifts by nothing.  Known amounts are not compared: of
    constants that are, LLVM 22 ends the process on 32-bit Arm.
    """
    c, signed, most = s.b, dtype.is_signed_int, dtype.bits - 1
    zero, last = s.literal(dtype, 0), s.literal(dtype, most)
    if isinstance(b, Literal) and b.number is not None:
        given = max(wrapped(dtype, b.number), 0)
        if given > most and not (signed and opcode == "shr"):
            return zero
        kind = "shl" if opcode == "shl" else "ashr" if signed else "lshr"
        return c.binary(kind, a, s.literal(dtype, min(given, most)))
    over = c.icmp("sgt" if signed else "ugt", b, last)
    low = c.select(c.icmp("slt", b, zero), zero, b) if signed else b
    amount = c.select(over, last, low)
    if opcode == "shl":
        return c.select(over, zero, c.binary("shl", a, amount))
    if signed:
        return c.binary("ashr", a, amount)
    return c.select(over, zero, c.binary("lshr", a, amount))


def _power(s: Lanes, dtype: DType, a: Value, b: Value) -> Value:
    """By squaring.  A negative power is what is left of the fraction: 1 and -1 stay, 0 gives what a C compiler makes of
    infinity, all else 0.
    """
    c, i64 = s.b, DType.I64
    x, n = s.cast(a, dtype, i64), s.cast(b, dtype, i64)
    if not dtype.is_signed_int:
        return s.cast(helpers.call(c, "mlc_power", [x, n]), i64, dtype)
    negative = c.icmp("slt", n, index(0))
    y = helpers.call(c, "mlc_power", [x, c.select(negative, c.and_(n, index(1)), n)])
    unit = c.or_(c.icmp("eq", x, index(1)), c.icmp("eq", x, index(-1)))
    endless = index(-(1 << dtype.bits - 1) if dtype.bits >= 32 else 0)
    rest = c.select(c.icmp("eq", x, index(0)), endless, index(0))
    fraction = c.select(unit, y, rest)
    return s.cast(c.select(negative, fraction, y), i64, dtype)


def from_float(s: Lanes, x: Value, source: DType, target: DType) -> Value:
    """A float as C converts it by way of int64: what does not fit becomes the smallest int64, then wraps into the
    target.
    """
    if target.bits <= 32:
        return s.cast(_word(s, x, source), DType.I32, target)
    c, big = s.b, s.literal(source, 2.0**63)
    wide = _whole(s, x, source)
    if target is DType.U64:
        upper = c.xor(_whole(s, c.fsub(x, big), source), s.literal(DType.I64, -(1 << 63)))
        return c.select(c.fcmp("olt", x, big), wide, upper)
    return s.cast(wide, DType.I64, target)


def _whole(s: Lanes, x: Value, source: DType) -> Value:
    """int64 towards zero; the smallest one for what does not fit, and for NaN."""
    within = s.b.fcmp("olt", s.apply("abs", source, [x], [source]), s.literal(source, 2.0**63))
    return s.b.convert("fptosi", s.b.select(within, x, s.literal(source, -(2.0**63))), s.type(DType.I64))


def _word(s: Lanes, x: Value, source: DType) -> Value:
    """`_low_word` of a vector by one conversion where all that is in it fits."""
    if s.lanes == 1 or not s.b.cpu.has_vectors:
        return _low_word(s, x, source)
    far = s.b.fcmp("uge", s.apply("abs", source, [x], [source]), s.literal(source, 2.0**31))
    some = s.b.call(I1, f"llvm.vector.reduce.or.v{s.lanes}i1", [far])
    near = lambda: [s.b.convert("fptosi", x, s.type(DType.I32))]  # noqa: E731
    return s.b.choose(some, lambda: [_low_word(s, x, source)], near)[0]


def _low_word(s: Lanes, x: Value, source: DType) -> Value:
    """The lower 32 bits of the int64 that a float becomes, without int64: t - 2^32 trunc(t / 2^32) is exact, and 0
    stands for what does not fit.
    """

    def op(opcode: str, *args: Value) -> Value:
        return s.apply(opcode, source, args, [source] * len(args))

    def where(code: str, a: Value, bound: float, yes: Value, no: Value) -> Value:
        return s.b.select(s.b.fcmp(code, a, s.literal(source, bound)), yes, no)

    word, whole = s.literal(source, 2.0**32), s.intrinsic("trunc", source, [x])
    words = s.intrinsic("trunc", source, [op("mul", whole, s.literal(source, 2.0**-32))])
    rest = op("sub", whole, op("mul", words, word))
    rest = where("oge", rest, 2.0**31, op("sub", rest, word), rest)
    rest = where("olt", rest, -(2.0**31), op("add", rest, word), rest)
    rest = where("olt", op("abs", x), 2.0**63, rest, s.literal(source, 0.0))
    return s.b.convert("fptosi", rest, s.type(DType.I32))


def saturated(s: Lanes, x: Value, target: DType) -> Value:
    """The nearest number that the integer type has; NaN is 0."""
    return s.saturated("fptosi" if target.is_signed_int else "fptoui", x, target)
