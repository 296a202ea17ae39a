"""Factors and offsets of channels, and scales of what is joined."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize import assign
from mlconv.quantize.affine import join_affine, multiply_by_reciprocals
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.litert import run_tflite
from mlconv.runtime.onnx_runtime import run_session, session_of
from tests.support.modules import random
from tests.support.networks import conv, network, relu

SHAPE = (1, 6, 5, 8)
FACTORS = (10.0 ** np.linspace(-2, 1, 8)).astype(np.float32)
OFFSETS = random(8, seed=9) * FACTORS


def normalized(e: CoreBuilder, x: Value, less: bool = False, shape: tuple[int, ...] = (8,)) -> Value:
    """A sum, normalized: what is in front takes no factors."""
    y = e.add(conv(e, x, 8), x)
    scaled = e.mul(e.constant(FACTORS.reshape(shape)), y)
    offsets = e.constant(OFFSETS.reshape(shape))
    return relu(e, e.sub(scaled, offsets) if less else e.add(scaled, offsets))


@pytest.mark.parametrize("less", [False, True])
@pytest.mark.parametrize("shape", [(8,), (1, 1, 1, 8)])
def test_factors_become_filters(less: bool, shape: tuple[int, ...]) -> None:
    module = network(SHAPE, lambda e, x: normalized(e, x, less, shape))
    given = {"x": random(*SHAPE)}
    before = run_function(module.main, given)["y"]
    assert join_affine(module.main, lambda op: False) == 0
    assert join_affine(module.main, lambda op: True) == 1
    eliminate_dead_code(module.main.block)
    kinds = [type(op) for op in module.main.block.ops]
    assert kinds.count(core.Conv) == 2 and core.Mul not in kinds and core.Sub not in kinds
    np.testing.assert_allclose(run_function(module.main, given)["y"], before, rtol=1e-6, atol=1e-6)


def one_for_all(e: CoreBuilder, x: Value) -> Value:
    return e.add(e.mul(relu(e, x), e.constant(np.float32(3))), e.constant(OFFSETS))


def by_rows(e: CoreBuilder, x: Value) -> Value:
    return e.add(e.mul(relu(e, x), e.constant(random(5, 1))), e.constant(OFFSETS))


def read_twice(e: CoreBuilder, x: Value) -> Value:
    y = e.mul(relu(e, x), e.constant(FACTORS))
    return e.mul(e.add(y, e.constant(OFFSETS)), y)


@pytest.mark.parametrize("build", [one_for_all, by_rows, read_twice])
def test_other_products_stay(build: object) -> None:
    module = network(SHAPE, build)  # type: ignore[arg-type]
    assert join_affine(module.main, lambda op: True) == 0


@pytest.mark.parametrize("target", ["tflite", "native"])
def test_small_factors_keep_their_bits(tmp_path: Path, target: str) -> None:
    """One op for three, on each target."""
    module = network(SHAPE, normalized)
    samples = [{"x": random(*SHAPE, seed=s)} for s in range(6)]
    made = mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme="int8", calibration=samples)
    assert made.ops["tfl.DEPTHWISE_CONV_2D"] == 1 and not {"tfl.MUL", "tfl.RELU"} & made.ops.keys()
    given = samples[0]
    wanted = run_function(network(SHAPE, normalized).main, given)["y"]
    found = run_tflite(str(tmp_path / "m.tflite"), given, "serving_default")["y"]
    step = wanted.max() / 255
    assert np.abs(found - wanted).max() < 4 * step
    if target == "native":
        mlconv.quantize(network(SHAPE, normalized), "native", tmp_path / "m.o", scheme="int8", calibration=samples)
        np.testing.assert_array_equal(mlconv.load_native(tmp_path / "m.o").run(given)["y"], found)


def test_small_factors_of_channels_first_keep_their_bits(tmp_path: Path) -> None:
    """In a file of ONNX, too: convolutions in place of products of two tensors."""

    def build(e: CoreBuilder, x: Value) -> Value:
        images = e.transpose(e.add(conv(e, x, 8), relu(e, x)), (0, 3, 1, 2))
        scaled = e.mul(e.constant(FACTORS.reshape(8, 1, 1)), images)
        return relu(e, e.add(scaled, e.constant(OFFSETS.reshape(8, 1, 1))))

    samples = [{"x": random(*SHAPE, seed=s)} for s in range(6)]
    made = mlconv.quantize(network(SHAPE, build), "onnx", tmp_path / "m.onnx", scheme="int8", calibration=samples)
    assert made.ops["onnx.Conv"] == 2 and "onnx.Mul" not in made.ops
    wanted = run_function(network(SHAPE, build).main, samples[0])["y"]
    found = run_session(session_of(str(tmp_path / "m.onnx")), samples[0])["y"]
    assert np.abs(found - wanted).max() < 4 * wanted.max() / 255


def beside(e: CoreBuilder, x: Value) -> Value:
    """Small numbers stand beside large ones, and are read alone, too."""
    small = relu(e, conv(e, x, 8))
    large = e.mul(relu(e, conv(e, x, 8, size=1)), e.constant(np.float32(100)))
    wide = e.sigmoid(e.mul(e.concat([small, large], 3), e.constant(np.float32(0.001))))
    return e.concat([wide, e.y(core.Tanh(small))], 3)


def test_what_others_read_keeps_its_steps(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    samples = [{"x": random(*SHAPE, seed=s)} for s in range(6)]
    wanted = run_function(network(SHAPE, beside).main, samples[0])["y"][..., 16:]
    off = []
    for coarser in (assign._COARSER, np.inf):
        monkeypatch.setattr(assign, "_COARSER", coarser)
        mlconv.quantize(network(SHAPE, beside), "tflite", tmp_path / "m.tflite", scheme="int8", calibration=samples)
        found = run_tflite(str(tmp_path / "m.tflite"), samples[0], "serving_default")["y"][..., 16:]
        off.append(np.square(found - wanted).mean())
    assert 10 * off[0] < off[1]


@pytest.mark.parametrize("divisor", [np.float32(12**0.5), random(8) + np.float32(3), np.float32(-255)])
def test_divisions_by_constants_compute_with_integers(divisor: np.ndarray, tmp_path: Path) -> None:
    """As pixels over 255, and sums over the root of their size."""
    module = network(SHAPE, lambda e, x: relu(e, conv(e, e.div(conv(e, x, 8), e.constant(divisor)), 8)))
    samples = [{"x": random(*SHAPE, seed=s)} for s in range(8)]
    options = {"quantize": "int8-io-int8", "calibration": samples, "require_int8": True}
    mlconv.convert(module, to="tflite", output=tmp_path / "y.tflite", **options)
    before = run_function(module.main, samples[0])["y"]
    assert multiply_by_reciprocals(module.main, lambda op: False) == 0
    assert multiply_by_reciprocals(module.main, lambda op: True) == 1
    np.testing.assert_allclose(run_function(module.main, samples[0])["y"], before, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("divisor", [0.0, np.inf, 1e-39, 1e38])
def test_divisions_without_reciprocals_stay(divisor: float) -> None:
    module = network(SHAPE, lambda e, x: e.div(x, e.constant(np.float32(divisor))))
    assert multiply_by_reciprocals(module.main, lambda op: True) == 0
