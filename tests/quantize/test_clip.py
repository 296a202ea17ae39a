"""Ranges without outermost numbers: what they are, and that they count only where they score better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.pool import NativePool
from mlconv.ir.module import Module, clone_module
from mlconv.quantize.bins import counts_of, histogram_of
from mlconv.quantize.calibrate import numbers_of
from mlconv.quantize.clip import CANDIDATES, least_error, percentile
from mlconv.quantize.collect import Collector
from mlconv.quantize.evaluate import Errors, output_losses
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.ranges import CHOICES
from mlconv.quantize.recipe import Recipe
from tests.support.cli import call
from tests.support.modules import random
from tests.support.networks import linear, network, relu

SPREAD = random(20000)
OUTLIERS = np.random.default_rng(0).laplace(size=60000).astype(np.float32)


def error(x: np.ndarray, low: float, high: float) -> float:
    """Of integers of 8 bits, asymmetric."""
    scale = (high - low) / 255
    zero = np.rint(-128 - low / scale)
    q = np.clip(np.rint(x / scale) + zero, -128, 127)
    return float(np.mean(((q - zero) * scale - x) ** 2))


def test_least_error() -> None:
    for x in (OUTLIERS, np.maximum(OUTLIERS, 0)):
        low, high = least_error(histogram_of(counts_of(x)), float(x.min()), float(x.max()))
        assert x.min() <= low <= 0 < high < x.max()
        grid = np.arange(32, 65) / 64
        best = min(error(x, x.min() * a, x.max() * b) for a in grid for b in grid)
        assert error(x, low, high) <= 1.05 * best and error(x, low, high) < error(x, x.min(), x.max())


def test_all_numbers_where_none_lies_out() -> None:
    x = np.random.default_rng(0).uniform(-1, 1, 5000).astype(np.float32)
    low, high = least_error(histogram_of(counts_of(x)), -1.0, 1.0)
    assert low == -1 and high == 1


@pytest.mark.parametrize("part", [0.9, 0.99, 0.999])
def test_percentile(part: float) -> None:
    low, high = percentile(histogram_of(counts_of(SPREAD)), float(SPREAD.min()), float(SPREAD.max()), part)
    assert high == pytest.approx(np.quantile(SPREAD, part), rel=1 / 16)
    assert low == pytest.approx(np.quantile(SPREAD, 1 - part), rel=1 / 16)
    zeros = np.concatenate([np.zeros(5000, np.float32), np.float32([1.0] * 3)])
    low, high = percentile(histogram_of(counts_of(zeros)), 0.0, 1.0, part)
    assert low == 0 and high == 0


def lost(module: Module, samples: list[dict[str, np.ndarray]], ranges: str = "") -> tuple[float, str]:
    """How far outputs are from the model's, and which ranges were taken."""
    own = clone_module(module)
    with NativePool(Options(), BUILT_IN, None) as pool:
        quantizer = Quantizer(Recipe.of("int8", ranges=ranges), Collector(lambda _: samples, pool))
        quantizer.quantize(own)
        (found,) = output_losses(module.main, samples, [own], pool)
    return found, quantizer.report.ranges


def test_taken_where_they_score_better() -> None:
    module = network((1, 40, 16), lambda e, x: linear(e, relu(e, linear(e, x, 24)), 5))
    samples = [{"x": random(1, 40, 16, seed=s)} for s in range(4)]
    calm = {ranges: lost(module, samples, ranges) for ranges in CHOICES}
    samples[2]["x"][0, 3, 4] = 300  # one number in 2560
    found = {ranges: lost(module, samples, ranges) for ranges in CHOICES}
    for way in (calm, found):
        assert way["min-max"][1] == "min-max"
        assert all(loss <= way["min-max"][0] for loss, _ in way.values())
        assert way["auto"][0] == min(loss for loss, _ in way.values())
        assert all(name in ("min-max", *CANDIDATES[asked]) for asked, (_, name) in way.items())


def test_usual_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    """Those of least error are scored where few numbers are counted, and taken where that scores better."""
    module = network((1, 4000, 16), lambda e, x: linear(e, relu(e, linear(e, x, 24)), 5))
    samples = [{"x": random(1, 4000, 16, seed=s) ** 3} for s in range(4)]
    found, whole = lost(module, samples), lost(module, samples, "min-max")
    assert found == lost(module, samples, "mse") and found[1] == "mse" and found[0] < whole[0]
    function, value = module.main, module.main.inputs[0]
    assert numbers_of(function, [value], samples[0]) == 64000
    monkeypatch.setattr("mlconv.quantize.clip._FEW", 63999)
    assert lost(module, samples) == whole


def test_outputs_that_are_not_finite() -> None:
    """The same infinity is no error, another is the largest."""
    wanted = [{"y": np.float32([1, np.inf, -np.inf, np.nan, 2])}]
    near, off = (np.float32([1, np.inf, -np.inf, np.nan, y]) for y in (3, np.inf))
    assert Errors(wanted)([(lambda sample: {"y": near}, {})]) == pytest.approx(0.2)
    assert Errors(wanted)([(lambda sample: {"y": off}, {})]) > 1e300


@pytest.mark.long
def test_same_bytes_of_processes_and_of_what_was_saved(models: Path, tmp_path: Path) -> None:
    with np.load(models / "digits_cnn.npz") as arrays:
        given = (
            np.resize(arrays["image"].transpose(0, 3, 1, 2), (40, 1, 8, 8)) * np.linspace(0, 9, 40)[:, None, None, None]
        )
    np.savez(tmp_path / "a.npz", image=given.astype(np.float32))
    written = []
    for data, *more in (
        ["a.npz", "--save-calibration", tmp_path / "a.cal"], ["a.npz", "--jobs", "2"], ["a.cal"],
    ):  # fmt: skip
        ran = call(
            "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", tmp_path / "m.tflite", "--quantize", "int8",
            "--shape", "image=1,1,8,8", "--calibration", tmp_path / data, "--activation-ranges", "auto", *more,
        )  # fmt: skip
        assert ran.exit_code == 0, ran.output
        written.append((tmp_path / "m.tflite").read_bytes())
    assert written[0] == written[1] == written[2]


@pytest.mark.share(4)
@pytest.mark.parametrize("saved", ["min-max", "auto"])
def test_ranges_of_what_was_saved(saved: str, models: Path, tmp_path: Path) -> None:
    """Scores of all ways serve each choice; without them, counts do, but for `auto`, which compares outputs."""
    with np.load(models / "digits_cnn.npz") as arrays:
        given = np.resize(arrays["image"].transpose(0, 3, 1, 2), (20, 1, 8, 8))

    def quantized(asked: str, calibration: object, **more: str) -> mlconv.Result:
        return mlconv.quantize(
            models / "digits_cnn.onnx", output=tmp_path / "m.tflite", calibration=calibration,  # type: ignore[arg-type]
            activation_ranges=asked, shapes={"image": (1, 1, 8, 8)}, **more,
        )  # fmt: skip

    quantized(saved, given, save_calibration=str(tmp_path / "a.cal"))
    for asked in ("mse", "percentile"):
        found = quantized(asked, str(tmp_path / "a.cal")).quantization
        assert found is not None
        if saved == "auto":
            wanted = quantized(asked, given).quantization
            assert wanted is not None and found.ranges == wanted.ranges
        elif asked == "mse":
            assert found.ranges == "mse"
    if saved != "auto":
        with pytest.raises(ConversionError) as caught:
            quantized("auto", str(tmp_path / "a.cal"))
        assert caught.value.code is Code.CalibrationUnfit and "losses" in str(caught.value)


def test_recipes(tmp_path: Path) -> None:
    recipe = Recipe.of("int8", ["conv=float", "a/[*]=int16x8"], "tensor", ranges="percentile")
    (tmp_path / "r.toml").write_text(recipe.text(), encoding="utf-8")
    assert Recipe.of(str(tmp_path / "r.toml")) == recipe
    assert Recipe.of("int4").text() == 'scheme = "int4"\n'
    for text in ("ranges = 'most'", "ranges = 3"):
        (tmp_path / "r.toml").write_text(f"scheme = 'int8'\n{text}\n", encoding="utf-8")
        with pytest.raises(ConversionError) as caught:
            Recipe.of(str(tmp_path / "r.toml"))
        assert caught.value.code is Code.UsageError
