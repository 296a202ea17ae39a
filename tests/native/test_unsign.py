"""Bytes between kernels without a sign: the same integers, and products that add nothing to what they read."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import Gemm, KernelOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import clone_module
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from tests.native.test_rounded import bounds, check, integers, quant
from tests.support.integers import constant, function_of
from tests.support.lowering import lower
from tests.support.modules import const

ACTIVATION, OUT = quant(0.05, -7), quant(0.21, 11)
LAYOUTS = {"x_layout": "N01C", "w_layout": "01IO", "y_layout": "N01C"}
Between = Callable[[Builder, Value], Value]


def conv(b: Builder, x: Value, channels: int, window: int = 3, out: QuantType = ACTIVATION) -> OpDef:
    of_w = QuantType.of(DType.I8, 0.01)
    weights = integers(of_w, (window, window, int(x.tensor.shape[3]), channels))  # type: ignore[index, arg-type]
    pad = window // 2
    geometry = {"strides": (1, 1), "pads": ((pad, pad), (pad, pad)), "dilations": (1, 1)}
    return core.QuantConv(x, constant(b, weights, of_w), **geometry, **LAYOUTS, **bounds(out))


def pooled(b: Builder, x: Value) -> Value:
    geometry = {"window": (2, 2), "strides": (2, 2), "pads": ((0, 0), (0, 0)), "dilations": (1, 1)}
    return b.emit(core.MaxPool(x, **geometry)).y


def joined(b: Builder, x: Value) -> Value:
    return b.emit(core.Concat([x, pooled_to_the_same(b, x)], axis=3)).y


def pooled_to_the_same(b: Builder, x: Value) -> Value:
    geometry = {"window": (3, 3), "strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1)}
    return b.emit(core.MaxPool(x, **geometry)).y


def residual(b: Builder, x: Value) -> Value:
    y = b.emit(conv(b, x, 24, 1)).result
    return b.emit(core.QuantBinary(x, y, kind="add", **bounds(ACTIVATION))).result


def depthwise(b: Builder, x: Value) -> Value:
    of_w = QuantType.of(DType.I8, 0.02)
    weights = constant(b, integers(of_w, (3, 3, 1, 24)), of_w)
    geometry = {"strides": (1, 1), "pads": ((1, 1), (1, 1)), "dilations": (1, 1), "groups": 24}
    return b.emit(core.QuantConv(x, weights, **geometry, **LAYOUTS, **bounds(ACTIVATION))).result


def table(b: Builder, x: Value) -> Value:
    entries = integers(ACTIVATION, (256,))
    return b.emit(core.QuantTable(x, constant(b, entries, ACTIVATION), **bounds(ACTIVATION))).result


def reshaped(b: Builder, x: Value) -> Value:
    return b.emit(core.Reshape(x, const(b, np.asarray([1, 4, 16, 24])))).y


@pytest.mark.parametrize("between", [pooled, joined, residual, depthwise, table, reshaped, lambda b, x: x])
def test_the_same_integers(between: Between, tmp_path: Path) -> None:
    """Between two convolutions; the first pads what the second reads."""

    def make(b: Builder, v: list[Value]) -> OpDef:
        x = b.emit(conv(b, v[0], 24)).result
        return conv(b, between(b, x), 20, out=OUT)

    given = [(ACTIVATION, (1, 8, 8, 16))]
    check(given, make, tmp_path)
    m = clone_module(function_of(given, make))
    lower(m, "native", DiagnosticEngine(), machine="x86_64")
    verify(m)
    ops = [op for op in m.main.block.ops if isinstance(op, KernelOp)]
    shifts = [op.problem.shift for op in ops if isinstance(op.problem, Gemm)]
    assert shifts[-1] == 0, "the last one reads bytes without a sign"
    assert m.main.outputs[0].tensor.dtype is DType.I8


def test_another_shape_of_what_comes_in(tmp_path: Path) -> None:
    """The buffer is somebody else's."""

    def make(b: Builder, v: list[Value]) -> OpDef:
        return conv(b, b.emit(core.Reshape(v[0], const(b, np.asarray([1, 8, 8, 16])))).y, 24, window=1)

    check([(ACTIVATION, (64, 16))], make, tmp_path)


def test_what_comes_in_and_goes_out_keeps_its_sign(tmp_path: Path) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        return conv(b, v[0], 24, window=1)

    check([(ACTIVATION, (1, 8, 8, 16))], make, tmp_path)
    m = clone_module(function_of([(ACTIVATION, (1, 8, 8, 16))], make))
    lower(m, "native", DiagnosticEngine(), machine="x86_64")
    assert [v.tensor.dtype for v in m.main.outputs] == [DType.I8]
    np.testing.assert_array_equal([op.problem.shift for op in m.main.block.ops if op.name == "kernel.gemm"], [128])


@pytest.mark.parametrize("zero", [-128, -7, 0, 100])
def test_one_sum_gives_zero_point_and_sign(zero: int, tmp_path: Path) -> None:
    def make(b: Builder, v: list[Value]) -> OpDef:
        return conv(b, b.emit(conv(b, v[0], 24, out=quant(0.05, zero))).result, 20, out=OUT)

    given = [(ACTIVATION, (1, 8, 8, 16))]
    check(given, make, tmp_path)
    m = clone_module(function_of(given, make))
    lower(m, "native", DiagnosticEngine(), machine="x86_64")
    first = next(op.problem for op in m.main.block.ops if isinstance(op, KernelOp) and isinstance(op.problem, Gemm))
    bytes_of = [i.opcode for i in first.indexing.after if i.dtype is DType.I8 and i.opcode != "const"]
    assert bytes_of == ["nearest", *{-128: [], 0: ["xor"]}.get(zero, ["add"])]
