"""Correct pairs, and conversions, on inputs with NaN, which kernels of runtimes drop here and there: no alarm."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from tests.support.cli import call

SHAPES = {"digits_cnn": (2, 1, 8, 8), "digits_rnn": (2, 8, 8)}


def with_nan(folder: Path, model: str) -> Path:
    x = np.random.default_rng(0).random(SHAPES[model]).astype(np.float32)
    x[0].reshape(-1)[27], x[1].reshape(-1)[0] = np.nan, np.inf
    np.savez(folder / "x.npz", image=x)
    return folder / "x.npz"


@pytest.mark.parametrize("to", ["tflite", "onnx", "native"])
@pytest.mark.parametrize("model", list(SHAPES))
def test_nan_that_a_runtime_drops_is_no_difference(models: Path, tmp_path: Path, model: str, to: str) -> None:
    path, data, out = (
        models / f"{model}.onnx",
        with_nan(tmp_path, model),
        tmp_path / ("m.o" if to == "native" else f"m.{to}"),
    )
    mlconv.convert(path, to, out)
    for more in ((), ("--per-layer",)) if to == "onnx" else ((),):
        ran = call("verify", path, out, "--data", data, *more)
        assert ran.exit_code == 0, ran.output
    assert call("bisect", path, "--to", to, "--data", data, "-o", tmp_path / "b.mlir").exit_code == 0


@pytest.mark.parametrize("to", ["tflite", "native"])
def test_nan_that_integers_do_not_have(models: Path, tmp_path: Path, to: str) -> None:
    """The first model is a TFLite file, which gives NaN where integers are some number."""
    path, data = models / "digits_cnn.onnx", with_nan(tmp_path, "digits_cnn")
    sample = {"image": np.random.default_rng(1).random(SHAPES["digits_cnn"]).astype(np.float32)}
    files = tmp_path / "a.tflite", tmp_path / ("b.o" if to == "native" else "b.tflite")
    mlconv.convert(path, "tflite", files[0])
    mlconv.convert(path, to, files[1], quantize="int8", calibration=[sample])
    ran = call("verify", *files, "--data", data)
    assert ran.exit_code == 0, ran.output


@pytest.mark.parametrize("to", ["tflite", "onnx"])
def test_integers_of_nan_are_any_numbers(tmp_path: Path, to: str) -> None:
    """Layers are compared with numbers in its place, and outputs where they do not come of it: of a model of floats,
    whose kernels drop NaN, and of one that rounds it itself.
    """
    source, other, small = (tmp_path / f"{name}.onnx" for name in ("source", "other", "small"))
    onnx.save(two_layers(0), source)
    onnx.save(two_layers(1), other)
    rng = np.random.default_rng(2)
    samples = [{"x": rng.standard_normal((2, 16)).astype(np.float32)} for _ in range(8)]
    x = samples[0]["x"].copy()
    x[0, 3] = np.nan
    np.savez(tmp_path / "x.npz", x=x)
    files = tmp_path / f"a.{to}", tmp_path / f"b.{to}"
    mlconv.quantize(source, to, files[0], calibration=samples)
    mlconv.quantize(source, "onnx", small, calibration=samples)
    mlconv.convert(small, to, files[1])
    for a, b in zip((source, small), files, strict=True):
        found = mlconv.verify(a, b, data=tmp_path / "x.npz", per_layer=True)
        assert found.ok, found.problem
        assert not mlconv.verify(other, b, data=tmp_path / "x.npz").ok  # the row without NaN


def two_layers(seed: int) -> onnx.ModelProto:
    """Features with factors of their own, and products with a sigmoid between them, which kernels cut."""
    rng = np.random.default_rng(seed)
    model = onnx.parser.parse_model(
        """<ir_version: 8, opset_import: ["" : 17]> g (float[2, 16] x) => (float[2, 4] y) {
            s = Mul (x, f) h = Gemm (s, a, b) r = Relu (h) t = Sigmoid (r) z = Gemm (t, c) y = Tanh (z)
        }"""
    )
    constants = {"f": (16,), "a": (16, 24), "b": (24,), "c": (24, 4)}
    for name, shape in constants.items():
        numbers = rng.standard_normal(shape).astype(np.float32) * (8 if name == "f" else 1)
        model.graph.initializer.append(onnx.numpy_helper.from_array(numbers, name))
    return model


def test_nan_that_the_model_does_not_give_is_one(tmp_path: Path) -> None:
    for name, op in (("a", "Abs"), ("b", "Sqrt")):
        text = f'<ir_version: 8, opset_import: ["" : 17]> g (float[4] x) => (float[4] y) {{ y = {op} (x) }}'
        onnx.save(onnx.parser.parse_model(text), tmp_path / f"{name}.onnx")
    np.savez(tmp_path / "x.npz", x=np.asarray([-1, 1, np.nan, 0], np.float32))
    ran = call("verify", tmp_path / "a.onnx", tmp_path / "b.onnx", "--data", tmp_path / "x.npz")
    assert ran.exit_code == 3
