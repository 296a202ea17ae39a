"""Models of float64: quantized where they may be computed in float32, told of as floats where not."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from onnx import TensorProto, helper

import mlconv
from mlconv.diagnostics import Code
from tests.support.onnx_models import model, save, value

RNG = np.random.default_rng(3)
SAMPLES = [{"x": RNG.standard_normal((1, 8))} for _ in range(20)]


def wide() -> Any:
    nodes = [
        helper.make_node("Gemm", ["x", "w", "b"], ["h"], name="first"),
        helper.make_node("Relu", ["h"], ["r"], name="relu"),
        helper.make_node("Gemm", ["r", "v"], ["y"], name="second"),
    ]
    given = {"w": RNG.standard_normal((8, 16)), "b": RNG.standard_normal(16), "v": RNG.standard_normal((16, 3))}
    ports = [[value(name, shape, TensorProto.DOUBLE)] for name, shape in (("x", ["n", 8]), ("y", ["n", 3]))]
    return model(nodes, *ports, given)


def test_what_stays_float64_has_its_reason(tmp_path: Path) -> None:
    source, out = save(tmp_path, wide()), tmp_path / "out.o"
    made = mlconv.quantize(source, "native", out, calibration=SAMPLES, rules="relu=float")
    report = made.quantization
    assert report is not None and report.counted() == (0, 2)
    assert ["--reduce-float64" in layer.reason for layer in report.layers] == [True, True, False, True]
    with pytest.raises(mlconv.ConversionError) as caught:
        mlconv.quantize(source, "native", out, calibration=SAMPLES, require_int8=True)
    assert caught.value.code is Code.FloatsLeft


@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("native", "o"), ("onnx", "onnx")])
@pytest.mark.parametrize(("scheme", "ports"), [("int8", "float64"), ("int8-io-int8", "int8")])
def test_float64_as_float32(target: str, suffix: str, scheme: str, ports: str, tmp_path: Path) -> None:
    made = mlconv.quantize(
        save(tmp_path, wide()),
        target,
        tmp_path / f"out.{suffix}",
        scheme=scheme,
        calibration=SAMPLES,
        reduce_float64=True,
        require_int8=True,
        measure=True,
        verify=True,
    )
    report = made.quantization
    assert report is not None and report.counted() == (2, 2) and 30 < report.outputs[0].snr < 60
    assert {port["dtype"] for port in (*made.inputs, *made.outputs)} == {ports}
