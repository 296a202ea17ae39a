"""Elementwise ops: those with an op of their own by table, then the ones that are made of others.

Sources: tensorflow/core/ops/math_ops.cc, nn_ops.cc, bitwise_ops.cc, and the kernels in core/kernels/cwise_ops.h: an
integer division by 0 ends a run there, shifts are limited to the width less one.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.legalize import functions
from mlconv.legalize.functions import Ex
from mlconv.legalize.to_tf.builder import TfBuilder
from mlconv.rewrite import Rules

RULES = Rules()

UNARY = {
    core.Neg: "Neg",
    core.Sign: "Sign",
    core.Exp: "Exp",
    core.Expm1: "Expm1",
    core.Log: "Log",
    core.Log1p: "Log1p",
    core.Sqrt: "Sqrt",
    core.Rsqrt: "Rsqrt",
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
    core.Erfc: "Erfc",
    core.Lgamma: "Lgamma",
    core.Digamma: "Digamma",
    core.Floor: "Floor",
    core.Ceil: "Ceil",
    core.Round: "Round",
    core.Sigmoid: "Sigmoid",
    core.Softplus: "Softplus",
    core.IsNan: "IsNan",
    core.IsFinite: "IsFinite",
    core.LogicalNot: "LogicalNot",
    core.BitwiseNot: "Invert",
}
BINARY = {
    core.Add: "AddV2",
    core.Sub: "Sub",
    core.Mul: "Mul",
    core.Maximum: "Maximum",
    core.Minimum: "Minimum",
    core.Atan2: "Atan2",
    core.Equal: "Equal",
    core.NotEqual: "NotEqual",
    core.Less: "Less",
    core.LessEqual: "LessEqual",
    core.Greater: "Greater",
    core.GreaterEqual: "GreaterEqual",
}
_TRUTHS = {core.And: "LogicalAnd", core.Or: "LogicalOr", core.Xor: "NotEqual"}
_BITS = {core.And: "BitwiseAnd", core.Or: "BitwiseOr", core.Xor: "BitwiseXor"}
_DIVISIONS = {core.Div: "TruncateDiv", core.FloorDiv: "FloorDiv", core.FloorMod: "FloorMod", core.Rem: "TruncateMod"}
_MOST_LOOKED_AT = 1 << 16
_LARGEST = 1 << 30


@RULES.rule(*UNARY)
def unary(op: Unary, e: TfBuilder) -> Value:
    """An op of its own."""
    return e.one(UNARY[type(op)], [op.x], op.y.type)


@RULES.rule(*BINARY)
def binary(op: Binary, e: TfBuilder) -> Value:
    """An op of its own, which broadcasts."""
    return e.one(BINARY[type(op)], [op.a, op.b], op.y.type)


@RULES.rule(core.Abs)
def absolute(op: core.Abs, e: TfBuilder) -> Value:
    """Abs; ComplexAbs of complex numbers.  Unsigned integers are what they are."""
    dtype = op.x.tensor.dtype
    if dtype.is_unsigned_int:
        return e.identity(op.x)
    return e.one("ComplexAbs" if dtype.is_complex else "Abs", [op.x], op.y.type)


def _safe(e: TfBuilder, b: Value) -> tuple[Value, Value | None]:
    """A divisor without zeros, which are ones, and where they were; nothing where there are none."""
    constant = const_of(b)
    if constant is not None and constant.size <= _MOST_LOOKED_AT and bool((constant.view() != 0).all()):
        return b, None
    zero = e.equal(b, 0)
    return e.where(zero, 1, b), zero


def _are_sizes(value: Value) -> bool:
    """Numbers that the sizes of inputs tell, or small ones."""
    known = known_ints(value)
    return known is not None and all(k is not None and not (isinstance(k, int) and abs(k) > _LARGEST) for k in known)


@RULES.rule(*_DIVISIONS)
def division(op: Binary, e: TfBuilder) -> Value:
    """An op of its own; what an integer divided by 0 gives is 0.

    Sizes are divided in 32 bits: TensorFlow's converter to TFLite has no other quotients of integers.
    """
    if not op.a.tensor.dtype.is_int:
        name = "RealDiv" if isinstance(op, core.Div) else _DIVISIONS[type(op)]
        return e.one(name, [op.a, op.b], op.y.type)
    divisor, zero = _safe(e, op.b)
    name = _DIVISIONS[type(op)]
    if isinstance(op, core.Rem) and op.a.tensor.dtype.is_unsigned_int:
        name = "FloorMod"  # the same of numbers without a sign, and it has kernels for them
    if (
        op.y.tensor.dtype is DType.I64
        and isinstance(op, (core.Div, core.FloorDiv))
        and _are_sizes(op.a)
        and _are_sizes(op.b)
    ):
        parts = [e.cast(v, DType.I32) for v in (op.a, divisor)]
        y = e.cast(e.one(name, parts, op.y.tensor.with_dtype(DType.I32)), DType.I64)
    else:
        y = e.one(name, [op.a, divisor], op.y.type)
    return y if zero is None else e.where(zero, 0, y)


@RULES.rule(core.Pow)
def power(op: core.Pow, e: TfBuilder) -> Value:
    """Pow of one element type; integers to exponents that are below zero by way of float64."""
    dtype, other = op.a.tensor.dtype, op.b.tensor.dtype
    if not dtype.is_int:
        return e.one("Pow", [op.a, e.as_constant(op.b, dtype)], op.y.type)
    is_natural = op.natural or other.is_unsigned_int or _is_not_negative(op.b)
    if other.is_int and is_natural:
        kept = DType.I64 if dtype is DType.U64 else dtype  # of which there is a kernel, and which wraps alike
        factors = [e.as_constant(v, kept) for v in (op.a, op.b)]
        return e.cast(e.one("Pow", factors, op.y.tensor.with_dtype(kept)), dtype)
    wide = [e.cast(v, DType.F64) for v in (op.a, op.b)]
    cut = e.cast(e.one("Pow", wide, op.y.tensor.with_dtype(DType.F64)), dtype)
    if not other.is_int:
        return cut
    zero = e.asarray(0, op.b)
    exact = e.y(core.Pow(op.a, e.y(core.Maximum(op.b, zero)), natural=True))
    return e.y(core.Select(e.y(core.Less(op.b, zero)), cut, exact))


def _is_not_negative(x: Value) -> bool:
    constant = const_of(x)
    return constant is not None and constant.size <= _MOST_LOOKED_AT and bool((constant.view() >= 0).all())


@RULES.rule(*_TRUTHS)
def logical(op: Binary, e: TfBuilder) -> Value:
    """Of truths, and of bits."""
    table = _TRUTHS if op.a.tensor.dtype is DType.BOOL else _BITS
    return e.one(table[type(op)], [op.a, op.b], op.y.type)


@RULES.rule(core.ShiftLeft)
def shift_left(op: core.ShiftLeft, e: TfBuilder) -> Value:
    """LeftShift; all bits are gone at the width."""
    return _within(op, e, "LeftShift")


@RULES.rule(core.ShiftRight)
def shift_right(op: core.ShiftRight, e: TfBuilder) -> Value:
    """RightShift, which leaves the sign of signed integers at the width."""
    if op.a.tensor.dtype.is_signed_int:
        return e.one("RightShift", [op.a, op.b], op.y.type)
    return _within(op, e, "RightShift")


def _within(op: core.ShiftLeft | core.ShiftRight, e: TfBuilder, name: str) -> Value:
    y = e.one(name, [op.a, op.b], op.y.type)
    bits = op.a.tensor.dtype.bits
    constant = const_of(op.b)
    if constant is not None and constant.size <= _MOST_LOOKED_AT and bool((constant.view() < bits).all()):
        return y
    return e.where(e.less(op.b, bits), y, 0)


@RULES.rule(core.Clamp)
def clamp(op: core.Clamp, e: TfBuilder) -> Value:
    """Relu, Relu6, Maximum, Minimum; an infinite bound is left out."""
    x, dtype = op.x, op.x.tensor.dtype
    if dtype.is_float and op.lo == 0 and op.hi in (6, math.inf):
        return e.one("Relu" if math.isinf(op.hi) else "Relu6", [x], op.y.type)
    y = x if math.isinf(op.lo) else e.one("Maximum", [x, _bound(e, op.lo, dtype)], op.y.type)
    y = y if math.isinf(op.hi) else e.one("Minimum", [y, _bound(e, op.hi, dtype)], op.y.type)
    return e.identity(y) if y is x else y


def _bound(e: TfBuilder, bound: float, dtype: DType) -> Value:
    return e.constant(np.asarray(bound).astype(dtype.numpy), dtype)


@RULES.rule(core.Gelu)
def gelu(op: core.Gelu, e: TfBuilder) -> Value:
    """Its definition, as TensorFlow's own function writes it."""
    return functions.gelu(Ex(e, op.x), op.approximate).v


@RULES.rule(core.HardSwish)
def hard_swish(op: core.HardSwish, e: TfBuilder) -> Value:
    """x * relu6(x + 3) / 6."""
    inner = e.clamp(e.add(op.x, 3), 0.0, 6.0)
    return e.mul(op.x, e.mul(inner, 1 / 6))


@RULES.rule(core.Elu)
def elu(op: core.Elu, e: TfBuilder) -> Value:
    """Elu, whose alpha is 1."""
    if op.alpha == 1.0:
        return e.one("Elu", [op.x], op.y.type)
    below = e.mul(e.y(core.Expm1(e.minimum(op.x, 0))), float(op.alpha))
    return e.where(e.less(0, op.x), op.x, below)


@RULES.rule(core.LeakyRelu)
def leaky_relu(op: core.LeakyRelu, e: TfBuilder) -> Value:
    """LeakyRelu, which is the larger of x and alpha * x: for slopes up to 1 alone."""
    if 0 <= op.alpha <= 1:
        return e.one("LeakyRelu", [op.x], op.y.type, alpha=float(op.alpha))
    return e.where(e.less(op.x, 0), e.mul(op.x, float(op.alpha)), op.x)


@RULES.rule(core.IsInf)
def is_inf(op: core.IsInf, e: TfBuilder) -> Value:
    """IsInf of both signs; one sign by a comparison."""
    if op.positive and op.negative:
        return e.one("IsInf", [op.x], op.y.type)
    if not (op.positive or op.negative):
        return e.less(op.x, -math.inf)
    return e.equal(op.x, math.inf if op.positive else -math.inf)


@RULES.rule(core.Select)
def select(op: core.Select, e: TfBuilder) -> Value:
    """SelectV2."""
    return e.one("SelectV2", [op.cond, op.a, op.b], op.y.type)


@RULES.rule(core.Cast)
def cast(op: core.Cast, e: TfBuilder) -> Value:
    """Cast; to limit numbers to the range of integers, they are clipped before."""
    x, have, want = op.x, op.x.tensor.dtype, op.dtype
    if have is want:
        return e.identity(x)
    if op.saturate and have.is_float and want.is_int:
        x = functions.saturated(Ex(e, x), want).v
    elif have.is_float and want.is_int and want.bits < 32:  # by way of 64 bits, which wrap
        x = e.raw_cast(x, DType.I64)
    return e.raw_cast(x, want)


@RULES.rule(core.Bitcast)
def bitcast(op: core.Bitcast, e: TfBuilder) -> Value:
    """Bitcast."""
    have, want = op.x.tensor.dtype, op.dtype
    return e.identity(op.x) if have is want else e.one("Bitcast", [op.x], op.y.type, T=have, type=want)
