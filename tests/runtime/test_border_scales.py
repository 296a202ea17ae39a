"""`verify` of files whose nodes say what the integers of their interface stand for."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import ConversionError

_TEXT = """<ir_version: 8, opset_import: ["" : 17]> g (float[2, 8] x) => (float[2, 5] y) {
    t = MatMul (x, w) y = Relu (t)
}"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    model = onnx.parser.parse_model(_TEXT)
    w = np.random.default_rng(0).standard_normal((8, 5)).astype(np.float32)
    model.graph.initializer.append(onnx.numpy_helper.from_array(w, "w"))
    onnx.save(model, tmp_path / "m.onnx")
    return tmp_path / "m.onnx"


def test_floats_beside_integers_of_a_file_without_scales(source: Path, tmp_path: Path) -> None:
    samples = [{"x": np.random.default_rng(k).standard_normal((2, 8)).astype(np.float32)} for k in range(8)]
    made = tmp_path / "q.onnx"
    mlconv.convert(source, "onnx", made, quantize="int8-io-int8", calibration=samples)
    for pair in ((source, made), (made, source)):
        found = mlconv.verify(*pair)
        assert found.ok and found.outputs[0].max_abs > 0  # and neither was given numbers that it does not hold
    broken = onnx.load(made)
    for tensor in broken.graph.initializer:
        if list(tensor.dims) == [8, 5]:
            tensor.CopyFrom(onnx.numpy_helper.from_array(-onnx.numpy_helper.to_array(tensor), tensor.name))
    onnx.save(broken, tmp_path / "broken.onnx")
    assert not mlconv.verify(source, tmp_path / "broken.onnx").ok


def test_integers_that_stand_for_nothing(source: Path, tmp_path: Path) -> None:
    """Bytes that are cast say no scale."""
    text = _TEXT.replace("(float[2, 8] x)", "(int8[2, 8] b)").replace("{\n", "{ x = Cast <to: int = 1> (b)\n")
    model = onnx.parser.parse_model(text)
    model.graph.initializer.extend(onnx.load(source).graph.initializer)
    onnx.save(model, tmp_path / "bytes.onnx")
    with pytest.raises(ConversionError, match="MLC0705"):
        mlconv.verify(source, tmp_path / "bytes.onnx")
