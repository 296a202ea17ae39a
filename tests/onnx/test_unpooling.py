"""MaxUnpool with an output shape: what the indices are places in."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from tests.support.onnx_runtimes import run_reference
from tests.support.simplified import parsed

UNDONE = """
  g (float[2, 3, HIGH, 6] x) => (float[a, b, c, d] y)
  {
    p, i = MaxPool <kernel_shape = [2, 2], strides = [2, 2]> (x)
    sizes = Shape (x)
    y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (p, i, sizes)
  }
"""
GIVEN = """
  g (float[1, 1, 2, 2] x, int64[1, 1, 2, 2] i) => (float[1, 1, 5, 5] y) <int64[4] sizes = {1, 1, 5, 5}>
  {y = MaxUnpool <kernel_shape = [2, 2], strides = [2, 2]> (x, i, sizes)}
"""


@pytest.mark.parametrize("high", ["7", "h"])
def test_indices_of_a_pool_are_places_in_the_output(high: str, tmp_path: Path) -> None:
    """An image of an odd size: ONNX Runtime puts each element back where it was."""
    proto = parsed(UNDONE.replace("HIGH", high))
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    x = np.random.default_rng(0).standard_normal((2, 3, 7, 6)).astype(np.float32)
    y = mlconv.load(tmp_path / "m.onnx").run({"x": x})["y"]
    np.testing.assert_array_equal(y, run_reference(proto, {"x": x}, "ort")[0])
    assert ((y == x) | (y == 0)).all()


def test_given_indices_are_places_in_the_inferred_size(tmp_path: Path) -> None:
    """As in onnx's test of the operator, which ONNX Runtime fails."""
    proto = parsed(GIVEN)
    (tmp_path / "m.onnx").write_bytes(proto.SerializeToString())
    x = np.arange(1, 5, dtype=np.float32).reshape(1, 1, 2, 2)
    inputs = {"x": x, "i": np.array([5, 7, 13, 15]).reshape(1, 1, 2, 2)}
    y = mlconv.load(tmp_path / "m.onnx").run(inputs)["y"]
    np.testing.assert_array_equal(y, run_reference(proto, inputs, "onnx")[0])
    np.testing.assert_array_equal(y[0, 0, 1:4:2, 1:4:2], x[0, 0])
