"""Winograd's algorithm is used where its error is bounded: by weights, by option, and block by block at run time."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.winograd import SPREAD
from mlconv.exporters.native.target import NativeOptions
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from tests.support.integers import constant, int8
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Array, InProcess, to_object

UNIT = 2.0**-24


def layer(x: Array, w: Array, pad: int = 1) -> Module:
    place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((pad, pad), (pad, pad))}
    return module(lambda b, v: b.emit(core.Conv(v, const(b, w), None, **place)).y, [x])


def kernels(m: Module, **options: Any) -> list[str]:
    m, engine = clone_module(m), DiagnosticEngine()
    lower(m, "native", engine, **options)
    engine.raise_errors()
    return [op.name for op in m.main.block.ops if op.name.startswith("kernel.") and op.name != "kernel.loop_nest"]


def direct(x: Array, w: Array, pad: int) -> tuple[Array, Array]:
    """In float64, and the sum of the magnitudes of all products."""
    wide = np.pad(x.astype(np.float64), ((0, 0), (pad, pad), (pad, pad), (0, 0)))
    windows = np.lib.stride_tricks.sliding_window_view(wide, (3, 3), (1, 2))
    with np.errstate(invalid="ignore"):
        return np.einsum("nhwcij,ijco->nhwo", windows, w, optimize=True), np.einsum(
            "nhwcij,ijco->nhwo", np.abs(windows), np.abs(w), optimize=True
        )


def _rows(x: Array, factor: float) -> Array:
    x[:, : x.shape[1] // 2] *= factor
    return x


def _one(x: Array, value: float) -> Array:
    x[-1, 5, 6, 3] = value
    return x


def _band(x: Array, value: float) -> Array:
    x[:, :, 7:12] = value
    return x


INPUTS = {
    "ordinary": lambda x: x,
    "positive part": lambda x: np.maximum(x, 0),
    "rows of 2^7": lambda x: _rows(x, 2.0 ** (SPREAD - 1)),
    "rows of 1e6": lambda x: _rows(x, 1e6),
    "rows of 1e-6": lambda x: _rows(x, 1e-6),
    "one of 1e6": lambda x: _one(x, 1e6),
    "infinity": lambda x: _one(x, np.inf),
    "NaN": lambda x: _one(x, np.nan),
    "columns of zeros": lambda x: _band(x, 0.0),
    "zeros": lambda x: x * 0,
    "large": lambda x: x * np.float32(1e30),
    "small": lambda x: x * np.float32(1e-30),
    "edge": lambda x: np.where(np.arange(x.shape[1])[:, None, None] == 0, 1e6, x),
}


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize(
    ("size", "channels", "pad"), [((2, 29, 30), (32, 32), 1), ((1, 23, 33), (35, 40), 0), ((1, 32, 28), (64, 48), 1)]
)
def test_errors_are_bounded(
    size: tuple[int, ...], channels: tuple[int, int], pad: int, cpu: str, tmp_path: pathlib.Path
) -> None:
    w = random(3, 3, *channels)
    plain = random(*size, channels[0], seed=1)
    m = layer(plain, w, pad)
    assert kernels(m) == ["kernel.winograd"]
    net = InProcess(to_object(m, tmp_path / "m.o", cpu))
    for name, change in INPUTS.items():
        x = np.ascontiguousarray(change(plain.copy()), np.float32)
        code, (y,) = net.call([x])
        expected, sums = direct(x, w, pad)
        assert code == 0
        np.testing.assert_array_equal(np.isfinite(y), np.isfinite(expected), err_msg=name)
        with np.errstate(invalid="ignore"):
            error = np.where(np.isfinite(expected), np.abs(y - expected) / (sums + 1e-37), 0)
        assert error.max() < (2000 if name == "rows of 2^7" else 60) * UNIT, (name, error.max() / UNIT)


WEIGHTS = [
    (1.0, "winograd"),
    (1e10, "winograd"),
    (1e25, "gemm"),
    (1e-25, "gemm"),
    (np.inf, "gemm"),
    (np.nan, "gemm"),
    (0, "winograd"),
]


@pytest.mark.parametrize(("factor", "kernel"), WEIGHTS)
def test_weights_decide(factor: float, kernel: str) -> None:
    with np.errstate(invalid="ignore"):
        w = (random(3, 3, 32, 32) * np.float32(factor)).astype(np.float32)
    assert kernels(layer(random(1, 28, 28, 32), w)) == [f"kernel.{kernel}"]


@pytest.mark.parametrize(("share", "kernel"), [(0, "gemm"), (0.02, "gemm"), (0.2, "winograd")])
@pytest.mark.parametrize("place", [(slice(1, 3), slice(None)), (1, 1)])
def test_uneven_filters_are_summed_directly(share: float, kernel: str, place: Any) -> None:
    """One filter of 32 is a mask: large numbers under its zeros would spoil its results."""
    w = random(3, 3, 32, 32)
    w[(*place, slice(None), 5)] *= share
    assert kernels(layer(random(1, 28, 28, 32), w)) == [f"kernel.{kernel}"]


@pytest.mark.parametrize(("pad", "kinds"), [(0, ["gemm"]), (1, ["gemm", "winograd"]), (2, ["gemm", "winograd"])])
def test_filters_with_a_large_middle(pad: int, kinds: list[str], tmp_path: pathlib.Path) -> None:
    """Merged branches: where all is read, the middle is done apart, and the error is that of other filters."""
    x, w = random(2, 29, 30, 32), random(3, 3, 32, 48) * np.float32(0.005)
    w[1, 1] += random(32, 48, seed=3) + 4 * np.eye(32, 48, dtype=np.float32)
    m = layer(x, w, pad)
    assert sorted(kernels(m)) == [f"kernel.{k}" for k in kinds]
    code, (y,) = InProcess(to_object(m, tmp_path / "m.o")).call([x])
    expected, sums = direct(x, w, pad)
    assert code == 0 and (np.abs(y - expected) / sums).max() < 60 * UNIT


@pytest.mark.parametrize(("given", "kinds"), [("auto", ["gemm"] * 2), ("faster", ["gemm", "winograd"])])
def test_models_that_come_quantized_do_not_grow(given: str, kinds: list[str]) -> None:
    """Transformed weights of a convolution of floats would be larger than those of the product of quantized ones."""
    integers = np.random.default_rng(0).integers(-127, 128, (64, 64)).astype(np.int8)
    place: dict[str, Any] = {"strides": (1, 1), "dilations": (1, 1), "pads": ((1, 1), (1, 1))}

    def make(b: Builder, v: Value) -> Value:
        y = b.emit(core.Conv(v, const(b, random(3, 3, 64, 64)), None, **place)).y
        return b.emit(core.MatMul(y, b.emit(core.Dequantize(constant(b, integers, int8(0.01)))).y)).y

    m = module(make, [random(1, 28, 28, 64)])
    assert sorted(kernels(m, winograd=given)) == [f"kernel.{k}" for k in kinds]
    m.passes.append("quantize")
    assert sorted(kernels(m, winograd=given)) == ["kernel.gemm", "kernel.winograd"]


def test_the_option(tmp_path: pathlib.Path) -> None:
    assert kernels(layer(random(1, 28, 28, 32), random(3, 3, 32, 32)), winograd="never") == ["kernel.gemm"]
    with pytest.raises(ConversionError) as e:
        NativeOptions(winograd="always")
    assert e.value.code is Code.UsageError
