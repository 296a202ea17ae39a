"""Elementwise ops: those with a kernel by table, then the ones that are made of others.

Types have been dealt with by `widen`; what arrives here has an element type of `dtypes_table`.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary
from mlconv.dialects.core.shape import const_of
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dims import Dim, Size, product
from mlconv.ir.dtypes import DType
from mlconv.ir.estimates import estimate
from mlconv.ir.size_facts import SizeFacts
from mlconv.ir.spec import known_ints
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.legalize.to_tfl.dtypes_table import DELEGATE_RANK
from mlconv.rewrite import Rules
from mlconv.rewrite.index_forms import not_negative
from mlconv.rewrite.signs import is_positive
from mlconv.rewrite.value_ranges import ValueRanges

RULES = Rules()

_INT32_MAX = 2**31 - 1
_LONG = 1 << 7  # elements of an axis, of which a size may be the product of four
UNARY = {
    core.Neg: "NEG",
    core.Exp: "EXP",
    core.Log: "LOG",
    core.Sqrt: "SQRT",
    core.Sin: "SIN",
    core.Cos: "COS",
    core.Tanh: "TANH",
    core.Floor: "FLOOR",
    core.Ceil: "CEIL",
    core.Round: "ROUND",
    core.Sigmoid: "LOGISTIC",
    core.Sign: "SIGN",
    core.HardSwish: "HARD_SWISH",
    core.LogicalNot: "LOGICAL_NOT",
}
BINARY = {
    core.Add: "ADD",
    core.Sub: "SUB",
    core.Mul: "MUL",
    core.Maximum: "MAXIMUM",
    core.Minimum: "MINIMUM",
    core.Equal: "EQUAL",
    core.NotEqual: "NOT_EQUAL",
    core.Less: "LESS",
    core.LessEqual: "LESS_EQUAL",
    core.Greater: "GREATER",
    core.GreaterEqual: "GREATER_EQUAL",
}


KERNEL_RANK = 8  # dimensions that the broadcasting kernels of float32 and integers take
_DELEGATED = frozenset({"ADD", "SUB", "MUL", "DIV", "MAXIMUM", "MINIMUM", "SQUARED_DIFFERENCE"})


@RULES.rule(*UNARY)
def unary(op: Unary, e: TflBuilder) -> Value:
    """An op with a kernel of its own."""
    return e.one(UNARY[type(op)], [op.x], op.y.type)


@RULES.rule(*BINARY)
def binary(op: Binary, e: TflBuilder) -> Value:
    """An op with a kernel of its own that broadcasts."""
    return emit_binary(e, BINARY[type(op)], op.a, op.b, op.y.tensor)


def emit_binary(e: TflBuilder, builtin: str, a: Value, b: Value, y: TensorType) -> Value:
    """A binary kernel; operands of more dimensions than the kernels take are flattened when that keeps their
    meaning.
    """
    rank = y.rank or 0
    if rank <= DELEGATE_RANK or (
        rank <= KERNEL_RANK and (a.tensor.dtype is not DType.F32 or builtin not in _DELEGATED)
    ):
        return e.one(builtin, [a, b], y)
    sizes = shape_of(a), shape_of(b)
    groups = _mergeable(sizes[0], sizes[1], rank)
    if len(groups) > DELEGATE_RANK:
        raise refuse(
            f"{builtin} of {a.tensor} and {b.tensor} needs {len(groups)} dimensions, TFLite broadcasts {DELEGATE_RANK}"
        )
    merged = []
    for x in (a, b):
        shape = (1,) * (rank - len(shape_of(x))) + shape_of(x)
        merged.append(e.reshape(x, tuple(product(shape[i:j]) for i, j in groups)))
    out = y.shape or ()
    flat = y.with_shape(tuple(product(out[i:j]) for i, j in groups))
    return e.reshape(e.one(builtin, merged, flat), out, a, b)


def _mergeable(a: Shape, b: Shape, rank: int) -> list[tuple[int, int]]:
    """Runs of axes [begin, end) along which both operands are as large, or one of them is 1 all along."""
    pads = (1,) * (rank - len(a)) + a, (1,) * (rank - len(b)) + b
    kinds = [_broadcast_kind(x, y) for x, y in zip(*pads, strict=True)]
    groups: list[tuple[int, int]] = []
    current = ""
    for i, kind in enumerate(kinds):
        fits = kind != "open" and (kind == "one" or current in (kind, "one"))
        if groups and fits and current != "open":
            groups[-1] = (groups[-1][0], i + 1)
            current = current if kind == "one" else kind
        else:
            groups.append((i, i + 1))
            current = kind
    return groups


def _broadcast_kind(x: Size, y: Size) -> str:
    """How one axis broadcasts: both 1, the same, one of them 1 whatever the other is, or not known before run time."""
    if x == y:
        return "one" if x == 1 else "same"
    return "left" if x == 1 else "right" if y == 1 else "open"


@RULES.rule(core.Div)
def div(op: core.Div, e: TflBuilder) -> Value:
    """DIV has no int64 kernel: an estimate in float32 is refined with exact int64 remainders."""
    if op.y.tensor.dtype is not DType.I64:
        return emit_binary(e, "DIV", op.a, op.b, op.y.tensor)
    if _are_sizes(op):
        return e.y(core.FloorDiv(op.a, op.b))
    if _fit_int32(op):
        return e.cast(emit_binary(e, "DIV", e.i32(op.a), e.i32(op.b), op.y.tensor.with_dtype(DType.I32)), DType.I64)
    floor = e.y(core.FloorDiv(op.a, op.b))
    rest = e.y(core.Sub(op.a, e.y(core.Mul(floor, op.b))))
    inexact = e.y(core.NotEqual(rest, e.asarray(0, op.a)))
    negative = e.y(core.Less(floor, e.asarray(0, op.a)))
    up = e.cast(e.y(core.And(inexact, negative)), DType.I64)
    return e.y(core.Add(floor, up))


@RULES.rule(core.Rsqrt)
def rsqrt(op: core.Rsqrt, e: TflBuilder) -> Value:
    """RSQRT where x is known to be positive; else 1 / sqrt(x): XNNPACK's kernel gives NaN for 0."""
    if op.x.tensor.dtype is DType.F32 and is_positive(op.x):
        return e.one("RSQRT", [op.x], op.y.type)
    return e.y(core.Div(e.asarray(1, op.x), e.one("SQRT", [op.x], op.y.type)))


@RULES.rule(core.FloorDiv)
def floor_div(op: core.FloorDiv, e: TflBuilder) -> Value:
    """FLOOR_DIV; floor of the quotient for float32, where the kernel refuses 0.

    For int64: a minus the remainder is a multiple of b, whose quotient three float32 estimates reach exactly.
    """
    if op.y.tensor.dtype is DType.F32:
        return e.y(core.Floor(emit_binary(e, "DIV", op.a, op.b, op.y.tensor)))
    if op.y.tensor.dtype is not DType.I64:
        return emit_binary(e, "FLOOR_DIV", op.a, op.b, op.y.tensor)
    if _fit_int32(op):
        return e.cast(e.y(core.FloorDiv(e.i32(op.a), e.i32(op.b))), DType.I64)
    whole = e.y(core.Sub(op.a, e.y(core.FloorMod(op.a, op.b))))
    divisor = e.cast(op.b, DType.F32)
    quotient: Value | None = None
    rest = whole
    for _ in range(4):  # each estimate is right to 22 bits; the last one rounds the remaining error below 1/2 away
        estimate = e.y(core.Round(e.y(core.Div(e.cast(rest, DType.F32), divisor))))
        step = e.cast(estimate, DType.I64)
        quotient = step if quotient is None else e.y(core.Add(quotient, step))
        rest = e.y(core.Sub(whole, e.y(core.Mul(quotient, op.b))))
    return quotient if quotient is not None else whole


@RULES.rule(core.FloorMod)
def floor_mod(op: core.FloorMod, e: TflBuilder) -> Value:
    """FLOOR_MOD; by sizes of the run in int32, in which all other sizes are told."""
    if op.y.tensor.dtype is not DType.I64 or const_of(op.b) is not None or not _fit_int32(op):
        return emit_binary(e, "FLOOR_MOD", op.a, op.b, op.y.tensor)
    return e.cast(e.y(core.FloorMod(e.i32(op.a), e.i32(op.b))), DType.I64)


def _fit_int32(op: core.Div | core.FloorDiv | core.FloorMod) -> bool:
    """Made of sizes, which int32 holds, or of numbers that the ops before keep within: places, and what is counted."""
    return all(_is_told(v) or _is_within(v) for v in op.inputs) and (_is_told(op.b) or _is_not_0(op.b))


def _is_told(value: Value) -> bool:
    known = known_ints(value)
    return known is not None and all(size is not None and _fits(size) for size in known)


def _is_within(value: Value) -> bool:
    return all(_fits(end) for end in _ranges().of(value))


def _fits(size: Size | float) -> bool:
    """int32 holds it, also where axes are long."""
    return abs(estimate(size, _LONG) if isinstance(size, Dim) else size) <= _INT32_MAX


def _is_not_0(value: Value) -> bool:
    low, high = _ranges().of(value)
    return (not isinstance(low, Dim) and low > 0) or (not isinstance(high, Dim) and high < 0)


def _ranges() -> ValueRanges:
    """No axis is longer than int32 holds."""
    return ValueRanges(SizeFacts(), longest=_INT32_MAX)


def _are_sizes(op: core.Div | core.FloorDiv) -> bool:
    """Sizes over sizes."""
    return all(_is_told(v) and not_negative(v) for v in op.inputs)


@RULES.rule(core.Rem)
def rem(op: core.Rem, e: TflBuilder) -> Value:
    """The sign of the dividend: |a| floor_mod |b|, with a's sign; integers by division."""
    if op.y.tensor.dtype is DType.F32:
        size = e.y(core.FloorMod(e.y(core.Abs(op.a)), e.y(core.Abs(op.b))))
        return e.y(core.Select(e.y(core.Less(op.a, e.asarray(0, op.a))), e.y(core.Neg(size)), size))
    return e.y(core.Sub(op.a, e.y(core.Mul(e.y(core.Div(op.a, op.b)), op.b))))


@RULES.rule(core.Atan2)
def atan2(op: core.Atan2, e: TflBuilder) -> Value:
    """ATAN2 does not broadcast."""
    shape = shape_of(op.y)
    a, b = (e.broadcast_to(x, shape, op.a, op.b) for x in (op.a, op.b))
    return e.one("ATAN2", [a, b], op.y.type)


@RULES.rule(core.Abs)
def absolute(op: core.Abs, e: TflBuilder) -> Value:
    """ABS, COMPLEX_ABS."""
    return e.one("COMPLEX_ABS" if op.x.tensor.dtype.is_complex else "ABS", [op.x], op.y.type)


@RULES.rule(core.Clamp)
def clamp(op: core.Clamp, e: TflBuilder) -> Value:
    """The RELU family on float32, else MINIMUM of MAXIMUM, or of RELU, which other kernels have inside.  There is
    RELU_0_TO_1, too: XNNPACK does not take it, and a graph falls apart at each.
    """
    x, bounds = op.x, (op.lo, op.hi)
    kernels = {(0.0, math.inf): "RELU", (0.0, 6.0): "RELU6", (-1.0, 1.0): "RELU_N1_TO_1"}
    if x.tensor.dtype is DType.F32 and bounds in kernels:
        return e.one(kernels[bounds], [x], op.y.type)
    dtype = x.tensor.dtype
    y = x
    for bound, make, free in ((op.lo, core.Maximum, -math.inf), (op.hi, core.Minimum, math.inf)):
        if make is core.Maximum and bound == 0.0 and dtype is DType.F32:
            y = e.one("RELU", [y], op.y.type)
        elif bound != free:
            y = e.y(make(y, e.constant(np.asarray(bound).astype(dtype.numpy), dtype)))
    return y if y is not x else e.copy(x)


@RULES.rule(core.Gelu)
def gelu(op: core.Gelu, e: TflBuilder) -> Value:
    """GELU."""
    return e.one("GELU", [op.x], op.y.type, approximate=op.approximate)


@RULES.rule(core.Elu)
def elu(op: core.Elu, e: TflBuilder) -> Value:
    """ELU has alpha 1; another alpha scales the negative part."""
    if op.alpha == 1.0:
        return e.one("ELU", [op.x], op.y.type)
    negative = e.y(core.Mul(e.y(core.Elu(e.y(core.Minimum(op.x, e.asarray(0, op.x))))), e.asarray(op.alpha, op.x)))
    return e.y(core.Add(e.y(core.Clamp(op.x, lo=0.0, hi=math.inf)), negative))


@RULES.rule(core.LeakyRelu)
def leaky_relu(op: core.LeakyRelu, e: TflBuilder) -> Value:
    """LEAKY_RELU."""
    return e.one("LEAKY_RELU", [op.x], op.y.type, alpha=float(op.alpha))


@RULES.rule(core.IsNan)
def is_nan(op: core.IsNan, e: TflBuilder) -> Value:
    """A NaN differs from itself."""
    return e.y(core.NotEqual(op.x, op.x))


@RULES.rule(core.IsInf)
def is_inf(op: core.IsInf, e: TflBuilder) -> Value:
    """Equal to an infinity of an allowed sign."""
    if op.positive and op.negative:
        return e.y(core.Equal(e.y(core.Abs(op.x)), e.asarray(math.inf, op.x)))
    if op.positive or op.negative:
        return e.y(core.Equal(op.x, e.asarray(math.inf if op.positive else -math.inf, op.x)))
    return e.y(core.Less(op.x, e.asarray(-math.inf, op.x)))


@RULES.rule(core.IsFinite)
def is_finite(op: core.IsFinite, e: TflBuilder) -> Value:
    """Magnitude below infinity; false for NaN."""
    return e.y(core.Less(e.y(core.Abs(op.x)), e.asarray(math.inf, op.x)))


@RULES.rule(core.Select)
def select(op: core.Select, e: TflBuilder) -> Value:
    """SELECT_V2."""
    if (op.y.tensor.rank or 0) > DELEGATE_RANK + 2:
        raise refuse(f"SELECT_V2 takes 8 dimensions, not those of {op.y.tensor}")
    return e.one("SELECT_V2", [op.cond, op.a, op.b], op.y.type)
