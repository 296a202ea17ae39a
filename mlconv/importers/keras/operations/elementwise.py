"""Elementwise operations.  Source: keras/src/ops/numpy.py, nn.py, math.py, core.py."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.importers.keras.call import Call, Rules
from mlconv.importers.keras.layers.activation import FUNCTIONS, elu, leaky_relu, relu_of
from mlconv.importers.keras.operations.operands import NUMPY_TYPES, argument, axes, floats, pair, tensor
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef

RULES: Final = Rules()
_UNARY: Final[Mapping[str, type[OpDef]]] = {
    "Negative": core.Neg,
    "Exp": core.Exp,
    "Expm1": core.Expm1,
    "Log": core.Log,
    "Log1p": core.Log1p,
    "Sqrt": core.Sqrt,
    "Rsqrt": core.Rsqrt,
    "Sin": core.Sin,
    "Cos": core.Cos,
    "Tan": core.Tan,
    "Sinh": core.Sinh,
    "Cosh": core.Cosh,
    "Arcsin": core.Asin,
    "Arccos": core.Acos,
    "Arctan": core.Atan,
    "Erf": core.Erf,
    "Floor": core.Floor,
    "Ceil": core.Ceil,
    "Sign": core.Sign,
}
_ACTIVATIONS: Final = {
    "Relu": "relu",
    "Relu6": "relu6",
    "Sigmoid": "sigmoid",
    "SparseSigmoid": "sparse_sigmoid",
    "Softplus": "softplus",
    "Softsign": "softsign",
    "SparsePlus": "sparse_plus",
    "Silu": "silu",
    "LogSigmoid": "log_sigmoid",
    "HardSigmoid": "hard_sigmoid",
    "HardSilu": "hard_silu",
    "Selu": "selu",
    "HardTanh": "hard_tanh",
    "Tanh": "tanh",
    "TanhShrink": "tanh_shrink",
    "Mish": "mish",
}
_BINARY: Final[Mapping[str, type[OpDef]]] = {
    "Add": core.Add,
    "Subtract": core.Sub,
    "Multiply": core.Mul,
    "Maximum": core.Maximum,
    "Minimum": core.Minimum,
    "Equal": core.Equal,
    "NotEqual": core.NotEqual,
    "Less": core.Less,
    "LessEqual": core.LessEqual,
    "Greater": core.Greater,
    "GreaterEqual": core.GreaterEqual,
}
_DIVISIONS: Final[Mapping[str, type[OpDef]]] = {
    "Divide": core.Div,
    "TrueDivide": core.Div,
    "Power": core.Pow,
}


@RULES.rule(*_UNARY, keeps_mask=False)
def unary(n: Call) -> Value:
    return n.y(_UNARY[n.kind](floats(n)))


@RULES.rule(*_ACTIVATIONS, keeps_mask=False)
def activation(n: Call) -> Value:
    return FUNCTIONS[_ACTIVATIONS[n.kind]](n, floats(n))


@RULES.rule("Absolute", "Abs", keeps_mask=False)
def absolute(n: Call) -> Value:
    return n.y(core.Abs(tensor(n)))


@RULES.rule("Square", keeps_mask=False)
def square(n: Call) -> Value:
    x = floats(n)
    return n.mul(x, x)


@RULES.rule("Reciprocal", keeps_mask=False)
def reciprocal(n: Call) -> Value:
    return n.div(1.0, floats(n))


@RULES.rule("StopGradient", "Copy", "Identity", keeps_mask=False)
def same(n: Call) -> Value:
    return tensor(n, 0, "variable" if n.kind == "StopGradient" else "x")


@RULES.rule("ConvertToTensor", keeps_mask=False)
def convert_to_tensor(n: Call) -> Value:
    """Of what is one already."""
    n.fields.absent("dtype", "sparse", "ragged")
    return tensor(n)


@RULES.rule("ReLU", keeps_mask=False)
def relu(n: Call) -> Value:
    """Source: keras/src/activations/activations.py."""
    top = n.fields.number("max_value") if n.fields.get("max_value") is not None else None
    slope, threshold = n.fields.number("negative_slope", 0.0), n.fields.number("threshold", 0.0)
    return relu_of(n, floats(n), slope, top, threshold)


@RULES.rule("LeakyRelu", keeps_mask=False)
def leaky(n: Call) -> Value:
    return leaky_relu(n, floats(n), n.fields.number("negative_slope", 0.2))


@RULES.rule("Elu", keeps_mask=False)
def elu_of(n: Call) -> Value:
    return elu(n, floats(n), n.fields.number("alpha", 1.0))


@RULES.rule("Gelu", keeps_mask=False)
def gelu(n: Call) -> Value:
    return n.y(core.Gelu(floats(n), approximate=n.fields.flag("approximate", True)))


@RULES.rule("Softmax", "LogSoftmax", keeps_mask=False)
def softmax(n: Call) -> Value:
    x = floats(n)
    make = core.Softmax if n.kind == "Softmax" else core.LogSoftmax
    (axis,) = found if len(found := axes(n, x) if "axis" in n.fields.given else (n.rank(x) - 1,)) == 1 else (-1,)
    if axis < 0:
        raise n.fields.wrong("axis")
    return n.y(make(x, axis=axis))


@RULES.rule(*_BINARY, keeps_mask=False)
def binary(n: Call) -> Value:
    a, b = pair(n)
    if a.tensor.dtype is DType.BOOL and n.kind in ("Add", "Subtract", "Multiply"):
        raise n.unknown("arithmetic of bool")
    return n.y(_BINARY[n.kind](a, b))


@RULES.rule(*_DIVISIONS, keeps_mask=False)
def division(n: Call) -> Value:
    """Of floating-point numbers: Keras makes such of integers."""
    a, b = pair(n)
    if not a.tensor.dtype.is_float:
        raise n.unknown(f"its operands are of {a.tensor.dtype.display}")
    return n.y(_DIVISIONS[n.kind](a, b))


@RULES.rule("LogicalAnd", "LogicalOr", "LogicalNot", keeps_mask=False)
def logical(n: Call) -> Value:
    functions: Mapping[str, Callable[..., Value]] = {
        "LogicalAnd": n.logical_and,
        "LogicalOr": n.logical_or,
        "LogicalNot": n.logical_not,
    }
    xs = (tensor(n),) if n.kind == "LogicalNot" else pair(n)
    if any(x.tensor.dtype is not DType.BOOL for x in xs):
        raise n.unknown("operands that are no bool")
    return functions[n.kind](*xs)


@RULES.rule("Clip", keeps_mask=False)
def clip(n: Call) -> Value:
    x = floats(n)
    return n.clamp(x, n.fields.number("x_min"), n.fields.number("x_max"))


@RULES.rule("Where", keeps_mask=False)
def where(n: Call) -> Value:
    condition = tensor(n, 0, "condition")
    given = [argument(n, i, name) for i, name in ((1, "x1"), (2, "x2"))]
    known = [v for v in given if isinstance(v, Value)]
    if condition.tensor.dtype is not DType.BOOL or not known or len({v.tensor.dtype for v in known}) != 1:
        raise n.unknown("operands of several types")
    numbers = [v for v in given if not isinstance(v, Value)]
    if not all(isinstance(v, (int, float)) and not isinstance(v, bool) for v in numbers) or (
        numbers and not known[0].tensor.dtype.is_float
    ):
        raise n.unknown("an operand is no number")
    a, b = (v if isinstance(v, Value) else n.constant(float(str(v)), known[0].tensor.dtype) for v in given)
    return n.y(core.Select(condition, a, b))


@RULES.rule("Cast", keeps_mask=False)
def cast(n: Call) -> Value:
    dtype = n.fields.text("dtype", None, NUMPY_TYPES)
    return n.cast(tensor(n), DType.from_numpy(np.dtype(dtype)))
