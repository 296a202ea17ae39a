"""Depthwise convolutions with a depth multiplier: several results of each channel, which lie side by side."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.ir.spec import OpDef
from tests.support.integers import constant, function_of, int8
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, InProcess, to_object

# channels of x, results of each, window, stride, images
SHAPES = [
    (5, 2, (7, 7), 2, 1),
    (24, 4, (3, 3), 1, 2),
    (6, 3, (3, 2), 1, 1),
    (3, 16, (1, 5), 2, 3),
    (20, 12, (2, 2), 1, 1),
    (16, 2, (1, 1), 1, 1),
]


def kinds(m: Module) -> list[str]:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return [op.name.removeprefix("kernel.") for op in lowered.main.block.ops if isinstance(op, KernelOp)]


@pytest.mark.parametrize(("channels", "times", "window", "stride", "images"), SHAPES)
def test_floats(
    channels: int, times: int, window: tuple[int, int], stride: int, images: int, tmp_path: pathlib.Path
) -> None:
    """No loop over single elements, where one element of each window belongs to a result."""

    def make(b: Builder, x: Value) -> Value:
        w, bias = const(b, random(*window, 1, channels * times)), const(b, random(channels * times))
        place = {"strides": (stride,) * 2, "dilations": (1, 1), "pads": ((1, 0), (0, 2))}
        return b.emit(core.Clamp(b.emit(core.Conv(x, w, bias, groups=channels, **place)).y, lo=-1.0, hi=3.0)).y

    x = random(images, 11, 13, channels, seed=2)
    m = module(make, [x])
    assert kinds(m)[-1] == "depthwise"
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * float(np.abs(want).max()))


@pytest.mark.parametrize(("channels", "times", "window", "stride", "images"), SHAPES)
def test_bytes(
    channels: int, times: int, window: tuple[int, int], stride: int, images: int, tmp_path: pathlib.Path
) -> None:
    rng = np.random.default_rng(1)
    filters = rng.integers(-128, 128, (*window, 1, channels * times)).astype(np.int8)

    def make(b: Builder, v: list[Value]) -> OpDef:
        place = {"strides": (stride,) * 2, "dilations": (1, 1), "pads": ((1, 0), (0, 2))}
        place |= {"x_layout": "N01C", "w_layout": "01IO", "y_layout": "N01C", "lo": -128, "hi": 127}
        return core.QuantConv(v[0], constant(b, filters, int8(0.01)), groups=channels, element=int8(0.2, 5), **place)

    x = rng.integers(-128, 128, (images, 11, 13, channels)).astype(np.int8)
    m = function_of([(int8(0.05, -7), x.shape)], make)
    (want,) = run_function(m.main, dict(zip((i.name for i in m.main.inputs), [x], strict=True))).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_array_equal(got, want)
