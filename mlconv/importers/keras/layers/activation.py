"""Activations.  Source: keras/src/activations/activations.py, keras/src/backend/tensorflow/nn.py,
keras/src/layers/activations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Final, NamedTuple

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.fields import Fields
from mlconv.importers.keras.graph import object_of
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType

RULES: Final = Rules()
# tensorflow/core/kernels/relu_op_functor.h, `Selu`
_SELU_SCALE, _SELU_ALPHA = 1.0507009873554804934193349852946, 1.6732632423543772848170429916717
_LAYERS: Final = ("ReLU", "LeakyReLU", "ELU", "Softmax", "Activation")


class Function(NamedTuple):
    """What the field of a layer names.  name: of the function, empty for a layer."""

    name: str
    rule: Callable[[Call, Value], Value]

    def __call__(self, n: Call, x: Value) -> Value:
        return self.rule(n, x)


def activated(n: Call, name: str, x: Value) -> Value:
    """x behind the function that a field of the layer names."""
    return function_of(n.fields, name)(n, x)


def function_of(fields: Fields, name: str, default: str = "linear") -> Function:
    """The function that a field names: one of Keras, or a layer without weights."""
    given = fields.get(name, default)
    if isinstance(given, Mapping) and given.get("class_name") in _LAYERS:
        kind, config = object_of(given)
        return Function("", lambda n, x: n.activation_layer(RULES, kind, config, x))
    if isinstance(given, Mapping):
        given = _named(fields, name, given)
    function = FUNCTIONS.get(given) if isinstance(given, str) else None
    if function is None:
        raise fields.wrong(name)
    return Function(str(given), function)


def _named(fields: Fields, name: str, given: Mapping[str, object]) -> object:
    """A function of Keras that is written out as an object."""
    plain = given.get("class_name") == "function" and given.get("module") in ("builtins", "keras.activations")
    if not plain or given.get("registered_name") not in (None, "function", given.get("config")):
        raise fields.wrong(name)
    return given.get("config")


def leaky_relu(n: Call, x: Value, alpha: float) -> Value:
    """Slopes of 0 and 1 have plainer forms."""
    return n.clamp(x, 0.0) if alpha == 0.0 else n.y(core.LeakyRelu(x, alpha=alpha))


def elu(n: Call, x: Value, alpha: float) -> Value:
    return n.y(core.Elu(x, alpha=alpha))


def _selu(n: Call, x: Value) -> Value:
    return n.mul(elu(n, x, _SELU_ALPHA), _SELU_SCALE)


def _softsign(n: Call, x: Value) -> Value:
    return n.div(x, n.add(n.y(core.Abs(x)), 1.0))


def _silu(n: Call, x: Value) -> Value:
    return n.mul(x, n.sigmoid(x))


def _hard_sigmoid(n: Call, x: Value) -> Value:
    return n.div(n.clamp(n.add(x, 3.0), 0.0, 6.0), 6.0)


def _mish(n: Call, x: Value) -> Value:
    return n.mul(x, n.tanh(n.y(core.Softplus(x))))


def _log_sigmoid(n: Call, x: Value) -> Value:
    return n.neg(n.y(core.Softplus(n.neg(x))))


def _squareplus(n: Call, x: Value) -> Value:
    return n.div(n.add(x, n.sqrt(n.add(n.mul(x, x), 4.0))), 2.0)


def _celu(n: Call, x: Value) -> Value:
    return n.add(n.maximum(x, 0.0), n.y(core.Expm1(n.minimum(x, 0.0))))


def _soft_shrink(n: Call, x: Value) -> Value:
    below = n.where(n.less(x, -0.5), n.add(x, 0.5), 0.0)
    return n.where(n.less(0.5, x), n.sub(x, 0.5), below)


def _hard_shrink(n: Call, x: Value) -> Value:
    return n.where(n.less(0.5, n.y(core.Abs(x))), x, 0.0)


def _sparse_plus(n: Call, x: Value) -> Value:
    one = n.add(x, 1.0)
    inner = n.where(n.less(x, 1.0), n.mul(n.mul(one, one), 0.25), x)
    return n.where(n.less_equal(x, -1.0), 0.0, inner)


def _sparse_sigmoid(n: Call, x: Value) -> Value:
    return n.clamp(n.mul(n.add(x, 1.0), 0.5), 0.0, 1.0)


def _glu(n: Call, x: Value) -> Value:
    half = n.size(x, -1) // 2
    if half * 2 != n.size(x, -1):
        raise n.unknown("an odd number of channels has no halves")
    first, second = n.split(x, (half, half), n.rank(x) - 1)
    return n.mul(first, n.sigmoid(second))


def sparsemax(n: Call, x: Value, axis: int) -> Value:
    """max(x - t, 0); t = (sum of the running sums of the largest numbers, as many as have support, - 1) / their count.

    A projection on the simplex would have the last of these sums in the place of their sum; Keras computes this.
    Source: keras/src/backend/tensorflow/nn.py.
    """
    size = n.size(x, axis)
    ordered = n.emit(core.TopK(x, n.constant(size, DType.I64), axis=axis)).values
    places = np.arange(1, size + 1, dtype=np.float32).reshape([size] + [1] * (n.rank(x) - 1 - axis))
    sums = n.y(core.CumSum(ordered, axis=axis))
    support = n.less(0.0, n.sub(ordered, n.div(n.sub(sums, 1.0), n.constant(places, x.tensor.dtype))))
    count = n.sum(n.cast(support, x.tensor.dtype), [axis], keepdims=True)
    total = n.sum(n.where(support, sums, 0.0), [axis], keepdims=True)
    return n.maximum(n.sub(x, n.div(n.sub(total, 1.0), count)), 0.0)


FUNCTIONS: Final[Mapping[str, Callable[[Call, Value], Value]]] = {
    "linear": lambda n, x: x,
    "relu": lambda n, x: n.clamp(x, 0.0),
    "relu6": lambda n, x: n.clamp(x, 0.0, 6.0),
    "leaky_relu": lambda n, x: leaky_relu(n, x, 0.2),
    "softmax": lambda n, x: n.y(core.Softmax(x, axis=n.rank(x) - 1)),
    "log_softmax": lambda n, x: n.y(core.LogSoftmax(x, axis=n.rank(x) - 1)),
    "elu": lambda n, x: elu(n, x, 1.0),
    "selu": _selu,
    "celu": _celu,
    "softplus": lambda n, x: n.y(core.Softplus(x)),
    "softsign": _softsign,
    "soft_shrink": _soft_shrink,
    "hard_shrink": _hard_shrink,
    "sparse_plus": _sparse_plus,
    "sparse_sigmoid": _sparse_sigmoid,
    "squareplus": _squareplus,
    "silu": _silu,
    "swish": _silu,
    "gelu": lambda n, x: n.y(core.Gelu(x)),
    "glu": _glu,
    "tanh": lambda n, x: n.tanh(x),
    "tanh_shrink": lambda n, x: n.sub(x, n.tanh(x)),
    "hard_tanh": lambda n, x: n.clamp(x, -1.0, 1.0),
    "sigmoid": lambda n, x: n.sigmoid(x),
    "log_sigmoid": _log_sigmoid,
    "hard_sigmoid": _hard_sigmoid,
    "hard_silu": lambda n, x: n.y(core.HardSwish(x)),
    "hard_swish": lambda n, x: n.y(core.HardSwish(x)),
    "exponential": lambda n, x: n.exp(x),
    "mish": _mish,
    "sparsemax": lambda n, x: sparsemax(n, x, n.rank(x) - 1),
}


@RULES.rule("Activation", keeps_mask=True)
def activation(n: Call) -> Value:
    """The function that the field names."""
    return activated(n, "activation", n.x)


def relu_of(n: Call, x: Value, slope: float, top: float | None, threshold: float) -> Value:
    """Source: `ReLU.static_call` of keras/src/activations/activations.py."""
    if slope < 0.0 or threshold < 0.0 or (top is not None and top < 0.0):
        raise n.unknown(f"a slope of {slope}, a threshold of {threshold} and a largest value of {top}")
    if top is None and threshold == 0.0:
        return leaky_relu(n, x, slope)
    if threshold == 0.0:
        y = n.clamp(x, 0.0, math.inf if top is None else top)
    else:
        y = n.where(n.less(threshold, x), x, 0.0)
        y = y if top is None else n.clamp(y, 0.0, top)
    if slope == 0.0:
        return y
    below = n.sub(threshold, x) if threshold else n.neg(x)
    return n.sub(y, n.mul(n.clamp(below, 0.0), slope))


@RULES.rule("ReLU", keeps_mask=True)
def relu(n: Call) -> Value:
    """Fields: negative_slope, max_value, threshold; alpha stands for the slope in files of Keras 2."""
    top = n.fields.number("max_value") if n.fields.get("max_value") is not None else None
    slope, threshold = n.fields.number("negative_slope", 0.0), n.fields.number("threshold", 0.0)
    return relu_of(n, n.x, slope, top, threshold)


@RULES.rule("LeakyReLU", keeps_mask=True)
def leaky(n: Call) -> Value:
    name = "alpha" if "alpha" in n.fields.given else "negative_slope"
    return leaky_relu(n, n.x, n.fields.number(name, 0.3))


@RULES.rule("ELU", keeps_mask=True)
def elu_layer(n: Call) -> Value:
    return elu(n, n.x, n.fields.number("alpha", 1.0))


@RULES.rule("PReLU", keeps_mask=True)
def prelu(n: Call) -> Value:
    """relu(x) - alpha * relu(-x); alpha has the shape of x without the batch, 1 along shared axes."""
    x = n.x
    rank, shared = n.rank(x), n.fields.listed("shared_axes") if n.fields.get("shared_axes") is not None else ()
    axes = {n.axis(a, rank) for a in shared}
    shape = [1 if a in axes else n.size(x, a) for a in range(1, rank)]
    (alpha,) = n.own(shape)
    return n.where(n.less(x, 0.0), n.mul(x, alpha), x)


def lowest(n: Call) -> float:
    """What stands for numbers that do not count: `_large_negative_number`."""
    return -3e4 if n.dtype is DType.F16 else -1e9


@RULES.rule("Softmax", keeps_mask=True)
def softmax(n: Call) -> Value:
    """Over one axis or several; what does not count gets nothing.  Source: keras/src/layers/activations/softmax.py."""
    x, mask, given = n.x, n.mask, n.fields.get("axis", -1)
    rank = n.rank(x)
    listed = given if isinstance(given, (list, tuple)) else [given]
    axes = tuple(sorted({n.axis(a, rank) for a in listed if isinstance(a, int) and not isinstance(a, bool)}))
    if not listed or len(axes) != len(listed):
        raise n.fields.wrong("axis")
    if mask is not None:
        if n.rank(mask) > rank:
            raise n.unknown(f"a mask {mask.tensor} for {x.tensor}")
        mask = mask if mask.tensor.dtype is DType.BOOL else n.less(0.5, mask)
        x = n.where(mask, x, lowest(n))
    if len(axes) == 1:
        y = n.y(core.Softmax(x, axis=axes[0]))
    else:
        parts = n.exp(n.sub(x, n.max(x, axes, keepdims=True)))
        y = n.div(parts, n.sum(parts, axes, keepdims=True))
    return y if mask is None else n.where(mask, y, 0.0)
