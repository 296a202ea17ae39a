"""ONNX Runtime computes what a file says, also where it would not if it were let."""

from __future__ import annotations

import numpy as np
import pytest
from onnx import parser
from onnx.reference import ReferenceEvaluator

from mlconv.runtime.onnx_runtime import opened, run_session

POOLED = """<ir_version: 9, opset_import: ["" : 17]>
g (float[1,2,8] x) => (float[1,2,3] y)
<int64[6] pads = {0, 0, 1, 0, 0, 1}, float minus = {-9.0}>
{
  low = Add(x, minus)
  wide = Pad(low, pads)
  y = MaxPool<kernel_shape = [3], strides = [3], pads = [0, 0]>(wide)
}"""
"""Zeros beside numbers below them."""
STANDARDIZED = """<ir_version: 9, opset_import: ["" : 17]>
g (float[1,2,8] x) => (float[1,3,8] y)
<float[1,3,2] w = {1, 2, 3, 4, 5, 7}, float[1,3,2] v = {4, 1, 0, 2, 9, 5}, float[3] one = {1, 1, 1},
 float[3] zero = {0, 0, 0}, int64[3] shape = {3, 2, 1}>
{
  a, am, as = BatchNormalization<training_mode = 1, momentum = 0.5>(w, one, zero, zero, one)
  b, bm, bs = BatchNormalization<training_mode = 1, momentum = 0.5>(v, one, zero, zero, one)
  aw = Reshape(a, shape)
  bw = Reshape(b, shape)
  h = Conv(x, aw)
  k = Conv(x, bw)
  y = Add(h, k)
}"""
"""Weights standardized by normalizations that train, whose averages are scales and biases, too."""


@pytest.mark.parametrize("optimizes", [False, True])
@pytest.mark.parametrize("text", [POOLED, STANDARDIZED])
def test_computes_what_the_file_says(text: str, optimizes: bool) -> None:
    proto = parser.parse_model(text)
    x = np.random.default_rng(0).standard_normal((1, 2, 8)).astype(np.float32)
    (want,) = ReferenceEvaluator(proto).run(None, {"x": x})
    session = opened(proto.SerializeToString(), optimizes)
    for _ in range(2):
        np.testing.assert_allclose(run_session(session, {"x": x})["y"], want, rtol=1e-5, atol=1e-5)
