"""`mlconv quantize`: what it writes and prints."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper, numpy_helper
from PIL import Image

from tests.support.cli import call
from tests.support.npz import npz


@pytest.fixture(scope="module")
def samples(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("samples") / "in.npz"
    np.savez(path, image=npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2))
    return path


def test_the_artifact_is_that_of_convert(models: Path, samples: Path, tmp_path: Path) -> None:
    model, more = models / "digits_cnn.onnx", ("--calibration", samples, "--quantize-rule", "matmul=int16x8")
    for scheme in ("--scheme", "--quantize"):
        ran = call("quantize", model, "--to", "tflite", "-o", tmp_path / "a.tflite", scheme, "int8", *more)
        assert ran.exit_code == 0, ran.output
    ran = call("convert", model, "--to", "tflite", "-o", tmp_path / "b.tflite", "--quantize", "int8", *more)
    assert ran.exit_code == 0 and (tmp_path / "a.tflite").read_bytes() == (tmp_path / "b.tflite").read_bytes()


def test_the_table(models: Path, samples: Path, tmp_path: Path) -> None:
    ran = call(
        "quantize", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--calibration", samples,
        "--top", 2, "--report", tmp_path / "r.json", "--quantize-rule", "softmax=float",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    lines = ran.stdout.splitlines()
    head = next(i for i, line in enumerate(lines) if line.startswith("own dB"))
    last = next(i for i, line in enumerate(lines) if "layers more: --top N" in line)
    ratios = [float(line.split()[0]) for line in lines[head + 1 : last] if not line.startswith(" ")]
    assert ratios == sorted(ratios) and len(ratios) == 2
    assert "weights:" in ran.stdout and "signal to noise, 10 samples" in ran.stdout and "what helps" in ran.stdout
    data = json.loads((tmp_path / "r.json").read_text())
    worst = sorted(layer["snr"] for layer in data["layers"] if layer["snr"] is not None)
    assert ratios == [round(r, 1) for r in worst[:2]]


def test_data(models: Path, samples: Path, tmp_path: Path) -> None:
    ran = call(
        "quantize", models / "digits_transformer.onnx", "--to", "native", "-o", tmp_path / "m.o", "--calibration",
        transformer_samples(models, tmp_path), "--json", "--shape", "image=1,8,8",
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    data = json.loads(ran.stdout)
    assert data["version"] == 1 and data["target"] == "native" and data["measured"] > 0
    floats = [layer for layer in data["layers"] if layer["scheme"] == "float"]
    assert floats and all(layer["reason"] and layer["bytes"] for layer in floats)
    integers = [layer for layer in data["layers"] if layer["scheme"] == "int8" and layer["scale"] is not None]
    assert integers and all(layer["causes"] and layer["select"] for layer in integers)
    assert all(abs(sum(c["share"] for c in layer["causes"]) - 1) < 0.16 for layer in integers)


def transformer_samples(models: Path, folder: Path) -> Path:
    np.savez(folder / "in.npz", image=npz(models / "digits_transformer.npz")["image"])
    return folder / "in.npz"


def test_without_samples(models: Path, tmp_path: Path) -> None:
    """Weights alone need none; nothing is measured then."""
    plain = ("quantize", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite")
    ran = call(*plain, "--scheme", "int8-weights")
    assert ran.exit_code == 0 and "losses were not measured: without samples nothing is run" in ran.stdout
    assert "rounded to the nearest: with --calibration less is lost" in ran.stdout
    assert "less is lost" not in call(*plain, "--scheme", "float16").stdout
    ran = call(*plain, "--scheme", "int8-weights", "--save-calibration", tmp_path / "none.cal")
    assert ran.exit_code == 2 and "there are no samples" in ran.output and not (tmp_path / "none.cal").exists()
    ran = call(*plain)
    assert ran.exit_code == 2 and "MLC" in ran.output and "--calibration" in ran.output


@pytest.mark.parametrize("name", ["r.txt", "report", "no/r.html"])
def test_reports_that_cannot_be_written(name: str, models: Path, samples: Path, tmp_path: Path) -> None:
    """Known before the work."""
    ran = call(
        "quantize", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--calibration", samples,
        "--report", tmp_path / name,
    )  # fmt: skip
    assert ran.exit_code in (1, 2) and not (tmp_path / "m.tflite").exists()


def test_images_are_told_of(models: Path, tmp_path: Path) -> None:
    """What is taken for granted of them is said, unless someone says how they are read; the recipe keeps that."""
    (tmp_path / "images").mkdir()
    for i, image in enumerate(npz(models / "digits_cnn.npz")["image"]):
        Image.fromarray(np.clip(image[..., 0] * 16, 0, 255).astype(np.uint8)).save(tmp_path / "images" / f"{i}.png")
    asked = ("convert", models / "digits_cnn.onnx", "--to", "tflite", "--shape", "image=1,1,8,8", "-o")
    ran = call(*asked, tmp_path / "a.tflite", "--quantize", "int8", "--calibration", tmp_path / "images")
    assert ran.exit_code == 0 and "note[MLC0507]" in ran.output and "0 to 255, L, 8x8, nchw" in ran.output
    ran = call(
        *asked, tmp_path / "b.tflite", "--quantize", "int8", "--calibration", tmp_path / "images",
        "--calibration-images", "std=16", "--save-recipe", tmp_path / "r.toml",
    )  # fmt: skip
    assert ran.exit_code == 0 and "note" not in ran.output
    ran = call(*asked, tmp_path / "c.tflite", "--quantize", tmp_path / "r.toml")
    assert ran.exit_code == 0 and "note" not in ran.output, ran.output
    a, b, c = ((tmp_path / f"{name}.tflite").read_bytes() for name in "abc")
    assert a != b == c


def test_samples_that_fill_no_run(models: Path, samples: Path, tmp_path: Path) -> None:
    """10 samples in runs of 4 are 8; in runs of 12 none, which is an error."""
    given = ("convert", models / "digits_cnn.onnx", "--quantize", "int8", "--calibration", samples, "--shape")
    ran = call(*given, "image=4,1,8,8", "-o", tmp_path / "m.tflite")
    assert ran.exit_code == 0, ran.output
    assert "note[MLC0508]: 2 samples of the calibration data are left out: the model takes 4 in a run" in ran.output
    assert "calibrated with 8 samples" in ran.output
    ran = call(*given, "image=12,1,8,8", "-o", tmp_path / "m.tflite")
    assert ran.exit_code == 2 and "holds 10 samples, and the model takes 12 in a run" in ran.output


def test_data_that_are_not_fit(models: Path, samples: Path, tmp_path: Path) -> None:
    """The sample with what is not finite is named; labels that are no numbers are no wrong answers."""
    images = npz(samples)["image"].astype(np.float32)
    np.savez(tmp_path / "labelled.npz", image=images, label=np.full(len(images), "three"))
    images[7, 0, 2, 2] = np.nan
    np.savez(tmp_path / "nan.npz", image=images)
    convert = ("convert", models / "digits_cnn.onnx", "--quantize", "int8", "-o", tmp_path / "m.tflite")
    ran = call(*convert, "--calibration", tmp_path / "nan.npz")
    assert ran.exit_code == 1 and "those of sample 7, counted from 0, for input 'image'" in ran.output, ran.output
    more = ("--max-drop", 0.1, "--metric", "top1", "--evaluation", tmp_path / "labelled.npz")
    ran = call(*convert, "--calibration", samples, *more)
    assert ran.exit_code == 1 and "the metric top1 compares numbers, and labels 'label' are <U5" in ran.output


def test_nothing_is_said_of_weights_that_are_integers(tmp_path: Path, models: Path, samples: Path) -> None:
    given = ("convert", models / "digits_cnn.onnx", "--quantize", "int8", "--calibration", samples)
    ran = call(*given, "-o", tmp_path / "q.onnx")
    assert ran.exit_code == 0, ran.output
    again = ("--quantize", "int8", "--calibration", samples, "-o", tmp_path / "q.tflite")
    ran = call("convert", tmp_path / "q.onnx", *again)
    assert ran.exit_code == 0 and "0 of 0 products: the model has none that computes with floats" in ran.output
    assert "rounded to the nearest" not in ran.output


def test_random_samples_of_sizes_that_do_not_fit(tmp_path: Path) -> None:
    """Sizes that are open are drawn small."""
    graph = "g (float[1, 2, n] x) => (float[1, 2, m] y) <float[2, 2, 3] w = {1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 2, 3}>"
    model = '<ir_version: 8, opset_import: ["" : 17]> ' + graph + " { [conv] y = Conv(x, w) }"
    (tmp_path / "m.onnxtxt").write_text(model)
    ran = call("convert", tmp_path / "m.onnxtxt", "--to", "tflite", "--quantize", "int8", "--calibration", "random:2")
    assert ran.exit_code == 1 and "are 2, or near it, in random samples: pin them with --shape" in ran.output


@pytest.mark.parametrize("scheme", ["int8", "int4"])
def test_weights_that_are_not_finite(scheme: str, tmp_path: Path) -> None:
    weights = np.ones((8, 4), np.float32)
    weights[3, 1] = np.inf
    node = helper.make_node("MatMul", ["x", "w"], ["y"], name="product")
    x, y = (helper.make_tensor_value_info(n, 1, [2, k]) for n, k in (("x", 8), ("y", 4)))
    graph = helper.make_graph([node], "g", [x], [y], [numpy_helper.from_array(weights, "w")])
    onnx.save(helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=8), tmp_path / "m.onnx")
    ran = call("convert", tmp_path / "m.onnx", "--to", "tflite", "--quantize", scheme, "--calibration", "random:2")
    assert ran.exit_code == 1 and "weights 'w' hold inf" in ran.output, ran.output
