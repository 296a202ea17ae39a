"""Inputs that have one value for good: --freeze."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import onnx
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from tests.support.cli import call


def written(path: Path, ones: int) -> Path:
    """y = sum(gains) * (abs(x) or x w), by the rate.  ones: how many numbers w has, of which x takes 4."""
    text = f"""<ir_version: 8, opset_import: ["" : 17]>
    g (float[2, 4] x, int64 rate, float[3] gains) => (float y) <int64 r = {{16000}}, float[{ones}] w> {{
      is_wide = Equal (rate, r)
      s = If (is_wide) <
        then_branch = a () => (float p) {{ p = Abs (x) }},
        else_branch = b () => (float q) {{ q = MatMul (x, w) }}
      >
      g = ReduceSum (gains)
      y = Mul (s, g)
    }}"""
    proto = onnx.parser.parse_model(text.replace(f"[{ones}] w", f"[{ones}] w = {{{', '.join(['1.0'] * ones)}}}"))
    for info in (proto.graph.output[0], *(a.g.output[0] for n in proto.graph.node for a in n.attribute)):
        info.type.tensor_type.ClearField("shape")
    onnx.save(proto, path)
    return path


@pytest.fixture
def rates(tmp_path: Path) -> Path:
    """A model one of whose branches cannot run."""
    return written(tmp_path / "m.onnx", 3)


def test_an_input_is_a_constant(rates: Path, tmp_path: Path) -> None:
    made = tmp_path / "m.tflite"
    freeze = ("--freeze", "rate=16000", "--freeze", "gains=[1, 2, 0.5]")
    found = call("convert", rates, "-o", made, *freeze)
    assert found.exit_code == 0 and "rate" not in found.stdout and "gains" not in found.stdout
    x = np.random.default_rng(0).normal(size=(2, 4)).astype(np.float32)
    model = mlconv.load(rates, freeze={"rate": 16000, "gains": np.float32([1, 2, 0.5])})
    assert [v.name for v in model.main.inputs] == ["x"]
    np.testing.assert_allclose(model.run({"x": x})["y"], 3.5 * np.abs(x), rtol=1e-6)


def test_arrays_are_certified(rates: Path, tmp_path: Path) -> None:
    freeze = {"rate": np.int64(16000), "gains": np.float32([1, 2, 0.5])}
    mlconv.convert(rates, "tflite", tmp_path / "m.tflite", freeze=freeze, certificate=tmp_path / "m.json")
    assert '"gains": [' in (tmp_path / "m.json").read_text()
    made = (tmp_path / "m.tflite").read_bytes()
    assert call("build", "--from", tmp_path / "m.json").exit_code == 0
    assert (tmp_path / "m.tflite").read_bytes() == made


def test_verified_beside_the_file(tmp_path: Path) -> None:
    written(tmp_path / "m.onnx", 4)
    freeze = ("--freeze", "rate=16000", "--freeze", "gains=2")
    assert call("convert", tmp_path / "m.onnx", "-o", tmp_path / "m.tflite", *freeze).exit_code == 0
    found = call("verify", tmp_path / "m.onnx", tmp_path / "m.tflite", *freeze)
    assert found.exit_code == 0 and "ONNX Runtime" in found.stdout


@pytest.mark.parametrize(
    ("name", "value", "code", "words"),
    [
        ("rat", "1", Code.NameNotFound, "did you mean 'rate'"),
        ("rate", "1.5", Code.UsageError, "does not take '1.5'"),
        ("rate", "1e30", Code.UsageError, "does not take '1e30'"),
        ("rate", "1" + "0" * 30, Code.UsageError, "does not take '1000"),
        ("rate", "[1, 2]", Code.UsageError, "does not take an array of shape [2]"),
        ("gains", "[1, 2]", Code.UsageError, "does not take an array of shape [2]"),
        ("gains", "loud", Code.UsageError, "does not take 'loud'"),
    ],
)
def test_values_that_do_not_fit(rates: Path, name: str, value: str, code: Code, words: str) -> None:
    with pytest.raises(ConversionError) as caught:
        mlconv.load(rates, freeze={name: value})
    assert caught.value.code is code and words in str(caught.value.diagnostic)


def test_a_branch_that_cannot_run_names_the_input_that_decides(rates: Path, tmp_path: Path) -> None:
    refused = call("convert", rates, "-o", tmp_path / "m.tflite")
    assert refused.exit_code == 1
    assert "input 'rate' decides whether this runs: --freeze rate=VALUE leaves one branch" in refused.output
