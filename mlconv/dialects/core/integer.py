"""Quantization on plain integers: what borders become for targets that compute with numbers."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef, attr, op, operand, result
from mlconv.ir.types import TensorType


@op("core.to_integers")
class ToIntegers(OpDef):
    """saturate(round(x / scale) + zero_point), halves to even, with the numbers of `quant`; plain integers."""

    x: Value = operand()
    quant: QuantType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        return TensorType(self.quant, self.x.tensor.shape).stored

    def eval(self, x: Array) -> Array:
        return self.quant.quantize(x)


@op("core.from_integers")
class FromIntegers(OpDef):
    """scale * (x - zero_point) of plain integers x, with the numbers of `quant`; computed in float32."""

    x: Value = operand()
    quant: QuantType = attr()
    y: Value = result()

    def infer(self) -> TensorType:
        t = TensorType(self.quant, self.x.tensor.shape)
        if not self.x.tensor.dtype.is_int:
            raise ConversionError(Code.TypeMismatch, f"{self.x.type} are not integers of {t}")
        return t.expressed

    def eval(self, x: Array) -> Array:
        return self.quant.dequantize(x)
