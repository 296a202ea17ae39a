"""Convolutions of volumes: products whose planes are like images of a batch."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from mlconv.legalize.to_kernel import fuse_convs
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, InProcess, to_object

# window, strides, pads, dilations, output channels of each
LAYERS = [
    ((3, 3, 3), (1, 1, 1), ((1, 1), (1, 1), (1, 1)), (1, 1, 1), 20),
    ((2, 3, 1), (1, 2, 1), ((1, 1), (2, 0), (0, 0)), (2, 1, 1), 9),
    ((1, 1, 1), (1, 1, 1), ((0, 0), (0, 0), (0, 0)), (1, 1, 1), 33),
    ((3, 3, 3), (3, 1, 2), ((1, 1), (1, 2), (0, 1)), (1, 1, 2), 16),
]


def volumes(*shape: int) -> Module:
    """The layers one behind the other, with biases, a sum with what the one before made, and activations."""

    def make(b: Builder, x: Value) -> Value:
        for i, (window, strides, pads, dilations, channels) in enumerate(LAYERS):
            inside = (x.tensor.shape or ())[-1]
            assert isinstance(inside, int)
            w = random(*window, inside, channels, seed=i) / np.float32(np.sqrt(inside * np.prod(window)))
            place: dict[str, Any] = {"strides": strides, "pads": pads, "dilations": dilations}
            place |= {"x_layout": "N012C", "w_layout": "012IO", "y_layout": "N012C"}
            y = b.emit(core.Conv(x, const(b, w), const(b, random(channels, seed=i)), **place)).y
            x = b.emit(core.Clamp(y, lo=-1.0, hi=3.0)).y
            x = b.emit(core.Add(x, y)).y if i % 2 else x
        return x

    return module(make, [random(*shape)])


@pytest.mark.parametrize("cut", [False, True], ids=["whole", "rows"])
@pytest.mark.parametrize("shape", [(1, 5, 8, 9, 3), (1, 1, 13, 12, 4), (1, 2, 1, 17, 8), (2, 3, 6, 5, 3)], ids=str)
def test_volumes(shape: tuple[int, ...], cut: bool, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """cut: whatever can be fused is, in tiles of a few rows."""
    if cut:
        monkeypatch.setattr(fuse_convs, "_cut", lambda ops, links: [(0, len(links), 2)] if links else [])
    m = volumes(*shape)
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    made = [op.name for op in lowered.main.block.ops if isinstance(op, KernelOp)]
    products = {"kernel.gemm", "kernel.conv_chain"} & {*made}
    assert bool(products) == (shape[0] == 1)
    x = random(*shape, seed=7)
    (want,) = run_function(m.main, {"in0": x}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, tmp_path / "m.o", cpu)).call([x])
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * float(np.abs(want).max()))
