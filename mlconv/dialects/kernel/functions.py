"""Functions of expressions: which of them have code, and what of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.ir.dtypes import DType

LOADS = frozenset({"load", "load_at"})
# Functions that are calls of libm, one number at a time; those of POLYNOMIAL are vector code for float32, and those of
# OF_DOUBLES for float64.
LIBM = frozenset(
    {
        "exp",
        "log",
        "sin",
        "cos",
        "tan",
        "asin",
        "acos",
        "atan",
        "sinh",
        "cosh",
        "tanh",
        "asinh",
        "acosh",
        "atanh",
        "erf",
        "erfc",
        "expm1",
        "log1p",
        "pow",
        "rem",
        "floor_mod",
        "atan2",
        "lgamma",
        "digamma",
    }
)
REMAINDERS = frozenset({"rem", "floor_mod"})
"""Of float32 by float64, in vectors."""
DIVISIONS = REMAINDERS | {"div", "floor_div"}

SCALAR_INTEGER = DIVISIONS | {"pow"}
# exp_moderate: exp of what is below 88, 0 where that is no normal number
POLYNOMIAL = frozenset({"exp", "exp_moderate", "log", "tanh", "sigmoid", "erf", "sin", "cos", "asin", "acos", "atan"})
OF_DOUBLES = frozenset({"exp", "exp_moderate", "log", "tanh", "sigmoid", "sin", "cos"})
"""Functions that are vector code for float64, too."""


_ANY = frozenset({"select", "cast", "equal", "not_equal", "saturate", "cast_small"})
_ORDERED = frozenset(
    {"add", "sub", "mul", "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "abs"}
)
_BITS = frozenset({"and", "or", "xor", "not"})
_COMPARE = frozenset({"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"})
# Functions by kind of the type that they compute with.
_BOOL = (_ANY | _ORDERED | _BITS) - {"abs"}
_INTEGER = _ANY | _ORDERED | _BITS | SCALAR_INTEGER | {"neg", "shl", "shr"}
_COMPLEX = _ANY | {
    "add",
    "sub",
    "mul",
    "div",
    "neg",
    "abs",
    "exp",
    "log",
    "sqrt",
    "sign",
    "pow",
    "sin",
    "cos",
    "tan",
    "sinh",
    "cosh",
    "tanh",
    "expm1",
    "log1p",
    "sigmoid",
    "complex",
    "real",
    "imag",
}
_FLOAT = _ANY | _ORDERED | LIBM | POLYNOMIAL
_FLOAT |= {"div", "neg", "floor", "ceil", "round", "trunc", "sqrt", "floor_div", "complex", "nearest", "factor"}
_TWO = _COMPARE | _BITS | {"add", "sub", "mul", "div", "maximum", "minimum", "shl", "shr", "complex"}
_TWO |= SCALAR_INTEGER | {"atan2"}
ARITY = {name: 2 if name in _TWO else 1 for name in _INTEGER | _FLOAT | _COMPLEX} | {"not": 1, "select": 3}
"""How many arguments each function takes."""

PART = {DType.C64: DType.F32, DType.C128: DType.F64}
"""Types of the real and the imaginary part."""


def has_function(opcode: str, dtype: DType) -> bool:
    """Whether there is code for a function of operands of a type."""
    if dtype is DType.BOOL:
        return opcode in _BOOL
    if dtype.is_complex:
        return opcode in _COMPLEX
    return opcode in (_INTEGER if dtype.is_int else _FLOAT)


def misuse(opcode: str, dtype: DType, args: Sequence[DType]) -> str:
    """Why a function with a result of `dtype` does not take arguments of these types; empty when it does."""
    given = ", ".join(a.display for a in args)
    if opcode not in ARITY:
        return f"there is no function {opcode!r}"
    if len(args) != ARITY[opcode]:
        return f"{opcode} takes {ARITY[opcode]} arguments, not {len(args)}"
    condition, *same = args if opcode == "select" else (DType.BOOL, *args)
    if condition is not DType.BOOL or any(a is not same[0] for a in same):
        return f"{opcode} does not take ({given})"
    if not has_function(opcode, same[0]):
        return f"there is no {opcode} of {same[0].display}"
    return "" if _gives(opcode, same[0], dtype) else f"{opcode} of ({given}) gives no {dtype.display}"


def _gives(opcode: str, source: DType, dtype: DType) -> bool:
    """Whether a function of arguments of one type may have a result of another."""
    if opcode == "cast":
        return True
    if opcode in ("saturate", "cast_small"):
        return source.is_float and dtype.is_int and (opcode == "saturate" or dtype.bits <= 32)
    if opcode == "nearest":  # halves to even, of magnitudes below 2^22
        return source is DType.F32 and (dtype is DType.I32 or (dtype.is_int and dtype.bits <= 16))
    if opcode == "factor":  # the nearest bfloat16, as products take it: one that is denormal may be 0
        return source is DType.F32 and dtype is DType.BF16
    if opcode in _COMPARE:
        return dtype is DType.BOOL
    if opcode == "complex":
        return PART.get(dtype) is source
    if opcode in ("real", "imag") or (opcode == "abs" and source.is_complex):
        return PART[source] is dtype
    return source is dtype


def combines(opcode: str, dtype: DType) -> bool:
    """Whether a reduction may combine numbers of a type by a function."""
    if opcode == "add_wide":
        return dtype is DType.F32
    if opcode == "greatest":
        return dtype in (DType.F32, DType.F64)
    if opcode in ("and", "or"):
        return dtype is DType.BOOL
    if opcode in ("maximum", "minimum"):
        return not dtype.is_complex and dtype is not DType.BOOL
    return opcode in ("add", "mul")


def holds_number(dtype: DType, value: object) -> bool:
    """Whether a value can be written as a literal of a type."""
    if not isinstance(value, (int, float, complex)) or (isinstance(value, complex) and not dtype.is_complex):
        return False
    if not dtype.is_float and not dtype.is_complex:
        whole = isinstance(value, int) or (isinstance(value, float) and value.is_integer())
        bits = 1 if dtype is DType.BOOL else dtype.bits
        return whole and -(1 << bits - 1 if dtype.is_signed_int else 0) <= value.real < 1 << bits
    try:
        parts = complex(value).real, complex(value).imag
    except OverflowError:
        return False
    most = _LARGEST if dtype in (DType.F32, DType.C64) else math.inf
    return all(abs(p) < most or not math.isfinite(p) for p in parts)


_LARGEST = 2.0**128 * (1 - 2.0**-25)  # what is less rounds to a float32


def needs_scalars(opcode: str, dtype: DType) -> bool:
    """The function has no vector form.  Integers have one of all but powers and divisions of more than 32 bits."""
    if dtype.is_int:
        return opcode in SCALAR_INTEGER and (opcode == "pow" or dtype.bits > 32)
    vectors = OF_DOUBLES if dtype is DType.F64 else POLYNOMIAL | REMAINDERS
    by_lanes = opcode in vectors and dtype in (DType.F64, DType.F32, DType.F16, DType.BF16)
    return opcode in LIBM | POLYNOMIAL and not by_lanes


# Element types that generated code computes with; a bool takes a byte in memory.
DTYPES = frozenset(
    {
        DType.F64,
        DType.F32,
        DType.F16,
        DType.BF16,
        DType.C64,
        DType.C128,
        DType.I64,
        DType.I32,
        DType.I16,
        DType.I8,
        DType.U64,
        DType.U32,
        DType.U16,
        DType.U8,
        DType.BOOL,
    }
)
