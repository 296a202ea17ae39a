"""Models for pages: one with many nodes, each from a line of Python; and what a page says of them as data."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
from onnx import ModelProto, NodeProto, TensorProto, helper, numpy_helper

SOURCE = """class Net:
    def forward(self, x, mask):
        q = x @ self.w
        k = x @ self.w
        m = q + mask
        s = softmax(m)
        t = s * k
        r = relu(t)
        g = sigmoid(r)
        e = g * r
        o = e + x
        return tanh(o)
"""
"""net.py, whose lines from the third on are the ops of a block."""
_BLOCK = (
    ("MatMul", ("x", "w")),
    ("MatMul", ("x", "w")),
    ("Add", (0, "mask")),
    ("Softmax", (2,)),
    ("Mul", (3, 1)),
    ("Relu", (4,)),
    ("Sigmoid", (5,)),
    ("Mul", (6, 5)),
    ("Add", (7, "x")),
    ("Tanh", (8,)),
)


def traced(node: NodeProto, line: int, file: str = "net.py") -> NodeProto:
    """A node with the line that torch's exporter records."""
    stack = f'  File "{file}", line {line}, in forward\n'
    node.metadata_props.add(key="pkg.torch.onnx.stack_trace", value=stack)
    return node


def saved(nodes: list[NodeProto], folder: Path, shapes: dict[str, list[int]], outputs: dict[str, list[int]]) -> Path:
    """A model of some nodes and the weights w [16, 16].  shapes: of inputs."""
    weights = np.random.default_rng(7).normal(size=(16, 16)).astype(np.float32)
    values = [
        [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name, shape in named.items()]
        for named in (shapes, outputs)
    ]
    graph = helper.make_graph(nodes, "g", *values, [numpy_helper.from_array(weights, "w")])
    model: ModelProto = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)])
    model.ir_version = 8
    path = folder / "model.onnx"
    path.write_bytes(model.SerializeToString())
    return path


def blocks(folder: Path, number: int) -> Path:
    """A model of so many blocks of ten nodes, with a mask that all of them read, and its source beside it."""
    (folder / "net.py").write_text(SOURCE)
    nodes, current = [], "x"
    for block in range(number):
        names: list[str] = []
        for i, (op, reads) in enumerate(_BLOCK):
            inputs = [names[r] if isinstance(r, int) else current if r == "x" else r for r in reads]
            names.append(f"b{block}v{i}")
            node = helper.make_node(op, inputs, [names[-1]], name=f"/layers.{block}/{op}_{i}")
            nodes.append(traced(node, 3 + i))
        current = names[-1]
    return saved(nodes, folder, {"x": [4, 16], "mask": [4, 16]}, {current: [4, 16]})


def data_of(page: str) -> dict[str, Any]:
    """What lies in a page."""
    found = re.search(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    assert found is not None
    data: dict[str, Any] = json.loads(found.group(1))
    return data


def fates_of(page: str) -> dict[str, tuple[str, str, list[str]]]:
    """By node: its status, the pass, kinds of the target's ops."""
    data = data_of(page)
    source, target = data["graph"]["graphs"]
    fates = data["fates"]
    return {
        name: (
            fates["statuses"][status],
            by,
            sorted(target["kinds"][target["nodes"]["kind"][op]] for op in ops),
        )
        for name, status, by, ops in zip(
            source["nodes"]["name"], fates["status"], fates["by"], fates["ops"], strict=True
        )
    }
