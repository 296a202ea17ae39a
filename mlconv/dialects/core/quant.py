"""Borders between real and quantized numbers: real = scale * (stored - zero_point).

Source: ONNX QuantizeLinear-21, DequantizeLinear-21; TFLite 8-bit quantization specification; TensorFlow
FakeQuantWithMinMaxVars.
"""

from __future__ import annotations

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import QuantParams, TensorType


def _along(values: tuple[float, ...] | tuple[int, ...], axis: int | None, rank: int, dtype: type) -> Array:
    array: Array = np.asarray(values, dtype)
    return array.reshape(()) if axis is None else array.reshape([-1 if i == axis else 1 for i in range(rank)])


def _check(t: TensorType, quant: QuantParams) -> None:
    if quant.axis is not None and t.shape is not None:
        size = t.shape[quant.axis] if quant.axis < len(t.shape) else None
        if isinstance(size, int) and size != len(quant.scales):
            raise ConversionError(Code.ShapeMismatch, f"{len(quant.scales)} scales for axis {quant.axis} of {t}")


@op("core.quantize")
class Quantize(OpDef):
    """saturate(round(x / scale) + zero_point), halves to even; the result's type carries `quant`."""

    x: Value = operand()
    dtype: DType = attr()
    quant: QuantParams = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        _check(self.x.tensor, self.quant)
        return TensorType(self.dtype, self.x.tensor.shape, self.quant)

    def eval(self, x: Array) -> Array:
        q = self.quant
        wide = x.astype(np.float32)
        stored = np.rint(wide / _along(q.scales, q.axis, x.ndim, np.float32)).astype(np.float64) + _along(
            q.zero_points, q.axis, x.ndim, np.float64
        )
        bits = self.dtype.bits
        lo, hi = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if self.dtype.is_signed_int else (0, 2**bits - 1)
        return np.clip(np.nan_to_num(stored), lo, hi).astype(np.int64).astype(self.dtype.numpy)


@op("core.dequantize")
class Dequantize(OpDef):
    """scale * (x - zero_point), in `dtype` (float32 unless the source says otherwise)."""

    x: Value = operand()
    quant: QuantParams = attr()
    dtype: DType = attr(default=DType.F32)
    y: Value = result()

    def infer(self) -> TensorType:
        _check(self.x.tensor, self.quant)
        return TensorType(self.dtype, self.x.tensor.shape)

    def eval(self, x: Array) -> Array:
        q = self.quant
        centred = x.astype(np.int64) - _along(q.zero_points, q.axis, x.ndim, np.int64)
        return (centred.astype(np.float32) * _along(q.scales, q.axis, x.ndim, np.float32)).astype(self.dtype.numpy)


@op("core.fake_quant")
class FakeQuant(OpDef):
    """Quantize and dequantize in one: x limited to the nudged [low, high] and rounded to its 2^bits levels (one level
    fewer with `narrow`).

    low, high: one number, or one per channel of the last axis.
    """

    x: Value = operand()
    low: tuple[float, ...] = attr()
    high: tuple[float, ...] = attr()
    bits: int = attr(default=8)
    narrow: bool = attr(default=False)
    y: Value = result()

    def infer(self) -> TensorType:
        return self.x.tensor

    def params(self) -> tuple[Array, Array, Array]:
        """Nudged low, nudged high and scale, float32, as TensorFlow's `Nudge` computes them.  0 is level -low / scale,
        and comes back as 0.
        """
        low, high = np.asarray(self.low, np.float32), np.asarray(self.high, np.float32)
        qmin, qmax = np.float32(1 if self.narrow else 0), np.float32(2**self.bits - 1)
        scale = (high - low) / (qmax - qmin)
        with np.errstate(all="ignore"):
            start = qmin - low / scale
        zero = np.where(start < qmin, qmin, np.where(start > qmax, qmax, np.floor(start + np.float32(0.5)))).astype(
            np.float32
        )
        return (qmin - zero) * scale, (qmax - zero) * scale, scale

    def zero_levels(self) -> Array:
        """How many levels lie below 0, float32."""
        low, _, scale = self.params()
        with np.errstate(all="ignore"):
            return np.where(scale == 0, np.float32(0), np.floor(-low / scale + np.float32(0.5))).astype(np.float32)

    def eval(self, x: Array) -> Array:
        (low, high, scale), zero = self.params(), self.zero_levels()
        if len(self.low) == 1:
            low, high, scale, zero = low[0], high[0], scale[0], zero[0]
        with np.errstate(all="ignore"):
            y = np.floor((np.clip(x, low, high) - low) / scale - zero + np.float32(0.5)) * scale
        return np.where(scale == 0, np.zeros_like(x), y).astype(x.dtype)
