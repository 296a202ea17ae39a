"""Borders of integers as arithmetic, and fake quantization.

Source: tensorflow/core/kernels/fake_quant_ops_functor.h.
"""

from __future__ import annotations

import numpy as np

from mlconv.dialects import core
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.legalize.to_tf.builder import TfBuilder, rank_of, shape_of
from mlconv.rewrite import Rules

RULES = Rules()

_BITS = range(2, 17)


def _spread(e: TfBuilder, quant: QuantType, numbers: Array, x: Value, dtype: DType) -> Value:
    """Numbers of a quantization along its axis of x."""
    return e.constant(quant.spread(np.asarray(numbers), shape_of(x, "what is quantized")).astype(dtype.numpy))


@RULES.rule(core.ToIntegers)
def to_integers(op: core.ToIntegers, e: TfBuilder) -> Value:
    """Divide in float32, round, then add and limit in float64, which holds every stored number exactly."""
    quant, x = op.quant, e.cast(op.x, DType.F32)
    steps = e.y(core.Round(e.div(x, _spread(e, quant, quant.scales.view(), x, DType.F32))))
    wide = DType.F32 if quant.storage.bits <= 16 else DType.F64  # 2^24 holds 16 bits and a zero point
    stored = e.add(e.cast(steps, wide), _spread(e, quant, quant.zero_array(), x, wide))
    stored = e.where(e.y(core.IsNan(stored)), 0, stored)
    return e.raw_cast(e.clamp(stored, float(quant.qmin), float(quant.qmax)), quant.storage)


@RULES.rule(core.FromIntegers)
def from_integers(op: core.FromIntegers, e: TfBuilder) -> Value:
    """(x - zero point) * scale."""
    quant, x = op.quant, op.x
    if not isinstance(quant.zero_points, int):
        wide = DType.I32 if x.tensor.dtype.bits < 32 else DType.I64
        x = e.sub(e.cast(x, wide), _spread(e, quant, quant.zero_array(), x, wide))
    y = e.mul(e.cast(x, DType.F32), _spread(e, quant, quant.scales.view(), x, DType.F32))
    return e.cast(y, quant.expressed)


@RULES.rule(core.FakeQuant)
def fake_quant(op: core.FakeQuant, e: TfBuilder) -> Value:
    """FakeQuantWithMinMaxVars, and that for channels; else limited, scaled, rounded with halves up, and back."""
    quant, x = op.quant, op.x
    rank = rank_of(x, "what is quantized")
    low, high, scale = (np.asarray(v, np.float32) for v in op.params())
    numbers = {"num_bits": (quant.qmax - quant.qmin).bit_length(), "narrow_range": _is_narrow(quant)}
    has_op = numbers["num_bits"] in _BITS and (_is_narrow(quant) or _is_whole(quant)) and bool((low <= 0).all())
    if has_op and x.tensor.dtype is DType.F32 and bool((high >= 0).all()):
        if quant.is_per_tensor:
            ends = [e.constant(v.reshape(())) for v in (low, high)]
            return e.raw("FakeQuantWithMinMaxVars", [x, *ends], [op.y.tensor], **numbers)[0]
        if quant.axis == rank - 1 and low.ndim == 1:
            ends = [e.constant(v) for v in (low, high)]
            return e.raw("FakeQuantWithMinMaxVarsPerChannel", [x, *ends], [op.y.tensor], **numbers)[0]
    wide = e.cast(x, DType.F32)
    lo, hi, step, zero = (_spread(e, quant, v, x, DType.F32) for v in (low, high, scale, op.zero_levels()))
    count = e.floor(e.add(e.sub(e.div(e.sub(e.minimum(e.maximum(wide, lo), hi), lo), step), zero), 0.5))
    return e.cast(e.mul(count, step), op.y.tensor.dtype)


def _is_whole(quant: QuantType) -> bool:
    """All numbers of some bits."""
    return (quant.qmax - quant.qmin + 1).bit_count() == 1


def _is_narrow(quant: QuantType) -> bool:
    """All but one."""
    return (quant.qmax - quant.qmin + 2).bit_count() == 1


@RULES.rule(core.Quantize)
def quantize(op: core.Quantize, e: TfBuilder) -> Value:
    """The integers."""
    return e.y(core.ToIntegers(op.x, quant=op.element))


@RULES.rule(core.StorageCast)
def storage_cast(op: core.StorageCast, e: TfBuilder) -> Value:
    """The same integers."""
    return op.x
