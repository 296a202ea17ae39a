"""Integers whose numbers are spelled out, in ways that only look like those of layers that were quantized."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(0)
TABLE = RNG.integers(-8, 8, (64, 64))


def run(path: Path, proto: onnx.ModelProto, arrays: dict[str, np.ndarray]) -> np.ndarray:
    proto.graph.initializer.append(helper.make_tensor("q", TensorProto.INT4, TABLE.shape, TABLE.ravel().tolist()))
    return mlconv.load(save(path, proto)).run(arrays)["y"]


def test_rows_and_scales_of_other_places(tmp_path: Path) -> None:
    """Both are results of one op."""
    scales, places = RNG.random((64, 1)).astype(np.float32), RNG.integers(0, 64, 8)
    nodes = [
        helper.make_node("Split", ["i"], ["i0", "i1"], axis=0, num_outputs=2),
        helper.make_node("Gather", ["q", "i0"], ["r"]),
        helper.make_node("Cast", ["r"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["s", "i1"], ["t"]),
        helper.make_node("Mul", ["f", "t"], ["y"]),
    ]
    proto = model(nodes, [value("i", [8], TensorProto.INT64)], [value("y")], {"s": scales}, 21)
    found = run(tmp_path, proto, {"i": places})
    np.testing.assert_allclose(found, TABLE[places[:4]] * scales[places[4:]], rtol=1e-6)


@pytest.mark.parametrize("zeros", [(2,), (2, 64), (2, 1)])
def test_zero_points_of_groups(zeros: tuple[int, ...], tmp_path: Path) -> None:
    """Zero points of less axes lie along the last one."""
    s, z = RNG.random((2, 64)).astype(np.float32) + 0.1, RNG.integers(-3, 3, zeros).astype(np.float32)
    groups, x = np.repeat(np.arange(2), 32), RNG.normal(size=(3, 64)).astype(np.float32)
    nodes = [
        helper.make_node("Cast", ["q"], ["f"], to=TensorProto.FLOAT),
        helper.make_node("Gather", ["z", "g"], ["zg"], axis=0),
        helper.make_node("Sub", ["f", "zg"], ["d"]),
        helper.make_node("Gather", ["s", "g"], ["sg"], axis=0),
        helper.make_node("Mul", ["d", "sg"], ["w"]),
        helper.make_node("MatMul", ["x", "w"], ["y"]),
    ]
    proto = model(nodes, [value("x", [3, 64])], [value("y")], {"s": s, "z": z, "g": groups}, 21)
    weights = (TABLE - z[groups]) * s[groups]
    np.testing.assert_allclose(run(tmp_path, proto, {"x": x}), x @ weights, rtol=1e-4, atol=1e-4)
