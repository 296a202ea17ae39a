"""Elementwise ops.  Source: tensorflow/core/ops/math_ops.cc, nn_ops.cc and bitwise_ops.cc."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import partial
from typing import Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import shapes_compatible
from mlconv.legalize.from_tf.operands import (
    check_channels,
    dtype_of,
    rank_of,
    reshape,
    tf_rules,
)
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()

UNARY: Final[dict[str, Callable[..., OpDef]]] = {
    "Abs": core.Abs,
    "ComplexAbs": core.Abs,
    "Neg": core.Neg,
    "Sign": core.Sign,
    "Exp": core.Exp,
    "Expm1": core.Expm1,
    "Log": core.Log,
    "Log1p": core.Log1p,
    "Sqrt": core.Sqrt,
    "Rsqrt": core.Rsqrt,
    "Sin": core.Sin,
    "Cos": core.Cos,
    "Tan": core.Tan,
    "Asin": core.Asin,
    "Acos": core.Acos,
    "Atan": core.Atan,
    "Sinh": core.Sinh,
    "Cosh": core.Cosh,
    "Tanh": core.Tanh,
    "Asinh": core.Asinh,
    "Acosh": core.Acosh,
    "Atanh": core.Atanh,
    "Erf": core.Erf,
    "Erfc": core.Erfc,
    "Lgamma": core.Lgamma,
    "Digamma": core.Digamma,
    "Floor": core.Floor,
    "Ceil": core.Ceil,
    "Softplus": core.Softplus,
    "LogicalNot": core.LogicalNot,
    "Invert": core.BitwiseNot,
    "IsNan": core.IsNan,
    "IsInf": core.IsInf,
    "IsFinite": core.IsFinite,
    "Real": core.Real,
    "Imag": core.Imag,
    "Elu": core.Elu,
}
BINARY: Final[dict[str, Callable[..., OpDef]]] = {
    "Add": core.Add,
    "AddV2": core.Add,
    "Sub": core.Sub,
    "Mul": core.Mul,
    "RealDiv": core.Div,
    "Div": core.Div,
    "FloorDiv": core.FloorDiv,
    "FloorMod": core.FloorMod,
    "Mod": core.Rem,
    "TruncateMod": core.Rem,
    "Pow": partial(core.Pow, natural=True),
    "Maximum": core.Maximum,
    "Minimum": core.Minimum,
    "Atan2": core.Atan2,
    "LogicalAnd": core.And,
    "LogicalOr": core.Or,
    "BitwiseAnd": core.And,
    "BitwiseOr": core.Or,
    "BitwiseXor": core.Xor,
    "Equal": core.Equal,
    "NotEqual": core.NotEqual,
    "Less": core.Less,
    "LessEqual": core.LessEqual,
    "Greater": core.Greater,
    "GreaterEqual": core.GreaterEqual,
    "Complex": core.Complex,
}
_SELU_ALPHA: Final = 1.6732632423543772  # Klambauer et al., "Self-Normalizing Neural Networks", section 2
_SELU_SCALE: Final = 1.0507009873554805


def _handler(make: Callable[..., OpDef], operands: int) -> Callable[[SourceNode], Value]:
    return lambda n: n.emit(make(*(n.operand(i) for i in range(operands)))).result


for _name, _unary in UNARY.items():
    RULES.add(_name, _handler(_unary, 1))
for _name, _binary in BINARY.items():
    RULES.add(_name, _handler(_binary, 2))


@RULES.rule("LeftShift", "RightShift")
def shift(n: SourceNode) -> Value:
    """Amounts are limited to [0, width - 1] (tensorflow/core/kernels/cwise_ops.h, left_shift_op)."""
    x, amount = n.operand(0), n.operand(1)
    make = core.ShiftLeft if n.kind == "LeftShift" else core.ShiftRight
    return n.emit(make(x, n.emit(core.Clamp(amount, lo=0.0, hi=float(x.tensor.dtype.bits - 1))).y)).y


@RULES.rule("Round", "Rint")
def round_(n: SourceNode) -> Value:
    """Halves to even; integers stay."""
    x = n.operand(0)
    return n.emit(core.Round(x)).y if x.tensor.dtype.is_float else x


@RULES.rule("Square")
def square(n: SourceNode) -> Value:
    return n.mul(n.operand(0), n.operand(0))


@RULES.rule("Reciprocal", "Inv")
def reciprocal(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.div(n.asarray(1, x), x)


@RULES.rule("Relu", "Relu6")
def relu(n: SourceNode) -> Value:
    return n.emit(core.Clamp(n.operand(0), lo=0.0, hi=6.0 if n.kind == "Relu6" else math.inf)).y


@RULES.rule("LeakyRelu")
def leaky_relu(n: SourceNode) -> Value:
    return n.emit(core.LeakyRelu(n.operand(0), alpha=n.attr("alpha"))).y


@RULES.rule("Selu")
def selu(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.mul(n.emit(core.Elu(x, alpha=_SELU_ALPHA)).y, n.asarray(_SELU_SCALE, x))


@RULES.rule("Softsign")
def softsign(n: SourceNode) -> Value:
    """x / (1 + |x|)."""
    x = n.operand(0)
    return n.div(x, n.add(n.emit(core.Abs(x)).y, n.asarray(1, x)))


@RULES.rule("Conj")
def conj(n: SourceNode) -> Value:
    return conjugate(n, n.operand(0))


def conjugate(n: SourceNode, x: Value) -> Value:
    """x, of complex numbers with the other sign of what is imaginary."""
    if not x.tensor.dtype.is_complex:
        return x
    imag = n.emit(core.Neg(n.emit(core.Imag(x)).y)).y
    return n.emit(core.Complex(n.emit(core.Real(x)).y, imag)).y


@RULES.rule("Angle")
def angle(n: SourceNode) -> Value:
    x = n.operand(0)
    return n.emit(core.Atan2(n.emit(core.Imag(x)).y, n.emit(core.Real(x)).y)).y


@RULES.rule("SquaredDifference")
def squared_difference(n: SourceNode) -> Value:
    """d * d; d * conj(d) for complex numbers."""
    d = n.sub(n.operand(0), n.operand(1))
    return n.mul(d, conjugate(n, d))


@RULES.rule("Sigmoid")
def sigmoid(n: SourceNode) -> Value:
    x = n.operand(0)
    if not x.tensor.dtype.is_complex:
        return n.emit(core.Sigmoid(x)).y
    one = n.asarray(1, x)
    return n.div(one, n.add(one, n.emit(core.Exp(n.emit(core.Neg(x)).y)).y))


@RULES.rule("TruncateDiv")
def truncate_div(n: SourceNode) -> Value:
    """Towards zero, also for floating-point numbers."""
    q = n.div(n.operand(0), n.operand(1))
    if not q.tensor.dtype.is_float:
        return q
    floor, ceil = n.emit(core.Floor(q)).y, n.emit(core.Ceil(q)).y
    return n.emit(core.Select(n.emit(core.Less(q, n.asarray(0, q))).y, ceil, floor)).y


@RULES.rule("DivNoNan", "MulNoNan", "Xdivy", "Xlogy", "Xlog1py")
def no_nan(n: SourceNode) -> Value:
    """0 where the operand that decides is 0, whatever the other is: y of DivNoNan and MulNoNan, x of the others."""
    x, y = n.operand(0), n.operand(1)
    if n.kind in ("DivNoNan", "Xdivy"):
        value = n.div(x, y)
    elif n.kind == "MulNoNan":
        value = n.mul(x, y)
    else:
        value = n.mul(x, n.emit((core.Log if n.kind == "Xlogy" else core.Log1p)(y)).y)
    deciding = y if n.kind.endswith("NoNan") else x
    zero = n.asarray(0, x)
    return n.emit(core.Select(n.emit(core.Equal(deciding, zero)).y, zero, value)).y


@RULES.rule("AddN", "AccumulateNV2")
def add_n(n: SourceNode) -> Value:
    total = n.operand(0)
    for value in n.operands(1):
        total = n.add(total, value)
    return total


@RULES.rule("ClipByValue")
def clip_by_value(n: SourceNode) -> Value:
    x = n.operand(0).tensor
    for bound in (n.operand(1).tensor, n.operand(2).tensor):  # cwise_op_clip.cc: scalars, or of the shape of x
        if bound.rank != 0 and not shapes_compatible(bound.shape, x.shape):
            raise ConversionError(
                Code.ShapeMismatch,
                f"ClipByValue of {x} to {bound}: a bound is one number, or has the shape of the tensor",
            )
    return n.emit(core.Maximum(n.emit(core.Minimum(n.operand(0), n.operand(2))).y, n.operand(1))).y


@RULES.rule("ApproximateEqual")
def approximate_equal(n: SourceNode) -> Value:
    difference = n.emit(core.Abs(n.sub(n.operand(0), n.operand(1)))).y
    return n.emit(core.Less(difference, n.asarray(n.attr("tolerance"), difference))).y


@RULES.rule("BiasAdd", "BiasAddV1")
def bias_add(n: SourceNode) -> Value:
    """bias [channels] is added along the last axis, or axis 1 in NCHW."""
    x, bias = n.operand(0), n.operand(1)
    channel_first = n.attr("data_format", "NHWC") == "NCHW"
    check_channels(n, x, 1 if channel_first else rank_of(x) - 1, bias)
    if channel_first:
        channels = bias.tensor.shape[0] if bias.tensor.shape else -1
        bias = reshape(n, bias, [channels, *[1] * (rank_of(x) - 2)])
    return n.add(x, bias)


@RULES.rule("Select")
def select(n: SourceNode) -> Value:
    """The condition has the shape of the branches, or rank 0, or rank 1 and picks rows."""
    cond, a, b = n.operands()
    if cond.tensor.rank == 1 and rank_of(a) > 1:
        size = cond.tensor.shape[0] if cond.tensor.shape else -1
        cond = reshape(n, cond, [size, *[1] * (rank_of(a) - 1)])
    return n.emit(core.Select(cond, a, b)).y


@RULES.rule("SelectV2")
def select_v2(n: SourceNode) -> Value:
    return n.emit(core.Select(*n.operands())).y


@RULES.rule("Cast")
def cast(n: SourceNode) -> Value:
    target = dtype_of(n, "DstT")
    if DType.STRING in (target, n.operand(0).tensor.dtype):
        raise n.unsupported(f"cannot convert {n.operand(0).tensor.dtype.display} to {target}")
    return n.cast(n.operand(0), target)


@RULES.rule("Bitcast")
def bitcast(n: SourceNode) -> Value:
    return n.emit(core.Bitcast(n.operand(0), dtype=dtype_of(n, "type"))).y
