"""Integer functions that must not trap and have a meaning for every operand: division, remainders, shifts, powers;
casts from floats.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mlconv.codegen.llvm import helpers
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.codegen.llvm.scalars import Scalars

OPCODES = frozenset({"div", "rem", "floor_div", "floor_mod", "shl", "shr", "pow"})


def apply(s: Scalars, opcode: str, dtype: DType, args: Sequence[str]) -> str:
    """A function of OPCODES.  Sources: core.Div, Rem, FloorDiv, FloorMod, ShiftLeft, ShiftRight, Pow."""
    a, b = args
    if opcode in ("shl", "shr"):
        return _shift(s, opcode, dtype, a, b)
    return _power(s, dtype, a, b) if opcode == "pow" else _divide(s, opcode, dtype, a, b)


def _op(s: Scalars, name: str, dtype: DType, a: str, b: str) -> str:
    return s.b.op(f"{name} {s.type(dtype)} {a}, {b}")


def _select(s: Scalars, condition: str, dtype: DType, a: str, b: str) -> str:
    return s.b.op(f"select {s.wide('i1')} {condition}, {s.type(dtype)} {a}, {s.type(dtype)} {b}")


def _compare(s: Scalars, code: str, dtype: DType, a: str, b: str) -> str:
    return s.b.op(f"icmp {code} {s.type(dtype)} {a}, {b}")


def _divide(s: Scalars, opcode: str, dtype: DType, a: str, b: str) -> str:
    """x / 0 and x mod 0 are 0; the smallest number over -1 is itself."""
    zero, signed = s.literal(dtype, 0), dtype.is_signed_int
    none = _compare(s, "eq", dtype, b, zero)
    bad = none
    if signed:
        lowest = _compare(s, "eq", dtype, a, s.literal(dtype, -(1 << dtype.bits - 1)))
        over = s.b.op(f"and {s.wide('i1')} {lowest}, {_compare(s, 'eq', dtype, b, s.literal(dtype, -1))}")
        bad = s.b.op(f"or {s.wide('i1')} {none}, {over}")
    safe = _select(s, bad, dtype, s.literal(dtype, 1), b)
    kind = "s" if signed else "u"
    y = _op(s, f"{kind}{'div' if opcode in ('div', 'floor_div') else 'rem'}", dtype, a, safe)
    if signed and opcode in ("floor_div", "floor_mod"):
        left = y if opcode == "floor_mod" else _op(s, "srem", dtype, a, safe)
        apart = _compare(s, "slt", dtype, _op(s, "xor", dtype, left, safe), zero)
        wrong = s.b.op(f"and {s.wide('i1')} {apart}, {_compare(s, 'ne', dtype, left, zero)}")
        other = _op(s, "add", dtype, y, safe) if opcode == "floor_mod" else _op(s, "sub", dtype, y, s.literal(dtype, 1))
        y = _select(s, wrong, dtype, other, y)
    return _select(s, none, dtype, zero, y)


def _shift(s: Scalars, opcode: str, dtype: DType, a: str, b: str) -> str:
    """A width or more shifts everything out; a negative amount shifts by nothing."""
    signed, zero, last = dtype.is_signed_int, s.literal(dtype, 0), s.literal(dtype, dtype.bits - 1)
    over = _compare(s, "sgt" if signed else "ugt", dtype, b, last)
    low = _select(s, _compare(s, "slt", dtype, b, zero), dtype, zero, b) if signed else b
    amount = _select(s, over, dtype, last, low)
    if opcode == "shl":
        return _select(s, over, dtype, zero, _op(s, "shl", dtype, a, amount))
    if signed:
        return _op(s, "ashr", dtype, a, amount)
    return _select(s, over, dtype, zero, _op(s, "lshr", dtype, a, amount))


def _power(s: Scalars, dtype: DType, a: str, b: str) -> str:
    """By squaring.  A negative power is what is left of the fraction: 1 and -1 stay, 0 gives what a C compiler makes of
    infinity, all else 0.
    """
    i64 = DType.I64
    x, n = s.cast(a, dtype, i64), s.cast(b, dtype, i64)
    if not dtype.is_signed_int:
        return s.cast(helpers.call(s.b, "mlc_power", "i64", [x, n]), i64, dtype)
    negative = _compare(s, "slt", i64, n, "0")
    y = helpers.call(s.b, "mlc_power", "i64", [x, _select(s, negative, i64, _op(s, "and", i64, n, "1"), n)])
    unit = s.b.op(f"or i1 {_compare(s, 'eq', i64, x, '1')}, {_compare(s, 'eq', i64, x, '-1')}")
    rest = _select(s, _compare(s, "eq", i64, x, "0"), i64, str(-(1 << dtype.bits - 1) if dtype.bits >= 32 else 0), "0")
    fraction = _select(s, unit, i64, y, rest)
    return s.cast(_select(s, negative, i64, fraction, y), i64, dtype)


def from_float(s: Scalars, x: str, source: DType, target: DType) -> str:
    """A float as C converts it by way of int64: what does not fit becomes the smallest int64, then wraps into the
    target.
    """
    if target.bits <= 32:
        return s.cast(_low_word(s, x, source), DType.I32, target)
    big, lowest = 2.0**63, s.literal(DType.I64, -(1 << 63))
    wide = s.intrinsic_to(f"fptosi.sat.{s.name(DType.I64)}.{s.name(source)}", DType.I64, source, x)
    fits = s.b.op(f"fcmp olt {s.type(source)} {x}, {s.literal(source, big)}")
    if target is DType.U64:
        moved = s.b.op(f"fsub {s.type(source)} {x}, {s.literal(source, big)}")
        upper = s.intrinsic_to(f"fptosi.sat.{s.name(DType.I64)}.{s.name(source)}", DType.I64, source, moved)
        below = s.b.op(f"fcmp olt {s.type(source)} {moved}, {s.literal(source, big)}")
        upper = _op(s, "xor", DType.I64, _select(s, below, DType.I64, upper, lowest), lowest)
        return _select(s, fits, DType.I64, wide, upper)
    return s.cast(_select(s, fits, DType.I64, wide, lowest), DType.I64, target)


def _low_word(s: Scalars, x: str, source: DType) -> str:
    """The lower 32 bits of the int64 that a float becomes, without int64: t - 2^32 trunc(t / 2^32) is exact, and 0
    stands for what does not fit.
    """

    def op(opcode: str, *args: str) -> str:
        return s.apply(opcode, source, args, [source] * len(args))

    def where(code: str, a: str, bound: float, yes: str, no: str) -> str:
        return _select(s, s.b.op(f"fcmp {code} {s.type(source)} {a}, {s.literal(source, bound)}"), source, yes, no)

    word, whole = s.literal(source, 2.0**32), s.intrinsic("trunc", source, [x])
    words = s.intrinsic("trunc", source, [op("mul", whole, s.literal(source, 2.0**-32))])
    rest = op("sub", whole, op("mul", words, word))
    rest = where("oge", rest, 2.0**31, op("sub", rest, word), rest)
    rest = where("olt", rest, -(2.0**31), op("add", rest, word), rest)
    rest = where("olt", op("abs", x), 2.0**63, rest, s.literal(source, 0.0))
    return s.b.op(f"fptosi {s.type(source)} {rest} to {s.type(DType.I32)}")


def saturated(s: Scalars, x: str, source: DType, target: DType) -> str:
    """The nearest number that the integer type has; NaN is 0."""
    sign = "s" if target.is_signed_int else "u"
    return s.intrinsic_to(f"fpto{sign}i.sat.{s.name(target)}.{s.name(source)}", target, source, x)
