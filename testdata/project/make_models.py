"""Writes the models of this project as an exporter would: on another machine, where the project was in
/home/train/project and its layers in /build/layers.

`classifier.onnx` converts; `detector.onnx` has an operator that nothing knows.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper

STACK = "pkg.torch.onnx.stack_trace"
NET, HEAD = "/home/train/project/net.py", "/build/layers/head.py"
MODELS = Path(__file__).parent / "models"


def traced(node: onnx.NodeProto, *frames: tuple[str, int, str, str]) -> onnx.NodeProto:
    """The node with the stack of its call: file, line, function and text, outermost first."""
    entry = node.metadata_props.add()
    entry.key = STACK
    entry.value = "\n".join(f'File "{file}", line {line}, in {name}\n    {text}' for file, line, name, text in frames)
    return node


def write(name: str, nodes: list[onnx.NodeProto], weights: dict[str, np.ndarray]) -> None:
    x = helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, 16, 16])
    y = helper.make_tensor_value_info("scores", TensorProto.FLOAT, None)
    initializers = [numpy_helper.from_array(array, key) for key, array in weights.items()]
    graph = helper.make_graph(nodes, name, [x], [y], initializers)
    opsets = [helper.make_opsetid("", 18), helper.make_opsetid("com.acme", 1)]
    model = helper.make_model(graph, opset_imports=opsets, producer_name="pytorch", ir_version=9)
    (MODELS / f"{name}.onnx").write_bytes(model.SerializeToString(deterministic=True))


def main() -> None:
    random = np.random.default_rng(0)
    weights = {
        "conv": random.normal(size=(8, 3, 3, 3)).astype(np.float32),
        "dense": random.normal(size=(8, 10)).astype(np.float32),
    }
    body = [
        traced(
            helper.make_node("Conv", ["image", "conv"], ["c"], "/conv/Conv", pads=[1, 1, 1, 1]),
            (NET, 13, "forward", "y = torch.relu(self.conv(x))"),
        ),
        traced(helper.make_node("Relu", ["c"], ["r"], "/Relu"), (NET, 13, "forward", "y = torch.relu(self.conv(x))")),
        traced(
            helper.make_node("GlobalAveragePool", ["r"], ["p"], "/pool"), (NET, 14, "forward", "return self.head(y)")
        ),
        helper.make_node("Flatten", ["p"], ["f"], "/flatten"),
    ]
    dense = helper.make_node("MatMul", ["f", "dense"], ["scores"], "/head/MatMul")
    call = (NET, 14, "forward", "return self.head(y)")
    write(
        "classifier", [*body, traced(dense, call, (HEAD, 12, "forward", "return self.dense(y.mean((2, 3)))"))], weights
    )
    wobble = helper.make_node("wobble", ["f"], ["w"], "/head/wobble", domain="com.acme")
    dense = helper.make_node("MatMul", ["w", "dense"], ["scores"], "/head/MatMul")
    nodes = [*body, traced(wobble, call, (HEAD, 19, "forward", "y = torch.ops.acme.wobble(y.mean((2, 3)))")), dense]
    write("detector", nodes, weights)


if __name__ == "__main__":
    main()
