"""Catch what cannot be converted, and use the problems as data."""

from __future__ import annotations

import json

from onnx import TensorProto, helper

import mlconv

x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 4])
y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
nodes = [helper.make_node("Wobble", ["x"], ["t"], "/first", domain="com.acme"), helper.make_node("Relu", ["t"], ["y"])]
opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
model = helper.make_model(helper.make_graph(nodes, "net", [x], [y]), opset_imports=opsets, ir_version=9)
try:
    mlconv.convert(model, "tflite", "never.tflite")
except mlconv.ConversionError as error:
    for problem in error.data():
        print(json.dumps({key: problem[key] for key in ("code", "node", "message", "help")}, indent=1))
else:
    raise SystemExit("the model converts")
