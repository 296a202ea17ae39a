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
TRAINED = """<ir_version: 9, opset_import: ["" : 17]>
g (float[1,2,8] x) => (float[1,2,8] y)
<float[2] one = {1, 1}, float[2] zero = {0, 0}, float[2] mean = {0, 0}, float[2] variance = {1, 1}>
{
  y, m, v = BatchNormalization<training_mode = 1, momentum = 0.5>(x, one, zero, mean, variance)
}"""
"""A normalization whose scale equals the variance that it writes over."""


@pytest.mark.parametrize("optimizes", [False, True])
@pytest.mark.parametrize("text", [POOLED, TRAINED])
def test_computes_what_the_file_says(text: str, optimizes: bool) -> None:
    proto = parser.parse_model(text)
    x = np.random.default_rng(0).standard_normal((1, 2, 8)).astype(np.float32)
    (want,) = ReferenceEvaluator(proto).run(None, {"x": x})
    session = opened(proto.SerializeToString(), optimizes)
    for _ in range(2):
        np.testing.assert_allclose(run_session(session, {"x": x})["y"], want, rtol=1e-5, atol=1e-5)
