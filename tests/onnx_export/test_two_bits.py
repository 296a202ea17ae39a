"""Weights of 2 bits: ONNX Runtime multiplies them as it should."""

from __future__ import annotations

import numpy as np
import onnxruntime
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, storage_range
from tests.support.modules import module
from tests.support.onnx_files import op_types, to_onnx

RNG = np.random.default_rng(8)


@pytest.mark.parametrize("storage", [DType.I2, DType.U2])
@pytest.mark.parametrize(("depth", "columns"), [(64, 24), (64, 130), (128, 9)])
def test_a_product(depth: int, columns: int, storage: DType) -> None:
    """With ONNX Runtime's optimizations, which make MatMulNBits of it; columns in no whole eights lie in 4 bits."""
    low, high = storage_range(storage)
    integers = RNG.integers(low, high + 1, (depth, columns)).astype(storage.numpy)
    scales = make_const(RNG.uniform(0.1, 0.2, (depth // 32, columns)).astype(np.float32))
    zeros = make_const(RNG.integers(low, high + 1, scales.shape), storage)
    element = QuantType(storage, DType.F32, Blocked(0, 32), scales, zeros)

    def make(b: Builder, x: Value) -> Value:
        w = b.emit(core.Constant(value=make_const(integers, storage), element=element)).y
        return b.emit(core.MatMul(x, b.emit(core.Dequantize(w)).y)).y

    x = RNG.standard_normal((3, depth)).astype(np.float32)
    m = module(make, [x])
    (want,) = run_function(m.main, {"in0": x}).values()
    model = to_onnx(m)
    assert op_types(model) == ["DequantizeLinear", "MatMul"]
    options = onnxruntime.SessionOptions()
    options.add_session_config_entry("session.qdq_matmulnbits_accuracy_level", "1")
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    (got,) = session.run(None, {"in0": x})
    np.testing.assert_allclose(got, want, rtol=0, atol=1e-5 * np.abs(want).max())
