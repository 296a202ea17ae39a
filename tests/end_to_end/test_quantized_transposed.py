"""Transposed convolutions of a QDQ file: groups whose channels share scales, and windows with holes."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper

import mlconv
from mlconv.runtime.onnx_runtime import opened
from tests.support.litert import run_litert

STEP, CHANNELS = 0.3, 8


def qdq(path: Path, groups: int, outs: int, dilation: int, weights: Any, scales: int) -> None:
    """outs: channels that each group gives.  weights: the type of their integers; scales: how many."""
    rng = np.random.default_rng(groups)
    ends = (0, 256) if weights is np.uint8 else (-127, 128)
    steps = rng.uniform(0.002, 0.02, scales).astype(np.float32) if scales > 1 else np.asarray(0.01, np.float32)
    arrays: dict[str, np.ndarray] = {
        "xs": np.asarray(0.03, np.float32),
        "xz": np.asarray(-5, np.int8),
        "ys": np.asarray(STEP, np.float32),
        "yz": np.asarray(9, np.int8),
        "w": rng.integers(*ends, (CHANNELS, outs, 3, 3)).astype(weights),
        "ws": steps,
        "wz": np.full(steps.shape, 131 if weights is np.uint8 else 0, weights),
        "bias": rng.normal(0, 1, outs * groups).astype(np.float32),
    }
    nodes = [
        helper.make_node("QuantizeLinear", ["x", "xs", "xz"], ["q"]),
        helper.make_node("DequantizeLinear", ["q", "xs", "xz"], ["d"]),
        helper.make_node("DequantizeLinear", ["w", "ws", "wz"], ["v"], axis=1),
        helper.make_node("ConvTranspose", ["d", "v", "bias"], ["c"], group=groups, dilations=[dilation] * 2),
        helper.make_node("QuantizeLinear", ["c", "ys", "yz"], ["r"]),
        helper.make_node("DequantizeLinear", ["r", "ys", "yz"], ["y"]),
    ]
    x = helper.make_tensor_value_info("x", TensorProto.FLOAT, [1, CHANNELS, 6, 6])
    y = helper.make_tensor_value_info("y", TensorProto.FLOAT, None)
    constants = [numpy_helper.from_array(array, name) for name, array in arrays.items()]
    graph = helper.make_graph(nodes, "g", [x], [y], constants)
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 13)], ir_version=8), path)


@pytest.mark.parametrize(
    ("groups", "outs", "dilation", "weights", "scales"),
    [
        pytest.param(2, 4, 1, np.int8, 4, id="scales that groups share"),
        pytest.param(4, 2, 2, np.uint8, 2, id="scales that groups share, holes"),
        pytest.param(8, 1, 1, np.int8, 1, id="depthwise"),
        pytest.param(1, 4, 2, np.uint8, 1, id="holes among bytes with a zero point"),
        pytest.param(1, 4, 2, np.int8, 4, id="holes"),
    ],
)
def test_as_onnx_runtime_has_it(
    groups: int, outs: int, dilation: int, weights: Any, scales: int, tmp_path: Path
) -> None:
    source = tmp_path / "m.onnx"
    qdq(source, groups, outs, dilation, weights, scales)
    x = np.random.default_rng(3).normal(0, 1, (1, CHANNELS, 6, 6)).astype(np.float32)
    (wanted,) = opened(str(source), optimizes=False).run(None, {"x": x})
    assert np.unique(wanted).size > 20
    mlconv.convert(source, "tflite", tmp_path / "m.tflite")
    mlconv.convert(source, "native", tmp_path / "m.o")
    (native,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    for found in (run_litert((tmp_path / "m.tflite").read_bytes(), [x])[0], native):
        off = np.abs(found - wanted)
        assert off.max() <= 1.01 * STEP and np.mean(off > 0.5 * STEP) <= 0.01
