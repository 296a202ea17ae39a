"""`mlconv check --max-size --max-time`: what is estimated, beside what a conversion writes and a run takes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import mlconv
from mlconv.driver.bench import Timing, bench_model
from mlconv.driver.budget import Budget, machine
from mlconv.driver.check import TargetReport, check_model
from mlconv.driver.options import Options
from tests.support.cli import call

SHAPES = {"digits_cnn.onnx": {"image": (64, 1, 8, 8)}, "digits_transformer.onnx": {"image": (64, 8, 8)}}
CORE = machine((100e9, 15e9))


def estimated(path: Path, target: str, budget: Budget, **settings: object) -> TargetReport:
    (report,) = check_model(str(path), [target], (), Options(**settings), budget=budget).targets  # type: ignore[arg-type]
    assert report.estimate is not None
    return report


@pytest.mark.parametrize("name", SHAPES)
@pytest.mark.parametrize("target", ["tflite", "onnx", "hlo", "stablehlo", "savedmodel", "graphdef", "native"])
def test_size_is_about_that_of_the_artifact(name: str, target: str, models: Path, tmp_path: Path) -> None:
    found = estimated(models / name, target, Budget({"": 1 << 40}), shapes=SHAPES[name]).estimate
    path = tmp_path / "artifact"
    mlconv.convert(models / name, target, path, shapes=SHAPES[name])
    files = [path, *path.rglob("*")] if path.is_dir() else [path]
    size = sum(f.stat().st_size for f in files if f.is_file())
    assert found is not None and found.seconds is None
    assert abs(found.bytes - size) < 0.15 * size + 4000, (found.bytes, size)


def test_size_of_fewer_bits(models: Path) -> None:
    whole, quarter = (
        estimated(models / "digits_transformer.onnx", "tflite", Budget({"": 1 << 40}), quantize=scheme).estimate
        for scheme in ("", "int8-weights")
    )
    assert whole is not None and quarter is not None and quarter.bytes < 0.5 * whole.bytes


@pytest.mark.parametrize("name", SHAPES)
def test_time_is_a_bound_of_what_a_run_takes(name: str, models: Path) -> None:
    """By the roofline of this machine: no run is faster, and one of a plain network is within twenty times of it."""
    options = Options(shapes=SHAPES[name])
    found = estimated(models / name, "native", Budget(times={"": 1.0}, machine=machine(None)), shapes=SHAPES[name])
    best = bench_model(str(models / name), options, Timing(20))["seconds"]["best"]
    assert found.estimate is not None and found.estimate.seconds is not None
    assert 0.05 * best < found.estimate.seconds < 1.2 * best


def test_time_of_a_machine_that_is_named_is_the_same_everywhere(models: Path) -> None:
    path, shapes = models / "digits_cnn.onnx", SHAPES["digits_cnn.onnx"]
    times = [
        estimated(path, t, Budget(times={"": 1.0}, machine=CORE), shapes=shapes).estimate for t in ("tflite", "native")
    ]
    assert times[0] is not None and times[1] is not None and times[0].seconds == times[1].seconds
    slower = estimated(path, "tflite", Budget(times={"": 1.0}, machine=machine((50e9, 7.5e9))), shapes=shapes).estimate
    assert slower is not None and slower.seconds == pytest.approx(2 * (times[0].seconds or 0))


def test_what_exceeds_its_budget_is_a_gate(models: Path) -> None:
    path = models / "digits_cnn.onnx"
    arguments = ("check", path, "--to", "tflite,native", "--shape", "image=1,1,8,8", "--machine", "100,15")
    kept = call(*arguments, "--max-size", "tflite=12KB", "--max-size", "native=1MiB", "--max-time", "5ms")
    assert kept.exit_code == 0 and "at least" in kept.stdout, kept.output
    ran = call(*arguments, "--max-size", "tflite=9KB", "--max-time", "native=0.01us", "--json")
    assert ran.exit_code == 3 and ran.stderr.count("error[MLC0709]") == 2, ran.output
    tflite, native = json.loads(ran.stdout)["targets"]
    assert (tflite["ok"], native["ok"]) == (False, False)
    assert tflite["estimate"]["bytes"] > 9000 and tflite["estimate"]["seconds"] is None
    assert native["estimate"]["seconds"] > 1e-8


def test_budgets_that_cannot_be_told(models: Path) -> None:
    path = models / "digits_cnn.onnx"
    ran = call("check", path, "--to", "tflite", "--max-time", "5ms", "--machine", "100,15")
    assert ran.exit_code == 1 and "pin them with --shape" in ran.stderr
    ran = call("check", path, "--to", "tflite", "--max-size", "hlo=5MB")
    assert ran.exit_code == 2 and "which is not checked" in ran.stderr
    for wrong in (
        ["--max-size", "5 parsecs"],
        ["--max-time", "native=fast"],
        ["--machine", "100"],
        ["--max-size", "="],
    ):
        assert call("check", path, *wrong).exit_code == 2
    assert call("check", path, "--max-size", "1MB", "--max-size", "2MB").exit_code == 2
