"""One process and many find the same numbers, and write the same bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.driver.context import BUILT_IN
from mlconv.driver.options import Options
from mlconv.driver.pool import NativePool
from mlconv.ir.dims import Dim
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.collect import Collector
from mlconv.quantize.moments import moments
from mlconv.runtime.processes import Processes
from tests.support.cli import call
from tests.support.modules import random
from tests.support.networks import conv, linear, network, relu
from tests.support.npz import npz

SAMPLES = 70  # five chunks, the last one is not full


@pytest.fixture(scope="module")
def data(models: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """As a user has it: numbers of unlike sizes, in chunks that differ."""
    images = npz(models / "digits_cnn.npz")["image"].transpose(0, 3, 1, 2)
    scales = np.random.default_rng(0).random(SAMPLES).astype(np.float32)
    path = tmp_path_factory.mktemp("data") / "data.npz"
    np.savez(path, image=np.resize(images, (SAMPLES, *images.shape[1:])) * scales[:, None, None, None])
    return path


def written(models: Path, data: Path, out: Path, scheme: str, jobs: str) -> bytes:
    ran = call(
        "convert", models / "digits_cnn.onnx", "--to", "tflite", "-o", out, "--shape", "image=1,1,8,8",
        "--quantize", scheme, "--calibration", data, "--jobs", jobs,
    )  # fmt: skip
    assert ran.exit_code == 0, ran.output
    assert f"calibrated with {SAMPLES} samples" in ran.output
    return out.read_bytes()


@pytest.mark.share(4)
@pytest.mark.parametrize("scheme", ["int8", "int4"])
def test_same_bytes(scheme: str, models: Path, data: Path, tmp_path: Path) -> None:
    """Of ranges, and of sums."""
    alone = written(models, data, tmp_path / "a.tflite", scheme, "1")
    assert written(models, data, tmp_path / "b.tflite", scheme, "2") == alone
    assert written(models, data, tmp_path / "c.tflite", scheme, "3") == alone


def test_same_bytes_of_a_cluster(models: Path, data: Path, tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed", reason="the extra `dask` is not installed")
    alone = written(models, data, tmp_path / "a.tflite", "int4", "")
    with distributed.LocalCluster(n_workers=2, processes=True, threads_per_worker=1, dashboard_address=":0") as cluster:
        there = written(models, data, tmp_path / "b.tflite", "int4", f"dask:{cluster.scheduler_address}")
    assert there == alone


def test_two_processes_take_part() -> None:
    """And sums of float64 are those of one process to the bit."""
    module = network((1, 5, 6, 8), lambda e, x: relu(e, conv(e, x, 4)))
    samples = [{"x": random(1, 5, 6, 8, seed=s)} for s in range(SAMPLES)]
    (product,) = (op for op in module.main.block.ops if isinstance(op, core.Conv))
    found = []
    for workers in (None, Processes(2)):
        with NativePool(Options(), BUILT_IN, workers) as pool:
            collector = Collector(lambda _: samples, pool)
            ranges = calibrated(module.main, {product.y: 3}, collector)[product.y]
            found.append((*ranges[:2], *moments(module.main, [product], collector)[product]))
        assert workers is None or len(workers.pids) == 2
    for here, there in zip(*found, strict=True):
        np.testing.assert_array_equal(here, there)


def test_sizes_that_are_open() -> None:
    """Samples of a chunk that are run by different objects."""
    module = network((Dim.symbol("n"), 5, 6, 8), lambda e, x: linear(e, x, 3))
    samples = [{"x": random(1 + s % 3, 5, 6, 8, seed=s)} for s in range(20)]
    with NativePool(Options(), BUILT_IN, Processes(2)) as pool:
        found = calibrated(module.main, {module.main.inputs[0]: None}, Collector(lambda _: samples, pool))
    assert found[module.main.inputs[0]].whole[1] == max(s["x"].max() for s in samples)


def test_what_only_the_interpreter_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Is run here, in order."""
    module = network((1, 5, 6, 8), lambda e, x: relu(e, conv(e, x, 4)))

    def refuse(*_: object, **__: object) -> None:
        raise ConversionError(Code.TargetLacksOp, "no form")

    monkeypatch.setattr("mlconv.driver.pool.compile_to", refuse)
    samples = [{"x": random(1, 5, 6, 8, seed=s)} for s in range(20)]
    with NativePool(Options(), BUILT_IN, workers := Processes(2)) as pool:
        found = calibrated(module.main, {module.main.inputs[0]: None}, Collector(lambda _: samples, pool))
    assert not workers.pids and found[module.main.inputs[0]].whole[1] == max(s["x"].max() for s in samples)


def test_samples_that_fail_end_the_workers(models: Path) -> None:
    """An error in the midst of samples is told as it is, and no folder stays."""

    def samples():  # type: ignore[no-untyped-def]
        for i in range(60):
            yield np.zeros((1, 8, 8) if i < 50 else (1, 9, 8), np.float32)

    with pytest.raises(ConversionError) as error:
        mlconv.quantize(models / "digits_cnn.onnx", calibration=samples, jobs="2", shapes={"image": (1, 1, 8, 8)})
    assert error.value.code is Code.ShapeMismatch
