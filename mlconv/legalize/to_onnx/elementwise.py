"""Elementwise ops: those with an operator by table, then the ones that are made of others.

Sources: the operators' own pages, ONNX Div-14, Mod-13, Pow-15, BitShift-11, Clip-13, Gelu-20, IsInf-10.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize import functions
from mlconv.legalize.functions import Ex
from mlconv.legalize.to_onnx.builder import OnnxBuilder
from mlconv.rewrite import Rules

RULES = Rules()

UNARY = {
    core.Abs: "Abs",
    core.Sign: "Sign",
    core.Exp: "Exp",
    core.Log: "Log",
    core.Sqrt: "Sqrt",
    core.Sin: "Sin",
    core.Cos: "Cos",
    core.Tan: "Tan",
    core.Asin: "Asin",
    core.Acos: "Acos",
    core.Atan: "Atan",
    core.Sinh: "Sinh",
    core.Cosh: "Cosh",
    core.Asinh: "Asinh",
    core.Acosh: "Acosh",
    core.Atanh: "Atanh",
    core.Tanh: "Tanh",
    core.Erf: "Erf",
    core.Floor: "Floor",
    core.Ceil: "Ceil",
    core.Round: "Round",
    core.Sigmoid: "Sigmoid",
    core.Softplus: "Softplus",
    core.HardSwish: "HardSwish",
    core.IsNan: "IsNaN",
    core.LogicalNot: "Not",
}
BINARY = {
    core.Add: "Add",
    core.Sub: "Sub",
    core.Mul: "Mul",
    core.Maximum: "Max",
    core.Minimum: "Min",
    core.Equal: "Equal",
    core.Less: "Less",
    core.LessEqual: "LessOrEqual",
    core.Greater: "Greater",
    core.GreaterEqual: "GreaterOrEqual",
}
_LOGICAL = {core.And: "And", core.Or: "Or", core.Xor: "Xor"}
_UNSIGNED = {DType.I8: DType.U8, DType.I16: DType.U16, DType.I32: DType.U32, DType.I64: DType.U64}
_SHIFTED = {DType.U8: DType.U8, DType.U16: DType.U32, DType.U32: DType.U32, DType.U64: DType.U64}


@RULES.rule(*UNARY)
def unary(op: Unary, e: OnnxBuilder) -> Value:
    """An operator of its own."""
    return e.one(UNARY[type(op)], [op.x], op.y.type)


@RULES.rule(*BINARY)
def binary(op: Binary, e: OnnxBuilder) -> Value:
    """An operator of its own, which broadcasts."""
    return e.one(BINARY[type(op)], [op.a, op.b], op.y.type)


@RULES.rule(core.NotEqual)
def not_equal(op: core.NotEqual, e: OnnxBuilder) -> Value:
    """Not of Equal."""
    return e.one("Not", [e.y(core.Equal(op.a, op.b))], op.y.type)


@RULES.rule(core.Neg)
def neg(op: core.Neg, e: OnnxBuilder) -> Value:
    """Neg takes no unsigned integers: 0 - x, which wraps."""
    if op.x.tensor.dtype.is_unsigned_int:
        return e.sub(0, op.x)
    return e.one("Neg", [op.x], op.y.type)


@RULES.rule(core.Rsqrt)
def rsqrt(op: core.Rsqrt, e: OnnxBuilder) -> Value:
    """1 / sqrt(x)."""
    return e.one("Reciprocal", [e.sqrt(op.x)], op.y.type)


def _has_no_zero(divisor: Value) -> bool:
    constant = const_of(divisor)
    return constant is not None and constant.size <= 1 << 16 and bool((constant.view() != 0).all())


@RULES.rule(core.Div)
def div(op: core.Div, e: OnnxBuilder) -> Value:
    """Div; what an integer divided by 0 gives, ONNX leaves open and core says: 0."""
    if not op.a.tensor.dtype.is_int or _has_no_zero(op.b):
        return e.one("Div", [op.a, op.b], op.y.type)
    zero = e.cast(e.equal(op.b, 0), op.b.tensor.dtype)
    quotient = e.one("Div", [op.a, e.add(op.b, zero)], op.y.type)
    return e.mul(quotient, e.sub(1, zero))


@RULES.rule(core.FloorDiv)
def floor_div(op: core.FloorDiv, e: OnnxBuilder) -> Value:
    """Floor of the quotient; for integers, a less its remainder is a multiple of b."""
    if not op.a.tensor.dtype.is_int:
        return e.floor(e.div(op.a, op.b))
    return e.div(e.sub(op.a, e.y(core.FloorMod(op.a, op.b))), op.b)


def _mod(e: OnnxBuilder, a: Value, b: Value, type_: TensorType, fmod: int) -> Value:
    """Mod, whose divisor is not to be an integer 0; then the result is that of a division by 1, 0."""
    if a.tensor.dtype.is_int and not _has_no_zero(b):
        b = e.add(b, e.cast(e.equal(b, 0), b.tensor.dtype))
    return e.one("Mod", [a, b], type_, fmod=fmod)


@RULES.rule(core.FloorMod)
def floor_mod(op: core.FloorMod, e: OnnxBuilder) -> Value:
    """Mod with the sign of the divisor is for integers alone; of floats, the remainder is moved by one divisor."""
    t = op.y.tensor
    if t.dtype.is_int:
        return _mod(e, op.a, op.b, t, 0)
    rest = e.one("Mod", [op.a, op.b], t, fmod=1)
    apart = e.y(core.Xor(e.less(rest, 0), e.less(op.b, 0)))
    moved = e.logical_and(apart, e.logical_not(e.equal(rest, 0)))
    return e.where(moved, e.add(rest, op.b), rest)


@RULES.rule(core.Rem)
def rem(op: core.Rem, e: OnnxBuilder) -> Value:
    """Mod with the sign of the dividend."""
    return _mod(e, op.a, op.b, op.y.tensor, 1)


@RULES.rule(core.Pow)
def power(op: core.Pow, e: OnnxBuilder) -> Value:
    """Pow, whose exponent may have another type."""
    return e.one("Pow", [op.a, op.b], op.y.type)


@RULES.rule(core.Atan2)
def atan2(op: core.Atan2, e: OnnxBuilder) -> Value:
    """The angle in the first octant, mirrored by what is larger and by the signs, those of zeros too."""
    a, b = Ex(e, op.a), Ex(e, op.b)
    high, low = a.abs.of(core.Maximum, b.abs), a.abs.of(core.Minimum, b.abs)
    same = high.where(core.Equal, 0.0, 0.0, 1.0)  # of two infinities, or two zeros, there is no quotient
    ratio = high.where(core.Equal, low, same, low / high)
    angle = ratio.of(core.Atan)
    angle = a.abs.where(core.Greater, b.abs, math.pi / 2 - angle, angle)
    angle = Ex(e, e.where(_is_negative(b), (math.pi - angle).v, angle.v))
    return e.where(_is_negative(a), e.neg(angle.v), angle.v)


def _is_negative(x: Ex) -> Value:
    """Below zero, or the zero with a sign."""
    return x.e.y(core.Or(x.of(core.Less, 0.0).v, (1.0 / x).of(core.Less, 0.0).v))


@RULES.rule(*_LOGICAL)
def logical(op: Binary, e: OnnxBuilder) -> Value:
    """And, Or, Xor of truths; of integers those of bits."""
    name = _LOGICAL[type(op)]
    if op.a.tensor.dtype is DType.BOOL:
        return e.one(name, [op.a, op.b], op.y.type)
    return e.one(f"Bitwise{name}", [op.a, op.b], op.y.type, since=18)


@RULES.rule(core.BitwiseNot)
def bitwise_not(op: core.BitwiseNot, e: OnnxBuilder) -> Value:
    """BitwiseNot; before opset 18 the largest integer, or -1, less x."""
    dtype = op.x.tensor.dtype
    if e.has(18):
        return e.one("BitwiseNot", [op.x], op.y.type)
    return e.sub(-1 if dtype.is_signed_int else (1 << dtype.bits) - 1, op.x)


@RULES.rule(core.ShiftLeft)
def shift_left(op: core.ShiftLeft, e: OnnxBuilder) -> Value:
    """BitShift is for unsigned integers: those with the same bits."""
    return e.cast(_shift(e, op.a, op.b, "LEFT"), op.y.tensor.dtype)


@RULES.rule(core.ShiftRight)
def shift_right(op: core.ShiftRight, e: OnnxBuilder) -> Value:
    """BitShift; of negative numbers the complement is shifted, so that the sign comes in."""
    if not op.a.tensor.dtype.is_signed_int:
        return e.cast(_shift(e, op.a, op.b, "RIGHT"), op.y.tensor.dtype)
    negative = e.less(op.a, 0)
    positive = e.where(negative, e.sub(-1, op.a), op.a)
    y = e.cast(_shift(e, positive, op.b, "RIGHT"), op.y.tensor.dtype)
    return e.where(negative, e.sub(-1, y), y)


def _shift(e: OnnxBuilder, a: Value, b: Value, direction: str) -> Value:
    """Bits of a moved by b places, 0 where that is all of them; unsigned."""
    own = _UNSIGNED.get(a.tensor.dtype, a.tensor.dtype)
    wide = _SHIFTED[own]
    bits = e.cast(a, own)
    fewer = e.less(b, own.bits)
    places = e.cast(e.mul(b, e.cast(fewer, b.tensor.dtype)), wide)
    wider = e.cast(bits, wide)
    shape = e.y(core.Add(wider, places)).tensor
    y = e.cast(e.one("BitShift", [wider, places], shape, direction=direction), own)
    return e.mul(y, e.cast(fewer, own))


@RULES.rule(core.Clamp)
def clamp(op: core.Clamp, e: OnnxBuilder) -> Value:
    """Relu, Clip; an infinite bound is left out."""
    x, dtype = op.x, op.x.tensor.dtype
    if dtype.is_float and op.lo == 0 and op.hi == math.inf:
        return e.one("Relu", [x], op.y.type)
    bounds = [None if math.isinf(b) else _bound(e, b, dtype) for b in (op.lo, op.hi)]
    if bounds == [None, None]:
        return e.one("Identity", [x], op.y.type)
    return e.one("Clip", [x, *bounds], op.y.type)


def _bound(e: OnnxBuilder, bound: float, dtype: DType) -> Value:
    return e.constant(np.asarray(bound).astype(dtype.numpy), dtype)


@RULES.rule(core.Gelu)
def gelu(op: core.Gelu, e: OnnxBuilder) -> Value:
    """Gelu from opset 20 on; before, its definition."""
    if e.has(20):
        return e.one("Gelu", [op.x], op.y.type, approximate="tanh" if op.approximate else "none")
    return functions.gelu(Ex(e, op.x), op.approximate).v


@RULES.rule(core.Elu)
def elu(op: core.Elu, e: OnnxBuilder) -> Value:
    """Elu."""
    return e.one("Elu", [op.x], op.y.type, alpha=float(op.alpha))


@RULES.rule(core.LeakyRelu)
def leaky_relu(op: core.LeakyRelu, e: OnnxBuilder) -> Value:
    """LeakyRelu."""
    return e.one("LeakyRelu", [op.x], op.y.type, alpha=float(op.alpha))


@RULES.rule(core.IsInf)
def is_inf(op: core.IsInf, e: OnnxBuilder) -> Value:
    """IsInf of the signs that are asked for."""
    if not (op.positive or op.negative):
        return e.less(op.x, -math.inf)
    signs = {"detect_positive": int(op.positive), "detect_negative": int(op.negative)}
    return e.one("IsInf", [op.x], op.y.type, **signs)


@RULES.rule(core.IsFinite)
def is_finite(op: core.IsFinite, e: OnnxBuilder) -> Value:
    """Magnitude below infinity; false for NaN."""
    return e.less(e.y(core.Abs(op.x)), math.inf)


@RULES.rule(core.Select)
def select(op: core.Select, e: OnnxBuilder) -> Value:
    """Where."""
    return e.one("Where", [op.cond, op.a, op.b], op.y.type)


@RULES.rule(core.Cast)
def cast(op: core.Cast, e: OnnxBuilder) -> Value:
    """Cast; to limit numbers to the range of integers, they are clipped before.  What a float outside of that range
    gives otherwise, ONNX leaves open (Cast-13).
    """
    x, have, want = op.x, op.x.tensor.dtype, op.dtype
    if have is want:
        return e.one("Identity", [x], op.y.type)
    if op.saturate and have.is_float and want.is_int:
        x = functions.saturated(Ex(e, x), want).v
    saturate = {"saturate": int(op.saturate)} if want.is_float and want.bits == 8 else {}
    return e.raw_cast(x, want, **saturate)


_FORMULAS: dict[type[OpDef], Callable[[Ex], Ex]] = {
    core.Expm1: functions.expm1,
    core.Log1p: functions.log1p,
    core.Erfc: functions.erfc,
    core.Lgamma: functions.lgamma,
    core.Digamma: functions.digamma,
}


def _rule(formula: Callable[[Ex], Ex]) -> Callable[[Unary, OnnxBuilder], Value]:
    def rule(op: Unary, e: OnnxBuilder) -> Value:
        return formula(Ex(e, op.x)).v

    return rule


for cls, formula in _FORMULAS.items():
    RULES.add(cls, _rule(formula))
