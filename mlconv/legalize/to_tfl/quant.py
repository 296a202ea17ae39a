"""Quantize, dequantize and fake quantization by their arithmetic, and random numbers.

QUANTIZE rounds halves away from zero, core (as ONNX) to even; so the float32 arithmetic is spelled out and gives the
same integers. Sources: kernels/quantize.cc, internal/reference/quantize.h, fake_quant.cc, random_ops.cc.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.random import Random
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.types import TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder, refuse, shape_of
from mlconv.rewrite import Rules

RULES = Rules()


def _column(e: TflBuilder, values: Array, quant: QuantType, shape: Sequence[Size], dtype: DType) -> Value:
    return e.constant(quant.spread(values, shape), dtype)


@RULES.rule(core.ToIntegers)
def to_integers(op: core.ToIntegers, e: TflBuilder) -> Value:
    """Divide, round, add the zero point, limit, cast."""
    quant, shape, dtype = op.quant, shape_of(op.x), op.quant.storage
    if dtype.bits > 16 or not dtype.is_int:
        raise refuse(f"quantization to {dtype.display} has no exact float32 form")
    y = e.y(core.Round(e.y(core.Div(op.x, _column(e, quant.scales.view(), quant, shape, DType.F32)))))
    if not isinstance(quant.zero_points, int):
        y = e.y(core.Add(y, _column(e, quant.zero_array(), quant, shape, DType.F32)))
    return e.cast(e.y(core.Clamp(y, lo=float(quant.qmin), hi=float(quant.qmax))), dtype)


@RULES.rule(core.FromIntegers)
def from_integers(op: core.FromIntegers, e: TflBuilder) -> Value:
    """Cast, subtract the zero point, multiply."""
    quant, shape = op.quant, shape_of(op.x)
    wide = op.x.tensor.dtype.bits > 16
    y = e.cast(op.x, DType.I32 if wide else DType.F32)
    if not isinstance(quant.zero_points, int):
        y = e.y(core.Sub(y, _column(e, quant.zero_array(), quant, shape, y.tensor.dtype)))
    y = e.y(core.Mul(e.cast(y, DType.F32), _column(e, quant.scales.view(), quant, shape, DType.F32)))
    return e.cast(y, quant.expressed)


@RULES.rule(core.FakeQuant)
def fake_quant(op: core.FakeQuant, e: TflBuilder) -> Value:
    """floor((clip(x) - low) / scale - levels below 0 + 1/2) * scale."""
    low, high, scale, zero = (np.asarray(v, np.float32) for v in (*op.params(), op.zero_levels()))

    def const(v: Array) -> Value:
        return e.constant(v, DType.F32)

    x = e.y(core.Minimum(e.y(core.Maximum(op.x, const(low))), const(high)))
    steps = e.y(core.Sub(e.y(core.Div(e.y(core.Sub(x, const(low))), const(scale))), const(zero)))
    return e.y(core.Mul(e.y(core.Floor(e.y(core.Add(steps, const(np.asarray(0.5, np.float32)))))), const(scale)))


@RULES.rule(core.RandomUniform, core.RandomNormal)
def random(op: Random, e: TflBuilder) -> Value:
    """RANDOM_UNIFORM, RANDOM_STANDARD_NORMAL in float32."""
    name = "RANDOM_UNIFORM" if isinstance(op, core.RandomUniform) else "RANDOM_STANDARD_NORMAL"
    limit = 2**63 - 1
    y = e.one(
        name, [e.i32(op.shape)], TensorType(DType.F32, op.y.tensor.shape), seed=op.seed & limit, seed2=op.seed2 & limit
    )
    return e.cast(y, op.dtype)
