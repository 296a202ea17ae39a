"""Constants, ops that pass values on, and ops that read shapes.  Source: tensorflow/core/ops/array_ops.cc."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import Const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType
from mlconv.legalize.from_tf.operands import dtype_of, folded, tf_rules
from mlconv.legalize.limits import check_table
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("Const", "HostConst")
def constant(n: SourceNode) -> Value:
    value = n.attr("value")
    if not isinstance(value, Const):
        raise ConversionError(Code.AttributeInvalid, "a constant's value is no tensor")
    return n.constant(value)


@RULES.rule(
    "Identity",
    "StopGradient",
    "PreventGradient",
    "Snapshot",
    "CheckNumerics",
    "PlaceholderWithDefault",
    "EnsureShape",
    "_MklIdentity",
)
def pass_on(n: SourceNode) -> Value:
    x = n.operand(0)
    sizes = n.attr("shape", None) if n.kind == "EnsureShape" else None
    if sizes is None or x.tensor.shape is not None:
        return x
    return n.emit(core.Reshape(x, n.vector(sizes))).y if sum(s < 0 for s in sizes) <= 1 else x


@RULES.rule("Shape")
def shape(n: SourceNode) -> Value:
    return n.emit(core.ShapeOf(n.operand(0), dtype=dtype_of(n, "out_type"))).y


@RULES.rule("ShapeN")
def shape_n(n: SourceNode) -> Sequence[Value]:
    return [n.emit(core.ShapeOf(x, dtype=dtype_of(n, "out_type"))).y for x in n.operands()]


@RULES.rule("Size")
def size(n: SourceNode) -> Value:
    return n.emit(core.ReduceProd(n.emit(core.ShapeOf(n.operand(0), dtype=dtype_of(n, "out_type"))).y, axes=(0,))).y


@RULES.rule("Rank")
def rank(n: SourceNode) -> Value:
    x = n.operand(0)
    if x.tensor.rank is not None:
        return n.constant(x.tensor.rank, DType.I32)
    return n.scalar(n.emit(core.ShapeOf(n.emit(core.ShapeOf(x, dtype=DType.I32)).y, dtype=DType.I32)).y)


@RULES.rule("Fill")
def fill(n: SourceNode) -> Value:
    """Operands: dims, value."""
    return n.emit(core.BroadcastTo(n.operand(1), folded(n, 0))).y


@RULES.rule("ZerosLike", "OnesLike")
def like(n: SourceNode) -> Value:
    x = n.operand(0)
    if not isinstance(x.type, TensorType):
        return x  # a list is created with zeros
    return n.full_like(x, 0 if n.kind == "ZerosLike" else 1)


@RULES.rule("Range")
def range_(n: SourceNode) -> Value:
    start, limit, delta = (n.scalar(folded(n, i)) for i in range(3))
    return n.emit(core.Range(start, limit, delta)).y


@RULES.rule("LinSpace")
def lin_space(n: SourceNode) -> Value:
    """start + i * (stop - start) / (num - 1); num is constant."""
    start, stop = n.operand(0), n.operand(1)
    count = n.ints(2)[0]
    dtype = start.tensor.dtype
    if count < 1:
        raise ConversionError(Code.ShapeMismatch, f"LinSpace needs at least one value, num is {count}")
    check_table((count,), "result of LinSpace")
    steps = n.constant(np.linspace(0.0, 1.0, count), dtype)
    moved = n.emit(core.Add(n.emit(core.Mul(steps, n.emit(core.Sub(stop, start)).y)).y, start)).y
    return moved


@RULES.rule("BroadcastTo")
def broadcast_to(n: SourceNode) -> Value:
    return n.emit(core.BroadcastTo(n.operand(0), folded(n, 1))).y


@RULES.rule("BroadcastArgs")
def broadcast_args(n: SourceNode) -> Value:
    """The shape that two shapes broadcast to: the shorter is padded with ones in front; then the larger of each pair,
    where none is 0.
    """
    a, b = _aligned(n)
    one = n.asarray(1, a)
    return n.emit(core.Select(n.emit(core.Equal(a, one)).y, b, a)).y


@RULES.rule("BroadcastGradientArgs")
def broadcast_gradient_args(n: SourceNode) -> Sequence[Value]:
    """Axes along which either operand was broadcast."""
    a, b = _aligned(n)
    one = n.asarray(1, a)
    dtype = a.tensor.dtype
    ones = [n.emit(core.Equal(v, one)).y for v in (a, b)]
    differ = n.emit(core.NotEqual(a, b)).y
    any_differs = n.emit(core.ReduceAny(differ, axes=(0,))).y
    both = n.emit(core.And(n.emit(core.And(*ones)).y, any_differs)).y
    out: list[Value] = []
    for mine in ones:
        # An axis is reduced where this operand is 1 and the other is not; where both are 1 too, unless the shapes are
        # equal (TensorFlow bcast.h).
        reduced = n.emit(core.Or(n.emit(core.And(mine, differ)).y, both)).y
        where = n.emit(core.NonZero(reduced)).y
        out.append(n.cast(n.emit(core.Squeeze(where, axes=(1,))).y, dtype))
    return out


def _aligned(n: SourceNode) -> tuple[Value, Value]:
    """Both shape operands, padded with ones in front to the same length."""
    a, b = n.operand(0), n.operand(1)
    known = [v.tensor.shape[0] if v.tensor.shape else None for v in (a, b)]
    lengths = [k for k in known if isinstance(k, int)]
    if len(lengths) != 2:
        return _aligned_at_run_time(n, a, b)
    longest = max(lengths)
    padded: list[Value] = []
    for value, length in zip((a, b), lengths, strict=True):
        ones = n.constant(np.asarray([*[1] * (longest - length)], np.int64), value.tensor.dtype)
        padded.append(value if length == longest else n.concat([ones, value], 0))
    return padded[0], padded[1]


def _aligned_at_run_time(n: SourceNode, a: Value, b: Value) -> tuple[Value, Value]:
    flat = [n.emit(core.Reshape(v, n.vector([-1]))).y for v in (a, b)]
    lengths = [n.emit(core.ShapeOf(v)).y for v in flat]
    longest = n.emit(core.Maximum(*lengths)).y
    padded: list[Value] = []
    for value, length in zip(flat, lengths, strict=True):
        missing = n.concat([n.emit(core.Sub(longest, length)).y, n.vector([0])], 0)
        padded.append(n.emit(core.Pad(value, n.emit(core.Reshape(missing, n.vector([1, 2]))).y, n.asarray(1, value))).y)
    return padded[0], padded[1]


@RULES.rule("Empty")
def empty(n: SourceNode) -> Value:
    return n.emit(core.BroadcastTo(n.constant(0, dtype_of(n, "dtype")), n.operand(0))).y


@RULES.rule("ParallelConcat")
def parallel_concat(n: SourceNode) -> Value:
    return n.concat(n.operands(), 0)
