"""Kernel ops as `interp.kernels` has them: the rows of tests/core, and kernels that fusions make, against core ops."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.interp.kernels import run_kernels
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.inputs import sizes_of
from tests.native.test_conv_chain import Layer, chain
from tests.support.core_rows import ROWS, Row, build
from tests.support.lowering import lower
from tests.support.modules import const, module, random

ONE = ((1, 1), (1, 1))
LEFT_OUT = ("kernel.routine", "kernel.define_size", "kernel.foreign")


def check(m: Module, feeds: Mapping[str, Any], name: str, **options: str) -> set[str]:
    """The names of the kernel ops; none where some of them are not interpreted."""
    lowered, engine = clone_module(m), DiagnosticEngine()
    lower(lowered, "native", engine, **options)
    engine.raise_errors()
    main = lowered.main
    try:
        known = run_kernels(main, feeds, sizes_of(main, feeds))
    except ConversionError as error:
        assert error.code is Code.VerificationImpossible and str(error.diagnostic.message).startswith(LEFT_OUT), name
        return set()
    with np.errstate(all="ignore"):
        expected = run_function(m.main, feeds)
    for output, value in zip(main.output_names, main.outputs, strict=True):
        x, y = np.asarray(expected[output]), known[value]
        assert x.dtype == y.dtype and x.shape == y.shape, name
        if x.dtype.kind in "iub":
            np.testing.assert_array_equal(y, x, err_msg=name)
            continue
        loose = {"float16": 2e-3, "bfloat16": 2e-2}.get(x.dtype.name, 2e-5)
        wide = np.complex128 if x.dtype.kind == "c" else np.float64
        x, y = x.astype(wide), y.astype(wide)
        most = float(np.abs(x[np.isfinite(x)]).max(initial=1.0))
        np.testing.assert_allclose(y, x, rtol=loose, atol=loose * most, err_msg=name)
    return {op.name for op in main.block.ops if op.name.startswith("kernel.")}


@pytest.mark.parametrize("part", range(4))
def test_rows(part: int) -> None:
    rows: list[Row] = [r for r in ROWS if r.name != "random_normal"][part::4]
    done = 0
    for row in rows:
        m = build(row, [])
        try:
            done += bool(check(m, dict(zip(m.main.input_names, row.inputs, strict=True)), row.name))
        except ConversionError as error:
            assert {d.code for d in error.diagnostics} <= {Code.TargetLacksOp, Code.TargetLacksType}, row.name
    assert done > len(rows) / 2


def test_chains_of_convolutions() -> None:
    layers = [
        Layer(24, (1, 1)),
        Layer(24, (3, 3), 2, ((1, 1), (1, 1)), depthwise=True),
        Layer(16, (1, 1)),
        Layer(32, (3, 3), 1, ((1, 1), (0, 2))),
    ]
    m, arrays = chain((90, 130), 8, layers)
    assert "kernel.conv_chain" in check(m, {f"in{i}": a for i, a in enumerate(arrays)}, "chain")


def test_winograd() -> None:
    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Conv(x, const(b, random(3, 3, 32, 40)), strides=(1, 1), pads=ONE, dilations=(1, 1))).y

    x = random(1, 58, 61, 32)
    assert "kernel.winograd" in check(module(make, [x]), {"in0": x}, "winograd")


def test_attention() -> None:
    def make(b: Builder, q: Value, k: Value, v: Value) -> Value:
        scores = b.emit(core.MatMul(q, b.emit(core.Transpose(k, perm=(0, 2, 1))).y)).y
        return b.emit(core.MatMul(b.emit(core.Softmax(scores, axis=2)).y, v)).y

    arrays = [random(4, 70, 16, seed=i) for i in range(3)]
    assert "kernel.attention" in check(module(make, arrays), {f"in{i}": a for i, a in enumerate(arrays)}, "attention")
