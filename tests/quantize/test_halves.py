"""Floats of 16 bits: what is stored, and what is computed with it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.quantize.halves import store_halves
from mlconv.quantize.recipe import Recipe
from mlconv.quantize.scheme import SCHEMES
from mlconv.rewrite.core_builder import CoreBuilder
from mlconv.runtime.onnx_runtime import run_session, session_of
from mlconv.runtime.verify import rounds_inside
from tests.support.litert import run_litert
from tests.support.modules import random
from tests.support.networks import conv, network

X = random(1, 6, 6, 8, seed=4)
TYPES = {"float16": DType.F16, "bfloat16": DType.BF16, "bfloat16-weights": DType.BF16}


def product(e: CoreBuilder, x: Value) -> Value:
    return e.matmul(x, e.constant(random(8, 40)))


def run(path: Path) -> np.ndarray:
    if path.suffix == ".tflite":
        return np.asarray(run_litert(path.read_bytes(), [X])[0])
    if path.suffix == ".onnx":
        return np.asarray(run_session(session_of(str(path)), {"x": X})["y"])
    return np.asarray(mlconv.load_native(path).run({"x": X})["y"])


@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("native", "o"), ("onnx", "onnx")])
@pytest.mark.parametrize("scheme", TYPES)
def test_what_is_computed(scheme: str, target: str, suffix: str, tmp_path: Path) -> None:
    """Weights as 16 bits hold them, activations too where the scheme says so, sums in float32."""
    if (scheme, target) == ("bfloat16", "tflite"):
        pytest.skip("refused, see below")
    out = tmp_path / f"m.{suffix}"
    result = mlconv.quantize(network(X.shape, product), target, out, scheme=scheme, verify=True)
    stored = TYPES[scheme].numpy
    x = X.astype(stored).astype(np.float32) if scheme == "bfloat16" else X
    expected = x @ random(8, 40).astype(stored).astype(np.float32)
    np.testing.assert_allclose(run(out), expected, rtol=1e-5, atol=1e-5)
    assert np.abs(expected - X @ random(8, 40)).max() > 1e-4
    assert result.quantization is not None and result.quantization.counted() == (1, 1)


@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("native", "o"), ("onnx", "onnx")])
@pytest.mark.parametrize("size", [1e6, 1e-7])
def test_weights_beyond_float16(size: float, target: str, suffix: str, tmp_path: Path) -> None:
    """They stay float32, as infinities and zeros answer nothing; bfloat16 has them."""
    out, weights = tmp_path / f"m.{suffix}", random(8, 40) * np.float32(size)
    module = network(X.shape, lambda e, x: e.matmul(x, e.constant(weights)))
    result = mlconv.quantize(module, target, out, scheme="float16", verify=True)
    np.testing.assert_allclose(run(out), X @ weights, rtol=1e-5, atol=1e-5 * size)
    assert result.quantization is not None
    (layer,) = result.quantization.layers
    assert layer.scheme == "float" and "than floats of 16 bits hold" in layer.reason
    other = mlconv.quantize(module, target, out, scheme="bfloat16-weights", verify=True).quantization
    assert other is not None and other.counted() == (1, 1)


def test_masks_with_infinities_take_float16(tmp_path: Path) -> None:
    """float16 has infinities too."""
    mask = np.where(random(8, 8) > 0, 0, -np.inf).astype(np.float32)
    module = network((1, 8, 8), lambda e, x: e.emit(core.Softmax(e.add(x, e.constant(mask)), axis=2)).y)
    result = mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme="float16")
    assert result.quantization is not None and result.quantization.layers[0].scheme == "float16"


@pytest.mark.parametrize(("target", "suffix"), [("tflite", "tflite"), ("native", "o"), ("onnx", "onnx")])
@pytest.mark.parametrize("groups", [1, 256])
def test_weights_take_two_bytes(groups: int, target: str, suffix: str, tmp_path: Path) -> None:
    """Of depthwise convolutions, too."""
    module = network((1, 6, 6, 256), lambda e, x: conv(e, x, 256, groups=groups))
    sizes = {}
    for scheme in ("float", "float16", "bfloat16-weights"):
        out = tmp_path / f"{scheme}.{suffix}"
        sizes[scheme] = mlconv.quantize(module, target, out, scheme=scheme).size_bytes
    for scheme in ("float16", "bfloat16-weights"):
        assert sizes["float"] - sizes[scheme] > 0.8 * 2 * 9 * 256 * 256 / groups - 1500, sizes


@pytest.mark.parametrize(("scheme", "granularity"), [("int8-weights", "32"), ("dynamic-range", "64")])
def test_tflite_has_blocks_of_4_bits_alone(scheme: str, granularity: str, tmp_path: Path) -> None:
    module = network((1, 6, 6, 64), lambda e, x: e.matmul(x, e.constant(random(64, 40))))
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(module, "tflite", tmp_path / "m.tflite", scheme=scheme, granularity=granularity)
    assert error.value.code is Code.TargetLacksType
    mlconv.quantize(module, "onnx", tmp_path / "m.onnx", scheme=scheme, granularity=int(granularity), verify=True)
    assert "block_size" in (tmp_path / "m.onnx").read_bytes().decode("latin1")


@pytest.mark.parametrize("scheme", ["int8", "int16x8", "float16"])
def test_schemes_without_blocks(scheme: str) -> None:
    with pytest.raises(ConversionError) as error:
        Recipe.of(scheme, granularity="32")
    assert error.value.code is Code.UsageError


def test_tflite_computes_nothing_with_bfloat16(tmp_path: Path) -> None:
    with pytest.raises(ConversionError) as error:
        mlconv.quantize(network(X.shape, product), "tflite", tmp_path / "m.tflite", scheme="bfloat16")
    assert error.value.code is Code.TargetLacksType and "float16" in error.value.diagnostic.help


def test_numbers_that_are_repeated_are_rounded_once() -> None:
    """Keys that heads share, as decoders of language have them."""

    def shared(e: CoreBuilder, x: Value) -> Value:
        keys = e.broadcast_to(e.expand_dims(x, 2), [1, 6, 3, 6, 8])
        return e.matmul(e.constant(random(1, 18, 5, 8)), e.reshape(keys, [1, 18, 6, 8]), transpose_b=True)

    module = network((1, 6, 6, 8), shared)
    store_halves(module.main, lambda op: SCHEMES["bfloat16"])
    narrow = [
        op.x.tensor.static_shape() for op in module.walk() if isinstance(op, core.Cast) and op.dtype is DType.BF16
    ]
    assert narrow == [(1, 6, 1, 6, 8)]


def test_what_something_else_reads_is_not_rounded() -> None:
    def shared(e: CoreBuilder, x: Value) -> Value:
        keys = e.broadcast_to(e.expand_dims(x, 2), [1, 6, 3, 6, 8])
        scores = e.matmul(e.constant(random(1, 18, 6, 6)), e.reshape(keys, [1, 18, 6, 8]))
        return e.add(e.reshape(scores, [1, 6, 3, 6, 8]), keys)

    module = network((1, 6, 6, 8), shared)
    store_halves(module.main, lambda op: SCHEMES["bfloat16"])
    narrow = [
        op.x.tensor.static_shape() for op in module.walk() if isinstance(op, core.Cast) and op.dtype is DType.BF16
    ]
    assert narrow == [(1, 18, 6, 8)]


def test_numbers_that_are_rounded_may_be_a_step_off() -> None:
    """Verification allows for it where the model rounds them when it runs."""

    def rounded(dtype: DType, build: Callable[[CoreBuilder, Value], Value]) -> bool:
        return rounds_inside(network(X.shape, lambda e, x: e.add(x, e.cast(e.cast(build(e, x), dtype), DType.F32))))

    assert rounded(DType.BF16, lambda e, x: x)
    assert not rounded(DType.F16, lambda e, x: x) and not rounded(DType.BF16, lambda e, x: e.constant(X))
