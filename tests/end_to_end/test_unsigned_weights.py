"""Weights of uint8 with a zero point, as old converters and quantizers write them: integers on every target."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import onnxruntime
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.driver.verification import verify
from mlconv.ir.constants import Array
from tests.support.litert import run_litert

SHAPES = {
    "conv": (8, 4, 3, 3),
    "grouped": (6, 2, 3, 3),
    "depthwise": (4, 1, 3, 3),
    "matmul": (12, 7),
    "batch": (3, 12, 7),
}
GROUPS = {"conv": 1, "grouped": 2, "depthwise": 4}
OPERATORS = {"conv": "CONV_2D", "grouped": "CONV_2D", "depthwise": "DEPTHWISE_CONV_2D", "matmul": "FULLY_CONNECTED"}
OPERATORS["batch"] = "BATCH_MATMUL"


def write(kind: str, zero: int, path: Path) -> Array:
    """A model of one operator; an input of it."""
    rng = np.random.default_rng(zero)
    numbers = {"x": (np.float32(0.02), np.uint8(120)), "w": (np.float32(0.01), np.uint8(zero))}
    numbers["y"] = (np.float32(0.3), np.uint8(131))
    constants = [numpy_helper.from_array(rng.integers(0, 256, SHAPES[kind]).astype(np.uint8), "w")]
    for name, (scale, offset) in numbers.items():
        constants += [numpy_helper.from_array(np.asarray(scale), f"{name}s")]
        constants += [numpy_helper.from_array(np.asarray(offset), f"{name}z")]
    names = ["x", "xs", "xz", "w", "ws", "wz", "ys", "yz"]
    sizes = {"matmul": ((5, 12), (5, 7)), "batch": ((3, 5, 12), (3, 5, 7))}
    x_shape, y_shape = sizes.get(kind, ((1, 4, 9, 9), (1, SHAPES[kind][0], 9, 9)))
    settings: dict[str, Any] = {} if kind in sizes else {"pads": [1] * 4, "group": GROUPS[kind]}
    node = helper.make_node("QLinearMatMul" if kind in sizes else "QLinearConv", names, ["y"], "here", **settings)
    x, y = (helper.make_tensor_value_info(n, TensorProto.UINT8, s) for n, s in (("x", x_shape), ("y", y_shape)))
    graph = helper.make_graph([node], "g", [x], [y], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), path)
    return rng.integers(0, 256, x_shape).astype(np.uint8)


@pytest.mark.parametrize("zero", [0, 97, 255])
@pytest.mark.parametrize("kind", SHAPES)
def test_integers_are_those_of_onnx_runtime(kind: str, zero: int, tmp_path: Path) -> None:
    path = tmp_path / "m.onnx"
    x = write(kind, zero, path)
    (want,) = onnxruntime.InferenceSession(str(path), providers=["CPUExecutionProvider"]).run(None, {"x": x})
    made = mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    assert OPERATORS[kind] in {name.removeprefix("tfl.") for name in made.ops}
    (lite,) = run_litert((tmp_path / "m.tflite").read_bytes(), [x])
    mlconv.convert(path, "native", tmp_path / "m.o")
    native = mlconv.load_native(tmp_path / "m.o").run({"x": x})["y"]
    np.testing.assert_array_equal(lite, native)
    steps = np.abs(native.astype(np.int64) - want.astype(np.int64))
    assert steps.max() <= 1 and (steps > 0).mean() <= 0.005
    assert want.std() > 5


def test_a_scale_that_one_file_alone_says(tmp_path: Path) -> None:
    """HLO has no place for scales: the integers are compared."""
    path = tmp_path / "m.onnx"
    write("conv", 97, path)
    mlconv.convert(path, "tflite", tmp_path / "m.tflite")
    mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb")
    assert verify(tmp_path / "m.tflite", tmp_path / "m.hlo.pb").ok
