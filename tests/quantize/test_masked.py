"""Softmax of masked numbers: a scale for the mask leaves no integers to the others."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder
from tests.support.modules import random
from tests.support.networks import linear, network

SHAPE = (6, 16)


def weighed(e: CoreBuilder, x: Value) -> Value:
    scores = e.matmul(x, e.constant(np.eye(16, dtype=np.float32)))
    return e.matmul(e.y(core.Softmax(scores, axis=1)), e.constant(random(16, 5, seed=2)))


@pytest.mark.parametrize(("mask", "scheme"), [(0.0, "int16x8"), (-1e9, "float")])
def test_masked_softmax(mask: float, scheme: str, tmp_path: Path) -> None:
    samples = [{"x": random(*SHAPE, seed=k)} for k in range(4)]
    for sample in samples:
        sample["x"][:, ::4] += np.float32(mask)
    out = tmp_path / "m.tflite"
    result = mlconv.quantize(network(SHAPE, weighed), "tflite", out, scheme="int16x8", calibration=samples)
    assert result.quantization is not None
    (softmax,) = (a for a in result.quantization.layers if a.op == "core.softmax")
    assert softmax.scheme == scheme and ("reads a mask" in softmax.reason) == (scheme == "float")


CAUSAL = np.tri(6, dtype=bool)


def attention(mask: float, behind: bool) -> Callable[[CoreBuilder, Value], Value]:
    """Scores that a constant stands among, right in front of the softmax or behind a factor."""

    def make(e: CoreBuilder, x: Value) -> Value:
        scores = e.matmul(e.matmul(x, e.constant(random(16, 16, seed=1) / 4)), x, transpose_b=True)
        masked = e.y(core.Select(e.constant(CAUSAL), scores, e.constant(np.float32(mask))))
        return e.matmul(e.y(core.Softmax(e.mul(masked, 0.5) if behind else masked, axis=1)), x)

    return make


@pytest.mark.share(4)
@pytest.mark.parametrize("behind", [False, True])
@pytest.mark.parametrize("mask", [-np.inf, np.finfo(np.float32).min, -1e4, -100.0])
@pytest.mark.parametrize("scheme", ["int8", "int16x8"])
def test_numbers_that_a_mask_stands_among(scheme: str, mask: float, behind: bool, tmp_path: Path) -> None:
    """As PyTorch's `masked_fill` has it."""
    samples = [{"x": random(*SHAPE, seed=k)} for k in range(6)]
    found = mlconv.quantize(
        network(SHAPE, attention(float(mask), behind)),
        "tflite",
        tmp_path / "m.tflite",
        scheme=scheme,
        calibration=samples,
        measure=True,
    ).quantization
    assert found is not None and found.counted() == (3, 3)
    assert found.outputs[0].snr is not None and found.outputs[0].snr > (38 if scheme == "int16x8" else 25)


def test_rows_of_a_constant_are_no_mask(tmp_path: Path) -> None:
    def rows(e: CoreBuilder, x: Value) -> Value:
        table = core.Gather(e.constant(random(90, 16, seed=3)), e.cast(x, DType.I32), axis=0)
        return e.matmul(e.y(table), e.constant(random(16, 5, seed=2)))

    samples = [{"x": np.full(SHAPE, 7, np.float32)}]
    found = mlconv.quantize(network(SHAPE, rows), "tflite", tmp_path / "m.tflite", calibration=samples).quantization
    assert found is not None and found.counted() == (1, 1)


def test_infinities_stay_floats(tmp_path: Path) -> None:
    """Where nothing reads them as integers; outputs that are to be integers have none."""

    def chosen(e: CoreBuilder, x: Value) -> Value:
        y = e.matmul(x, e.constant(random(16, 16, seed=1)))
        low = e.y(core.Select(e.greater_equal(y, 0.0), y, e.constant(np.float32(-np.inf))))
        return e.y(core.ReduceMax(e.transpose(low, [1, 0]), axes=(1,)))

    module, samples = network(SHAPE, chosen), [{"x": random(*SHAPE, seed=k)} for k in range(4)]
    made = mlconv.quantize(module, "tflite", tmp_path / "m.tflite", calibration=samples, verify=True)
    assert made.quantization is not None and made.quantization.counted() == (1, 1)
    reasons = {layer.op: layer.reason for layer in made.quantization.layers}
    assert reasons["core.select"] == "its numbers reach minus infinity"
    samples = [{"x": np.full(SHAPE, sign, np.float32)} for sign in (1, -1)]
    with pytest.raises(mlconv.ConversionError, match="not finite"):
        mlconv.quantize(module, "tflite", tmp_path / "n.tflite", scheme="int8-io-int8", calibration=samples)


@pytest.mark.parametrize(
    ("scheme", "places", "stays"), [("int8", 400, True), ("int8", 8, False), ("int16x8", 400, False)]
)
def test_shares_of_many_stay_floats(scheme: str, places: int, stays: bool, tmp_path: Path) -> None:
    """Each of 400 places has less than a step of 1/256."""

    def shared(e: CoreBuilder, x: Value) -> Value:
        scores = e.matmul(x, e.constant(random(16, places, seed=1) / 16))
        return e.matmul(e.y(core.Softmax(scores, axis=1)), e.constant(random(places, 5, seed=2)))

    samples = [{"x": random(*SHAPE, seed=k)} for k in range(4)]
    made = mlconv.quantize(network(SHAPE, shared), "tflite", tmp_path / "m", scheme=scheme, calibration=samples)
    assert made.quantization is not None
    (softmax,) = (layer for layer in made.quantization.layers if layer.op == "core.softmax")
    assert ("a few steps of the scale" in softmax.reason) == stays == (softmax.scheme == "float")
    assert all(layer.scheme != "float" for layer in made.quantization.layers if layer.op == "core.matmul")


@pytest.mark.parametrize(
    ("scheme", "far", "stays"), [("int8", 200.0, True), ("int8", 1.0, False), ("int16x8", 200.0, False)]
)
def test_products_of_faint_shares_stay_floats(scheme: str, far: float, stays: bool, tmp_path: Path) -> None:
    """Shares of a sum that are small but for one, `far` times as large as the others: gated attention to places."""

    def build(e: CoreBuilder, x: Value) -> Value:
        shares = e.add(e.sigmoid(linear(e, x, 96)), e.constant(np.eye(96, dtype=np.float32) * far))
        shares = e.div(shares, e.sum(shares, (2,), keepdims=True))
        return e.matmul(shares, linear(e, x, 8, seed=7))

    samples = [{"x": random(1, 96, 8, seed=s)} for s in range(2)]
    result = mlconv.quantize(
        network((1, 96, 8), build), "tflite", tmp_path / "m.tflite", scheme=scheme, calibration=samples
    )
    report = result.quantization
    assert report is not None
    product = [layer for layer in report.layers if layer.op == "core.matmul"][-1]
    assert ("shares of many" in product.reason) == stays == (product.scheme == "float")
