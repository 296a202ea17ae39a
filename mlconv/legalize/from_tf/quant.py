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
    """round(limited x * scale) / scale, for a given, constant range.  Source:
    tensorflow/core/kernels/quantize_and_dequantize_op.h.
    """
    x = n.operand(0)
    bits = n.ints(3)[0] if n.kind == "QuantizeAndDequantizeV3" else n.attr("num_bits")
    signed, narrow, axis = n.attr("signed_input"), n.attr("narrow_range", False), n.attr("axis", -1)
    if not n.attr("range_given") or axis != -1 or not 2 <= bits <= 32:
        raise n.unsupported(f"a range that is not given, channels (axis {axis}), or {bits} bits")
    low, high = (np.float32(n.const(i).reshape(-1)[0]) for i in (1, 2))
    least = -(2 ** (bits - 1)) + int(narrow) if signed else 0  # unsigned numbers begin at 0, narrow or not
    most = 2 ** (bits - 1) - 1 if signed else 2**bits - 1
    sides = [(np.float32(q), r) for q, r in ((least, low), (most, high)) if q * r > 0]
    if not sides:
        raise n.unsupported(f"the range [{low}, {high}]")
    quantized, reached = min(sides, key=lambda side: side[0] / side[1])
    scale, inverse = quantized / reached, reached / quantized
    limits = (float(np.float32(least) * inverse), float(np.float32(most) * inverse))
    scaled = n.emit(core.Mul(n.emit(core.Clamp(x, lo=limits[0], hi=limits[1])).y, n.asarray(float(scale), x))).y
    if n.attr("round_mode", "HALF_TO_EVEN") == "HALF_UP":
        rounded = n.emit(core.Floor(n.emit(core.Add(scaled, n.asarray(0.5, x))).y)).y
    else:
        rounded = n.emit(core.Round(scaled)).y
    return n.emit(core.Mul(rounded, n.asarray(float(inverse), x))).y


@RULES.rule("FakeQuantWithMinMaxArgs")
def fake_quant_args(n: SourceNode) -> Value:
    low, high = (np.asarray([n.attr(name)], np.float32) for name in ("min", "max"))
    return _fake_quant(n, low, high)
