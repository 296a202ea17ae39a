"""Operators whose sizes are known at run time alone, at several sizes beside ONNX Runtime."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.onnx_models import model, save, value


@pytest.mark.parametrize("pad", ["SAME_UPPER", "SAME_LOWER"])
def test_a_stride_beyond_the_window_skips_cells_at_both_ends(pad: str, tmp_path: Path) -> None:
    node = helper.make_node("MaxPool", ["x"], ["y"], kernel_shape=[1, 4, 2], strides=[4, 3, 5], auto_pad=pad)
    proto = model([node], [value("x", [1, 2, "a", 6, "c"], TensorProto.UINT8)], [value("y", None, TensorProto.UINT8)])
    proto.ir_version = 10  # as far as the runtime reads
    module = mlconv.load(save(tmp_path, proto))
    session = onnxruntime.InferenceSession(proto.SerializeToString())
    rng = np.random.default_rng(5)
    for first, last in ((1, 1), (3, 4), (4, 9), (7, 5), (8, 12)):
        x = rng.integers(0, 256, (1, 2, first, 6, last)).astype(np.uint8)
        np.testing.assert_array_equal(module.run({"x": x})["y"], session.run(None, {"x": x})[0])


def test_reshape_copies_sizes_into_a_shape_of_open_length(tmp_path: Path) -> None:
    proto = model(
        [helper.make_node("Reshape", ["x", "s"], ["y"])],
        [value("x", ["a", 3, 4]), value("s", ["n"], TensorProto.INT64)],
        [value("y", None)],
    )
    path = save(tmp_path, proto)
    module = mlconv.load(path)
    mlconv.convert(path, output=tmp_path / "m.tflite")
    x = np.random.default_rng(6).standard_normal((2, 3, 4)).astype(np.float32)
    for shape, expected in (([0, 12], (2, 12)), ([0, 0, 2, 2], (2, 3, 2, 2)), ([-1, 0], (8, 3)), ([24], (24,))):
        feed = {"x": x, "s": np.asarray(shape, np.int64)}
        for found in (module.run(feed)["y"], run_tflite(str(tmp_path / "m.tflite"), feed, "serving_default")["y"]):
            np.testing.assert_array_equal(found, x.reshape(expected))
