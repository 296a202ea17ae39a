"""Quantized ONNX files of the corpus are no larger on TFLite, nor are their weights in native code."""

from __future__ import annotations

import json
from pathlib import Path

import onnx
import pytest
from onnx import TensorProto, numpy_helper

import mlconv

_QUANTIZED = {
    "ConvInteger",
    "DequantizeLinear",
    "DynamicQuantizeLinear",
    "MatMulInteger",
    "QGemm",
    "QLinearConv",
    "QLinearMatMul",
    "QuantizeLinear",
}


def constant_bytes(graph: onnx.GraphProto) -> int:
    """Bytes of initializers; those of 4 bits lie two in a byte."""
    total = 0
    for tensor in graph.initializer:
        array = numpy_helper.to_array(tensor)
        short = tensor.data_type in (TensorProto.INT4, TensorProto.UINT4)
        total += (array.size + 1) // 2 if short else array.nbytes
    return total


def test_sizes(corpus: Path, tmp_path: Path) -> None:
    """1.1 times the file and 16 KB, 1.1 times the initializers."""
    found = 0
    for entry in json.loads((corpus / "manifest.json").read_text())["models"]:
        if entry["format"] != "onnx":
            continue
        source = corpus / entry["path"]
        graph = onnx.load(source, load_external_data=False).graph
        if not _QUANTIZED & {node.op_type for node in graph.node}:
            continue
        mlconv.convert(source, "tflite", tmp_path / "m.tflite")
        mlconv.convert(source, "native", tmp_path / "m.o", weights="file", cpu="x86-64-v3")
        assert (tmp_path / "m.tflite").stat().st_size <= 1.1 * source.stat().st_size + 16_384, entry["name"]
        assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * constant_bytes(graph), entry["name"]
        found += 1
    if not found:
        pytest.fail("the corpus has no quantized ONNX files")
