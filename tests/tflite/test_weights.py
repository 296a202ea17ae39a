"""Weights that are stored in fewer bits stay so in the file, and become numbers when a model is loaded."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import mlconv
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.printer import print_module
from mlconv.ir.quant import Blocked, PerAxis, QuantType
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from tests.support.litert import run_litert

Stored = Callable[[Builder, np.ndarray, int], Value]


def _integers(b: Builder, w: np.ndarray, element: QuantType) -> Value:
    stored = b.emit(core.Constant(value=make_const(element.quantize(w), element.storage), element=element)).y
    return b.emit(core.Dequantize(stored)).y


def int8(b: Builder, w: np.ndarray, axis: int) -> Value:
    """Of one scale."""
    return _integers(b, w, QuantType.of(DType.I8, 0.02))


def uint8(b: Builder, w: np.ndarray, axis: int) -> Value:
    """With a zero point for each channel."""
    size = w.shape[axis]
    scales = make_const(np.linspace(0.02, 0.03, size).astype(np.float32))
    zeros = make_const(np.arange(size) % 50 + 100, DType.U8)
    return _integers(b, w, QuantType(DType.U8, DType.F32, PerAxis(axis), scales, zeros))


def channels(b: Builder, w: np.ndarray, axis: int) -> Value:
    return _integers(b, w, QuantType.of(DType.I8, np.linspace(0.02, 0.03, w.shape[axis]), axis=axis))


def int4(b: Builder, w: np.ndarray, axis: int) -> Value:
    return _integers(b, w, QuantType.of(DType.I4, np.linspace(0.2, 0.3, w.shape[axis]), axis=axis))


def float16(b: Builder, w: np.ndarray, axis: int) -> Value:
    stored = b.emit(core.Constant(value=make_const(w.astype(np.float16)))).y
    return b.emit(core.Cast(stored, dtype=DType.F32)).y


def blocks(b: Builder, w: np.ndarray, axis: int) -> Value:
    """Of 32 along the last axis."""
    scales = np.random.default_rng(0).uniform(0.1, 0.3, (*w.shape[:-1], w.shape[-1] // 32)).astype(np.float32)
    return _integers(b, w, QuantType(DType.I4, DType.F32, Blocked(w.ndim - 1, 32), make_const(scales)))


def short_blocks(b: Builder, w: np.ndarray, axis: int) -> Value:
    """Of 16 along the last axis, with zero points."""
    rng, count = np.random.default_rng(0), (*w.shape[:-1], w.shape[-1] // 16)
    scales, zeros = rng.uniform(0.1, 0.3, count).astype(np.float32), rng.integers(-8, 8, count)
    scheme, points = Blocked(w.ndim - 1, 16), make_const(zeros, DType.I4)
    return _integers(b, w, QuantType(DType.I4, DType.F32, scheme, make_const(scales), points))


def turned_blocks(b: Builder, w: np.ndarray, axis: int) -> Value:
    """Of 16 along the last axis, with zero points of 0 and -1 alone, and scales of 16 bits."""
    rng, count = np.random.default_rng(0), (*w.shape[:-1], w.shape[-1] // 16)
    scales = rng.uniform(0.1, 0.3, count).astype(np.float16).astype(np.float32)
    scheme, points = Blocked(w.ndim - 1, 16), make_const(rng.integers(-1, 1, count), DType.I4)
    return _integers(b, w, QuantType(DType.I4, DType.F32, scheme, make_const(scales), points))


def product(b: Builder, x: Value, stored: Stored) -> Value:
    w = np.random.default_rng(1).normal(size=(64, 96)).astype(np.float32)
    return b.emit(core.MatMul(x, stored(b, w, 0), transpose_b=True)).y


def transposed(b: Builder, x: Value, stored: Stored) -> Value:
    w = np.random.default_rng(1).normal(size=(96, 64)).astype(np.float32)
    return b.emit(core.MatMul(x, stored(b, w, 1))).y


def _conv(b: Builder, x: Value, stored: Stored, groups: int) -> Value:
    w = np.random.default_rng(1).normal(size=(3, 3, 96 // groups, 96)).astype(np.float32)
    return b.emit(
        core.Conv(
            x, stored(b, w, 3), strides=(1, 1), pads=((1, 1), (1, 1)), dilations=(1, 1), groups=groups, w_layout="01IO"
        )
    ).y


def conv(b: Builder, x: Value, stored: Stored) -> Value:
    return _conv(b, x, stored, 1)


def depthwise(b: Builder, x: Value, stored: Stored) -> Value:
    return _conv(b, x, stored, 96)


USES = [(product, (5, 96)), (transposed, (5, 96)), (conv, (1, 8, 9, 96)), (depthwise, (1, 8, 9, 96))]
STORED: list[tuple[Stored, float]] = [
    (int8, 0.25),
    (uint8, 0.25),
    (channels, 0.25),
    (int4, 0.125),
    (float16, 0.5),
    (blocks, 0.125),
    (short_blocks, 0.125),
    (turned_blocks, 0.125),
]


@pytest.mark.share(4)
@pytest.mark.parametrize("use", range(len(USES)))
@pytest.mark.parametrize(("stored", "share"), STORED)
def test_file(use: int, stored: Stored, share: float, tmp_path: Path) -> None:
    """The file has the bits that the module has; what they mean stays."""
    make, shape = USES[use]
    if stored in (blocks, short_blocks, turned_blocks) and make is depthwise:
        return  # 96 windows of one channel have no blocks but of channels
    function = Function.create("main", [TensorType(DType.F32, shape)], ["x"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    b.emit(Yield([make(b, function.inputs[0], stored)]))
    function.output_names = ["y"]
    module = Module([function])
    x = np.random.default_rng(0).normal(size=shape).astype(np.float32)
    (want,) = run_function(module.main, {"x": x}).values()
    path = tmp_path / "m.mlir"
    path.write_text(print_module(module, inline=True))
    mlconv.convert(path, "tflite", tmp_path / "m.tflite", verify_each=True)
    content = (tmp_path / "m.tflite").read_bytes()
    elements = {product: 64 * 96, transposed: 64 * 96, conv: 9 * 96 * 96, depthwise: 9 * 96}[make]
    by_block = {blocks: 12 * elements / 32, short_blocks: 4.5 * elements / 16, turned_blocks: 2 * elements / 16}
    scales = {uint8: 12 * 96, channels: 12 * 96, int4: 12 * 96, **by_block}.get(stored, 0)
    assert len(content) < elements * 4 * share + scales + 3500
    (got,) = run_litert(content, [x])
    np.testing.assert_allclose(got, want, rtol=0, atol=2e-6 * np.abs(want).max())


def test_table_in_short_blocks(tmp_path: Path) -> None:
    """Rows are looked up before they are multiplied by scales, which are looked up, too."""
    rng = np.random.default_rng(2)
    scales, zeros = rng.uniform(0.1, 0.3, (128, 4)).astype(np.float32), rng.integers(-8, 8, (128, 4))
    element = QuantType(DType.I4, DType.F32, Blocked(1, 16), make_const(scales), make_const(zeros, DType.I4))
    function = Function.create("main", [TensorType(DType.I64, (2, 3))], ["i"], NameLocation("f"))
    b = Builder(function.block, NameLocation("op"))
    table = make_const(rng.integers(-8, 8, (128, 64)), DType.I4)
    numbers = b.emit(core.Dequantize(b.emit(core.Constant(value=table, element=element)).y)).y
    b.emit(Yield([b.emit(core.Gather(numbers, function.inputs[0], axis=0)).y]))
    function.output_names = ["y"]
    indices = np.asarray([[0, 127, 5], [64, 64, 1]])
    (want,) = run_function(function, {"i": indices}).values()
    (tmp_path / "m.mlir").write_text(print_module(Module([function]), inline=True))
    mlconv.convert(tmp_path / "m.mlir", "tflite", tmp_path / "m.tflite", verify_each=True)
    content = (tmp_path / "m.tflite").read_bytes()
    assert len(content) < 128 * 32 + 128 * 4 * 5 + 3000
    np.testing.assert_array_equal(run_litert(content, [indices])[0], want)
