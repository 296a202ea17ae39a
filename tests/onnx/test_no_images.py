"""Networks over rows that data pick, of which there may be none (rois of a detector that found nothing)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from ai_edge_litert import interpreter as litert
from onnx import helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.all_sizes import agree_at_all_sizes, numbers
from tests.support.onnx_models import model, save, value

node = helper.make_node
NETWORKS = {
    "residual": (
        [
            node("Conv", ["picked", "w"], ["a"], pads=[1, 1, 1, 1]),
            node("Relu", ["a"], ["b"]),
            node("Conv", ["b", "v"], ["c"], group=4, pads=[1, 1, 1, 1]),
            node("Add", ["b", "c"], ["d"]),
            node("AveragePool", ["d"], ["y"], kernel_shape=[2, 2], strides=[2, 2]),
        ],
        {"w": numbers(4, 4, 3, 3), "v": numbers(4, 1, 3, 3)},
        1,
    ),
    "mask": (
        [
            node("Conv", ["picked", "w"], ["a"]),
            node("ConvTranspose", ["a", "up"], ["b"], strides=[2, 2]),
            node("Sigmoid", ["b"], ["c"]),
            node("MaxPool", ["c"], ["d"], kernel_shape=[3, 3], strides=[2, 2]),
            node("Mul", ["d", "d"], ["y"]),
        ],
        {"w": numbers(5, 4, 3, 3), "up": numbers(5, 3, 2, 2)},
        2,
    ),
}


def picked(name: str) -> onnx.ModelProto:
    nodes, weights, _ = NETWORKS[name]
    pick = [
        node("Greater", ["scores", "zero"], ["are"]),
        node("NonZero", ["are"], ["places"]),
        node("Squeeze", ["places", "first"], ["indices"]),
        node("Gather", ["images", "indices"], ["picked"]),
    ]
    weights = {**weights, "zero": np.float32(0), "first": np.asarray([0])}
    inputs = [value("scores", [5]), value("images", [5, 4, 8, 8])]
    return model([*pick, *nodes], inputs, [value("y", None)], weights, 17)


@pytest.mark.parametrize("name", NETWORKS)
def test_none_is_picked(name: str, tmp_path: Path) -> None:
    images = numbers(5, 4, 8, 8)
    feeds = [{"scores": np.asarray(s, np.float32), "images": images} for s in ([0] * 5, [1, 0, 1, 1, 0], [0] * 5)]
    agree_at_all_sizes(picked(name), feeds, tmp_path, 1e-5)
    kernels = litert.OpResolverType.BUILTIN_WITHOUT_DEFAULT_DELEGATES
    made = litert.Interpreter(str(tmp_path / "m.tflite"), experimental_op_resolver_type=kernels)
    assert [op["op_name"] for op in made._get_ops_details()].count("PAD") == NETWORKS[name][2]


@pytest.mark.parametrize("scheme", ["int8", "int16x8"])
def test_quantized(scheme: str, tmp_path: Path) -> None:
    """Weights are rounded without sums over rows whose number data decide."""
    images = numbers(5, 4, 8, 8)
    path, made = save(tmp_path, picked("residual")), tmp_path / "m.tflite"
    samples = [{"scores": np.ones(5, np.float32), "images": images}]
    mlconv.quantize(path, "tflite", made, scheme=scheme, calibration=samples)
    for scores in ([0] * 5, [1, 0, 1, 1, 0]):
        feed = {"scores": np.asarray(scores, np.float32), "images": images}
        wanted = mlconv.load(path).run(feed)["y"]
        found = run_tflite(str(made), feed, "serving_default")["y"]
        assert found.shape == wanted.shape
        np.testing.assert_allclose(found, wanted, atol=0.05 * float(np.abs(wanted).max(initial=1)))
