"""The dialects, by the prefix of their ops' names."""

from mlconv.ir.dialect import Dialects

DIALECTS = Dialects(
    {
        "onnx": "mlconv.dialects.onnx:DIALECT",
        "tf": "mlconv.dialects.tf:DIALECT",
        "core": "mlconv.dialects.core:DIALECT",
        "tfl": "mlconv.dialects.tfl:DIALECT",
        "hlo": "mlconv.dialects.hlo:DIALECT",
        "kernel": "mlconv.dialects.kernel:DIALECT",
    }
)
