"""Activation functions and softmax."""

from __future__ import annotations

import math

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.core.reduce import AlongAxis
from mlconv.ir.core import Value
from mlconv.legalize.from_onnx.node import Node
from mlconv.legalize.from_onnx.table import OnnxRules, Rule

RULES = OnnxRules()

# ONNX Selu-22, defaults of alpha and gamma.
_SELU_ALPHA, _SELU_GAMMA = 1.67326319217681884765625, 1.05070102214813232421875


@RULES.rule("Relu")
def relu(n: Node) -> Value:
    return n.clamp(n.x(), 0.0, math.inf)


@RULES.rule("LeakyRelu")
def leaky_relu(n: Node) -> Value:
    return n.y(core.LeakyRelu(n.x(), alpha=n.f("alpha", 0.01)))


@RULES.rule("PRelu")
def prelu(n: Node) -> Value:
    x, slope = n.x(0), n.x(1)
    if n.version < 7 and n.rank(slope) == 1 and n.dim(slope, 0) != 1:  # PRelu-6: one slope for each channel
        slope = n.reshape(slope, [-1, *[1] * (n.rank(x) - 2)])
    return n.where(n.less(x, 0), n.mul(x, slope), x)


@RULES.rule("Elu")
def elu(n: Node) -> Value:
    return n.y(core.Elu(n.x(), alpha=n.f("alpha", 1.0)))


@RULES.rule("Selu")
def selu(n: Node) -> Value:
    return n.mul(n.y(core.Elu(n.x(), alpha=n.f("alpha", _SELU_ALPHA))), n.f("gamma", _SELU_GAMMA))


@RULES.rule("Celu")
def celu(n: Node) -> Value:
    x, alpha = n.x(), n.f("alpha", 1.0)
    if alpha == 1.0:
        return n.y(core.Elu(x, alpha=1.0))
    below = n.mul(n.y(core.Expm1(n.div(x, alpha))), alpha)
    return n.add(n.clamp(x, 0.0, math.inf), n.clamp(below, -math.inf, 0.0))


@RULES.rule("HardSigmoid")
def hard_sigmoid(n: Node) -> Value:
    return n.clamp(n.add(n.mul(n.x(), n.f("alpha", 0.2)), n.f("beta", 0.5)), 0.0, 1.0)


@RULES.rule("Gelu")
def gelu(n: Node) -> Value:
    approximate = n.s("approximate", "none")
    if approximate not in ("none", "tanh"):
        raise ConversionError(Code.AttributeInvalid, f"Gelu: approximate is {approximate!r}, expected none or tanh")
    return n.y(core.Gelu(n.x(), approximate=approximate == "tanh"))


@RULES.rule("Gelu", domain="com.microsoft")
def microsoft_gelu(n: Node) -> Value:
    return n.y(core.Gelu(n.x(), approximate=False))


@RULES.rule("FastGelu", domain="com.microsoft")
def fast_gelu(n: Node) -> Value:
    bias = n.opt(1)
    return n.y(core.Gelu(n.x() if bias is None else n.add(n.x(), bias), approximate=True))


@RULES.rule("QuickGelu", domain="com.microsoft")
def quick_gelu(n: Node) -> Value:
    x = n.x()
    return n.mul(x, n.sigmoid(n.mul(x, n.f("alpha", 1.702))))


@RULES.rule("BiasGelu", domain="com.microsoft")
def bias_gelu(n: Node) -> Value:
    return n.y(core.Gelu(n.add(n.x(0), n.x(1)), approximate=False))


@RULES.rule("Mish")
def mish(n: Node) -> Value:
    x = n.x()
    return n.mul(x, n.tanh(n.y(core.Softplus(x))))


@RULES.rule("Softsign")
def softsign(n: Node) -> Value:
    x = n.x()
    return n.div(x, n.add(n.y(core.Abs(x)), 1))


def swish_of(n: Node, x: Value, alpha: float) -> Value:
    """x * sigmoid(alpha * x)."""
    return n.mul(x, n.sigmoid(x if alpha == 1.0 else n.mul(x, alpha)))


@RULES.rule("Swish")
def swish(n: Node) -> Value:
    return swish_of(n, n.x(), n.f("alpha", 1.0))


@RULES.rule("SwiGLU")
def swiglu(n: Node) -> Value:
    return n.mul(swish_of(n, n.x(0), n.f("alpha", 1.0)), n.x(1))


@RULES.rule("ThresholdedRelu")
def thresholded_relu(n: Node) -> Value:
    x = n.x()
    return n.where(n.less(n.f("alpha", 1.0), x), x, 0.0)


def _softmax(make: type[AlongAxis]) -> Rule:
    def rule(n: Node) -> Value:
        x = n.x()
        rank = n.rank(x)
        return n.y(make(x, axis=n.axis(n.i("axis", -1), rank)))

    return rule


def _flat_softmax(make: type[AlongAxis]) -> Rule:
    def rule(n: Node) -> Value:
        """Before opset 13 the axes from `axis` on are one axis (ONNX Softmax-11, "coerced into 2D")."""
        x = n.x()
        rank = n.rank(x)
        axis = n.axis(n.i("axis", 1), rank)
        if axis == rank - 1:
            return n.y(make(x, axis=axis))
        sizes = n.dims(x)
        flat = n.reshape(x, [n.prod(sizes[:axis]), n.prod(sizes[axis:])])
        return n.reshape(n.y(make(flat, axis=1)), sizes)

    return rule


for _name, _make in (("Softmax", core.Softmax), ("LogSoftmax", core.LogSoftmax)):
    RULES.add(_name, _softmax(_make), since=13)
    RULES.add(_name, _flat_softmax(_make), until=12)


@RULES.rule("Hardmax", since=13)
def hardmax(n: Node) -> Value:
    x = n.x()
    return _hardmax(n, x, n.axis(n.i("axis", -1), n.rank(x)))


@RULES.rule("Hardmax", until=12)
def flat_hardmax(n: Node) -> Value:
    x = n.x()
    sizes, axis = n.dims(x), n.axis(n.i("axis", 1), n.rank(x))
    flat = n.reshape(x, [n.prod(sizes[:axis]), n.prod(sizes[axis:])])
    return n.reshape(_hardmax(n, flat, 1), sizes)


def _hardmax(n: Node, x: Value, axis: int) -> Value:
    """1 at the first largest element along an axis, 0 elsewhere."""
    best = n.y(core.ArgMax(x, axis=axis, keepdims=True))
    rank = n.rank(x)
    size = n.dim(x, axis)
    places = n.reshape(n.arange(size), [size if i == axis else 1 for i in range(rank)])
    return n.cast(n.equal(n.cast(best, places.tensor.dtype), places), x.tensor.dtype)
