"""A branch that is not taken, whose operands have no elements: LiteRT prepares it all the same."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from tests.support.litert import run_litert
from tests.support.simplified import parsed

FIRST_OR_NONE = """
  g (int32[n] x) => (int32[1] y) <int64 one = {1}, int64[1] first = {0}, int64[1] second = {1}, int32[1] none = {-5}>
  {
    size = Size (x)
    is_empty = Less (size, one)
    y = If (is_empty) <
      then_branch = t () => (int32[1] a) {a = Identity (none)},
      else_branch = e () => (int32[1] b)
      {
        cut = Slice (x, first, second)
        element = Squeeze (cut)
        doubled = Add (element, element)
        b = Unsqueeze (doubled, first)
      }
    >
  }
"""


@pytest.mark.parametrize("x", [[], [4], [7, 8, 9]])
def test_the_first_of_none(x: list[int], tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes(parsed(FIRST_OR_NONE).SerializeToString())
    mlconv.convert(tmp_path / "m.onnx", "tflite", tmp_path / "m.tflite")
    (y,) = run_litert((tmp_path / "m.tflite").read_bytes(), [np.array(x, np.int32)])
    np.testing.assert_array_equal(y, [2 * x[0] if x else -5])
