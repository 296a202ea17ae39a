"""TensorFlow 1's quantization: integers beside the least and the largest number that they stand for, as values.

Integers are plain ones here, and ranges float32 tensors that the ops hand on.

Source: tensorflow/core/ops/math_ops.cc; tensorflow/core/kernels: quantization_utils.h, quantize_op.cc,
dequantize_op.cc, requantize.cc, requantization_range_op.cc, quantize_down_and_shrink_range.cc,
quantized_activation_ops.cc, quantized_concat_op.cc, quantized_pooling_ops.cc.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.from_tf.operands import axis_of, dtype_of, tf_rules
from mlconv.legalize.from_tf.pool import pool_of
from mlconv.legalize.source import SourceNode
from mlconv.rewrite.core_builder import CoreBuilder

RULES: Final = tf_rules()
F32: Final = DType.F32
_LEAST_INT, _MOST_INT = -2147483648.0, 2147483520.0  # float32 numbers that an int32 holds


def limits(dtype: DType) -> tuple[float, float]:
    """Least and largest integer."""
    found = np.iinfo(dtype.numpy)
    return float(found.min), float(found.max)


def away(n: CoreBuilder, x: Value) -> Value:
    """Rounded, halves away from zero."""
    return n.where(n.less(x, 0.0), n.neg(n.floor(n.sub(0.5, x))), n.floor(n.add(x, 0.5)))


def numbers_of(n: CoreBuilder, x: Value, low: Value, high: Value) -> Value:
    """What integers stand for in a range, the ends of which are moved so that 0 is one of its numbers
    (QuantizedToFloatStruct).
    """
    least, most = limits(x.tensor.dtype)
    scale = n.div(n.sub(high, low), most - least)
    start = n.where(n.equal(high, low), low, n.mul(away(n, n.div(low, scale)), scale))
    return n.add(n.sub(start, n.mul(scale, least)), n.mul(n.cast(x, F32), scale))


def integers_of(n: CoreBuilder, x: Value, low: Value, high: Value, dtype: DType) -> Value:
    """Integers for numbers, in a range (FloatToQuantizedStruct)."""
    least, most = limits(dtype)
    scale = _levels(n, low, high, dtype)
    y = n.sub(away(n, n.mul(x, scale)), n.sub(away(n, n.mul(low, scale)), least))
    return n.cast(n.clamp(y, max(least, _LEAST_INT), min(most, _MOST_INT)), dtype)


def _levels(n: CoreBuilder, low: Value, high: Value, dtype: DType) -> Value:
    """Integers for each 1; 0 where the range is empty."""
    least, most = limits(dtype)
    span = n.sub(high, low)
    return n.where(n.equal(span, 0.0), 0.0, n.div(most - least, span))


def zero_of(n: CoreBuilder, low: Value, high: Value, dtype: DType) -> Value:
    """The integer that stands for 0, as float32; beyond the integers where the range does not hold 0."""
    least, _ = limits(dtype)
    return n.sub(least, away(n, n.mul(low, _levels(n, low, high, dtype))))


def range_of(n: SourceNode, low: int, high: int) -> tuple[Value, Value]:
    """Two operands as scalars."""
    return n.scalar(n.operand(low)), n.scalar(n.operand(high))


def _spread(n: SourceNode, ends: Sequence[Value], axis: int, rank: int) -> list[Value]:
    """One number, or one for each slice along an axis, so that they broadcast."""
    shape = [] if axis < 0 else [-1 if i == axis else 1 for i in range(rank)]
    return [n.reshape(v, shape) for v in ends]


def _axis(n: SourceNode, rank: int) -> int:
    axis = n.attr("axis", -1)
    if not -1 <= axis < rank:
        raise n.unsupported(f"axis {axis} of rank {rank}")
    return int(axis)


@RULES.rule("QuantizeV2")
def quantize_v2(n: SourceNode) -> Sequence[Value]:
    """Results: integers, and the range that they have, which holds 0 and is no smaller than `ensure_minimum_range`."""
    x, dtype, mode = n.cast(n.operand(0), F32), dtype_of(n, "T"), n.attr("mode", "MIN_COMBINED")
    rank = n.rank(x)
    axis = _axis(n, rank)
    given = [n.cast(n.operand(i), F32) for i in (1, 2)]
    low, high = _spread(n, given, axis, rank)
    largest = n.maximum(n.maximum(n.y(core.Abs(low)), n.y(core.Abs(high))), 1.0)
    low = n.minimum(low, 0.0)
    high = n.maximum(n.maximum(high, n.add(low, n.mul(largest, n.attr("ensure_minimum_range", 0.01)))), 0.0)
    if mode == "SCALED":
        y, low, high = _scaled(n, x, low, high, dtype)
    elif mode == "MIN_FIRST":
        y = integers_of(n, x, low, high, dtype)
    else:
        y = _combined(n, x, low, high, dtype)
    shape = [] if axis < 0 else [-1]
    return [y, n.reshape(low, shape), n.reshape(high, shape)]


def _combined(n: SourceNode, x: Value, low: Value, high: Value, dtype: DType) -> Value:
    """The least number is the least integer."""
    least, most = limits(dtype)
    scaled = n.mul(n.sub(n.maximum(n.minimum(x, high), low), low), n.div(most - least, n.sub(high, low)))
    y = away(n, n.sub(scaled, (most - least + 1) / 2)) if least else n.floor(n.add(scaled, 0.5))
    return n.cast(n.clamp(y, least, min(most, _MOST_INT)), dtype)


def _scaled(n: SourceNode, x: Value, low: Value, high: Value, dtype: DType) -> tuple[Value, Value, Value]:
    """0 is the integer 0; the end of the range that needs the smaller scale decides it."""
    least, most = limits(dtype)
    least += int(n.attr("narrow_range", False))
    largest = float(np.finfo(np.float32).max)
    scale = n.where(n.less(0.0, high), n.div(most, high), largest)
    if least:
        scale = n.minimum(n.where(n.less(low, 0.0), n.div(least, low), largest), scale)
    low, high = n.div(least, scale), n.div(most, scale)
    y = n.mul(n.maximum(n.minimum(x, high), low), scale)
    even = n.attr("round_mode", "HALF_AWAY_FROM_ZERO") == "HALF_TO_EVEN"
    y = n.y(core.Round(y)) if even else away(n, y)
    return n.cast(n.clamp(y, least, min(most, _MOST_INT)), dtype), low, high


@RULES.rule("Dequantize")
def dequantize(n: SourceNode) -> Value:
    x, mode = n.operand(0), n.attr("mode", "MIN_COMBINED")
    rank = n.rank(x)
    axis = _axis(n, rank)
    low, high = _spread(n, [n.operand(1), n.operand(2)], axis, rank)
    least, most = limits(x.tensor.dtype)
    if mode == "MIN_FIRST":
        y = numbers_of(n, x, low, high)
    elif mode == "SCALED":
        least += int(n.attr("narrow_range", False))
        scale = n.div(high, most)
        y = n.mul(n.cast(x, F32), n.maximum(n.div(low, least), scale) if least else scale)
    else:
        half = (most - least + 1) / 2 if least else 0.0
        y = n.add(n.mul(n.add(n.cast(x, F32), half), n.div(n.sub(high, low), most - least)), low)
    return n.cast(y, dtype_of(n, "dtype", F32))


@RULES.rule("Requantize")
def requantize(n: SourceNode) -> Sequence[Value]:
    """Operands: integers, their range, the range to have."""
    low, high = range_of(n, 3, 4)
    return [requantized(n, n.operand(0), range_of(n, 1, 2), (low, high), dtype_of(n, "out_type")), low, high]


@RULES.rule("QuantizeDownAndShrinkRange")
def shrink_range(n: SourceNode) -> Sequence[Value]:
    x, have = n.operand(0), range_of(n, 1, 2)
    low, high = _used_range(n, x, have)
    return [requantized(n, x, have, (low, high), dtype_of(n, "out_type")), low, high]


@RULES.rule("RequantizationRange")
def requantization_range(n: SourceNode) -> Sequence[Value]:
    return _used_range(n, n.operand(0), range_of(n, 1, 2))


def _used_range(n: SourceNode, x: Value, have: tuple[Value, Value]) -> tuple[Value, Value]:
    """The least and the largest number that there are, or 0 where the least is larger."""
    axes = tuple(range(n.rank(x)))
    low, high = n.y(core.ReduceMin(x, axes=axes)), n.max(x, axes)
    return n.minimum(numbers_of(n, low, *have), 0.0), numbers_of(n, high, *have)


def requantized(n: SourceNode, x: Value, have: tuple[Value, Value], want: tuple[Value, Value], dtype: DType) -> Value:
    """Integers of one range in another.  Sums of bytes go to uint8 by fixed point, of 16 bits behind the point, as
    RequantizeManyInNewRangeUsingEigen has it.
    """
    if x.tensor.dtype is not DType.I32 or dtype is not DType.U8:
        return integers_of(n, numbers_of(n, x, *have), *want, dtype)
    one = float(1 << 16)
    span = n.sub(want[1], want[0])
    inverse = n.where(n.equal(span, 0.0), 0.0, n.div(255.0, span))
    factor = n.cast(n.mul(n.mul(n.sub(have[1], have[0]), inverse), one), DType.I64)
    middle = n.cast(n.mul(n.mul(n.mul(n.add(have[0], have[1]), 0.5), inverse), one), DType.I64)
    start = n.cast(n.mul(n.mul(want[0], inverse), one), DType.I64)
    offset = n.add(n.sub(middle, start), 1 << 15)
    product = _shifted(n, n.mul(n.cast(x, DType.I64), factor), 32)
    y = _shifted(n, n.add(product, offset), 16)
    return n.cast(n.minimum(n.maximum(y, 0), 255), DType.U8)


def _shifted(n: SourceNode, x: Value, bits: int) -> Value:
    """Divided by a power of two, towards minus infinity."""
    return n.y(core.FloorDiv(x, n.constant(1 << bits, DType.I64)))


@RULES.rule("QuantizedReshape")
def quantized_reshape(n: SourceNode) -> Sequence[Value]:
    return [n.y(core.Reshape(n.operand(0), n.cast(n.operand(1), DType.I64))), *range_of(n, 2, 3)]


@RULES.rule("QuantizedRelu", "QuantizedRelu6")
def quantized_relu(n: SourceNode) -> Sequence[Value]:
    """The range stays as it is."""
    x = n.operand(0)
    low, high = range_of(n, 1, 2)
    dtype = x.tensor.dtype
    y = n.maximum(x, integers_of(n, n.constant(0.0, F32), low, high, dtype))
    if n.kind == "QuantizedRelu6":
        y = n.minimum(y, integers_of(n, n.constant(6.0, F32), low, high, dtype))
    return [y, low, high]


@RULES.rule("QuantizedMaxPool")
def quantized_max_pool(n: SourceNode) -> Sequence[Value]:
    return [pool_of(n, n.operand(0), core.MaxPool), *range_of(n, 1, 2)]


@RULES.rule("QuantizedAvgPool")
def quantized_avg_pool(n: SourceNode) -> Sequence[Value]:
    """Sums of integers, divided towards zero: means of float32 are moved by half of the least step they have."""
    x = n.operand(0)
    mean = pool_of(n, n.cast(x, F32), core.AvgPool)
    half = 0.5 / math.prod(n.attr("ksize"))
    whole = n.floor(n.add(n.y(core.Abs(mean)), half))
    return [n.cast(n.where(n.less(mean, 0.0), n.neg(whole), whole), x.tensor.dtype), *range_of(n, 1, 2)]


@RULES.rule("QuantizedConcat")
def quantized_concat(n: SourceNode) -> Sequence[Value]:
    """Operands: axis, tensors, the least and the largest number of each.  The range holds all, and 0; of signed
    integers it is symmetric.
    """
    count = (n.n_operands - 1) // 3
    xs = [n.operand(1 + i) for i in range(count)]
    ends = [range_of(n, 1 + count + i, 1 + 2 * count + i) for i in range(count)]
    pick: Callable[[Value, Value], Value] = n.minimum
    low = n.minimum(functools.reduce(pick, [e[0] for e in ends]), 0.0)
    high = functools.reduce(n.maximum, [e[1] for e in ends])
    dtype = xs[0].tensor.dtype
    if dtype.is_signed_int:
        high = n.maximum(n.y(core.Abs(low)), n.y(core.Abs(high)))
        low = n.neg(high)
    parts = []
    for x, have in zip(xs, ends, strict=True):
        same = n.logical_and(n.equal(have[0], low), n.equal(have[1], high))
        parts.append(n.where(same, x, integers_of(n, numbers_of(n, x, *have), low, high, dtype)))
    return [n.concat(parts, axis_of(n, 0, n.rank(xs[0]))), low, high]
