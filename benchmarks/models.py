"""Models for benchmarks, with random weights from fixed seeds: MobileNetV2, ResNet-50, a chain of many ops and a wide
MLP with external data.
"""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper


class Net:
    """A small builder of ONNX graphs, channels first."""

    def __init__(self, seed: int = 0) -> None:
        self.rng = np.random.default_rng(seed)
        self.nodes: list[Any] = []
        self.weights: list[Any] = []

    def add(self, op: str, *inputs: str, **attributes: Any) -> str:
        name = f"{op.lower()}_{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, list(inputs), [name], name=f"/{name}", **attributes))
        return name

    def weight(self, array: np.ndarray) -> str:
        return self.constant(np.asarray(array, np.float32))

    def constant(self, array: np.ndarray) -> str:
        name = f"w{len(self.weights)}"
        self.weights.append(numpy_helper.from_array(array, name))
        return name

    def conv(self, x: str, cin: int, cout: int, k: int, stride: int = 1, groups: int = 1, act: str = "") -> str:
        scale = np.sqrt(2 / (cin // groups * k * k))
        w = self.weight(self.rng.standard_normal((cout, cin // groups, k, k)) * scale)
        x = self.add("Conv", x, w, kernel_shape=[k, k], strides=[stride, stride], pads=[k // 2] * 4, group=groups)
        parts = (
            self.rng.uniform(0.8, 1.2, cout),
            self.rng.normal(0, 0.1, cout),
            self.rng.normal(0, 0.1, cout),
            self.rng.uniform(0.5, 1.5, cout),
        )
        x = self.add("BatchNormalization", x, *(self.weight(p) for p in parts))
        if act == "relu6":
            return self.add("Clip", x, self.weight(np.float32(0)), self.weight(np.float32(6)))
        return self.add("Relu", x) if act else x

    def head(self, x: str, channels: int) -> str:
        x = self.add("Flatten", self.add("GlobalAveragePool", x))
        return self.add(
            "Gemm",
            x,
            self.weight(self.rng.standard_normal((1000, channels)) * 0.02),
            self.weight(np.zeros(1000)),
            transB=1,
        )

    def save(self, path: pathlib.Path, output: str, size: int = 224) -> pathlib.Path:
        graph = helper.make_graph(
            self.nodes,
            path.stem,
            [helper.make_tensor_value_info("image", TensorProto.FLOAT, [1, 3, size, size])],
            [helper.make_tensor_value_info(output, TensorProto.FLOAT, [1, 1000])],
            self.weights,
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
        return path


def mobilenet_v2(path: pathlib.Path) -> pathlib.Path:
    """Sandler et al. 2018, table 2; width 1.0, 224 x 224."""
    net = Net(1)
    x, c = net.conv("image", 3, 32, 3, 2, act="relu6"), 32
    for t, cout, n, s in (
        (1, 16, 1, 1),
        (6, 24, 2, 2),
        (6, 32, 3, 2),
        (6, 64, 4, 2),
        (6, 96, 3, 1),
        (6, 160, 3, 2),
        (6, 320, 1, 1),
    ):
        for i in range(n):
            stride, hidden = (s if i == 0 else 1), c * t
            y = net.conv(x, c, hidden, 1, act="relu6") if t > 1 else x
            y = net.conv(y, hidden, hidden, 3, stride, groups=hidden, act="relu6")
            y = net.conv(y, hidden, cout, 1)
            x = net.add("Add", x, y) if stride == 1 and c == cout else y
            c = cout
    return net.save(path, net.head(net.conv(x, c, 1280, 1, act="relu6"), 1280))


def resnet50(path: pathlib.Path) -> pathlib.Path:
    """He et al. 2015, table 1; stride in the 3x3 convolution."""
    net = Net(2)
    x = net.add(
        "MaxPool", net.conv("image", 3, 64, 7, 2, act="relu"), kernel_shape=[3, 3], strides=[2, 2], pads=[1] * 4
    )
    c = 64
    for width, n, s in ((64, 3, 1), (128, 4, 2), (256, 6, 2), (512, 3, 2)):
        for i in range(n):
            stride = s if i == 0 else 1
            y = net.conv(x, c, width, 1, act="relu")
            y = net.conv(y, width, width, 3, stride, act="relu")
            y = net.conv(y, width, width * 4, 1)
            shortcut = net.conv(x, c, width * 4, 1, stride) if i == 0 else x
            x, c = net.add("Relu", net.add("Add", y, shortcut)), width * 4
    return net.save(path, net.head(x, c))


def chain(path: pathlib.Path, length: int) -> pathlib.Path:
    """`length` ops one after the other: additions of different constants and activations."""
    weights = [numpy_helper.from_array(np.full(8, 0.001 * i, np.float32), f"c{i}") for i in range(16)]
    nodes, x = [], "x"
    for i in range(length):
        y = f"v{i}"
        if i % 3 == 2:
            nodes.append(helper.make_node(("Tanh", "Sigmoid")[i % 2], [x], [y], name=f"n{i}"))
        else:
            nodes.append(helper.make_node(("Add", "Mul")[i % 2], [x, f"c{i % 16}"], [y], name=f"n{i}"))
        x = y
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, 8]) for n in ("x", x)]
    graph = helper.make_graph(nodes, "chain", info[:1], info[1:], weights)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)
    return path


def wide_mlp(path: pathlib.Path, gigabytes: float) -> pathlib.Path:
    """Linear layers of 8192 x 8192 float32 (256 MB each) with their weights in one external file of repeated random
    data.
    """
    width = 8192
    layers = max(1, round(gigabytes * 1e9 / (width * width * 4)))
    data = path.with_suffix(".data")
    block = (np.random.default_rng(3).standard_normal(width * 64) * 0.01).astype(np.float32)
    nodes, weights, x = [], [], "x"
    with open(data, "wb") as f:
        for i in range(layers):
            start = f.tell()
            for _ in range(width // 64):
                f.write(np.roll(block, i * 37 + 1).tobytes())
            w = onnx.TensorProto(
                name=f"w{i}", data_type=TensorProto.FLOAT, dims=[width, width], data_location=TensorProto.EXTERNAL
            )
            for key, value in (("location", data.name), ("offset", start), ("length", f.tell() - start)):
                w.external_data.add(key=key, value=str(value))
            weights.append(w)
            nodes.append(helper.make_node("Gemm", [x, f"w{i}"], [f"y{i}"], transB=i % 2, name=f"fc{i}"))
            nodes.append(helper.make_node("Relu", [f"y{i}"], [f"r{i}"], name=f"relu{i}"))
            x = f"r{i}"
    info = [helper.make_tensor_value_info(n, TensorProto.FLOAT, [1, width]) for n in ("x", x)]
    graph = helper.make_graph(nodes, "mlp", info[:1], info[1:], weights)
    path.write_bytes(
        helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8).SerializeToString()
    )
    return path
