"""Functions of expressions: which of them have code, and what of."""

from __future__ import annotations

from mlconv.ir.dtypes import DType

LOADS = frozenset({"load", "load_at"})
# Functions that are calls of libm, one number at a time; those of POLYNOMIAL are vector code for float32.
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
SCALAR_INTEGER = frozenset({"pow", "div", "rem", "floor_div", "floor_mod"})
POLYNOMIAL = frozenset({"exp", "log", "tanh", "sigmoid", "erf"})


_ANY = frozenset({"select", "cast", "equal", "not_equal", "saturate", "cast_small"})
_ORDERED = frozenset(
    {"add", "sub", "mul", "maximum", "minimum", "less", "less_equal", "greater", "greater_equal", "abs"}
)
_BITS = frozenset({"and", "or", "xor", "not"})
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


def has_function(opcode: str, dtype: DType) -> bool:
    """Whether there is code for a function of operands of a type."""
    if dtype is DType.BOOL:
        return opcode in _BOOL
    if dtype.is_complex:
        return opcode in _COMPLEX
    return opcode in _INTEGER if dtype.is_int else opcode not in _BITS | {"shl", "shr", "real", "imag"}


def needs_scalars(opcode: str, dtype: DType) -> bool:
    """The function has no vector form.  Integers have one of all but powers and divisions."""
    if dtype.is_int:
        return opcode in SCALAR_INTEGER
    return opcode in LIBM | POLYNOMIAL and not (opcode in POLYNOMIAL and dtype in (DType.F32, DType.F16, DType.BF16))


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
