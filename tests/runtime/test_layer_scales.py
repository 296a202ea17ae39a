"""Scales of integers that are read a little otherwise than they are made by, and integers of few bits."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

import mlconv
from mlconv.driver.verification import Asked, verify


def drawn(path: Path, text: str, weights: dict[str, tuple[int, ...]]) -> None:
    """A model with random weights."""
    model, rng = onnx.parser.parse_model(text), np.random.default_rng(0)
    for name, shape in weights.items():
        array = rng.standard_normal(shape).astype(np.float32)
        model.graph.initializer.append(numpy_helper.from_array(array, name))
    onnx.save(model, path)


def test_weights_of_four_bits_in_loops_and_out(tmp_path: Path) -> None:
    """LiteRT shows them as ones of eight; what a loop fills is no value of the model."""
    text = """<ir_version: 8, opset_import: ["" : 18]>
        g (float[16, 1, 12] x) => (float[16, 1, 1, 20] y) {
            h = GRU <hidden_size = 12, linear_before_reset = 1> (x, w, r)
            m = MatMul (h, v) a, b = Split <axis = -1, num_outputs = 2> (m) y = Mul (a, b) }"""
    drawn(tmp_path / "m.onnx", text, {"w": (1, 36, 12), "r": (1, 36, 12), "v": (12, 40)})
    mlconv.quantize(tmp_path / "m.onnx", "tflite", tmp_path / "q.tflite", scheme="int4")
    found = verify(tmp_path / "m.onnx", tmp_path / "q.tflite", Asked(layers=True)).layers
    assert found is not None and not found.problem


@pytest.mark.parametrize(("by", "wrong"), [(2e-3, False), (1e-2, True)])
def test_scales_that_kernels_round_by(tmp_path: Path, by: float, wrong: bool) -> None:
    """Of two numbers with 8 bits behind the point, as writers choose them so that kernels round halves up."""
    text = """<ir_version: 8, opset_import: ["" : 17]>
        g (float[1, 20] x) => (float[1, 7] y) { h = Gemm (x, w) r = Tanh (h) y = Gemm (r, v) }"""
    drawn(tmp_path / "m.onnx", text, {"w": (20, 20), "v": (20, 7)})
    mlconv.quantize(tmp_path / "m.onnx", "onnx", tmp_path / "q.onnx", calibration="random:8")
    other = onnx.load(tmp_path / "q.onnx")
    node = next(n for n in other.graph.node if n.op_type == "DequantizeLinear" and n.output[0].startswith("h"))
    known = {t.name: numpy_helper.to_array(t) for t in other.graph.initializer}
    other.graph.initializer.append(numpy_helper.from_array(known[node.input[1]] * np.float32(1 + by), "own"))
    node.input[1] = "own"
    onnx.save(other, tmp_path / "other.onnx")
    found = verify(tmp_path / "q.onnx", tmp_path / "other.onnx", Asked(layers=True)).layers
    assert found is not None and bool(found.problem) == wrong, found.problem
