"""float64 arithmetic that TFLite can do exactly: sums, products and extremes by the STABLEHLO elementwise kernels,
order by bit patterns.

The usual kernels have no float64.  Sources: kernels/stablehlo_elementwise.cc (operands of one shape), sign.cc,
atan2.cc; IEEE 754 for the order of bit patterns.  What needs a transcendental function or a division stays refused (see
`widen`).
"""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.binary import Binary, Compare
from mlconv.dialects.core.reduce import Reduce, Scan
from mlconv.dialects.core.unary import Unary
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_tfl.builder import TflBuilder, shape_of
from mlconv.rewrite import NOT_MEANT, NoMatch, Rules

FIRST = Rules()

_KERNELS = {
    core.Add: "STABLEHLO_ADD",
    core.Mul: "STABLEHLO_MULTIPLY",
    core.Maximum: "STABLEHLO_MAXIMUM",
    core.Minimum: "STABLEHLO_MINIMUM",
}
_COMBINE = {
    core.ReduceSum: core.Add,
    core.ReduceProd: core.Mul,
    core.ReduceMax: core.Maximum,
    core.ReduceMin: core.Minimum,
}
_INFINITY = 0x7FF0000000000000
_UNROLL = 64


@FIRST.rule(core.Add, core.Sub, core.Mul, core.Maximum, core.Minimum)
def binary(op: Binary, e: TflBuilder) -> list[Value] | NoMatch:
    """Both operands at the result's shape.  a - b is a + (-1) * b, which is exact."""
    if op.a.tensor.dtype is not DType.F64 or op.b.tensor.dtype is not DType.F64 or e.reduce_f64:
        return NOT_MEANT
    if isinstance(op, core.Sub):
        return [e.y(core.Add(op.a, e.y(core.Mul(op.b, e.asarray(-1.0, op.b)))))]
    shape = shape_of(op.y)
    a, b = (e.broadcast_to(x, shape, op.a, op.b) for x in (op.a, op.b))
    return [e.one(_KERNELS[type(op)], [a, b], op.y.type)]


@FIRST.rule(core.Neg, core.Abs, core.Sign)
def unary(op: Unary, e: TflBuilder) -> list[Value] | NoMatch:
    """neg, abs, sign."""
    if op.x.tensor.dtype is not DType.F64:
        return NOT_MEANT
    if isinstance(op, core.Sign):
        return [e.one("SIGN", [op.x], op.y.type)]
    if e.reduce_f64:
        return NOT_MEANT
    negative = e.y(core.Mul(op.x, e.asarray(-1.0, op.x)))
    return [negative if isinstance(op, core.Neg) else e.y(core.Maximum(op.x, negative))]


@FIRST.rule(core.Atan2)
def atan2(op: core.Atan2, e: TflBuilder) -> list[Value] | NoMatch:
    """ATAN2 has float64."""
    if op.a.tensor.dtype is not DType.F64:
        return NOT_MEANT
    shape = shape_of(op.y)
    a, b = (e.broadcast_to(x, shape, op.a, op.b) for x in (op.a, op.b))
    return [e.one("ATAN2", [a, b], op.y.type)]


@FIRST.rule(core.Equal, core.NotEqual, core.Less, core.LessEqual, core.Greater, core.GreaterEqual)
def compare(op: Compare, e: TflBuilder) -> list[Value] | NoMatch:
    """Order of the bit patterns as integers, with the negative half turned round; false with NaN, except for
    not_equal.
    """
    if op.a.tensor.dtype is not DType.F64 or e.reduce_f64:
        return NOT_MEANT
    keys, numbers = [], []
    for x in (op.a, op.b):
        bits = e.y(core.Bitcast(x, dtype=DType.I64))
        turned = e.y(core.Sub(e.constant(-(2**63), DType.I64), bits))
        key = e.y(core.Select(e.y(core.Less(bits, e.asarray(0, bits))), turned, bits))
        keys.append(key)
        limit = e.constant(_INFINITY, DType.I64)
        below = e.y(core.LessEqual(key, limit))
        above = e.y(core.GreaterEqual(key, e.constant(-_INFINITY, DType.I64)))
        numbers.append(e.y(core.And(below, above)))
    both = e.y(core.And(*numbers))
    y = e.y(type(op)(*keys))
    if isinstance(op, core.NotEqual):
        return [e.y(core.Or(y, e.y(core.LogicalNot(both))))]
    return [e.y(core.And(y, both))]


@FIRST.rule(*_COMBINE)
def reduce(op: Reduce, e: TflBuilder) -> list[Value] | NoMatch:
    """Slices combined one after the other, for axes of known, small size."""
    if op.x.tensor.dtype is not DType.F64 or e.reduce_f64:
        return NOT_MEANT
    x, shape = op.x, shape_of(op.x)
    axes = sorted({a % len(shape) for a in op.axes}) if shape else []
    sizes = [shape[a] for a in axes]
    if not all(isinstance(d, int) and 0 < d <= _UNROLL for d in sizes):
        return NoMatch(
            f"float64 is combined slice by slice along up to {_UNROLL}, not along {', '.join(map(str, sizes))}"
        )
    for axis in axes:
        size = shape[axis]
        total = e.slice_axis(x, axis, 0, 1)
        for i in range(1, size if isinstance(size, int) else 1):
            total = e.y(_COMBINE[type(op)](total, e.slice_axis(x, axis, i, i + 1)))
        x = total
    return [x if op.keepdims else e.reshape(x, shape_of(op.y), op.x)]


@FIRST.rule(core.ReduceMean)
def mean(op: core.ReduceMean, e: TflBuilder) -> list[Value] | NoMatch:
    """The sum times 1 / n where that is exact (n a power of two)."""
    if op.x.tensor.dtype is not DType.F64 or e.reduce_f64:
        return NOT_MEANT
    shape, n = shape_of(op.x), 1
    for a in {a % len(shape) for a in op.axes}:
        size = shape[a]
        n *= size if isinstance(size, int) else 0
    if n == 0 or n & (n - 1):
        return NoMatch("the mean of float64 is exact for a number of elements that is a power of two")
    total = e.y(core.ReduceSum(op.x, axes=op.axes, keepdims=op.keepdims))
    return [e.y(core.Mul(total, e.asarray(1.0 / n, total)))]


@FIRST.rule(core.CumSum, core.CumProd)
def scan(op: Scan, e: TflBuilder) -> list[Value] | NoMatch:
    """cumsum by doubling, as `reduce.cumprod` does it for products."""
    if op.x.tensor.dtype is not DType.F64 or e.reduce_f64:
        return NOT_MEANT
    from mlconv.legalize.to_tfl.reduce import doubling

    return [doubling(op, e, core.Add, 0.0) if isinstance(op, core.CumSum) else doubling(op, e, core.Mul, 1.0)]
