"""A name that ends in a number is of whoever has it in the source: not of integers behind another value, nor of an op
that is one of several.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import numpy_helper

import mlconv
from mlconv.exporters.savedmodel.names import Names


def test_of_values_in_onnx(tmp_path: Path) -> None:
    source, rng = tmp_path / "m.onnx", np.random.default_rng(0)
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[3, 8] x) => (float[3, 8] y) {
            h = MatMul (x, a) h_1 = MatMul (h, b) y = MatMul (h_1, a)
        }"""
    )
    for name in "ab":
        model.graph.initializer.append(numpy_helper.from_array(rng.standard_normal((8, 8)).astype(np.float32), name))
    onnx.save(model, source)
    x = {"x": rng.standard_normal((3, 8)).astype(np.float32)}
    mlconv.quantize(source, "onnx", tmp_path / "q.onnx", calibration=[x])
    makers = {node.output[0]: node.op_type for node in onnx.load(tmp_path / "q.onnx").graph.node}
    assert makers["h"] == makers["h_1"] == "MatMul"


def test_of_nodes_in_tensorflow() -> None:
    names = Names()
    names.keep(["MatMul_1", "MatMul_3"])
    assert [names.unused(name) for name in ("MatMul", "MatMul", "MatMul_1", "MatMul", "MatMul_3")] == [
        "MatMul", "MatMul_2", "MatMul_1", "MatMul_4", "MatMul_3",
    ]  # fmt: skip
