"""Elementwise ops on one operand.  All follow numpy's broadcasting; operands share one element type and the result has
it, unless said otherwise.

Sources: numpy ufunc documentation; op docs of ONNX and TensorFlow for cases of integers and rounding that are named.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core import math as cmath
from mlconv.dialects.core.base import check_dtype
from mlconv.dialects.core.rounding_tables import LIMITS
from mlconv.ir.constants import Array
from mlconv.ir.core import Known, Value
from mlconv.ir.dims import Size, maximum, minimum
from mlconv.ir.dtypes import DType
from mlconv.ir.quant_rules import FREE, SIGNED_UNIT, UNIT
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.traits import Elementwise, Plumbing
from mlconv.ir.types import TensorType


class Unary(OpDef):
    """One operand, result of the same type."""

    traits = (Elementwise,)
    __slots__ = ()
    x: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor


class FloatUnary(Unary):
    """Defined on floating-point (and, where numpy defines it, complex) numbers only."""

    __slots__ = ()
    quant_rule = FREE

    def infer(self) -> TensorType:
        dtype = self.x.tensor.dtype
        if not (dtype.is_float or dtype.is_complex):
            raise ConversionError(
                Code.TypeMismatch,
                f"{self.name} is defined on floating-point numbers, the operand is {self.x.type}",
                operand=0,
            )
        return self.x.tensor


@op("core.neg", quant=FREE)
class Neg(Unary):
    """-x; wraps for unsigned and for the smallest integer."""

    def eval(self, x: Array) -> Array:
        return np.negative(x)

    def deduce(self) -> Known | None:
        return None if self.x.known is None else tuple(None if k is None else -k for k in self.x.known)


@op("core.abs", quant=FREE)
class Abs(Unary):
    """|x|; for complex numbers the magnitude, of the matching real type."""

    def infer(self) -> TensorType:
        t = self.x.tensor
        real = {DType.C64: DType.F32, DType.C128: DType.F64}.get(t.dtype)
        return t.with_dtype(real) if real else t

    def eval(self, x: Array) -> Array:
        return np.abs(x)


@op("core.sign")
class Sign(Unary):
    """-1, 0 or 1; NaN stays NaN.  Complex: x / |x| (TensorFlow Sign)."""

    def eval(self, x: Array) -> Array:
        return np.sign(x)


@op("core.exp")
class Exp(FloatUnary):
    """e ** x."""

    def eval(self, x: Array) -> Array:
        return np.exp(x)


@op("core.expm1")
class Expm1(FloatUnary):
    """e ** x - 1."""

    def eval(self, x: Array) -> Array:
        return np.expm1(x)


@op("core.log")
class Log(FloatUnary):
    """Natural logarithm."""

    def eval(self, x: Array) -> Array:
        return np.log(x)


@op("core.log1p")
class Log1p(FloatUnary):
    """log(1 + x)."""

    def eval(self, x: Array) -> Array:
        return np.log1p(x)


@op("core.sqrt")
class Sqrt(FloatUnary):
    """Square root; NaN below zero."""

    def eval(self, x: Array) -> Array:
        return np.sqrt(x)


@op("core.rsqrt")
class Rsqrt(FloatUnary):
    """1 / sqrt(x)."""

    def eval(self, x: Array) -> Array:
        return np.asarray(1 / np.sqrt(x)).astype(x.dtype)


@op("core.sin")
class Sin(FloatUnary):
    """Sine of radians."""

    def eval(self, x: Array) -> Array:
        return np.sin(x)


@op("core.cos")
class Cos(FloatUnary):
    """Cosine of radians."""

    def eval(self, x: Array) -> Array:
        return np.cos(x)


@op("core.tan")
class Tan(FloatUnary):
    """Tangent of radians."""

    def eval(self, x: Array) -> Array:
        return np.tan(x)


@op("core.asin")
class Asin(FloatUnary):
    """Inverse sine, in radians."""

    def eval(self, x: Array) -> Array:
        return np.arcsin(x)


@op("core.acos")
class Acos(FloatUnary):
    """Inverse cosine, in radians."""

    def eval(self, x: Array) -> Array:
        return np.arccos(x)


@op("core.atan")
class Atan(FloatUnary):
    """Inverse tangent, in radians."""

    def eval(self, x: Array) -> Array:
        return np.arctan(x)


@op("core.sinh")
class Sinh(FloatUnary):
    """Hyperbolic sine."""

    def eval(self, x: Array) -> Array:
        return np.sinh(x)


@op("core.cosh")
class Cosh(FloatUnary):
    """Hyperbolic cosine."""

    def eval(self, x: Array) -> Array:
        return np.cosh(x)


@op("core.tanh", quant=SIGNED_UNIT)
class Tanh(FloatUnary):
    """Hyperbolic tangent."""

    def eval(self, x: Array) -> Array:
        return np.tanh(x)


@op("core.asinh")
class Asinh(FloatUnary):
    """Inverse hyperbolic sine."""

    def eval(self, x: Array) -> Array:
        return np.arcsinh(x)


@op("core.acosh")
class Acosh(FloatUnary):
    """Inverse hyperbolic cosine."""

    def eval(self, x: Array) -> Array:
        return np.arccosh(x)


@op("core.atanh")
class Atanh(FloatUnary):
    """Inverse hyperbolic tangent."""

    def eval(self, x: Array) -> Array:
        return np.arctanh(x)


@op("core.erf")
class Erf(FloatUnary):
    """Gauss error function."""

    def eval(self, x: Array) -> Array:
        return cmath.erf(x)


@op("core.erfc")
class Erfc(FloatUnary):
    """1 - erf(x), accurate in the tail."""

    def eval(self, x: Array) -> Array:
        return cmath.erfc(x)


@op("core.lgamma")
class Lgamma(FloatUnary):
    """log |gamma(x)|."""

    def eval(self, x: Array) -> Array:
        return cmath.lgamma(x)


@op("core.digamma")
class Digamma(FloatUnary):
    """Derivative of lgamma."""

    def eval(self, x: Array) -> Array:
        return cmath.digamma(x)


@op("core.floor")
class Floor(FloatUnary):
    """Largest integer not above x."""

    def eval(self, x: Array) -> Array:
        return np.floor(x)


@op("core.ceil")
class Ceil(FloatUnary):
    """Smallest integer not below x."""

    def eval(self, x: Array) -> Array:
        return np.ceil(x)


@op("core.round")
class Round(FloatUnary):
    """Nearest integer, halves to even (ONNX Round, TensorFlow Round)."""

    def eval(self, x: Array) -> Array:
        return np.rint(x)


@op("core.sigmoid", quant=UNIT)
class Sigmoid(FloatUnary):
    """1 / (1 + exp(-x))."""

    def eval(self, x: Array) -> Array:
        return cmath.sigmoid(x)


@op("core.softplus")
class Softplus(FloatUnary):
    """log(1 + exp(x)), without overflow."""

    def eval(self, x: Array) -> Array:
        return cmath.softplus(x)


@op("core.gelu")
class Gelu(FloatUnary):
    """x * Phi(x); approximate: the tanh form of Hendrycks and Gimpel, section 2 (ONNX Gelu-20, TFLite GELU)."""

    approximate: bool = attr(default=False)

    def eval(self, x: Array) -> Array:
        wide = x.astype(np.float64)
        if self.approximate:
            phi = 1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3))
        else:
            phi = 1 + cmath.erf(wide / np.sqrt(2.0))
        return np.asarray(0.5 * wide * phi).astype(x.dtype)


@op("core.hard_swish")
class HardSwish(FloatUnary):
    """x * clamp(x / 6 + 1/2, 0, 1) (ONNX HardSwish-14, TFLite HARD_SWISH)."""

    def eval(self, x: Array) -> Array:
        wide = x.astype(np.float64)
        return np.asarray(wide * np.clip(wide / 6 + 0.5, 0, 1)).astype(x.dtype)


@op("core.elu")
class Elu(FloatUnary):
    """x above zero, alpha * (exp(x) - 1) below."""

    alpha: float = attr(default=1.0)

    def eval(self, x: Array) -> Array:
        return np.asarray(np.where(x > 0, x, self.alpha * np.expm1(np.minimum(x, 0)))).astype(x.dtype)


@op("core.leaky_relu")
class LeakyRelu(FloatUnary):
    """x above zero, alpha * x below."""

    alpha: float = attr()

    def eval(self, x: Array) -> Array:
        return np.asarray(np.where(x >= 0, x, x * np.asarray(self.alpha, x.dtype))).astype(x.dtype)


@op("core.clamp", quant=FREE)
class Clamp(Unary):
    """x limited to [lo, hi]; NaN stays NaN.  An infinite bound does not bind, also for integers.  relu is [0, inf],
    relu6 [0, 6].  kernel: TFLite's, which brings integers to another scale its own way (`rounding_tables.limit`)."""

    lo: float = attr()
    hi: float = attr()
    kernel: str | None = attr(default=None, check=lambda name: name is None or name in LIMITS)

    def eval(self, x: Array) -> Array:
        y = x
        if self.lo != -np.inf:
            y = np.maximum(y, np.asarray(self.lo).astype(x.dtype))
        if self.hi != np.inf:
            y = np.minimum(y, np.asarray(self.hi).astype(x.dtype))
        return np.asarray(y)

    def deduce(self) -> Known | None:
        known = self.x.known
        return None if known is None else tuple(None if k is None else self._limited(k) for k in known)

    def _limited(self, size: Size) -> Size:
        if self.lo != -np.inf:
            size = maximum(size, int(self.lo))
        return size if self.hi == np.inf else minimum(size, int(self.hi))


@op("core.logical_not")
class LogicalNot(Unary):
    """Not, on bool."""

    def infer(self) -> TensorType:
        check_dtype(self.x, DType.BOOL)
        return self.x.tensor

    def eval(self, x: Array) -> Array:
        return np.logical_not(x)


@op("core.bitwise_not")
class BitwiseNot(Unary):
    """Every bit inverted, on integers."""

    def eval(self, x: Array) -> Array:
        return np.invert(x)


class Predicate(Unary):
    """Float in, bool out."""

    __slots__ = ()

    def infer(self) -> TensorType:
        return self.x.tensor.with_dtype(DType.BOOL)


@op("core.is_nan")
class IsNan(Predicate):
    """True where x is NaN."""

    def eval(self, x: Array) -> Array:
        return np.isnan(x)


@op("core.is_inf")
class IsInf(Predicate):
    """True where x is infinite with an allowed sign (ONNX IsInf-20)."""

    positive: bool = attr(default=True)
    negative: bool = attr(default=True)

    def eval(self, x: Array) -> Array:
        wide = x.astype(np.float64)
        return np.asarray(((wide == np.inf) & self.positive) | ((wide == -np.inf) & self.negative))


@op("core.is_finite")
class IsFinite(Predicate):
    """True where x is neither NaN nor infinite."""

    def eval(self, x: Array) -> Array:
        return np.isfinite(x)


@op("core.cast", traits=[Plumbing])
class Cast(OpDef):
    """x in another element type: towards zero from float to integer, wrapping between integers, != 0 to bool; complex
    to real drops the imaginary part.

    Float to integer outside of the range is undefined in the sources; here it saturates where `saturate`, else takes
    what C gives through int64.
    """

    moves_elements = True
    x: Value = operand()
    dtype: DType = attr()
    saturate: bool = attr(default=False)
    y: Value = result()
    traits = (Elementwise,)

    def infer(self) -> TensorType:
        return self.x.tensor.with_dtype(self.dtype)

    def eval(self, x: Array) -> Array:
        target = self.dtype.numpy
        if x.dtype.kind == "c" and target.kind != "c":
            x = x.real
        with np.errstate(all="ignore"):
            if self.dtype.is_int and x.dtype.kind not in "iub":
                if self.saturate and self.dtype.bits >= 8:
                    info = np.iinfo(target)
                    wide = np.trunc(np.nan_to_num(x.astype(np.float64), nan=0.0, posinf=np.inf, neginf=-np.inf))
                    below, above = wide <= float(info.min), wide >= float(info.max)
                    inner = (
                        np.where(below | above, 0, wide)
                        .astype(np.int64 if target.kind == "i" else np.uint64)
                        .astype(target)
                    )
                    return np.asarray(np.where(below, info.min, np.where(above, info.max, inner))).astype(target)
                if target.itemsize < 8:
                    return x.astype(np.float64).astype(np.int64).astype(target)
            return x.astype(target)

    def deduce(self) -> Known | None:
        return self.x.known


@op("core.bitcast")
class Bitcast(OpDef):
    """The same bits under another element type (TensorFlow Bitcast): a narrower type adds a last dimension, a wider one
    removes it.
    """

    x: Value = operand()
    dtype: DType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = self.x.tensor
        shape = t.shape
        if shape is not None and t.dtype.bits > self.dtype.bits:
            shape = (*shape, t.dtype.bits // self.dtype.bits)
        elif shape is not None and t.dtype.bits < self.dtype.bits:
            if not shape or shape[-1] != self.dtype.bits // t.dtype.bits:
                raise ConversionError(
                    Code.ShapeMismatch, f"last dimension of {t} is not {self.dtype.bits // t.dtype.bits}"
                )
            shape = shape[:-1]
        return TensorType(self.dtype, shape)

    def eval(self, x: Array) -> Array:
        data = np.ascontiguousarray(x)
        out = np.frombuffer(data.tobytes(), self.dtype.numpy)
        ratio = data.dtype.itemsize / self.dtype.itemsize
        return out.reshape((*x.shape, int(ratio)) if ratio > 1 else x.shape[:-1] if ratio < 1 else x.shape).copy()
