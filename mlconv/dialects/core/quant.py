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
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import OWN
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import Element, TensorType


@op("core.quantize", quant=OWN)
class Quantize(OpDef):
    """The nearest numbers that the integers of a quantized element type stand for: saturate(round(x / scale) +
    zero_point), halves to even.  x: of the type's expressed numbers.
    """

    x: Value = operand()
    element: QuantType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t, expressed = self.x.tensor, self.element.expressed
        if t.element is not expressed:
            raise ConversionError(
                Code.TypeMismatch, f"{t} is quantized to {self.element}, which stands for {expressed.display}"
            )
        return TensorType(self.element, t.shape)

    def eval(self, x: Array) -> Array:
        return self.element.quantize(x)


@op("core.dequantize", quant=OWN)
class Dequantize(OpDef):
    """The numbers that quantized x stands for: scale * (stored - zero_point), computed in float32."""

    x: Value = operand()
    y: Value = result()

    def infer(self) -> TensorType:
        quantized(self.x)
        return self.x.tensor.expressed

    def eval(self, x: Array) -> Array:
        return quantized(self.x).dequantize(x)


@op("core.storage_cast", quant=OWN)
class StorageCast(OpDef):
    """The same integers under another element type: as those of a quantized tensor, or as plain integers.

    Source: MLIR's quant.scast.
    """

    x: Value = operand()
    element: Element = attr(check=lambda value: isinstance(value, (DType, QuantType)))
    y: Value = result()

    def infer(self) -> TensorType:
        t = TensorType(self.element, self.x.tensor.shape)
        if t.dtype is not self.x.tensor.dtype:
            raise ConversionError(
                Code.TypeMismatch, f"the integers of {self.x.type} are not {t.dtype.display}, which {t} is stored in"
            )
        return t

    def eval(self, x: Array) -> Array:
        return x


def quantized(value: Value) -> QuantType:
    """The quantization of a value.  Raises ConversionError TypeMismatch when it has none."""
    quant = value.tensor.quant
    if quant is None:
        raise ConversionError(Code.TypeMismatch, f"{value.type} is not quantized")
    return quant


@op("core.fake_quant")
class FakeQuant(OpDef):
    """x limited to the range of a quantization and rounded to the numbers that its integers stand for, halves up; 0
    comes back as 0.  What is quantized is not stored: operand and result are numbers.
    """

    x: Value = operand()
    quant: QuantType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t, expressed = self.x.tensor, self.quant.expressed
        if t.element is not expressed:
            raise ConversionError(
                Code.TypeMismatch, f"{t} is limited to {self.quant}, which stands for {expressed.display}"
            )
        return TensorType(self.quant, t.shape).expressed

    def params(self) -> tuple[Array, Array, Array]:
        """Lowest number, highest number and scale, float32, of the scales' shape."""
        scale, zero = self.quant.scales.view(), self.quant.zero_array().astype(np.float32)
        low, high = (np.asarray((np.float32(q) - zero) * scale) for q in (self.quant.qmin, self.quant.qmax))
        return low, high, scale

    def zero_levels(self) -> Array:
        """How many levels lie below 0, float32."""
        low, _, scale = self.params()
        return np.asarray(np.floor(-low / scale + np.float32(0.5)))

    def eval(self, x: Array) -> Array:
        low, high, scale, zero = (self.quant.spread(v, x.shape) for v in (*self.params(), self.zero_levels()))
        y: Array = np.floor((np.clip(x, low, high) - low) / scale - zero + np.float32(0.5)) * scale
        return y.astype(x.dtype)
