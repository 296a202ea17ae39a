"""The trained models of testdata: converted, run on LiteRT, compared with the framework's outputs."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.runtime.litert import run_tflite
from tests.support.npz import npz

NAMES = ("digits_cnn", "digits_rnn", "digits_transformer")
TOLERANCE = 1e-5


def images(models: Path, name: str, suffix: str) -> tuple[np.ndarray, np.ndarray]:
    golden = npz(models / f"{name}.npz")
    image = golden["image"]
    return (image.transpose(0, 3, 1, 2) if (name, suffix) == ("digits_cnn", "onnx") else image), golden["scores"]


@pytest.mark.parametrize("suffix", ["onnx", "pb"])
@pytest.mark.parametrize("name", NAMES)
def test_tflite_gives_the_frameworks_numbers(models: Path, tmp_path: Path, name: str, suffix: str) -> None:
    image, scores = images(models, name, suffix)
    output = tmp_path / "out.tflite"
    result = mlconv.convert(models / f"{name}.{suffix}", to="tflite", output=output, verify_each=True)
    for batch in (1, len(image)):  # the batch stays dynamic
        (got,) = run_tflite(str(output), {result.inputs[0]["name"]: image[:batch]}, "serving_default").values()
        np.testing.assert_allclose(got, scores[:batch], atol=TOLERANCE, rtol=0)
    assert result.size_bytes == output.stat().st_size


@pytest.mark.parametrize("suffix", ["onnx", "pb"])
@pytest.mark.parametrize("name", NAMES)
def test_interpreter_gives_the_frameworks_numbers(models: Path, name: str, suffix: str) -> None:
    image, scores = images(models, name, suffix)
    module = mlconv.load(models / f"{name}.{suffix}")
    (got,) = module.run({module.main.input_names[0]: image}).values()
    np.testing.assert_allclose(got, scores, atol=TOLERANCE, rtol=0)


def test_no_transposes_but_at_the_input(models: Path, tmp_path: Path) -> None:
    kept = mlconv.convert(models / "digits_cnn.onnx", output=tmp_path / "a.tflite")
    nhwc = mlconv.convert(models / "digits_cnn.onnx", output=tmp_path / "b.tflite", io_layout="nhwc")
    assert kept.transposes <= 1 and nhwc.transposes == 0
    assert nhwc.inputs[0]["shape"] == ["N", 8, 8, 1]


def test_same_bytes_over_processes_and_hash_seeds(models: Path, tmp_path: Path) -> None:
    digests = set()
    for seed in ("0", "1", "77"):
        output = tmp_path / "out.tflite"
        for name in ("digits_transformer.onnx", "digits_rnn.pb"):
            command = [
                sys.executable,
                "-m",
                "mlconv",
                "convert",
                str(models / name),
                "--to",
                "tflite",
                "-o",
                str(output),
            ]
            subprocess.run(command, check=True, env={"PYTHONHASHSEED": seed, "PATH": ""}, capture_output=True)
            digests.add((name, hashlib.sha256(output.read_bytes()).hexdigest()))
    assert len(digests) == 2


def test_shape_option_pins_the_batch(models: Path, tmp_path: Path) -> None:
    result = mlconv.convert(models / "digits_cnn.pb", output=tmp_path / "a.tflite", shapes={"image": (4, 8, 8, 1)})
    assert result.inputs[0]["shape"] == [4, 8, 8, 1] and result.outputs[0]["shape"] == [4, 10]


def corpus_models() -> list[str]:
    path = Path(__file__).parent.parent.parent.parent / "shared" / "corpus" / "manifest.json"
    if not path.exists():
        return []
    listed = json.loads(path.read_text())["models"]
    return [
        e["name"]
        for e in listed
        if e["format"] in ("onnx", "graphdef", "graphdef_text")
        and e["expect"]["tflite"] == "yes"
        and e["size_bytes"] < 200_000
    ][::4]


@pytest.mark.share(4)
@pytest.mark.parametrize("name", corpus_models())
def test_corpus_sample(corpus: Path, tmp_path: Path, name: str) -> None:
    """A quarter of the small corpus models; the whole corpus is `make corpus`."""
    entry = next(e for e in json.loads((corpus / "manifest.json").read_text())["models"] if e["name"] == name)
    golden = npz(corpus / entry["golden"])
    inputs = {i["name"]: golden[f"c0_in{k}"] for k, i in enumerate(entry["inputs"])}
    arguments = entry.get("convert_args") or {}
    output = tmp_path / "out.tflite"
    mlconv.convert(
        corpus / entry["path"],
        output=output,
        inputs=tuple(arguments.get("inputs") or ()),
        outputs=tuple(arguments.get("outputs") or ()),
        shapes={k: tuple(v) for k, v in (arguments.get("input_shapes") or {}).items()},
    )
    got = run_tflite(str(output), inputs, "serving_default")
    for k, o in enumerate(entry["outputs"]):
        expected = golden[f"c0_out{k}"]
        scale = float(np.max(np.abs(expected), initial=1.0)) if expected.dtype.kind == "f" else 1.0
        tolerance = entry["tolerance"]
        np.testing.assert_allclose(
            got[o["name"]], expected, rtol=tolerance["rtol"], atol=max(tolerance["atol"], 2e-6 * scale)
        )
