"""Fake quantization.  Source: tensorflow/core/ops/array_ops.cc, tensorflow/core/kernels/fake_quant_ops_functor.h."""

from __future__ import annotations

from typing import Final

import numpy as np

from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.legalize.from_tf.support import tf_rules
from mlconv.legalize.source import SourceNode

RULES: Final = tf_rules()


@RULES.rule("FakeQuantWithMinMaxVars", "FakeQuantWithMinMaxVarsPerChannel")
def fake_quant_vars(n: SourceNode) -> Value:
    """Operands: x, least and largest value, constant."""
    low, high = (tuple(float(v) for v in n.const(i).reshape(-1)) for i in (1, 2))
    return n.emit(
        core.FakeQuant(n.operand(0), low=low, high=high, bits=n.attr("num_bits"), narrow=n.attr("narrow_range"))
    ).y


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
    return n.emit(
        core.FakeQuant(
            n.operand(0),
            low=(n.attr("min"),),
            high=(n.attr("max"),),
            bits=n.attr("num_bits"),
            narrow=n.attr("narrow_range"),
        )
    ).y
