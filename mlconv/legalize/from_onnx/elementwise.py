"""Elementwise operators: arithmetic, comparison, logic, bits, casts, rounding."""

from __future__ import annotations

import math

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.operands import largest_finite, widened
from mlconv.legalize.from_onnx.table import OnnxRules, Rule
from mlconv.rewrite import constant_array

RULES = OnnxRules()

UNARY: dict[str, type[Unary]] = {
    "Abs": core.Abs,
    "Acos": core.Acos,
    "Acosh": core.Acosh,
    "Asin": core.Asin,
    "Asinh": core.Asinh,
    "Atan": core.Atan,
    "Atanh": core.Atanh,
    "Ceil": core.Ceil,
    "Cos": core.Cos,
    "Cosh": core.Cosh,
    "Erf": core.Erf,
    "Exp": core.Exp,
    "Floor": core.Floor,
    "Log": core.Log,
    "Neg": core.Neg,
    "Not": core.LogicalNot,
    "Sigmoid": core.Sigmoid,
    "Sign": core.Sign,
    "Sin": core.Sin,
    "Sinh": core.Sinh,
    "Softplus": core.Softplus,
    "Sqrt": core.Sqrt,
    "Tan": core.Tan,
    "Tanh": core.Tanh,
    "BitwiseNot": core.BitwiseNot,
    "Round": core.Round,
    "IsNaN": core.IsNan,
    "HardSwish": core.HardSwish,
}

BINARY: dict[str, type[Binary]] = {
    "Add": core.Add,
    "Sub": core.Sub,
    "Mul": core.Mul,
    "Div": core.Div,
    "Pow": core.Pow,
    "And": core.And,
    "Or": core.Or,
    "Xor": core.Xor,
    "BitwiseAnd": core.And,
    "BitwiseOr": core.Or,
    "BitwiseXor": core.Xor,
    "Equal": core.Equal,
    "Less": core.Less,
    "LessOrEqual": core.LessEqual,
    "Greater": core.Greater,
    "GreaterOrEqual": core.GreaterEqual,
}

VARIADIC: dict[str, type[Binary]] = {"Max": core.Maximum, "Min": core.Minimum}


def _unary(make: type[Unary]) -> Rule:
    return lambda n: n.y(make(n.x()))


def _binary(make: type[Binary]) -> Rule:
    return lambda n: n.y(make(n.x(0), _old_broadcast(n, n.x(1)) if n.version < 7 else n.x(1)))


def _old_broadcast(n: Node, b: Value) -> Value:
    """Before version 7, `axis` says which axis of the first operand the second one's first axis stands for."""
    if not n.flag("broadcast") or not n.has("axis"):
        return b
    rank, own = n.rank(n.x(0)), n.rank(b)
    after = rank - n.axis(n.i("axis"), rank) - own
    return n.expand_dims(b, *range(own, own + after)) if after > 0 else b


def _variadic(make: type[Binary]) -> Rule:
    def rule(n: Node) -> Value:
        total, *rest = n.xs()
        for value in rest:
            total = n.y(make(total, value))
        return total

    return rule


for _name, _make in UNARY.items():
    RULES.add(_name, _unary(_make))
for _name, _pair in BINARY.items():
    RULES.add(_name, _binary(_pair))
for _name, _pair in VARIADIC.items():
    RULES.add(_name, _variadic(_pair))


@RULES.rule("Identity")
def identity(n: Node) -> Value | None:
    return n.opt(0)


@RULES.rule("Sum")
def sum_(n: Node) -> Value:
    return n.cast(_total(n), n.x(0).tensor.dtype)


@RULES.rule("Mean")
def mean(n: Node) -> Value:
    return n.cast(n.div(_total(n), len(n.xs())), n.x(0).tensor.dtype)


def _total(n: Node) -> Value:
    """The sum of all inputs.  Halves are added in float32 and rounded once, as in ONNX Runtime, which has no kernel of
    its own for them.
    """
    rounds_once = len(n.xs()) <= (2 if n.op_type == "Sum" else 1)  # as it is
    total, *rest = n.xs() if rounds_once else (widened(n, x) for x in n.xs())
    for value in rest:
        total = n.add(total, value)
    return total


@RULES.rule("Reciprocal")
def reciprocal(n: Node) -> Value:
    return n.div(1, n.x())


@RULES.rule("Mod")
def modulo(n: Node) -> Value:
    return n.y((core.Rem if n.flag("fmod") else core.FloorMod)(n.x(0), n.x(1)))


@RULES.rule("Where")
def where(n: Node) -> Value:
    return n.y(core.Select(n.x(0), n.x(1), n.x(2)))


@RULES.rule("Clip")
def clip(n: Node) -> Value:
    x = n.x()
    lo, hi = n.float_of("min", 1), n.float_of("max", 2)
    dtype = x.tensor.dtype
    exact = all(isinstance(b, float) and (dtype.is_float or abs(b) < 2**53) for b in (lo, hi) if b is not None)
    # ONNX Clip-13: a bound that is not given is numeric_limits::lowest() or max(), so that infinities become finite; of
    # an integer it bounds nothing. Clip-6: its attributes are float32, and so are their defaults
    # (3.4028234663852886e+38), whatever x is.
    top = largest_finite(dtype) if dtype.is_float else math.inf
    if n.version < 11 and dtype.is_float:
        top = largest_finite(DType.F32) if top >= largest_finite(DType.F32) else math.inf
    if exact:
        low = lo if isinstance(lo, float) else -top
        high = hi if isinstance(hi, float) else top
        # ONNX Clip-12: where min is above max, the result is max.
        return n.clamp(x, min(low, high), high)
    for value, i, make in (
        (lo if lo is not None else -top, 1, core.Maximum),
        (hi if hi is not None else top, 2, core.Minimum),
    ):
        if value not in (math.inf, -math.inf):
            x = n.y(make(x, n.x(i) if n.opt(i) is not None else n.asarray(value, x)))
    return x


@RULES.rule("IsInf")
def is_inf(n: Node) -> Value:
    return n.y(core.IsInf(n.x(), positive=n.flag("detect_positive", True), negative=n.flag("detect_negative", True)))


@RULES.rule("BitShift")
def bit_shift(n: Node) -> Value:
    direction = n.s("direction")
    if direction not in ("LEFT", "RIGHT"):
        raise ConversionError(Code.AttributeInvalid, f"BitShift: direction is {direction!r}, expected LEFT or RIGHT")
    x, by = n.x(0), n.x(1)
    bits = x.tensor.dtype.bits
    left = direction == "LEFT"
    inside = n.y((core.ShiftLeft if left else core.ShiftRight)(x, by))
    if not x.tensor.dtype.is_signed_int:
        return inside
    # ONNX BitShift-28: a negative amount, or one of the width or more, leaves only copies of the sign bit, or zeros.
    valid = n.logical_and(n.greater_equal(by, 0), n.less(by, bits))
    fill: Value = n.asarray(0, x) if left else n.where(n.less(x, 0), n.asarray(-1, x), 0)
    return n.where(valid, inside, fill)


@RULES.rule("Cast")
def cast(n: Node) -> Value:
    return _cast(n, n.x(), n.dtype("to"))


@RULES.rule("CastLike")
def cast_like(n: Node) -> Value:
    return _cast(n, n.x(0), n.x(1).tensor.dtype)


_NO_INFINITY = (DType.F8E4M3FN, DType.F8E4M3FNUZ, DType.F8E5M2, DType.F8E5M2FNUZ)


def _cast(n: Node, x: Value, to: DType) -> Value:
    source = x.tensor.dtype
    if DType.STRING in (source, to) and source is not to:
        raise ConversionError(
            Code.ElementTypeUnsupported,
            f"{n.op_type} between {source.display} and {to.display}: strings are not supported",
        )
    if to in _NO_INFINITY and source.is_float and source.bits > 8 and n.flag("saturate", True):
        # ONNX Cast-19, table for float8: saturating casts give the largest finite number, also for infinities; NaN
        # stays NaN.
        top = largest_finite(to)
        x = n.clamp(n.cast(x, DType.F32), -top, top)
    if to.is_int and to.bits < 8 and source.is_float:
        # ONNX Runtime rounds to 4-bit integers, halves away from zero, and keeps the low bits.
        wide = n.cast(x, DType.F32)
        rounded = n.floor(n.add(n.y(core.Abs(wide)), 0.5))
        return n.cast(n.cast(n.where(n.less(wide, 0), n.neg(rounded), rounded), DType.I32), to)
    if to is DType.F8E8M0 and source.is_float:
        return _to_power_of_two(n, n.cast(x, DType.F32))
    return n.cast(x, to)


# Added to the bits of a float32 before its mantissa is cut off (Cast-24, attribute round_mode).
_ROUNDING = {"up": 0x7FFFFF, "down": 0, "nearest": 0x400000}


def _to_power_of_two(n: Node, x: Value) -> Value:
    """float8e8m0 is the exponent of a float32: powers of two from 2^-127 on, no zero and no sign; NaN is 255."""
    mode = n.s("round_mode", "up")
    if mode not in _ROUNDING:
        raise ConversionError(
            Code.AttributeInvalid, f"{n.op_type}: round_mode is {mode!r}, expected up, down or nearest"
        )
    bits = n.y(core.Bitcast(n.clamp(x, 2.0**-127, 2.0**127), dtype=DType.I32))
    exponent = n.y(core.ShiftRight(n.add(bits, _ROUNDING[mode]), n.constant(23, DType.I32)))
    stored = n.where(n.y(core.IsNan(x)), n.constant(255, DType.I32), n.clamp(exponent, 0, 254))
    return n.y(core.Bitcast(n.cast(stored, DType.U8), dtype=DType.F8E8M0))


@RULES.rule("BitCast")
def bit_cast(n: Node) -> Value:
    x, to = n.x(), n.dtype("to")
    if x.tensor.dtype.bits != to.bits:
        raise ConversionError(
            Code.TypeMismatch, f"BitCast from {x.tensor.dtype.display} to {to.display}: the widths differ"
        )
    return n.y(core.Bitcast(x, dtype=to))


@RULES.rule("Shrink")
def shrink(n: Node) -> Value:
    x, lambd, bias = n.x(), n.f("lambd", 0.5), n.f("bias", 0.0)
    dtype = x.tensor.dtype
    wide = x if dtype.is_float else n.cast(x, DType.F32)
    inner = n.where(n.less(lambd, wide), n.sub(wide, bias), 0.0)
    return n.cast(n.where(n.less(wide, -lambd), n.add(wide, bias), inner), dtype)


@RULES.rule("Dropout")
def dropout(n: Node) -> list[Value]:
    """Inference: the identity; the mask is all true, and before version 12 all false, as ONNX Runtime has it.
    `training_mode` that is not false is refused.
    """
    x = n.x()
    training = n.opt(2)
    if training is not None and n.version >= 12:
        value = constant_array(training)
        if value is None or bool(np.asarray(value).reshape(-1)[0]):
            ratio = n.float_of("ratio", 1)
            if not isinstance(ratio, float) or ratio != 0.0:
                raise n.refuse(
                    "training_mode is not false, and only inference is supported", "export the model in evaluation mode"
                )
    kept = n.constant(n.version >= 12, DType.BOOL) if n.version >= 10 else n.asarray(0, x)
    mask = n.broadcast_to(kept, n.shape_of(x)) if n.used(1) else x
    return [x, mask]


@RULES.rule("Bernoulli", "RandomNormal", "RandomNormalLike", "RandomUniform", "RandomUniformLike", "Multinomial")
def random(n: Node) -> Value:
    raise n.refuse(
        "random numbers are not supported: two runs would differ, and no target can be verified",
        "take the random values as a model input",
    )
