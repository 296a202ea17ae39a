"""Elementwise builtins.  Source: tensorflow/lite/kernels (LiteRT), files named after the builtins."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.quant_rules import quant_of
from mlconv.legalize.from_tfl.node import Handler, TflNode, tfl_rules

RULES: Final = tfl_rules()

_UNARY: Final = {
    "ABS": "Abs",
    "CEIL": "Ceil",
    "COMPLEX_ABS": "ComplexAbs",
    "COS": "Cos",
    "ELU": "Elu",
    "EXP": "Exp",
    "FLOOR": "Floor",
    "IMAG": "Imag",
    "LOG": "Log",
    "LOGICAL_NOT": "LogicalNot",
    "LOGISTIC": "Sigmoid",
    "LOG_SOFTMAX": "LogSoftmax",
    "REAL": "Real",
    "ROUND": "Round",
    "RSQRT": "Rsqrt",
    "SIGN": "Sign",
    "SIN": "Sin",
    "SQRT": "Sqrt",
    "SQUARE": "Square",
    "TANH": "Tanh",
    "ZEROS_LIKE": "ZerosLike",
}
_BINARY: Final = {
    "ADD": "AddV2",
    "ATAN2": "Atan2",
    "DIV": "Div",
    "EQUAL": "Equal",
    "GREATER": "Greater",
    "GREATER_EQUAL": "GreaterEqual",
    "LESS": "Less",
    "LESS_EQUAL": "LessEqual",
    "LOGICAL_AND": "LogicalAnd",
    "LOGICAL_OR": "LogicalOr",
    "MAXIMUM": "Maximum",
    "MINIMUM": "Minimum",
    "MUL": "Mul",
    "NOT_EQUAL": "NotEqual",
    "POW": "Pow",
    "SQUARED_DIFFERENCE": "SquaredDifference",
    "SUB": "Sub",
}
_STORED: Final = {
    "BITWISE_XOR": "BitwiseXor",
    "FLOOR_DIV": "FloorDiv",
    "FLOOR_MOD": "FloorMod",
    "RIGHT_SHIFT": "RightShift",
}
LIMITS: Final = {
    "RELU": (0.0, math.inf),
    "RELU6": (0.0, 6.0),
    "RELU_0_TO_1": (0.0, 1.0),
    "RELU_N1_TO_1": (-1.0, 1.0),
}


def activated(n: TflNode, y: Value) -> Value:
    """What `fused_activation_function` makes of a result."""
    name = n.attr("fused_activation_function", None)
    if name in (None, "NONE"):
        return y
    if name in LIMITS:
        low, high = LIMITS[name]
        return n.clamp(y, low, high)
    if name == "TANH":
        return n.tanh(y)
    raise n.unsupported(f"the activation {name}, which no kernel computes")


def _unary(kind: str) -> Handler:
    return lambda n: n.tf1(kind, [n.number(0)])


def _binary(kind: str) -> Handler:
    return lambda n: activated(n, n.tf1(kind, [n.number(0), n.number(1)]))


def _of_stored(kind: str) -> Handler:
    """Of integers as they are stored: kernels never look at scales."""
    return lambda n: n.tf1(kind, [n.integers(0), n.integers(1)])


def _limited(name: str, low: float, high: float) -> Handler:
    """Numbers within limits; the kernel of 8 and 16 bits brings them to the scale of the result, too."""

    def make(n: TflNode) -> Value:
        x = n.number(0)
        quants = quant_of(n.operand(0)), quant_of(n.op.results[0])
        kernel = name.lower() if None not in quants and quants[0] != quants[1] else None
        return n.y(core.Clamp(x, lo=low, hi=high, kernel=kernel))

    return make


def _declare(rows: dict[str, str], make: Callable[[str], Handler]) -> None:
    for builtin, kind in rows.items():
        RULES.add(builtin, make(kind))


_declare(_UNARY, _unary)
_declare(_BINARY, _binary)
_declare(_STORED, _of_stored)
for _name, _bounds in LIMITS.items():
    RULES.add(_name, _limited(_name, *_bounds))


@RULES.rule("ADD_N")
def add_n(n: TflNode) -> Value:
    return n.tf1("AddN", n.numbers())


@RULES.rule("NEG")
def neg(n: TflNode) -> Value:
    """-x, of stored integers as of plain ones."""
    return n.tf1("Neg", [n.integers(0)])


@RULES.rule("GELU")
def gelu(n: TflNode) -> Value:
    return n.y(core.Gelu(n.number(0), approximate=n.attr("approximate")))


@RULES.rule("HARD_SWISH")
def hard_swish(n: TflNode) -> Value:
    return n.y(core.HardSwish(n.number(0)))


@RULES.rule("LEAKY_RELU")
def leaky_relu(n: TflNode) -> Value:
    return n.y(core.LeakyRelu(n.number(0), alpha=n.attr("alpha")))


@RULES.rule("PRELU")
def prelu(n: TflNode) -> Value:
    """x above zero, alpha * x below; alpha broadcasts."""
    x, alpha = n.numbers()
    return n.where(n.greater_equal(x, 0), x, n.mul(x, alpha))


@RULES.rule("SOFTMAX")
def softmax(n: TflNode) -> Value:
    """Along the last axis, of beta * x."""
    x, beta = n.number(0), n.attr("beta")
    scaled = x if beta in (0.0, 1.0) else n.mul(x, beta)  # files that leave it out mean 1
    return n.y(core.Softmax(scaled, axis=n.rank(x) - 1))


@RULES.rule("SELECT")
def select(n: TflNode) -> Value:
    """A condition of one element, or of rank 1, stands for rows."""
    return n.tf1("Select", [n.operand(0), *n.numbers(1)])


@RULES.rule("SELECT_V2")
def select_v2(n: TflNode) -> Value:
    return n.tf1("SelectV2", [n.operand(0), *n.numbers(1)])


@RULES.rule("CAST")
def cast(n: TflNode) -> Value:
    """Stored integers count as what they are (kernels/cast.cc)."""
    return n.cast(n.integers(0), n.op.results[0].tensor.dtype)


@RULES.rule("BITCAST")
def bitcast(n: TflNode) -> Value:
    """The same bits; those of a quantized tensor are its integers."""
    x, declared = n.operand(0), n.op.results[0].tensor
    if x.type.quant is not None:
        x = n.y(core.StorageCast(x, element=x.type.quant.storage))
    same = x.tensor.dtype is declared.dtype
    return x if same else n.y(core.Bitcast(x, dtype=declared.dtype))
