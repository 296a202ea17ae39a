"""Elementwise ops.  HLO differs from core in integer division (by zero), in comparison with bool, and broadcasts
nothing by itself.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary, Compare
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.rewrite import Rules

RULES = Rules()

_UNARY: dict[type[OpDef], str] = {
    core.Exp: "exponential",
    core.Expm1: "exponential-minus-one",
    core.Log: "log",
    core.Log1p: "log-plus-one",
    core.Sqrt: "sqrt",
    core.Rsqrt: "rsqrt",
    core.Sin: "sine",
    core.Cos: "cosine",
    core.Tan: "tan",
    core.Tanh: "tanh",
    core.Erf: "erf",
    core.Floor: "floor",
    core.Ceil: "ceil",
    core.Round: "round-nearest-even",
    core.Sigmoid: "logistic",
    core.Neg: "negate",
    core.LogicalNot: "not",
    core.BitwiseNot: "not",
}
_BINARY: dict[type[OpDef], str] = {
    core.Add: "add",
    core.Sub: "subtract",
    core.Mul: "multiply",
    core.Maximum: "maximum",
    core.Minimum: "minimum",
    core.Atan2: "atan2",
    core.And: "and",
    core.Or: "or",
    core.Xor: "xor",
    core.ShiftLeft: "shift-left",
}
_ON_BOOL = {"add": "or", "maximum": "or", "multiply": "and", "minimum": "and"}
_COMPARE: dict[type[OpDef], str] = {
    core.Equal: "EQ",
    core.NotEqual: "NE",
    core.Less: "LT",
    core.LessEqual: "LE",
    core.Greater: "GT",
    core.GreaterEqual: "GE",
}


def _unary(opcode: str) -> Callable[[Unary, HloBuilder], Value]:
    return lambda op, e: e.unary(opcode, op.x)


def _binary(opcode: str) -> Callable[[Binary, HloBuilder], Value]:
    def rule(op: Binary, e: HloBuilder) -> Value:
        return e.binary(_ON_BOOL.get(opcode, opcode) if op.a.tensor.dtype is DType.BOOL else opcode, op.a, op.b)

    return rule


def _compare(direction: str) -> Callable[[Compare, HloBuilder], Value]:
    return lambda op, e: e.compare(direction, op.a, op.b)


@RULES.rule(core.Abs)
def abs_(op: core.Abs, e: HloBuilder) -> Value:
    """abs; unsigned numbers are their own."""
    if op.x.tensor.dtype.is_unsigned_int or op.x.tensor.dtype is DType.BOOL:
        return op.x
    return e.one("abs", [op.x], op.y.tensor)


@RULES.rule(core.Sign)
def sign(op: core.Sign, e: HloBuilder) -> Value:
    """sign, which HLO has for signed numbers only."""
    if op.x.tensor.dtype.is_unsigned_int:
        return e.binary("minimum", op.x, e.full_like(op.x, 1))
    return e.unary("sign", op.x)


@RULES.rule(core.Div)
def div(op: core.Div, e: HloBuilder) -> Value:
    """divide; an integer divided by zero is 0."""
    return _by_nonzero("divide", op.a, op.b, e)


def _by_nonzero(opcode: str, a: Value, b: Value, e: HloBuilder) -> Value:
    dtype = a.tensor.dtype
    constant = const_of(b)
    if not dtype.is_int or (constant is not None and bool(np.all(constant.view() != 0))):
        return e.binary(opcode, a, b)
    zero = e.compare("EQ", b, e.scalar(0, dtype))
    quotient = e.binary(opcode, a, e.select(zero, e.scalar(1, dtype), b))
    return e.select(zero, e.scalar(0, dtype), quotient)


def _signs_differ(a: Value, b: Value, e: HloBuilder) -> Value:
    zero = e.scalar(0, a.tensor.dtype)
    return e.compare("NE", e.compare("LT", a, zero), e.compare("LT", b, zero))


@RULES.rule(core.FloorDiv)
def floor_div(op: core.FloorDiv, e: HloBuilder) -> Value:
    """floor of the quotient; for integers the cut quotient, less one where the signs differ and a rest is left."""
    a, b, dtype = op.a, op.b, op.a.tensor.dtype
    if not dtype.is_int:
        return e.unary("floor", e.binary("divide", a, b))
    quotient = _by_nonzero("divide", a, b, e)
    if dtype.is_unsigned_int:
        return quotient
    rest = e.compare("NE", _by_nonzero("remainder", a, b, e), e.scalar(0, dtype))
    lower = e.binary("and", rest, _signs_differ(a, b, e))
    return e.select(lower, e.binary("subtract", quotient, e.scalar(1, dtype)), quotient)


@RULES.rule(core.FloorMod)
def floor_mod(op: core.FloorMod, e: HloBuilder) -> Value:
    """The remainder, moved to the side of the divisor."""
    a, b, dtype = op.a, op.b, op.a.tensor.dtype
    rest = _by_nonzero("remainder", a, b, e)
    if dtype.is_unsigned_int:
        return rest
    other = e.binary("and", e.compare("NE", rest, e.scalar(0, dtype)), _signs_differ(rest, b, e))
    return e.select(other, e.binary("add", rest, b), rest)


@RULES.rule(core.Rem)
def rem(op: core.Rem, e: HloBuilder) -> Value:
    """remainder: the sign of the dividend."""
    return _by_nonzero("remainder", op.a, op.b, e)


@RULES.rule(core.Pow)
def pow_(op: core.Pow, e: HloBuilder) -> Value:
    """power; integers to a power that is not one go through float64."""
    a, b, dtype = op.a, op.b, op.a.tensor.dtype
    if dtype.is_int and not b.tensor.dtype.is_int:
        return e.convert(e.binary("power", e.convert(a, DType.F64), e.convert(b, DType.F64)), dtype)
    return e.binary("power", a, e.convert(b, dtype))


@RULES.rule(core.ShiftRight)
def shift_right(op: core.ShiftRight, e: HloBuilder) -> Value:
    """With sign for signed integers."""
    return e.binary(
        "shift-right-logical" if op.a.tensor.dtype.is_unsigned_int else "shift-right-arithmetic", op.a, op.b
    )


@RULES.rule(core.Select)
def select(op: core.Select, e: HloBuilder) -> Value:
    """select."""
    return e.select(op.cond, op.a, op.b)


@RULES.rule(core.Clamp)
def clamp(op: core.Clamp, e: HloBuilder) -> Value:
    """maximum and minimum with the bounds that bind."""
    y, dtype = op.x, op.x.tensor.dtype
    bounds = [("maximum", op.lo)] * (op.lo != -math.inf) + [("minimum", op.hi)] * (op.hi != math.inf)
    for opcode, bound in bounds:
        y = e.binary(opcode, y, e.scalar(bound, dtype))
    return y


@RULES.rule(core.IsNan)
def is_nan(op: core.IsNan, e: HloBuilder) -> Value:
    """x != x."""
    return e.compare("NE", op.x, op.x)


@RULES.rule(core.IsInf)
def is_inf(op: core.IsInf, e: HloBuilder) -> Value:
    """Equal to an infinity of an allowed sign."""
    dtype = op.x.tensor.dtype
    tests = [
        e.compare("EQ", op.x, e.scalar(v, dtype)) for v, on in ((math.inf, op.positive), (-math.inf, op.negative)) if on
    ]
    if not tests:
        return e.full(dims(op.x), False, DType.BOOL)
    return tests[0] if len(tests) == 1 else e.binary("or", *tests)


@RULES.rule(core.IsFinite)
def is_finite(op: core.IsFinite, e: HloBuilder) -> Value:
    """is-finite."""
    return e.one("is-finite", [op.x], op.y.tensor)


@RULES.rule(core.Cast)
def cast(op: core.Cast, e: HloBuilder) -> Value:
    """convert; to bool by comparison, from float to narrow integers through int64, from complex by the real part."""
    x, target = op.x, op.dtype
    source = x.tensor.dtype
    if source is target:
        return x
    if source.is_complex and not target.is_complex and target is not DType.BOOL:
        x = e.one("real", [x], TensorType(DType.F32 if source is DType.C64 else DType.F64, dims(x)))
        source = x.tensor.dtype
    if target is DType.BOOL:
        return e.compare("NE", x, e.scalar(0, source))
    if source.is_float and target.is_int and not op.saturate and target.bits < 64 and target is not DType.I32:
        x = e.convert(x, DType.I64)
    if source.is_float and target.is_int and op.saturate and target.bits < 32:
        info = np.iinfo(target.numpy) if target.bits >= 8 else None
        if info is not None:
            x = e.convert(x, DType.F32) if source.bits < 32 else x
            x = e.binary(
                "maximum",
                e.binary("minimum", x, e.scalar(float(info.max), x.tensor.dtype)),
                e.scalar(float(info.min), x.tensor.dtype),
            )
            x = e.select(e.compare("EQ", x, x), x, e.scalar(0.0, x.tensor.dtype))
    y = e.convert(x, target)
    return y


@RULES.rule(core.Bitcast)
def bitcast(op: core.Bitcast, e: HloBuilder) -> Value:
    """bitcast-convert; complex numbers by their parts."""
    x, target = op.x, op.dtype
    source = x.tensor.dtype
    if DType.BOOL in (source, target):
        return e.one("convert", [x], op.y.tensor)
    real = {DType.C64: DType.F32, DType.C128: DType.F64}
    if source in real and target is not source:
        both = [e.one(part, [x], TensorType(real[source], dims(x))) for part in ("real", "imag")]
        flat = e.concat([e.reshape(v, (*dims(x), 1)) for v in both], len(dims(x)))
        return flat if target is real[source] else e.y(core.Bitcast(flat, dtype=target))
    if target in real and target is not source:
        parts = x if source is real[target] else e.y(core.Bitcast(x, dtype=real[target]))
        axis = len(dims(parts)) - 1
        re, im = (e.reshape(e.slice_axis(parts, axis, i, i + 1), dims(parts)[:-1]) for i in (0, 1))
        return e.one("complex", [re, im], op.y.tensor)
    return x if source is target else e.one("bitcast-convert", [x], op.y.tensor)


for cls, opcode in _UNARY.items():
    RULES.add(cls, _unary(opcode))
for cls, opcode in _BINARY.items():
    RULES.add(cls, _binary(opcode))
for cls, direction in _COMPARE.items():
    RULES.add(cls, _compare(direction))
