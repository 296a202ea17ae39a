"""Products of `dynamic-range` that sum little keep what they read: their weights alone are integers."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from ai_edge_litert import schema_py_generated as schema

import mlconv
from mlconv.driver.check import check_model
from mlconv.driver.options import Options
from mlconv.ir.core import Value
from mlconv.quantize.store import SHORT
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import Build, conv, network

NAMES = {code: name for name, code in vars(schema.BuiltinOperator).items()}


def features(e: CoreBuilder, x: Value) -> Value:
    """A keyword spotter: one channel of coefficients, filters of one channel each, products over all channels."""
    y = conv(e, x, 48, 7)
    y = e.clamp(conv(e, y, 48, groups=48), 0)
    y = e.clamp(conv(e, y, 48, 1), 0)
    y = e.matmul(e.mean(y, (1, 2)), e.constant(random(48, 12)))
    return e.matmul(y, e.constant(random(12, 40)))


def images(e: CoreBuilder, x: Value) -> Value:
    return conv(e, conv(e, x, 8, 7), 8, 2)


def stored(path: Path) -> list[tuple[str, bool]]:
    """Of each product in a file, whether its weights are numbers behind a DEQUANTIZE."""
    model = schema.ModelT.InitFromPackedBuf(path.read_bytes(), 0)
    (graph,) = model.subgraphs
    codes = [NAMES[max(c.builtinCode, c.deprecatedBuiltinCode)] for c in model.operatorCodes]
    numbers = {op.outputs[0] for op in graph.operators if codes[op.opcodeIndex] == "DEQUANTIZE"}
    names = ("CONV_2D", "DEPTHWISE_CONV_2D", "FULLY_CONNECTED")
    products = [op for op in graph.operators if codes[op.opcodeIndex] in names]
    assert all(graph.tensors[op.inputs[0]].type == schema.TensorType.FLOAT32 for op in products)
    return [(codes[op.opcodeIndex], op.inputs[1] in numbers) for op in products]


@pytest.mark.parametrize(
    ("build", "shape", "want"),
    [
        (features, (1, 20, 10, 1), [("CONV_2D", True), ("DEPTHWISE_CONV_2D", True), ("CONV_2D", False)]),
        (images, (1, 9, 9, 3), [("CONV_2D", False), ("CONV_2D", True)]),
    ],
)
def test_which_they_are(build: Build, shape: tuple[int, ...], want: list[tuple[str, bool]], tmp_path: Path) -> None:
    result = mlconv.quantize(network(shape, build), "tflite", tmp_path / "m.tflite", scheme="dynamic-range")
    want = [*want, *([("FULLY_CONNECTED", False), ("FULLY_CONNECTED", True)] if build is features else [])]
    assert stored(tmp_path / "m.tflite") == want and result.quantization is not None
    layers = [a for a in result.quantization.layers if a.op in ("core.conv", "core.matmul")]
    assert [(a.scheme, a.reason) for a in layers] == [("dynamic-range", SHORT if short else "") for _, short in want]


@pytest.mark.parametrize("target", ["tflite", "native", "onnx"])
def test_coefficients_of_unlike_size(target: str, tmp_path: Path) -> None:
    """One scale for a first coefficient of 100 and others of 1 left these a bit or two: 36 dB."""
    rng = np.random.default_rng(5)
    x = (rng.standard_normal((1, 20, 10, 1)) * np.where(np.arange(10) == 0, 100, 1)[:, None]).astype(np.float32)
    module = network((1, 20, 10, 1), lambda e, x: conv(e, x, 8))
    out = tmp_path / f"m.{target}"
    result = mlconv.quantize(
        module, target, out, scheme="dynamic-range", calibration=[{"x": x}] * 4, measure=True, verify=True
    )
    assert result.quantization is not None and result.quantization.outputs[0].snr > 40
    (layer,) = [a for a in result.quantization.layers if a.op == "core.conv"]
    assert [cause.cause for cause in layer.causes] == ["weights"]
    if target == "tflite":
        assert np.isfinite(run_litert(out.read_bytes(), [x])[0]).all()


def test_it_is_foreseen(tmp_path: Path) -> None:
    mlconv.convert(network((1, 20, 10, 1), features), "onnx", tmp_path / "m.onnx")
    options = Options(quantize="dynamic-range")
    (target,) = check_model(str(tmp_path / "m.onnx"), ("tflite",), (), options).targets
    assert target.quantization is not None
    rows = {(row.op, row.status, row.reason) for row in target.quantization.rows if "conv" in row.op}
    assert ("core.conv", "stored", SHORT) in rows
    assert ("core.conv", "integers at run time", "what it reads is rounded when it runs") in rows
