"""Code that runs a few times is not optimized, and gives the same bits (docs/decisions/0060)."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program.compile import repays
from mlconv.driver.inprocess import compiled
from mlconv.driver.options import Options
from tests.support.npz import npz

Asked = list[tuple[str, float, bool]]


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Asked:
    """Text and time of objects that run a number of times, and whether they are optimized."""
    found: Asked = []

    def told(text: str, nanoseconds: float) -> bool:
        found.append((text, nanoseconds, repays(text, nanoseconds)))
        return found[-1][-1]

    monkeypatch.setattr("mlconv.exporters.native.export.repays", told)
    return found


@pytest.mark.parametrize("name", ["digits_cnn", "digits_transformer"])
@pytest.mark.parametrize("scheme", ["", "int8"])
def test_same_bits(name: str, scheme: str, models: Path, tmp_path: Path, asked: Asked) -> None:
    images = npz(models / f"{name}.npz")["image"]
    images = images.transpose(0, 3, 1, 2) if name == "digits_cnn" else images
    path, samples = models / f"{name}.onnx", [{"image": images}]
    if scheme:
        made = mlconv.quantize(path, "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples)
        path = Path(made.output)
        asked.clear()
    module = mlconv.load(path).module
    once = compiled(module, Options(), runs=1).model.run({"image": images})
    often = compiled(module, Options()).model.run({"image": images})
    assert [optimized for _, _, optimized in asked] == [False]
    for output, array in often.items():
        np.testing.assert_array_equal(once[output], array)


def test_loops_may_turn_for_long(models: Path, asked: Asked) -> None:
    compiled(mlconv.load(models / "digits_rnn.onnx").module, Options(), runs=1)
    assert [(nanoseconds, optimized) for _, nanoseconds, optimized in asked] == [(float("inf"), True)]


def test_one_thread_has_no_launchers(models: Path, asked: Asked) -> None:
    module = mlconv.load(models / "digits_cnn.onnx").module
    shared, alone = (compiled(module, Options(), threads, runs=10**6).model for threads in (2, 1))
    assert ["@launch_" in text for text, _, _ in asked] == [True, False]
    x = np.random.default_rng(0).normal(size=(64, 1, 8, 8)).astype(np.float32)
    np.testing.assert_array_equal(shared.run({"image": x})["scores"], alone.run({"image": x})["scores"])
