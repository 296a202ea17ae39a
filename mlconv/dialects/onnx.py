"""ONNX ops, as files have them: `onnx.Conv`, `onnx.com.microsoft.QGemm`."""

from __future__ import annotations

from mlconv.ir.dialect import Dialect

PREFIX = "onnx."


def op_name(domain: str, op_type: str) -> str:
    """`onnx.Conv`; other domains than ai.onnx are spelled out: `onnx.com.microsoft.QGemm`."""
    return f"{PREFIX}{domain}.{op_type}" if domain else f"{PREFIX}{op_type}"


DIALECT = Dialect("onnx", schemas="mlconv.dialects.onnx_schemas:schema")
