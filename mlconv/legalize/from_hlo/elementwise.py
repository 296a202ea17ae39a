"""Elementwise opcodes.  Source: openxla.org/xla/operation_semantics."""

from __future__ import annotations

from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, known_ints
from mlconv.legalize.from_hlo.operands import checked, hlo_rules, result, simple
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.index_forms import not_negative

RULES: Final = hlo_rules()
_SIMPLE: dict[str, type[OpDef]] = {
    "negate": core.Neg,
    "abs": core.Abs,
    "sign": core.Sign,
    "exponential": core.Exp,
    "exponential-minus-one": core.Expm1,
    "log": core.Log,
    "log-plus-one": core.Log1p,
    "sqrt": core.Sqrt,
    "rsqrt": core.Rsqrt,
    "sine": core.Sin,
    "cosine": core.Cos,
    "tan": core.Tan,
    "tanh": core.Tanh,
    "erf": core.Erf,
    "floor": core.Floor,
    "ceil": core.Ceil,
    "round-nearest-even": core.Round,
    "logistic": core.Sigmoid,
    "is-finite": core.IsFinite,
    "real": core.Real,
    "imag": core.Imag,
    "complex": core.Complex,
    "subtract": core.Sub,
    "maximum": core.Maximum,
    "minimum": core.Minimum,
    "power": core.Pow,
    "atan2": core.Atan2,
    "and": core.And,
    "or": core.Or,
    "xor": core.Xor,
    "acos": core.Acos,
    "acosh": core.Acosh,
    "asin": core.Asin,
    "asinh": core.Asinh,
    "atanh": core.Atanh,
    "cosh": core.Cosh,
    "sinh": core.Sinh,
}
for _name, _make in _SIMPLE.items():
    RULES.add(_name, simple(_make))
_COMPARE: dict[str, type[OpDef]] = {
    "EQ": core.Equal,
    "NE": core.NotEqual,
    "LT": core.Less,
    "LE": core.LessEqual,
    "GT": core.Greater,
    "GE": core.GreaterEqual,
}
_UNSIGNED = {DType.I8: DType.U8, DType.I16: DType.U16, DType.I32: DType.U32, DType.I64: DType.U64}


def _arithmetic(n: SourceNode, number: type[OpDef], logic: type[OpDef]) -> Value:
    a, b = n.operand(0), n.operand(1)
    return n.y((logic if a.tensor.dtype is DType.BOOL else number)(a, b))


@RULES.rule("add")
@checked
def add(n: SourceNode) -> Value:
    """Or, on bool."""
    return _arithmetic(n, core.Add, core.Or)


@RULES.rule("multiply")
@checked
def multiply(n: SourceNode) -> Value:
    """And, on bool."""
    return _arithmetic(n, core.Mul, core.And)


@RULES.rule("divide")
@checked
def divide(n: SourceNode) -> Value:
    """Of integers by 0: -1, all bits.  Source: xla/service/elemental_ir_emitter.cc, EmitIntegerDivide."""
    dtype = n.operand(1).tensor.dtype
    return _divided(n, core.Div, -1 if dtype.is_signed_int else (1 << dtype.bits) - 1)


@RULES.rule("remainder")
@checked
def remainder(n: SourceNode) -> Value:
    """Of integers by 0: the integer.  Source: xla/service/elemental_ir_emitter.cc, EmitIntegerRemainder."""
    return _divided(n, core.Rem, n.operand(0))


def _divided(n: SourceNode, make: type[OpDef], by_zero: Value | int) -> Value:
    """A quotient or a remainder.  by_zero: of integers by 0, by which kernels of TFLite refuse to divide."""
    a, b = n.operand(0), n.operand(1)
    known = known_ints(b)
    if not b.tensor.dtype.is_int or (known is not None and 0 not in known and None not in known):
        return n.y(make(a, b))
    is_zero = n.equal(b, 0)
    y = n.y(make(a, n.where(is_zero, n.asarray(1, b), b)))
    return n.where(is_zero, n.asarray(by_zero, y), y)


@RULES.rule("not")
@checked
def not_(n: SourceNode) -> Value:
    """Logical on bool, else bitwise."""
    x = n.operand(0)
    return n.y(core.LogicalNot(x) if x.tensor.dtype is DType.BOOL else core.BitwiseNot(x))


@RULES.rule("compare")
@checked
def compare(n: SourceNode) -> Value:
    """A comparison by its direction."""
    direction = n.attr("direction")
    if direction not in _COMPARE:
        raise n.unsupported(f"direction {direction!r}")
    return n.y(_COMPARE[direction](n.operand(0), n.operand(1)))


@RULES.rule("clamp")
@checked
def clamp(n: SourceNode) -> Value:
    """min(max(x, low), high); numbers on both sides make a core.clamp."""
    low, x, high = (n.operand(i) for i in range(3))
    bounds = [n.const_or_none(i) for i in (0, 2)]
    if all(b is not None and b.size == 1 for b in bounds):
        lo, hi = (float(b.reshape(-1)[0]) for b in bounds if b is not None)
        return n.y(core.Clamp(x, lo=lo, hi=hi))
    return n.y(core.Minimum(n.y(core.Maximum(x, low)), high))


@RULES.rule("shift-left")
@checked
def shift_left(n: SourceNode) -> Value:
    """All bits leave by amounts of the width and more."""
    return n.y(core.ShiftLeft(n.operand(0), _amounts(n, n.operand(1))))


@RULES.rule("shift-right-arithmetic", "shift-right-logical")
@checked
def shift_right(n: SourceNode) -> Value:
    """By the signed or unsigned type of the same bits."""
    a, b = n.operand(0), n.operand(1)
    dtype = a.tensor.dtype
    table = _UNSIGNED if n.kind == "shift-right-logical" else {v: k for k, v in _UNSIGNED.items()}
    if dtype not in table:
        return n.y(core.ShiftRight(a, _amounts(n, b)))
    moved = core.ShiftRight(
        n.y(core.Bitcast(a, dtype=table[dtype])), _amounts(n, n.y(core.Bitcast(b, dtype=table[dtype])))
    )
    return n.y(core.Bitcast(n.y(moved), dtype=dtype))


def _amounts(n: SourceNode, b: Value) -> Value:
    """Of shifts: HLO takes negative ones for large ones, as unsigned numbers of the same bits.  Source:
    xla/service/elemental_ir_emitter.cc, SaturateShiftIfNecessary.
    """
    dtype = b.tensor.dtype
    if not dtype.is_signed_int or not_negative(b):
        return b
    return n.where(n.less(b, 0), dtype.bits, b)


@RULES.rule("convert")
@checked
def convert(n: SourceNode) -> Value:
    """Floats to integers saturate."""
    x, dtype = n.operand(0), result(n).dtype
    return (
        n.operand(0)
        if x.tensor.dtype is dtype
        else n.y(core.Cast(x, dtype=dtype, saturate=dtype.is_int and x.tensor.dtype.is_float))
    )


@RULES.rule("bitcast-convert")
@checked
def bitcast_convert(n: SourceNode) -> Value:
    """The same bits."""
    return n.y(core.Bitcast(n.operand(0), dtype=result(n).dtype))


@RULES.rule("cbrt")
@checked
def cbrt(n: SourceNode) -> Value:
    """sign(x) |x|^(1/3)."""
    x = n.operand(0)
    return n.y(core.Mul(n.y(core.Sign(x)), n.y(core.Pow(n.y(core.Abs(x)), n.asarray(1 / 3, x)))))


@RULES.rule("round-nearest-afz")
@checked
def round_away(n: SourceNode) -> Value:
    """Halves away from zero.  What is above the whole part decides: sums with 1/2 are rounded themselves."""
    x = n.operand(0)
    size = n.y(core.Abs(x))
    whole = n.y(core.Floor(size))
    more = n.cast(n.greater_equal(n.sub(size, whole), 0.5), x.tensor.dtype)
    return n.y(core.Mul(n.y(core.Sign(x)), n.add(whole, more)))
