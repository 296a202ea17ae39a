"""`mlconv bisect` names the pass that changes what a model computes, and the op."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from mlconv.driver.bisection import Bisection, bisect
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.wrong_passes import one_channel, wrong_pass, wrong_writer

SHAPES = {"digits_rnn": {"image": (2, 8, 8)}}


def found(models: Path, model: str, to: str, tmp_path: Path, quantize: bool = False) -> Bisection:
    settings: dict[str, object] = {"shapes": SHAPES.get(model, {})}
    if to == "hlo":
        settings["shapes"] = {"image": (2, 1, 8, 8) if model == "digits_cnn" else (2, 8, 8)}
    if quantize:
        images = npz(models / f"{model}.npz")["image"][:32]
        images = images.transpose(0, 3, 1, 2) if model == "digits_cnn" else images
        np.savez(tmp_path / "samples.npz", image=np.ascontiguousarray(images))
        settings |= {"quantize": "int8", "calibration": str(tmp_path / "samples.npz")}
    return bisect(models / f"{model}.onnx", to, Options().with_settings(settings, BUILT_IN))


@pytest.mark.share(2)
@pytest.mark.parametrize("to", ["tflite", "onnx", "native", "hlo", "savedmodel"])
@pytest.mark.parametrize("model", ["digits_cnn", "digits_transformer", "digits_rnn"])
def test_nothing_is_found_where_nothing_is(models: Path, tmp_path: Path, model: str, to: str) -> None:
    assert not found(models, model, to, tmp_path).problem


@pytest.mark.share(2)
@pytest.mark.parametrize("to", ["tflite", "onnx"])
@pytest.mark.parametrize("model", ["digits_cnn", "digits_transformer", "digits_rnn"])
def test_nothing_is_found_in_quantization(models: Path, tmp_path: Path, model: str, to: str) -> None:
    assert not found(models, model, to, tmp_path, quantize=True).problem


def test_a_small_model_shows_the_fault(models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Weights are numbers, repeated; the command that is printed finds the same."""
    wrong_pass(monkeypatch, "layout", one_channel("/Conv_3", 7e-3), times=100)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "m.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    ran = call("bisect", "m.onnx", "--to", "tflite", "--json")
    data = json.loads(ran.stdout)
    assert ran.exit_code == 3 and data["pass"] == "layout" and data["op"]["node"] == "/Conv_3"
    assert data["reduced"]["ops"] == 1 and "MLC0706" in ran.stderr
    text = (tmp_path / "m.bisect.mlir").read_text()
    assert len(text) < 3000 and text.count('"core.conv"') == 1
    again = call(*data["reduced"]["command"].split()[1:], "-o", "again.mlir")
    assert again.exit_code == 3 and "pass layout changes core.conv /Conv_3" in again.stdout
    monkeypatch.undo()
    monkeypatch.chdir(tmp_path)
    right = call(*data["reduced"]["command"].split()[1:])
    assert right.exit_code == 0 and "no pass changes the result" in right.stdout


def test_nothing_is_written_where_nothing_is_found(models: Path, tmp_path: Path) -> None:
    (tmp_path / "m.onnx").write_bytes((models / "digits_cnn.onnx").read_bytes())
    assert call("bisect", tmp_path / "m.onnx", "--to", "onnx").exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["m.onnx"]


CASES = [
    ("from-onnx", "digits_cnn", "tflite", "/Conv_3", 5e-3),
    ("from-onnx", "digits_transformer", "native", "/MatMul_24", 0.1),
    ("fold", "digits_cnn", "tflite", "/Conv_5", 4e-3),
    ("fold", "digits_transformer", "onnx", "/MatMul_50", 0.2),
    ("layout", "digits_cnn", "native", "/Conv_3", 9e-3),
    ("layout", "digits_cnn", "tflite", "/Conv_5", 0.5),
    ("fold-batch-norm", "digits_cnn", "hlo", "/Conv_0", 6e-3),
    ("cse", "digits_rnn", "tflite", "/Gemm_3", 7e-3),
    ("to-onnx", "digits_cnn", "onnx", "/Conv_5", 5e-3),
    ("to-hlo", "digits_cnn", "hlo", "/Conv_3", 0.05),
    ("to-tfl", "digits_cnn", "tflite", "/Conv_3", 6e-3),
    ("tfl-fuse", "digits_transformer", "tflite", "/MatMul_57", 9e-3),
]


@pytest.mark.share(2)
@pytest.mark.parametrize(("name", "model", "to", "node", "by"), CASES)
def test_a_wrong_pass_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, model: str, to: str, node: str, by: float
) -> None:
    wrong_pass(monkeypatch, name, one_channel(node, by))
    result = found(models, model, to, tmp_path)
    assert result.stage is not None and result.stage.name == name, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.parametrize(
    ("name", "to", "node", "by"),
    [
        ("quantize", "tflite", "/Conv_5", 0.06),
        ("quantize", "onnx", "/Conv_3", 0.3),
        ("quant-lower", "tflite", "/Conv_3", 8e-3),
        ("fold", "onnx", "/Conv_5", 8e-3),
    ],
)
def test_a_wrong_pass_of_quantization_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, to: str, node: str, by: float
) -> None:
    wrong_pass(monkeypatch, name, one_channel(node, by))
    result = found(models, "digits_cnn", to, tmp_path, quantize=True)
    assert result.stage is not None and result.stage.name == name, (result.problem, result.notes)
    assert result.error().diagnostic.node == node, result.problem


@pytest.mark.parametrize(
    ("to", "node", "by"), [("onnx", "/Conv_3", 6e-3), ("hlo", "/Conv_5", 0.1), ("tflite", "/Conv_5", 6e-3)]
)
def test_a_wrong_writer_is_named(
    models: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, to: str, node: str, by: float
) -> None:
    wrong_writer(monkeypatch, BUILT_IN.targets[to], one_channel(node, by))
    result = found(models, "digits_cnn", to, tmp_path)
    assert result.stage is not None and result.stage.is_written and result.layer is not None, result.problem
    assert result.error().diagnostic.node == node, result.problem
