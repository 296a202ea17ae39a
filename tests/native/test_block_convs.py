"""Convolutions by weights of 4 bits in blocks of input channels: weights stay two in a byte."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import TensorProto, helper

import mlconv
from tests.support.native import needs_cc
from tests.support.onnx_models import model, save, value

pytestmark = needs_cc
RNG = np.random.default_rng(8)
CASES: list[tuple[tuple[int, ...], int, bool, dict[str, Any]]] = [  # weights, their blocks, zero points, attributes
    ((48, 64, 1, 1), 32, False, {}),
    ((40, 64, 1, 1), 16, True, {"strides": [2, 3]}),
    ((64, 32, 3, 3), 16, True, {"pads": [1, 0, 1, 2]}),
    ((48, 32, 3, 2), 32, False, {"strides": [2, 1], "dilations": [2, 3], "pads": [2, 1, 2, 2]}),
    ((64, 64, 5), 32, True, {"pads": [2, 2]}),
    ((32, 16, 2, 3, 2), 16, False, {"dilations": [1, 2, 1]}),
]


@pytest.mark.parametrize("case", CASES, ids=str)
def test_weights_stay(case: tuple[tuple[int, ...], int, bool, dict[str, Any]], tmp_path: Path) -> None:
    shape, block, has_zeros, attributes = case
    each = (shape[0], shape[1] // block, *shape[2:])
    tensors = {"s": RNG.uniform(0.01, 0.1, each).astype(np.float32), "b": RNG.normal(size=shape[0]).astype(np.float32)}
    nodes = [
        helper.make_node("DequantizeLinear", ["q", "s", *["z"] * has_zeros], ["w"], axis=1, block_size=block),
        helper.make_node("Conv", ["x", "w", "b"], ["y"], **attributes),
    ]
    sizes = (9, 10, 8)[: len(shape) - 2]
    proto = model(nodes, [value("x", ["n", shape[1], *sizes])], [value("y")], tensors, 21)
    integers = {"q": RNG.integers(-8, 8, shape)} | ({"z": RNG.integers(-4, 4, each)} if has_zeros else {})
    for name, array in integers.items():
        proto.graph.initializer.append(helper.make_tensor(name, TensorProto.INT4, array.shape, array.ravel().tolist()))
    proto.ir_version = 10
    source = save(tmp_path, proto)
    mlconv.convert(source, to="native", output=tmp_path / "m.o", weights="file")
    x = RNG.normal(size=(2, shape[1], *sizes)).astype(np.float32)
    (wanted,) = onnxruntime.InferenceSession(source, providers=["CPUExecutionProvider"]).run(None, {"x": x})
    (y,) = mlconv.load_native(tmp_path / "m.o").run({"x": x}).values()
    np.testing.assert_allclose(y, wanted, rtol=1e-4, atol=1e-4 * np.abs(wanted).max())
    kept = sum(t.nbytes for t in tensors.values()) + sum(t.size for t in integers.values()) / 2
    assert (tmp_path / "m.weights.bin").stat().st_size <= 1.1 * kept + 1024
