"""A QDQ file with functions, a pool and softmax has no numbers between its ends on TFLite, with 8 and 16 bits."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.runtime.onnx_runtime import session_of
from tests.support.litert import run_litert


class Qdq:
    """A graph whose values are quantized to one type."""

    def __init__(self, dtype: Any) -> None:
        self.dtype = dtype
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []

    def constant(self, name: str, array: np.ndarray) -> str:
        self.constants.append(numpy_helper.from_array(array, name))
        return name

    def pair(self, x: str, scale: float, zero: int) -> str:
        """x as integers, and the numbers of these."""
        s = self.constant(f"{x}_s", np.asarray(scale, np.float32))
        z = self.constant(f"{x}_z", np.asarray(zero if self.dtype is np.int8 else 0, self.dtype))
        self.nodes.append(helper.make_node("QuantizeLinear", [x, s, z], [f"{x}_q"]))
        self.nodes.append(helper.make_node("DequantizeLinear", [f"{x}_q", s, z], [f"{x}_d"]))
        return f"{x}_d"

    def op(self, kind: str, inputs: list[str], out: str, scale: float, zero: int, **attributes: Any) -> str:
        self.nodes.append(helper.make_node(kind, inputs, [out], **attributes))
        return self.pair(out, scale, zero)

    def weights(self, name: str, array: np.ndarray) -> str:
        scale = float(np.abs(array).max() / 127)
        stored = np.rint(array / scale).astype(np.int8)
        w, s = self.constant(f"{name}_q", stored), self.constant(f"{name}_s", np.asarray(scale, np.float32))
        self.nodes.append(helper.make_node("DequantizeLinear", [w, s], [name]))
        return name

    def save(self, out: str, shape: list[int], path: Path) -> None:
        graph = helper.make_graph(
            self.nodes,
            "g",
            [helper.make_tensor_value_info("x", TensorProto.FLOAT, [2, 3, 8, 8])],
            [helper.make_tensor_value_info(out, TensorProto.FLOAT, shape)],
            self.constants,
        )
        onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 21)], ir_version=10), path)


def model(dtype: Any, path: Path) -> None:
    rng = np.random.default_rng(0)
    wide = dtype is np.int16
    step = 1 / 256 if wide else 1.0
    g = Qdq(dtype)
    x = g.pair("x", 0.03 * step, 4)
    w = g.weights("w", rng.normal(0, 0.3, (8, 3, 3, 3)).astype(np.float32))
    y = g.op("Conv", [x, w], "c", 0.05 * step, -3, pads=[1, 1, 1, 1])
    z = g.op("Sigmoid", [y], "s", 1 / 32768 if wide else 1 / 256, -128)
    m = g.op("Mul", [y, z], "m", 0.04 * step, -110)
    p = g.op("AveragePool", [m], "p", 0.04 * step, -110, kernel_shape=[2, 2], strides=[2, 2])
    f = g.op("Flatten", [p], "f", 0.04 * step, -110)
    v = g.weights("v", rng.normal(0, 0.1, (8 * 4 * 4, 10)).astype(np.float32))
    d = g.op("MatMul", [f, v], "d", 0.05 * step, 1)
    out = g.op("Softmax", [d], "o", 1 / 32768 if wide else 1 / 256, -128, axis=1)
    g.save(out, [2, 10], path)


def op_names(path: Path) -> list[str]:
    from ai_edge_litert import interpreter as litert

    kernels = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    run = litert.Interpreter(str(path), experimental_op_resolver_type=kernels)
    return [op["op_name"] for op in run._get_ops_details()]


@pytest.mark.parametrize(("dtype", "off"), [(np.int8, 2 / 256), (np.int16, 1 / 2048)])
def test_integers_from_end_to_end(dtype: Any, off: float, tmp_path: Path) -> None:
    source, made = tmp_path / "m.onnx", tmp_path / "m.tflite"
    model(dtype, source)
    mlconv.convert(source, "tflite", made, verify_each=True)
    used = op_names(made)
    for name in (
        "QUANTIZE",
        "DEQUANTIZE",
        "CONV_2D",
        "LOGISTIC",
        "MUL",
        "AVERAGE_POOL_2D",
        "FULLY_CONNECTED",
        "SOFTMAX",
    ):
        assert used.count(name) == 1, used
    x = np.random.default_rng(3).normal(0, 1, (2, 3, 8, 8)).astype(np.float32)
    net = session_of(str(source))
    (want,) = net.run(None, {"x": x})
    (got,) = run_litert(made.read_bytes(), [x])
    assert np.abs(got - want).max() <= off


@pytest.mark.parametrize(
    ("kind", "more", "scale", "zero", "floats"),
    [
        ("HardSigmoid", {"alpha": 1 / 6, "beta": 0.5}, 1 / 255, -128, 0),  # 0 lies half way between two integers
        ("HardSigmoid", {"alpha": 0.2, "beta": 0.5}, 0.0028699394315481186, -128, 0),
        ("HardSigmoid", {"alpha": -0.7, "beta": 0.31}, 0.004, 5, 0),
        ("Softsign", {}, 1 / 128, 0, 1),  # no factor
    ],
)
def test_factors_and_offsets(
    kind: str, more: dict[str, float], scale: float, zero: int, floats: int, tmp_path: Path
) -> None:
    """Channels times gates, as in MobileNetV3, with the integers of ONNX Runtime."""
    source, made = tmp_path / "m.onnx", tmp_path / "m.tflite"
    g = Qdq(np.int8)
    w = g.weights("w", np.random.default_rng(0).normal(0, 0.6, (8, 3, 3, 3)).astype(np.float32))
    y = g.op("Conv", [g.pair("x", 0.03, 4), w], "c", 0.0517, -3, pads=[1, 1, 1, 1])
    g.save(g.op("Mul", [y, g.op(kind, [y], "h", scale, zero, **more)], "m", 0.03, -20), [2, 8, 8, 8], source)
    mlconv.convert(source, "tflite", made, verify_each=True)
    used = op_names(made)
    assert used.count("DEQUANTIZE") == 1 + floats and ("DEPTHWISE_CONV_2D" in used) is (not floats), used
    x = np.random.default_rng(3).normal(0, 2, (2, 3, 8, 8)).astype(np.float32)
    (want,) = session_of(str(source)).run(None, {"x": x})
    (got,) = run_litert(made.read_bytes(), [x])
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-6)
