"""Convert a model that the program holds, without a file of it."""

from __future__ import annotations

import numpy as np
from onnx import TensorProto, helper, numpy_helper

import mlconv

weights = np.random.default_rng(0).normal(size=(4, 2)).astype(np.float32)
graph = helper.make_graph(
    [helper.make_node("MatMul", ["x", "w"], ["m"], "/product"), helper.make_node("Relu", ["m"], ["y"], "/relu")],
    "net",
    [helper.make_tensor_value_info("x", TensorProto.FLOAT, [3, 4])],
    [helper.make_tensor_value_info("y", TensorProto.FLOAT, [3, 2])],
    [numpy_helper.from_array(weights, "w")],
)
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)], ir_version=9)
x = np.ones((3, 4), np.float32)
with mlconv.temporary_artifact(model, to="native") as made:
    (y,) = mlconv.load_native(made.output).run({"x": x}).values()
np.testing.assert_allclose(y, np.maximum(x @ weights, 0), rtol=1e-5)
print(made, y[0])
