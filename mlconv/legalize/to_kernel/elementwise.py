"""Elementwise ops: one expression for each."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.kernel import Sizes, View
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_kernel.builder import Expr, KernelBuilder, broadcast, sizes
from mlconv.legalize.to_kernel.narrow import BYTES
from mlconv.rewrite import Rules

RULES = Rules()

Build = Callable[[Any, Expr, list[int]], int]
SAME: dict[type[OpDef], str] = {
    core.Neg: "neg",
    core.Abs: "abs",
    core.Sqrt: "sqrt",
    core.Floor: "floor",
    core.Ceil: "ceil",
    core.Round: "round",
    core.Exp: "exp",
    core.Log: "log",
    core.Sin: "sin",
    core.Cos: "cos",
    core.Tan: "tan",
    core.Asin: "asin",
    core.Acos: "acos",
    core.Atan: "atan",
    core.Sinh: "sinh",
    core.Cosh: "cosh",
    core.Tanh: "tanh",
    core.Asinh: "asinh",
    core.Acosh: "acosh",
    core.Atanh: "atanh",
    core.Erf: "erf",
    core.Erfc: "erfc",
    core.Expm1: "expm1",
    core.Log1p: "log1p",
    core.Sigmoid: "sigmoid",
    core.LogicalNot: "not",
    core.BitwiseNot: "not",
    core.Add: "add",
    core.Sub: "sub",
    core.Mul: "mul",
    core.And: "and",
    core.Or: "or",
    core.Xor: "xor",
    core.Maximum: "maximum",
    core.Minimum: "minimum",
    core.Atan2: "atan2",
    core.Div: "div",
    core.Rem: "rem",
    core.FloorDiv: "floor_div",
    core.FloorMod: "floor_mod",
    core.ShiftLeft: "shl",
    core.ShiftRight: "shr",
    core.Lgamma: "lgamma",
    core.Digamma: "digamma",
}
COMPARE: dict[type[OpDef], str] = {
    core.Equal: "equal",
    core.NotEqual: "not_equal",
    core.Less: "less",
    core.LessEqual: "less_equal",
    core.Greater: "greater",
    core.GreaterEqual: "greater_equal",
}


def power(op: core.Pow, e: Expr, args: list[int]) -> int:
    """x * x and cubes where the exponent says so; integers by squaring, or through float64 when the exponent is a
    float; else libm's pow.
    """
    x, exponent = args
    dtype, given = op.y.tensor.dtype, e.code[exponent].dtype
    number = e.code[exponent].value if e.code[exponent].opcode == "const" else None
    if number == 2:
        return e.op("mul", x, x)
    if number == 3:
        return e.op("mul", e.op("mul", x, x), x)
    if dtype.is_int and not given.is_int:
        return e.cast(e.op("pow", e.cast(x, DType.F64), e.cast(exponent, DType.F64)), dtype)
    return e.op("pow", x, e.cast(exponent, dtype))


def clamp(op: core.Clamp, e: Expr, args: list[int]) -> int:
    """Comparisons that NaN fails: it stays."""
    (x,) = args
    dtype = op.y.tensor.dtype
    for number, opcode in ((op.lo, "less"), (op.hi, "greater")):
        if math.isinf(number) and (number < 0) == (opcode == "less"):
            continue
        bound = e.const(dtype, float(number) if dtype.is_float else np.asarray(number).astype(dtype.numpy).item())
        x = e.op("select", e.op(opcode, x, bound, dtype=DType.BOOL), bound, x, dtype=dtype)
    return x if x != args[0] else e.op("cast", x)


def select(op: core.Select, e: Expr, args: list[int]) -> int:
    return e.op("select", *args, dtype=op.y.tensor.dtype)


def cast(op: core.Cast, e: Expr, args: list[int]) -> int:
    (x,) = args
    source = op.x.tensor.dtype
    if op.saturate and op.dtype.is_int and not (source.is_int or source is DType.BOOL):
        real = {DType.C64: DType.F32, DType.C128: DType.F64}.get(source, source)
        if op.dtype not in BYTES:
            return e.op("saturate", e.cast(x, real), dtype=op.dtype)
    if op.dtype not in BYTES:
        return e.op("cast", x, dtype=op.dtype)
    unused = 8 - op.dtype.bits
    return e.with_number("shr", e.with_number("shl", e.op("cast", x, dtype=BYTES[op.dtype]), unused), unused)


def rsqrt(op: core.Rsqrt, e: Expr, args: list[int]) -> int:
    return e.op("div", e.const(op.y.tensor.dtype, 1.0), e.op("sqrt", *args))


def softplus(op: core.Softplus, e: Expr, args: list[int]) -> int:
    """log(1 + exp(-|x|)) + max(x, 0)."""
    (x,) = args
    power = e.op("exp_moderate", e.op("neg", e.op("abs", x)))
    whole = e.with_number("add", power, 1.0)
    lost = e.op("sub", power, e.with_number("sub", whole, 1.0))  # what the sum rounded away
    small = e.op("add", e.op("log", whole), e.op("div", lost, whole))
    return e.op("add", small, e.with_number("maximum", x, 0.0))


def gelu(op: core.Gelu, e: Expr, args: list[int]) -> int:
    """x / 2 * (1 + erf(x / sqrt 2)), or with tanh."""
    (x,) = args
    if op.approximate:
        cube = e.op("mul", e.op("mul", x, x), x)
        inner = e.with_number("mul", e.op("add", e.with_number("mul", cube, 0.044715), x), math.sqrt(2 / math.pi))
        gate = e.op("tanh", inner)
    else:
        gate = e.op("erf", e.with_number("mul", x, math.sqrt(0.5)))
    return e.op("mul", e.with_number("mul", x, 0.5), e.with_number("add", gate, 1.0))


def hard_swish(op: core.HardSwish, e: Expr, args: list[int]) -> int:
    """The gate is divided before it meets x, which may be as large as its type goes."""
    (x,) = args
    gate = e.with_number("minimum", e.with_number("maximum", e.with_number("add", x, 3.0), 0.0), 6.0)
    return e.op("mul", x, e.with_number("mul", gate, 1 / 6))


def _positive(e: Expr, x: int) -> int:
    return e.op("greater", x, e.const(e.code[x].dtype, 0.0), dtype=DType.BOOL)


def elu(op: core.Elu, e: Expr, args: list[int]) -> int:
    (x,) = args
    short = op.x.tensor.dtype.bits < 32  # e^x rounded to 16 bits has lost what is left without the 1
    less = e.op("expm1", x) if short else e.with_number("sub", e.op("exp_moderate", x), 1.0)
    return e.op("select", _positive(e, x), x, e.with_number("mul", less, op.alpha), dtype=op.y.tensor.dtype)


def leaky_relu(op: core.LeakyRelu, e: Expr, args: list[int]) -> int:
    (x,) = args
    negative = e.with_number("mul", x, op.alpha)
    return e.op("select", _positive(e, x), x, negative, dtype=op.y.tensor.dtype)


def is_nan(op: core.IsNan, e: Expr, args: list[int]) -> int:
    return e.op("not_equal", args[0], args[0], dtype=DType.BOOL)


def is_inf(op: core.IsInf, e: Expr, args: list[int]) -> int:
    """Equal to the infinities asked for."""
    dtype = op.x.tensor.dtype
    signs = [s for s, wanted in ((1, op.positive), (-1, op.negative)) if wanted]
    if not dtype.is_float or not signs:
        return e.const(DType.BOOL, 0)
    x = e.op("abs", *args) if len(signs) == 2 else args[0]
    return e.op("equal", x, e.const(dtype, math.inf * signs[0]), dtype=DType.BOOL)


def sign(op: core.Sign, e: Expr, args: list[int]) -> int:
    """1, -1 or x itself, which is zero or NaN then."""
    (x,) = args
    dtype = op.y.tensor.dtype
    if dtype.is_complex:
        return e.op("sign", x)
    if dtype.is_unsigned_int or dtype is DType.BOOL:
        return e.with_number("minimum", x, 1)
    zero = e.const(dtype, 0)
    y = e.op("select", e.op("less", x, zero, dtype=DType.BOOL), e.const(dtype, -1), x, dtype=dtype)
    return e.op("select", e.op("greater", x, zero, dtype=DType.BOOL), e.const(dtype, 1), y, dtype=dtype)


@RULES.rule(core.FakeQuant)
def fake_quant(op: core.FakeQuant, emit: KernelBuilder) -> Value:
    """Limit to the nudged range and round to its levels."""
    shape, dtype = sizes(op.x), op.y.tensor.dtype
    low, high, scale = op.params()

    def build(e: Expr) -> int:
        x = e.cast(e.load(op.x, broadcast(shape, shape)), DType.F32)
        tables = (low, high, scale, op.zero_levels())
        first, last, step, zero = (_along(e, numbers, DType.F32, op.quant, emit, shape) for numbers in tables)
        for bound, opcode in ((first, "less"), (last, "greater")):
            x = e.op("select", e.op(opcode, x, bound, dtype=DType.BOOL), bound, x, dtype=DType.F32)
        steps = e.with_number("add", e.op("sub", e.op("div", e.op("sub", x, first), step), zero), 0.5)
        return e.op("cast", e.op("mul", e.op("floor", steps), step), dtype=dtype)

    return emit.map(op.y.tensor, build)


def is_finite(op: core.IsFinite, e: Expr, args: list[int]) -> int:
    if not op.x.tensor.dtype.is_float:
        return e.const(DType.BOOL, 1)
    x = e.op("abs", *args)
    return e.op("less", x, e.const(op.x.tensor.dtype, math.inf), dtype=DType.BOOL)


def _along(e: Expr, numbers: Array, dtype: DType, quant: QuantType, emit: KernelBuilder, shape: Sizes) -> int:
    """Scales or zero points as values."""
    if quant.axis is None or numbers.size == 1:
        return e.const(dtype, numbers.reshape(-1)[0].item())
    table = emit.constant(numbers.astype(dtype.numpy))
    return e.load(table, View(0, tuple(int(i == quant.axis) for i in range(len(shape)))))


@RULES.rule(core.ToIntegers)
def to_integers(op: core.ToIntegers, emit: KernelBuilder) -> Value:
    """saturate(round(x / scale) + zero_point), halves to even."""
    q, shape = op.quant, sizes(op.x)
    bits, wide = q.storage.bits, DType.F32 if q.storage.bits <= 16 else DType.F64

    def build(e: Expr) -> int:
        x = e.cast(e.load(op.x, broadcast(shape, shape)), DType.F32)
        x = e.op("round", e.op("div", x, _along(e, q.scales.view(), DType.F32, q, emit, shape)))
        x = e.op("add", e.cast(x, wide), _along(e, q.zero_array(), wide, q, emit, shape))
        for number, opcode in ((q.qmin, "less"), (q.qmax, "greater")):
            bound = e.const(wide, number)
            x = e.op("select", e.op(opcode, x, bound, dtype=DType.BOOL), bound, x, dtype=wide)
        return e.op("nearest" if bits <= 16 else "saturate", x, dtype=BYTES.get(q.storage, q.storage))

    return emit.map(op.y.tensor, build)


@RULES.rule(core.FromIntegers)
def from_integers(op: core.FromIntegers, emit: KernelBuilder) -> Value:
    """scale * (x - zero_point)."""
    q, shape = op.quant, sizes(op.x)

    def build(e: Expr) -> int:
        x = e.cast(e.load(op.x, broadcast(shape, shape)), DType.I64 if op.x.tensor.dtype.bits > 16 else DType.I32)
        x = e.op("sub", x, _along(e, q.zero_array(), e.code[x].dtype, q, emit, shape))
        x = e.op("mul", e.cast(x, DType.F32), _along(e, q.scales.view(), DType.F32, q, emit, shape))
        return e.cast(x, q.expressed)

    return emit.map(op.y.tensor, build)


def _same(opcode: str) -> Build:
    return lambda op, e, args: e.op(opcode, *args, dtype=op.result.tensor.dtype)


def _compare(opcode: str) -> Build:
    return lambda op, e, args: e.op(opcode, *args, dtype=DType.BOOL)


BUILDS: dict[type[OpDef], Build] = {
    core.Pow: power,
    core.Clamp: clamp,
    core.Select: select,
    core.Cast: cast,
    core.Rsqrt: rsqrt,
    core.Softplus: softplus,
    core.Gelu: gelu,
    core.HardSwish: hard_swish,
    core.Elu: elu,
    core.LeakyRelu: leaky_relu,
    core.IsNan: is_nan,
    core.IsFinite: is_finite,
    core.IsInf: is_inf,
    core.Sign: sign,
}
BUILDS |= {cls: _same(opcode) for cls, opcode in SAME.items()} | {
    cls: _compare(opcode) for cls, opcode in COMPARE.items()
}


@RULES.rule(*BUILDS)
def elementwise(op: OpDef, emit: KernelBuilder, made: Build | None = None) -> Value:
    """A map over the result's shape; operands broadcast as in numpy.  made: the expression, when it is not that of the
    table.
    """
    shape, formula = sizes(op.result), made or BUILDS[type(op)]

    def build(e: Expr) -> int:
        args = [e.load(v, broadcast(sizes(v), shape)) for v in op.inputs]
        return formula(op, e, args)

    return emit.map(op.result.tensor, build)
