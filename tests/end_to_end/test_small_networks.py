"""Native weights of quantized networks of a few KB are no more than 1.1 times the initializers, whatever their
channels, beside a table of 256 bytes for each function: what ONNX Runtime's quantizers write of plain, depthwise,
dense, smooth and recurrent networks.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnxruntime import quantization

import mlconv
from mlconv.runtime.native import load_native
from tests.support.onnx_runtimes import session_for

Array = np.ndarray[Any, Any]
LEAST = 2000  # bytes of initializers
TABLE = 256  # bytes
FUNCTIONS = {"LeakyRelu", "HardSwish", "Sigmoid", "Tanh"}


class Network:
    """Nodes one behind the other, and their constants."""

    def __init__(self, *shape: int) -> None:
        self.shape, self.last = shape, "x"
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.rng = np.random.default_rng(len(shape))

    def add(self, op: str, *constants: Array | Sequence[int], **attributes: Any) -> Network:
        """An op that reads what the one before made, and weights: arrays, or shapes of random ones."""
        names = []
        for c in constants:
            array = c if isinstance(c, np.ndarray) else self.rng.standard_normal(c).astype(np.float32)
            array = array / np.sqrt(array[0].size).astype(np.float32) if array.dtype == np.float32 else array
            names.append(f"c{len(self.constants)}")
            self.constants.append(numpy_helper.from_array(array, names[-1]))
        made = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(op, [self.last, *names], [made], **attributes))
        self.last = made
        return self

    def conv(self, before: int, after: int, k: int = 3, act: str = "Relu", **attributes: Any) -> Network:
        group = attributes.get("group", 1)
        self.add("Conv", (after, before // group, k, k), (after,), pads=[k // 2] * 4, **attributes)
        return self.add(act) if act else self

    def smooth(self) -> Network:
        """x * sigmoid(x)."""
        before = self.last
        self.add("Sigmoid")
        self.nodes.append(helper.make_node("Mul", [before, self.last], [f"v{len(self.nodes)}"]))
        self.last = self.nodes[-1].output[0]
        return self

    def head(self, channels: int, classes: int = 10) -> Network:
        return self.add("GlobalAveragePool").add("Flatten").add("Gemm", (channels, classes), (classes,))

    def save(self, path: Path) -> Path:
        ends = [helper.make_tensor_value_info("x", TensorProto.FLOAT, self.shape)]
        ends.append(helper.make_tensor_value_info(self.last, TensorProto.FLOAT, None))
        graph = helper.make_graph(self.nodes, "g", ends[:1], ends[1:], self.constants)
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
        return path


def plain() -> Network:
    net = Network(1, 3, 16, 16).conv(3, 5, strides=[2, 2]).conv(5, 9).conv(9, 17, strides=[2, 2])
    return net.head(17)


def depthwise() -> Network:
    net = Network(1, 1, 20, 10).conv(1, 17, strides=[2, 2])
    for _ in range(3):
        net.conv(17, 17, group=17).conv(17, 17, k=1)
    return net.head(17, 12)


def matrices() -> Network:
    net = Network(1, 20).add("MatMul", (20, 50)).add("Relu").add("MatMul", (50, 50)).add("Relu")
    return net.add("MatMul", (50, 10))


def activations() -> Network:
    net = Network(1, 3, 16, 16).conv(3, 19, act="LeakyRelu").conv(19, 19, act="HardSwish")
    return net.conv(19, 14, k=1, act="").smooth().conv(14, 14, k=1, act="Tanh").head(14)


def recurrent() -> Network:
    """Its products stay floats."""
    net = Network(6, 1, 10).add("GRU", (1, 39, 10), (1, 39, 13), (1, 78), hidden_size=13)
    net.nodes[-1].output.append("h")
    net.nodes[-1].output[0] = ""
    net.last = "h"
    return net.add("Flatten").add("Gemm", (13, 10), (10,))


def transposed() -> Network:
    net = Network(1, 5, 8, 8).conv(5, 12, strides=[2, 2]).conv(12, 12)
    return net.add("ConvTranspose", (12, 9, 2, 2), (9,), strides=[2, 2])


NETWORKS = (plain, depthwise, matrices, activations, recurrent, transposed)
# form, activations, weights, scales of channels
FORMS = [
    ("QDQ", "QInt8", "QInt8", False),
    ("QDQ", "QUInt8", "QUInt8", False),
    ("QDQ", "QUInt8", "QInt8", True),
    ("QOperator", "QUInt8", "QUInt8", False),
    ("QOperator", "QUInt8", "QInt8", True),
]


class Samples(quantization.CalibrationDataReader):  # type: ignore[misc]
    """Six random inputs."""

    def __init__(self, shape: Sequence[int]) -> None:
        rng = np.random.default_rng(5)
        self.left = [rng.standard_normal(shape).astype(np.float32) for _ in range(6)]

    def get_next(self) -> dict[str, Array] | None:
        return {"x": self.left.pop()} if self.left else None


def constant_bytes(path: Path) -> int:
    return sum(numpy_helper.to_array(t).nbytes for t in onnx.load(path).graph.initializer)


@pytest.mark.share(3)
@pytest.mark.parametrize("cpu", ["", "x86-64-v3"])
@pytest.mark.parametrize("form", FORMS, ids=lambda f: "-".join(map(str, f)))
@pytest.mark.parametrize("make", NETWORKS)
def test_weights(make: Callable[[], Network], form: tuple[str, str, str, bool], cpu: str, tmp_path: Path) -> None:
    """Numbers are ONNX Runtime's to a few steps."""
    kind, inner, of_weights, per_channel = form
    network, made = make(), tmp_path / "m.onnx"
    quantization.quantize_static(
        network.save(tmp_path / "float.onnx"),
        made,
        Samples(network.shape),
        quant_format=quantization.QuantFormat[kind],
        activation_type=getattr(quantization.QuantType, inner),
        weight_type=getattr(quantization.QuantType, of_weights),
        per_channel=per_channel,
    )
    assert constant_bytes(made) >= LEAST
    mlconv.convert(made, "native", tmp_path / "m.o", weights="file", cpu=cpu)
    tables = TABLE * sum(node.op_type in FUNCTIONS for node in network.nodes)
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * constant_bytes(made) + tables
    x = np.random.default_rng(2).standard_normal(network.shape).astype(np.float32)
    (want,) = session_for(onnx.load(made)).run(None, {"x": x})
    (own,) = mlconv.load(made).run({"x": x}).values()
    (code,) = load_native(tmp_path / "m.o").run({"x": x}).values()
    for got in (code, own):
        assert np.abs(got - want).max() <= 0.03 * np.abs(want).max()
