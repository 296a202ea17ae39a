"""Quantized types of StableHLO: ops on these are ops on the numbers that their integers stand for."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.ir.dtypes import DType

X = np.random.default_rng(0).normal(size=(2, 3)).astype("f")
W = np.random.default_rng(1).integers(-90, 90, (3, 4)).astype(np.int8)
SCALES = (0.01, 0.02, 0.005, 0.03)
ROW = "!quant.uniform<i8:f32, 0.02:3>"
KERNEL = f"!quant.uniform<i8<-127:127>:f32:1, {{{', '.join(map(str, SCALES))}}}>"
SUMS = f"!quant.uniform<i32:f32:1, {{{', '.join(str(0.02 * s) for s in SCALES)}}}>"
OUT = "!quant.uniform<u8:f32, 0.05:128>"
TEXT = f"""module @m {{
  func.func @main(%x: tensor<2x3xf32>, %q: tensor<2x4x{OUT}>) -> (tensor<2x4xf32>, tensor<2x4x{OUT}>) {{
    %a = stablehlo.uniform_quantize %x : (tensor<2x3xf32>) -> tensor<2x3x{ROW}>
    %w = stablehlo.constant() {{value = dense<{W.tolist()}> : tensor<3x4xi8>}} : () -> tensor<3x4x{KERNEL}>
    %s = stablehlo.dot_general %a, %w, contracting_dims = [1] x [0]
      : (tensor<2x3x{ROW}>, tensor<3x4x{KERNEL}>) -> tensor<2x4x{SUMS}>
    %r = stablehlo.uniform_quantize %s : (tensor<2x4x{SUMS}>) -> tensor<2x4x{OUT}>
    %t = stablehlo.add %r, %q : tensor<2x4x{OUT}>
    %d = stablehlo.uniform_dequantize %r : (tensor<2x4x{OUT}>) -> tensor<2x4xf32>
    return %d, %t : tensor<2x4xf32>, tensor<2x4x{OUT}>
  }}
}}
"""


def quantize(x: np.ndarray, scale: float, zero: int, low: int, high: int) -> np.ndarray:
    return np.clip(np.round(x / np.float32(scale)) + zero, low, high)


def expected(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    a = (quantize(X, 0.02, 3, -128, 127) - 3) * 0.02
    r = quantize((a @ (W * np.asarray(SCALES))).astype("f"), 0.05, 128, 0, 255)
    total = (r - 128) * 0.05 + (q.astype("f") - 128) * 0.05
    return (r - 128) * 0.05, quantize(total.astype("f"), 0.05, 128, 0, 255)


@pytest.mark.parametrize("form", ["text", "1.0.0", "1.9.0"])
def test_quantized(form: str, tmp_path: pathlib.Path) -> None:
    from jaxlib.mlir.dialects import stablehlo

    path = tmp_path / "m.mlir"
    path.write_bytes(TEXT.encode() if form == "text" else stablehlo.serialize_portable_artifact_str(TEXT, form))
    model = mlconv.load(path)
    (x, q), q0 = model.main.input_names, np.random.default_rng(2).integers(0, 255, (2, 4)).astype(np.uint8)
    second = model.main.inputs[1].tensor
    assert second.dtype is DType.U8 and second.quant is not None
    numbers, integers = model.run({x: X, q: q0}).values()
    want, total = expected(q0)
    np.testing.assert_allclose(numbers, want, atol=1e-5)
    assert integers.dtype == np.uint8
    np.testing.assert_array_equal(integers, total)
    done = mlconv.convert(path, to="native", output=tmp_path / "m.o", verify=True)
    assert done.verification
