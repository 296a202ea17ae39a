"""Pixels as they are go in: `--mean`, `--std` and `--input-type` put the normalization into the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnx import helper

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.xla_program import run_hlo
from tests.support.cli import call
from tests.support.npz import npz
from tests.support.onnx_models import model, save, value

TARGETS = ("tflite", "native", "hlo", "stablehlo", "onnx", "savedmodel")
MEAN, STD = (123.675, 116.28, 103.53), (58.395, 57.12, 57.375)
FORM: dict[str, Any] = {
    "layouts": {"image": "nhwc"},
    "means": {"image": MEAN},
    "stds": {"image": STD},
    "input_types": {"image": "uint8"},
}
DIGITS: dict[str, Any] = {"layouts": {"image": "nhwc"}, "stds": {"image": 16}, "input_types": {"image": "uint8"}}


def network(folder: Path, pads: int = 0, groups: int = 1, before: str = "") -> Path:
    """A convolution over an image with channels first, and what torch makes of it."""
    rng = np.random.default_rng(11 + pads + groups)
    nodes = [helper.make_node(before, ["image"], ["x"])] if before else []
    nodes += [
        helper.make_node("Conv", ["x" if before else "image", "w", "b"], ["h"], pads=[pads] * 4, group=groups),
        helper.make_node("Relu", ["h"], ["y"]),
    ]
    weights = {
        "w": rng.standard_normal((6, 3 // groups, 3, 3)).astype(np.float32),
        "b": rng.standard_normal(6).astype(np.float32),
    }
    proto = model(nodes, [value("image", [2, 3, 8, 9])], [value("y", None)], weights, opset=13)
    proto.ir_version = 8
    return save(folder, proto)


def wanted(path: Path, pixels: np.ndarray, mean: Any = MEAN, std: Any = STD) -> np.ndarray:
    x = ((pixels.astype(np.float64) - mean) / std).astype(np.float32).transpose(0, 3, 1, 2)
    (y,) = onnxruntime.InferenceSession(path).run(None, {"image": np.ascontiguousarray(x)})
    return y


def bytes_like(*shape: int, seed: int = 5) -> np.ndarray:
    return np.random.default_rng(seed).integers(0, 256, shape, dtype=np.uint8)


@pytest.mark.share(6)
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("pads", [0, 1])
def test_every_target(target: str, pads: int, tmp_path: Path) -> None:
    output = tmp_path / ("out" if target == "savedmodel" else "out.o")
    result = mlconv.convert(network(tmp_path, pads), target, output, verify=True, verify_each=True, **FORM)
    assert result.inputs[0] == {"name": "image", "dtype": "uint8", "shape": [2, 8, 9, 3]}
    assert [v["ok"] for v in result.verification] == [True]


@pytest.mark.parametrize(("pads", "ops"), [(0, []), (1, ["tfl.SUB"])])
def test_folded_where_that_is_exact(pads: int, ops: list[str], tmp_path: Path) -> None:
    """All of it into a convolution without padding; before one with, zeros are no black pixels: a subtraction stays."""
    path = network(tmp_path, pads)
    result = mlconv.convert(path, "tflite", tmp_path / "m.tflite", verify=True, verify_with="source", **FORM)
    arithmetic = {"tfl.SUB", "tfl.ADD", "tfl.MUL", "tfl.DIV"}
    assert sorted(arithmetic & set(result.ops)) == ops and result.ops["tfl.CAST"] == 1
    pixels = bytes_like(2, 8, 9, 3)
    (got,) = run_tflite(str(tmp_path / "m.tflite"), {"image": pixels}, "serving_default").values()
    np.testing.assert_allclose(got, wanted(path, pixels), atol=3e-5)


@pytest.mark.parametrize("groups", [1, 3])
@pytest.mark.parametrize(("mean", "std"), [(127.5, 127.5), (0.0, 255.0), (MEAN, 1.0), (0.0, STD), (0.0, 1.0)])
def test_numbers(mean: Any, std: Any, groups: int, tmp_path: Path) -> None:
    path = network(tmp_path, groups=groups)
    form = {**FORM, "means": {"image": mean}, "stds": {"image": std}}
    mlconv.convert(path, "native", tmp_path / "m.o", **form)
    pixels = bytes_like(2, 8, 9, 3)
    got = mlconv.load_native(tmp_path / "m.o").run({"image": pixels})["y"]
    expected = wanted(path, pixels, mean, std)
    np.testing.assert_allclose(got, expected, atol=2e-6 * np.abs(expected).max() + 1e-5)


def test_channels_first_and_signed(tmp_path: Path) -> None:
    path = network(tmp_path)
    form = {"means": {"image": tuple(m - 128 for m in MEAN)}, "stds": {"image": STD}, "input_types": {"image": "int8"}}
    result = mlconv.convert(path, "native", tmp_path / "m.o", verify=True, verify_with="source", **form)
    assert result.inputs[0] == {"name": "image", "dtype": "int8", "shape": [2, 3, 8, 9]}
    pixels = bytes_like(2, 8, 9, 3)
    signed = np.ascontiguousarray((pixels.astype(int) - 128).astype(np.int8).transpose(0, 3, 1, 2))
    got = mlconv.load_native(tmp_path / "m.o").run({"image": signed})["y"]
    np.testing.assert_allclose(got, wanted(path, pixels), atol=3e-5)


def test_floats_that_are_not_normalized(tmp_path: Path) -> None:
    path = network(tmp_path, pads=1)
    form = {**FORM, "input_types": {}}
    result = mlconv.convert(path, "hlo", tmp_path / "m.hlo.pb", verify=True, **form)
    assert result.inputs[0]["dtype"] == "float32"
    pixels = bytes_like(2, 8, 9, 3)
    (got,) = run_hlo(str(tmp_path / "m.hlo.pb"), [pixels.astype(np.float32)])
    np.testing.assert_allclose(got, wanted(path, pixels), atol=3e-5)


def test_only_inputs_are_folded(tmp_path: Path) -> None:
    """A scale behind a layer is the model's own affair."""
    nodes = [
        helper.make_node("Relu", ["x"], ["r"]),
        helper.make_node("Mul", ["r", "c"], ["m"]),
        helper.make_node("Conv", ["m", "w"], ["y"]),
    ]
    rng = np.random.default_rng(2)
    weights = {
        "c": rng.uniform(0.5, 2, (1, 3, 1, 1)).astype(np.float32),
        "w": rng.standard_normal((4, 3, 2, 2)).astype(np.float32),
    }
    path = save(tmp_path, model(nodes, [value("x", [1, 3, 5, 5])], [value("y", None)], weights))
    assert mlconv.convert(path, "tflite", tmp_path / "m.tflite").ops["tfl.MUL"] == 1


@pytest.mark.parametrize("target", ["tflite", "native", "hlo"])
@pytest.mark.parametrize("suffix", ["onnx", "pb"])
def test_raw_digits_give_the_goldens_classes(target: str, suffix: str, models: Path, tmp_path: Path) -> None:
    """Grey levels of 0 to 16, as bytes with channels last, on a trained network."""
    golden = npz(models / "digits_cnn.npz")
    pixels, scores = np.rint(golden["image"] * 16).astype(np.uint8), golden["scores"]
    shape = (10, 1, 8, 8) if suffix == "onnx" else (10, 8, 8, 1)
    output = tmp_path / "m.out"
    form = DIGITS if suffix == "onnx" else {**DIGITS, "layouts": {}}
    result = mlconv.convert(models / f"digits_cnn.{suffix}", target, output, shapes={"image": shape}, **form)
    name = result.inputs[0]["name"]
    if target == "tflite":
        (got,) = run_tflite(str(output), {name: pixels}, "serving_default").values()
    elif target == "native":
        (got,) = mlconv.load_native(output).run({name: pixels}).values()
    else:
        (got,) = run_hlo(str(output), [pixels])
    np.testing.assert_array_equal(got.argmax(-1), scores.argmax(-1))
    np.testing.assert_allclose(got, scores, atol=1e-5)


@pytest.mark.share(4)
@pytest.mark.parametrize("scheme", ["int8", "int8-io-uint8"])
def test_quantized_networks_take_bytes(scheme: str, models: Path, tmp_path: Path) -> None:
    """No floats are made of the pixels, and the result is that of a network that is given normalized floats."""
    golden = npz(models / "digits_cnn.npz")
    pixels, floats = np.rint(golden["image"] * 16).astype(np.uint8), golden["image"]
    settings: dict[str, Any] = {"scheme": scheme, "shapes": {"image": (10, 1, 8, 8)}, "verify": True}
    settings["activation_ranges"] = "min-max"  # scores of either may choose others
    path = models / "digits_cnn.onnx"
    result = mlconv.quantize(path, "tflite", tmp_path / "m.tflite", calibration=[pixels], **settings, **DIGITS)
    assert "tfl.CAST" not in result.ops and result.inputs[0]["dtype"] == "uint8"
    mlconv.quantize(path, "native", tmp_path / "a.o", calibration=[pixels], **settings, **DIGITS)
    channels_first = np.ascontiguousarray(floats.transpose(0, 3, 1, 2))
    mlconv.quantize(path, "native", tmp_path / "b.o", calibration=[channels_first], **{**settings, "scheme": "int8"})
    (here,) = run_tflite(str(tmp_path / "m.tflite"), {"image": pixels}, "serving_default").values()
    there = mlconv.load_native(tmp_path / "a.o").run({"image": pixels})["scores"]
    base = mlconv.load_native(tmp_path / "b.o").run({"image": channels_first})["scores"]
    np.testing.assert_array_equal(here, there)
    np.testing.assert_allclose(here / (256.0 if here.dtype == np.uint8 else 1.0), base, atol=2 / 256)


@pytest.mark.share(4)
@pytest.mark.parametrize("std", [16.0, (16.0,)])
def test_floats_are_calibrated_as_they_come(std: Any, models: Path, tmp_path: Path) -> None:
    golden = npz(models / "digits_cnn.npz")
    levels = golden["image"] * np.float32(16)
    settings: dict[str, Any] = {"scheme": "int8-io-int8", "shapes": {"image": (10, 1, 8, 8)}}
    result = mlconv.quantize(
        models / "digits_cnn.onnx", "native", tmp_path / "m.o", calibration=[levels], layouts={"image": "nhwc"},
        stds={"image": std}, **settings,
    )  # fmt: skip
    assert result.inputs[0]["dtype"] == "int8"
    facts = mlconv.load_native(tmp_path / "m.o").facts["inputs"][0]["quantization"]
    np.testing.assert_allclose(facts["scales"], [16 / 255], rtol=1e-5)


def test_a_mean_that_is_a_byte_is_a_zero_point(tmp_path: Path) -> None:
    pixels = bytes_like(2, 8, 9, 3)
    form = {**FORM, "means": {"image": 128}, "stds": {"image": 64}}
    path = network(tmp_path, pads=1)
    result = mlconv.quantize(
        path, "tflite", tmp_path / "m.tflite", calibration=[pixels], verify=True, io_json=True, **form
    )
    assert not {"tfl.SUB", "tfl.CAST"} & set(result.ops)
    (got,) = run_tflite(str(tmp_path / "m.tflite"), {"image": pixels}, "serving_default").values()
    expected = wanted(path, pixels, 128, 64)
    assert np.abs(got - expected).max() < 0.03 * np.abs(expected).max()


@pytest.mark.parametrize(
    ("form", "code", "text"),
    [
        ({"means": {"imag": 3}}, Code.NameNotFound, "did you mean 'image'"),
        ({"means": {"y": 3}}, Code.NameNotFound, "no input"),
        ({"means": {"image": (1, 2)}}, Code.ShapeMismatch, "2 numbers"),
        ({"stds": {"image": 0}}, Code.UsageError, "above 0"),
        ({"stds": {"image": "1,x"}}, Code.UsageError, "expected numbers"),
        ({"means": {"image": float("inf")}}, Code.UsageError, "expected numbers"),
        ({"input_types": {"image": "uint16"}}, Code.UsageError, "uint8, int8"),
    ],
)
def test_what_does_not_fit(form: dict[str, Any], code: Code, text: str, tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(network(tmp_path), "tflite", tmp_path / "m.tflite", **form)
    assert caught.value.code is code and text in f"{caught.value} {caught.value.diagnostic.help}"


def test_inputs_of_integers_have_no_mean(tmp_path: Path) -> None:
    nodes = [helper.make_node("Neg", ["x"], ["y"])]
    path = save(tmp_path, model(nodes, [value("x", [2, 3], 6)], [value("y", None, 6)]))
    with pytest.raises(ConversionError) as caught:
        mlconv.convert(path, "native", tmp_path / "m.o", stds={"x": 2})
    assert caught.value.code is Code.TypeMismatch


def test_command_line(tmp_path: Path) -> None:
    ran = call(
        "convert", network(tmp_path), "--to", "tflite", "-o", tmp_path / "m.tflite", "--layout", "image=nhwc",
        "--mean", "image=123.675,116.28,103.53", "--std", "image=58.395,57.12,57.375", "--input-type", "image=uint8",
        "--verify",
    )  # fmt: skip
    assert ran.exit_code == 0 and "uint8[2,8,9,3]" in ran.output
