"""What is quantized by a range of no numbers has a step of 1, as in ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from tests.support.onnx_models import save


@pytest.mark.parametrize("to", ["tflite", "native"])
@pytest.mark.parametrize("depth", [0, 5])
def test_nothing_that_is_not_below_zero(to: str, depth: int, tmp_path: Path) -> None:
    chain = [("Relu", "x", "r"), ("DynamicQuantizeLinear", "r", "q s z"), ("MatMulInteger", "q w z", "m")]
    nodes = [helper.make_node(op, a.split(), made.split()) for op, a, made in chain]
    nodes += [helper.make_node("Cast", ["m"], ["f"], to=1), helper.make_node("Mul", ["f", "s"], ["y"])]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, ["b", depth])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, ["b", 4])
    s = helper.make_tensor_value_info("s", TensorProto.FLOAT, [])
    weights = numpy_helper.from_array(np.full((depth, 4), 3, np.int8), "w")
    graph = helper.make_graph(nodes, "g", [x], [y, s], [weights])
    path = save(tmp_path, helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8))
    target = tmp_path / ("m.o" if to == "native" else "m.tflite")
    mlconv.convert(path, to=to, output=target)
    given = {"x": np.ones((2, depth), np.float32)}
    got = mlconv.load_native(target).run(given) if to == "native" else mlconv.load(target).run(given)
    np.testing.assert_allclose(got["y"], np.full((2, 4), 3.0 * depth), rtol=1e-6)
    np.testing.assert_allclose(got["s"], 1 if depth == 0 else 1 / 255, rtol=1e-6)
