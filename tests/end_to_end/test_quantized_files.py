"""Quantized ONNX files as int8 TFLite files: no larger than they were, with the numbers of ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.runtime.onnx_runtime import session_of
from tests.support.litert import run_litert

# name, shape of its input, share of the largest output that numbers may be off: nothing, or one step of the output
NETS = [
    ("digits_torch_cnn_qdq_u8", (2, 1, 8, 8), 0.0),
    ("digits_torch_cnn_qdq_s8_pc", (2, 1, 8, 8), 0.0),
    ("digits_torch_cnn_qop_u8", (2, 1, 8, 8), 0.0),
    ("wine_mlp_qdq_s8_pc_sym", (3, 13), 0.0),
    ("wine_mlp_qop_u8", (3, 13), 0.0),
    ("resnet18w16_legacy_op11_qdq_s8_pc", (1, 3, 64, 64), 0.0075),
    ("resnet18w16_legacy_op11_qop_u8", (1, 3, 64, 64), 0.0075),
]


@pytest.mark.parametrize(("name", "shape", "off"), NETS)
def test_quantized_files(name: str, shape: tuple[int, ...], off: float, corpus: Path, tmp_path: Path) -> None:
    source, made = corpus / "models" / "onnx" / f"{name}.onnx", tmp_path / "m.tflite"
    mlconv.convert(source, "tflite", made, verify_each=True)
    assert made.stat().st_size <= 1.1 * source.stat().st_size + 16_384
    x = np.random.default_rng(3).standard_normal(shape).astype(np.float32)
    net = session_of(str(source))
    (want,) = net.run(None, {net.get_inputs()[0].name: x})
    (got,) = run_litert(made.read_bytes(), [x])
    assert np.abs(got - want).max() <= off * np.abs(want).max()
