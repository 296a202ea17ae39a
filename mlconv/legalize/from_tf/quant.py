"""Fake quantization.  Source: tensorflow/core/ops/array_ops.cc, tensorflow/core/kernels/fake_quant_ops_functor.h."""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import PerAxis, PerTensor, QuantType
from mlconv.legalize.from_tf.operands import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_vars(n: SourceNode) -> Value:
    """Operands: x, least and largest value, constant."""
    low, high = (np.asarray(n.const(i), np.float32).reshape(-1) for i in (1, 2))
    return _fake_quant(n, low, high)


def _fake_quant(n: SourceNode, low: Array, high: Array) -> Value:
    """With the range moved so that 0 is one of its numbers, as TensorFlow's `Nudge` does; an empty range gives 0.  low,
    high: one number, or one for each channel of the last axis.
    """
    x, bits = n.operand(0), n.attr("num_bits")
    least, most = int(n.attr("narrow_range")), 2**bits - 1
    qmin, qmax = np.float32(least), np.float32(most)
    scale = (high - low) / (qmax - qmin)
    empty = scale == 0
    scale = np.where(empty, np.float32(1), scale)
    start = qmin - low / scale
    zero = np.where(start < qmin, qmin, np.where(start > qmax, qmax, np.floor(start + np.float32(0.5))))
    zero = np.where(empty, qmin, zero)
    rank = x.tensor.rank
    if low.size > 1 and rank is None:
        raise n.unsupported("channels of a tensor whose rank is not known")
    storage = DType.U8 if bits <= 8 else DType.U16
    shape: tuple[int, ...] = (-1,) if low.size > 1 else ()
    quant = QuantType(
        storage,
        x.tensor.dtype,
        PerAxis((rank or 1) - 1) if low.size > 1 else PerTensor(),
        make_const(scale.astype(np.float32).reshape(shape)),
        make_const(zero.reshape(shape).astype(storage.numpy)),
        least,
        most,
    )
    y = n.emit(core.FakeQuant(x, quant=quant)).y
    if not empty.any():
        return y
    none = n.emit(core.Constant(value=make_const(empty.reshape(shape)))).y
    return n.emit(core.Select(none, n.asarray(0.0, x), y)).y


@RULES.rule("QuantizeAndDequantizeV2", "QuantizeAndDequantizeV3", "QuantizeAndDequantizeV4")
def quantize_and_dequantize(n: SourceNode) -> Value:
    """round(x * scale) / scale, x limited to a range that is given; one scale, or one for each slice along an axis.
    Source: tensorflow/core/kernels/quantize_and_dequantize_op.h.
    """
    x, axis = n.operand(0), n.attr("axis", -1)
    bits = n.ints(3)[0] if n.kind == "QuantizeAndDequantizeV3" else n.attr("num_bits")
    if axis < -1 or (axis >= 0 and axis >= n.rank(x)) or not 2 <= bits < 63:
        raise n.unsupported(f"axis {axis} of {x.type}, or {bits} bits")
    signed, given = n.attr("signed_input"), n.attr("range_given")
    least = -(2 ** (bits - 1)) + int(n.attr("narrow_range", False)) if signed else 0  # unsigned: narrow or not
    most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    known = _known_range(n) if given else None
    if known is None:
        scale, inverse, limits = _found_scale(n, _range_of(n, x, axis), least, most)
    else:
        ends = _scale(*known, least, most)
        scale, inverse, low, high = (n.constant(_spread(v, axis, n.rank(x) if axis >= 0 else 0)) for v in ends)
        limits = low, high
    if given:
        x = n.maximum(n.minimum(x, limits[1]), limits[0])
    scaled = n.mul(x, scale)
    half_up = n.attr("round_mode", "HALF_TO_EVEN") == "HALF_UP"
    rounded = n.floor(n.add(scaled, 0.5)) if half_up else n.y(core.Round(scaled))
    return n.mul(rounded, inverse)


def _spread(numbers: Array, axis: int, rank: int) -> Array:
    """Numbers so that they broadcast against a tensor: one, or one for each slice along an axis."""
    if axis < 0:
        return numbers.reshape(())
    return numbers.reshape([-1 if i == axis else 1 for i in range(rank)])


def _known_range(n: SourceNode) -> tuple[Array, Array] | None:
    """Least and largest numbers that are given, where they are known."""
    found = n.const_or_none(1), n.const_or_none(2)
    return None if found[0] is None or found[1] is None else (found[0], found[1])


def _scale(low: Array, high: Array, least: int, most: int) -> tuple[Array, Array, Array, Array]:
    """Scale, its inverse and the limits: the end of the range that needs the smaller scale decides it, and moves the
    other.
    """
    one = low.dtype.type
    largest = np.finfo(low.dtype).max
    with np.errstate(all="ignore"):
        of_low = np.where(one(least) * low > 0, one(least) / low, largest)
        of_high = np.where(one(most) * high > 0, one(most) / high, largest)
        by_low = of_low < of_high
        inverse = np.where(by_low, low / one(least or 1), high / one(most)).astype(low.dtype)
        scale = np.where(by_low, of_low, of_high).astype(low.dtype)
        ends = np.where(by_low, low, one(least) * inverse), np.where(by_low, one(most) * inverse, high)
    return scale, inverse, ends[0].astype(low.dtype), ends[1].astype(low.dtype)


def _range_of(n: SourceNode, x: Value, axis: int) -> tuple[Value, Value]:
    """Least and largest numbers, so that they broadcast against x: given at run time, or those of x."""
    rank = n.rank(x)
    if n.attr("range_given"):
        low, high = n.operand(1), n.operand(2)
        shape = [] if axis < 0 else [-1 if i == axis else 1 for i in range(rank)]
        return n.reshape(low, shape), n.reshape(high, shape)
    axes = tuple(i for i in range(rank) if i != axis)
    low = n.y(core.ReduceMin(x, axes=axes, keepdims=axis >= 0))
    return low, n.max(x, axes, keepdims=axis >= 0)


def _found_scale(
    n: SourceNode, ends: tuple[Value, Value], least: int, most: int
) -> tuple[Value, Value, tuple[Value, Value]]:
    """As `_scale`, at run time."""
    low, high = ends
    largest = float(np.finfo(low.tensor.dtype.numpy).max)
    of_high = n.where(n.less(0.0, high), n.div(float(most), high), largest)
    if not least:
        inverse = n.div(high, float(most))
        return of_high, inverse, (n.mul(inverse, 0.0), high)
    of_low = n.where(n.less(low, 0.0), n.div(float(least), low), largest)
    by_low = n.less(of_low, of_high)
    inverse = n.where(by_low, n.div(low, float(least)), n.div(high, float(most)))
    limits = n.where(by_low, low, n.mul(inverse, float(least))), n.where(by_low, n.mul(inverse, float(most)), high)
    return n.where(by_low, of_low, of_high), inverse, limits


@RULES.rule("FakeQuantWithMinMaxArgs")
def fake_quant_args(n: SourceNode) -> Value:
    low, high = (np.asarray([n.attr(name)], np.float32) for name in ("min", "max"))
    return _fake_quant(n, low, high)
