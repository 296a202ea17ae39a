"""Floats that are rounded to integers of 16 bits, which no kernel of TFLite takes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from ai_edge_litert import schema_py_generated as schema
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.runtime.onnx_runtime import opened
from tests.support.litert import run_litert


def test_rounded_between_floats(tmp_path: Path) -> None:
    """Divided, rounded, limited on both sides and multiplied; beyond the limits as well."""
    constants = [
        numpy_helper.from_array(np.asarray(2e-4, np.float32), "s"),
        numpy_helper.from_array(np.asarray(21_000, np.uint16), "z"),
    ]
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "s", "z"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "s", "z"], ["d"]),
        helper.make_node("Sin", ["d"], ["y"]),
    ]
    ends = [helper.make_tensor_value_info(n, TensorProto.FLOAT, (4, 64)) for n in "xy"]
    graph = helper.make_graph(nodes, "g", ends[:1], ends[1:], constants)
    source = tmp_path / "m.onnx"
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), source)
    x = np.random.default_rng(3).uniform(-9, 14, (4, 64)).astype(np.float32)
    (want,) = opened(str(source), optimizes=False).run(None, {"x": x})
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    model = (tmp_path / "m.tflite").read_bytes()
    np.testing.assert_allclose(run_litert(model, [x])[0], want, rtol=0, atol=1e-6)
    (subgraph,) = schema.ModelT.InitFromPackedBuf(model, 0).subgraphs
    assert len(subgraph.operators) <= 6
