"""Small models that fail, each as an exporter would write it, with the source that its stacks point to."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

from mlconv.formats.protos import tf_pb

NET = """import torch


class Head(torch.nn.Module):
    def forward(self, x):
        y = torch.relu(x)
        return torch.ops.acme.wobble(y)


class Net(torch.nn.Module):
    def forward(self, x):
        return self.head(x)
"""
BUILD = """import tensorflow as tf


def head(x):
    return tf.linalg.sqrtm(x, name="root")


y = tf.identity(head(x), name="out")
"""
STACK = "pkg.torch.onnx.stack_trace"


def onnx_file(
    path: Path,
    nodes: Sequence[onnx.NodeProto],
    shape: Sequence[int | str] = (2, 4),
    producer: str = "pytorch",
    gives: int = TensorProto.FLOAT,
) -> Path:
    """A model x -> y of the nodes; opset 18, domain com.acme allowed.  gives: element type of y."""
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, list(shape))
    y = helper.make_tensor_value_info("y", gives, None)
    graph = helper.make_graph(list(nodes), "net", [x], [y], [numpy_helper.from_array(np.ones(4, np.float32), "w")])
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name=producer, ir_version=9)
    path.write_bytes(model.SerializeToString())
    return path


def traced(node: onnx.NodeProto, *frames: tuple[str, int, str, str]) -> onnx.NodeProto:
    """A node with a torch stack: (file, line, function, text), outermost first."""
    entry = node.metadata_props.add()
    entry.key = STACK
    entry.value = "\n".join(f'File "{f}", line {line}, in {function}\n    {text}' for f, line, function, text in frames)
    return node


def torch_custom_op(folder: Path) -> Path:
    """A custom op in a nested module, exported with its stack; net.py lies beside it."""
    net = folder / "net.py"
    net.write_text(NET)
    frames = [
        (str(net), 12, "forward", "return self.head(x)"),
        (str(net), 7, "forward", "return torch.ops.acme.wobble(y)"),
    ]
    wobble = traced(helper.make_node("wobble", ["r"], ["y"], "/head/wobble", domain="com.acme"), *frames)
    return onnx_file(folder / "custom.onnx", [helper.make_node("Relu", ["x"], ["r"], "/head/Relu"), wobble])


def many(folder: Path, count: int, producer: str = "tf2onnx") -> Path:
    """A chain of `count` ops that nothing knows, without any location."""
    names = ["x", *(f"t{i}" for i in range(1, count)), "y"]
    nodes = [
        helper.make_node("Wobble", [names[i]], [names[i + 1]], f"/block{i}/Wobble", domain="com.acme")
        for i in range(count)
    ]
    return onnx_file(folder / "many.onnx", nodes, producer=producer)


def shapes_that_do_not_fit(folder: Path) -> Path:
    """Addition of [2,3] and [4]."""
    net = folder / "net.py"
    net.write_text("def forward(x, w):\n    return torch.add(x, w)\n")
    node = traced(
        helper.make_node("Add", ["x", "w"], ["y"], "/Add"), (str(net), 2, "forward", "return torch.add(x, w)")
    )
    return onnx_file(folder / "misfit.onnx", [node], shape=(2, 3))


def graphdef_with_debug_info(folder: Path) -> Path:
    """MatrixSquareRoot in a frozen graph whose debug info names build.py."""
    build = folder / "build.py"
    build.write_text(BUILD)
    graph = tf_pb("framework.graph_pb2").GraphDef()
    x = graph.node.add(name="x", op="Placeholder")
    x.attr["dtype"].type = 1
    for size in (3, 3):
        x.attr["shape"].shape.dim.add(size=size)
    for name, op, source in (("abs", "Abs", "x"), ("root", "MatrixSquareRoot", "abs"), ("out", "Identity", "root")):
        node = graph.node.add(name=name, op=op, input=[source])
        node.attr["T"].type = 1
    info = graph.debug_info
    info.files.extend([str(build), "/usr/lib/python3.12/site-packages/tensorflow/python/ops/gen_linalg_ops.py"])
    trace = info.traces["root@"]
    for file, line, function in ((0, 8, "<module>"), (0, 5, "head"), (1, 827, "sqrtm")):
        trace.file_line_cols.add(file_index=file, line=line, func=function)
    path = folder / "graph.pb"
    path.write_bytes(graph.SerializeToString())
    return path


def dynamic_relu(folder: Path) -> Path:
    """A model with a dynamic batch, which static targets refuse."""
    return onnx_file(folder / "relu.onnx", [helper.make_node("Relu", ["x"], ["y"], "/Relu")], shape=("N", 4))
