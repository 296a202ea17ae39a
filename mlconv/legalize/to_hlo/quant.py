"""Quantization as arithmetic, and random numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.random import Random
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.legalize.to_hlo.builder import HloBuilder, dims
from mlconv.rewrite import Rules

RULES = Rules()


def _along(e: HloBuilder, values: Any, axis: int | None, x: Value, dtype: DType) -> Value:
    array = np.asarray(values)
    if axis is None or array.size == 1:
        return e.scalar(array.reshape(-1)[0], dtype)
    return e.spread(e.constant(array, dtype), axis, dims(x))


@RULES.rule(core.ToIntegers)
def to_integers(op: core.ToIntegers, e: HloBuilder) -> Value:
    """Divide in float32, round, then add and limit in float64, which holds every stored number exactly."""
    q = op.quant
    x = e.convert(op.x, DType.F32)
    stored = e.unary("round-nearest-even", e.binary("divide", x, _along(e, q.scales.view(), q.axis, x, DType.F32)))
    wide = DType.F32 if q.storage.bits <= 16 else DType.F64  # 2^24 holds 16 bits and a zero point
    stored = e.binary("add", e.convert(stored, wide), _along(e, q.zero_array(), q.axis, x, wide))
    stored = e.select(e.compare("EQ", stored, stored), stored, e.scalar(0, wide))
    stored = e.binary("minimum", e.binary("maximum", stored, e.scalar(q.qmin, wide)), e.scalar(q.qmax, wide))
    return e.convert(stored, q.storage)


@RULES.rule(core.FromIntegers)
def from_integers(op: core.FromIntegers, e: HloBuilder) -> Value:
    """(x - zero point) * scale."""
    q = op.quant
    x = op.x
    if not isinstance(q.zero_points, int):
        wide = DType.I32 if x.tensor.dtype.bits < 32 else DType.I64
        x = e.binary("subtract", e.convert(x, wide), _along(e, q.zero_array(), q.axis, x, wide))
    y = e.binary("multiply", e.convert(x, DType.F32), _along(e, q.scales.view(), q.axis, x, DType.F32))
    return e.convert(y, q.expressed)


@RULES.rule(core.FakeQuant)
def fake_quant(op: core.FakeQuant, e: HloBuilder) -> Value:
    """Limited, scaled, rounded and back; 0 stays 0."""
    low, high, scale = op.params()
    dtype = op.x.tensor.dtype
    x = e.convert(op.x, DType.F32)
    lo, hi, step, zero = (_along(e, v, op.quant.axis, x, DType.F32) for v in (low, high, scale, op.zero_levels()))
    y = e.binary("subtract", e.binary("minimum", e.binary("maximum", x, lo), hi), lo)
    y = e.unary(
        "floor", e.binary("add", e.binary("subtract", e.binary("divide", y, step), zero), e.scalar(0.5, DType.F32))
    )
    return e.convert(e.binary("multiply", y, step), dtype)


@RULES.rule(core.RandomUniform, core.RandomNormal)
def random(op: Random, e: HloBuilder) -> Value:
    """rng: uniform in [0, 1), or standard normal."""
    kind = "RNG_UNIFORM" if isinstance(op, core.RandomUniform) else "RNG_NORMAL"
    return e.one("rng", [e.scalar(0, op.dtype), e.scalar(1, op.dtype)], op.y.tensor, distribution=kind)
