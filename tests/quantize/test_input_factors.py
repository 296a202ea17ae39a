"""Features of unlike sizes that a model reads as they are."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.quantize.calibrate import calibrated
from mlconv.quantize.equalize import equalize, wanted
from mlconv.quantize.factor_gains import bits_gained
from mlconv.quantize.input_factors import multiply_inputs
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import collector, interpreted, network, relu

SIZES = np.float32([800, 0.01, 1, 50, 1e-4, 7])
MIDDLE = np.float32([3000, 0, 0.5, -20, 3e-4, 0])


def features(seed: int, *shape: int, like: bool = False) -> np.ndarray:
    return random(*shape, 6, seed=seed) if like else random(*shape, 6, seed=seed) * SIZES + MIDDLE


def dense(e: CoreBuilder, x: Value, moved: bool = False, residual: bool = False) -> Value:
    given = e.transpose(e.reshape(x, [4, 1, 6]), (1, 0, 2)) if moved else x
    first = random(6, 32) / SIZES[:, None]
    y = relu(e, e.sub(e.matmul(given, e.constant(first)), e.constant(MIDDLE @ first)))
    y = e.matmul(y, e.constant(random(32, 6, seed=2) / 6))
    return e.add(y, given) if residual else y


def made(rows: int = 4, **ways: bool) -> Module:
    return network((rows, 6), lambda e, x: dense(e, x, **ways))


@pytest.mark.parametrize("moved", [False, True])
def test_factors_of_inputs(moved: bool) -> None:
    """The same floats, of features that are alike."""
    module = made(moved=moved)
    samples = [{"x": features(s, 4)} for s in range(8)]
    before = [run_function(module.main, s)["y"] for s in samples]
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    (multiplied,) = multiply_inputs(module.main, ranges).values()
    assert equalize(module.main, ranges).number == 2
    for sample, expected in zip(samples, before, strict=True):
        np.testing.assert_array_equal(run_function(module.main, sample)["y"], expected)
    again = calibrated(module.main, {multiplied: 1}, collector(samples, interpreted))[multiplied]
    largest = np.maximum(again.high, -again.low)
    assert largest.max() < 40 * largest.min()


@pytest.mark.parametrize("residual", [False, True])
def test_what_is_alike_or_read_by_others_stays(residual: bool) -> None:
    module = made(residual=residual)
    samples = [{"x": features(s, 4, like=not residual)} for s in range(8)]
    ranges = calibrated(module.main, wanted(module.main), collector(samples, interpreted))
    assert not multiply_inputs(module.main, ranges)
    assert not any(isinstance(op, core.Mul) for op in module.main.block.ops)


def logarithms() -> Module:
    """There is no constant in front of the first product that could take factors."""

    def build(e: CoreBuilder, x: Value) -> Value:
        logs = e.y(core.Log(e.add(e.y(core.Abs(x)), e.constant(np.float32([1])))))
        y = relu(e, e.matmul(logs, e.constant(random(6, 32) / np.log1p(SIZES)[:, None])))
        return e.matmul(y, e.constant(random(32, 6, seed=2) / 6))

    return network((4, 6), build)


@pytest.mark.parametrize(
    ("model", "scheme", "decibels"),
    [
        (made, "int8", 18),
        (made, "int16x8", 40),
        (made, "dynamic-range", 30),
        (made, "int4", 18),
        (logarithms, "int8", 30),
        (logarithms, "int8-weights", 40),
        (logarithms, "int4", 20),
    ],
)
def test_features_of_unlike_sizes(model: Callable[[], Module], scheme: str, decibels: float, tmp_path: Path) -> None:
    """What was saved, for 8 bits of a run with another scheme, tells the same."""
    samples = [{"x": features(s, 4)} for s in range(32)]
    saved, paths = tmp_path / "saved.npz", [tmp_path / f"{i}.onnx" for i in range(3)]
    first = "dynamic-range" if scheme == "int8" else scheme
    mlconv.convert(model(), to="onnx", quantize=first, output=paths[0], calibration=samples, save_calibration=saved)
    for path, given in zip(paths[1:], (samples, saved), strict=True):
        mlconv.convert(model(), to="onnx", quantize=scheme, output=path, calibration=given)
    assert paths[1].read_bytes() == paths[2].read_bytes()
    written = mlconv.load(paths[1]).module
    pairs = [[next(iter(run_function(m.main, s).values())) for s in samples] for m in (model(), written)]
    given, found = (np.stack(results).astype(np.float64) for results in pairs)
    assert 10 * np.log10((given**2).sum() / ((given - found) ** 2).sum()) > decibels


def test_few_far_numbers_are_worth_no_factors() -> None:
    """Factors go by the largest numbers of a channel; weights of others would have fewer steps for few that are far."""
    weights = random(2, 32) * np.float32([[1 / 16], [1]])
    block = network((4, 2), lambda e, x: e.matmul(x, e.constant(weights))).main.block
    (product,) = (op for op in block.ops if isinstance(op, core.MatMul))
    largest, factors = np.float32([256, 1]), np.float32([16, 1 / 16])
    assert bits_gained([product], largest, np.float64([128**2, 0.5**2]), factors) > 3
    assert bits_gained([product], largest, np.float64([0.5**2, 0.5**2]), factors) == 0


def test_artifacts_have_the_same_weights(tmp_path: Path) -> None:
    """Of one sample, all of whose numbers are the outermost: one model multiplies apart from rounding, one does not."""
    sample = {"x": features(0, 1)}
    paths = [tmp_path / "y.onnx", tmp_path / "y.tflite"]
    for path in paths:
        mlconv.convert(made(1), output=path, to=path.suffix[1:], quantize="int8", calibration=[sample])
    data = tmp_path / "x.npz"
    np.savez(data, x=sample["x"])
    compared = mlconv.verify(*paths, data=data, per_layer=True)
    assert compared.ok, compared.problem
