"""Weights of fake quantization as integers."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.ir.quant import QuantType
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from tests.support.modules import const, module

RNG = np.random.default_rng(2)


@pytest.mark.parametrize(("largest", "zero"), [(0.9, 0), (1.2, -1)])
def test_zero_points(largest: float, zero: int) -> None:
    """None where int8 holds the integers less theirs, as kernels of int8 want it; the numbers are the same."""
    w = RNG.uniform(-0.9, 0.9, (12, 8)).astype(np.float32)
    w[0, 0] = largest
    quant = QuantType.of(DType.U8, 2 / 255, 127)

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.MatMul(x, b.emit(core.FakeQuant(const(b, w), quant=quant)).y)).y

    x = RNG.standard_normal((3, 12)).astype(np.float32)
    m = module(make, [x])
    trained = clone_module(m)
    run_pipeline(trained, parse_pipeline("quantize-trained"))
    (made,) = [op for op in trained.walk() if isinstance(op, core.Dequantize)]
    element = made.x.tensor.quant
    assert element is not None and element.storage is DType.I8 and element.zero_array() == zero
    got, want = (run_function(each.main, {"in0": x}) for each in (trained, m))
    for name, y in want.items():
        np.testing.assert_array_equal(got[name], y)
