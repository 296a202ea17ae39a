"""The scheme that is found: int8, with layers in more bits where a model would answer otherwise."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.quantize.metrics import METRICS, metric_without_labels
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import conv, linear, network, relu

SAMPLES = [{"x": random(1, 4, 6, 8, seed=s)} for s in range(6)]
SCALE = np.asarray([1000.0, 1, 1, 1, 1, 1, 1, 1], np.float32)


def uneven(e: CoreBuilder, x: Value) -> Value:
    """What two read who ask for other factors, with a channel a thousand times larger than those that count."""
    y = relu(e, conv(e, x, 8, scale=SCALE))
    small = e.mul(y, e.constant((1 / SCALE).astype(np.float32)))
    return e.add(conv(e, e.add(small, e.reshape(e.slice(y, {3: (1, 2, 1)}), [1, 4, 6, 1])), 8), small)


def even(e: CoreBuilder, x: Value) -> Value:
    return linear(e, relu(e, linear(e, e.reshape(x, [1, 192]), 16)), 5)


@pytest.mark.share(4)
@pytest.mark.parametrize("build", [even, uneven])
def test_it_answers_as_the_model(build, tmp_path: Path) -> None:  # type: ignore[no-untyped-def]
    module = network((1, 4, 6, 8), build)
    wanted = [run_function(module.main, s)["y"] for s in SAMPLES]
    metric, limit = metric_without_labels(module.main)
    assert metric.name == ("agreement" if build is even else "fidelity")
    out = tmp_path / "m.tflite"
    budget = mlconv.quantize(module, output=out, scheme="auto", calibration=SAMPLES).quantization.budget  # type: ignore[union-attr]
    assert budget is not None and budget.met and budget.metric == metric.name and budget.limit == limit
    assert bool(budget.kept) == (build is uneven)
    got = [run_litert(out.read_bytes(), [s["x"]])[0] for s in SAMPLES]
    targets = wanted if build is uneven else [y.argmax(-1) for y in wanted]
    score = metric.score([metric.part(y, t) for y, t in zip(got, targets, strict=True)])
    assert score >= 1 - 1.5 * limit
    plain = mlconv.quantize(module, output=out, scheme="int8", calibration=SAMPLES).size_bytes
    got = [run_litert(out.read_bytes(), [s["x"]])[0] for s in SAMPLES]
    assert plain and (
        build is even or metric.score([metric.part(y, t) for y, t in zip(got, wanted, strict=True)]) < 0.98
    )


def test_it_needs_samples(tmp_path: Path) -> None:
    module = network((1, 4, 6, 8), even)
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(module, output=tmp_path / "m.tflite", scheme="auto")
    assert error.value.code is Code.CalibrationMissing
    saved = tmp_path / "m.calibration"
    mlconv.quantize(
        module, output=tmp_path / "m.tflite", scheme="int8", calibration=SAMPLES, save_calibration=str(saved)
    )
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(module, output=tmp_path / "n.tflite", scheme="auto", calibration=str(saved))
    assert error.value.code is Code.CalibrationMissing


def test_fidelity() -> None:
    metric = METRICS["fidelity"]
    y, t = random(3, 40, seed=1), random(3, 40, seed=2)
    score = metric.score([metric.part(a, b) for a, b in zip(y, t, strict=True)])
    assert score == pytest.approx(1 - np.linalg.norm(y - t) / np.linalg.norm(t), rel=1e-6)
    assert metric.score([metric.part(t, t)]) == 1 and metric.worse(0.9, 1.0) == pytest.approx(0.1)


def test_a_parameter_is_not_given_twice(tmp_path: Path) -> None:
    """What `quantize` has a parameter for is not taken by the name that `convert` has for it, and lost."""
    with pytest.raises(ConversionError, match="quantize has a parameter for quantize_rules") as error:
        mlconv.quantize("m.onnx", output=tmp_path / "n.tflite", quantize_rules=("conv=float",))  # type: ignore[call-arg]
    assert error.value.code is Code.UsageError
