"""Convolutions whose windows lie in the padding for the most part multiply what lies in the image alone."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import mlconv
from mlconv.codegen.program.compile import host_cpus
from tests.support.native import needs_cc
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference

pytestmark = needs_cc


@pytest.mark.parametrize(
    ("size", "window", "dilation", "stride", "pads", "optimize", "parts"),
    [
        ((16, 16), (3, 3), 24, 1, (24, 24, 24, 24), "speed", 1),  # the middle alone
        ((16, 16), (3, 3), 24, 1, (24, 24, 24, 24), "size", 1),
        ((15, 18), (3, 3), 12, 1, (12, 12, 12, 12), "speed", 9),
        ((15, 18), (3, 3), 12, 1, (12, 12, 12, 12), "size", 0),
        ((16, 30), (5, 3), 9, 2, (18, 9, 18, 9), "speed", 9),
        ((20, 20), (3, 3), 16, 1, (30, 20, 34, 12), "speed", 0),  # a place that reads nothing
        ((20, 20), (3, 3), 2, 1, (2, 2, 2, 2), "speed", 0),
    ],
)
def test_parts(
    size: tuple[int, int],
    window: tuple[int, int],
    dilation: int,
    stride: int,
    pads: tuple[int, ...],
    optimize: str,
    parts: int,
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(sum(size))
    kept = {"w": rng.standard_normal((48, 32, *window)).astype(np.float32), "b": rng.random(48).astype(np.float32)}
    conv = helper.make_node(
        "Conv", ["x", "w", "b"], ["c"], dilations=[dilation] * 2, strides=[stride] * 2, pads=list(pads)
    )
    proto = model([conv, helper.make_node("Relu", ["c"], ["y"])], [value("x", [1, 32, *size])], [value("y")], kept)
    x = rng.standard_normal((1, 32, *size)).astype(np.float32)
    (want,) = run_reference(proto, {"x": x})
    for cpu in [*host_cpus(), "x86-64"]:
        made = mlconv.convert(save(tmp_path, proto), to="native", output=tmp_path / "m.o", cpu=cpu, optimize=optimize)
        assert made.ops.get("kernel.gemm") == max(parts, 1)
        np.testing.assert_allclose(mlconv.load_native(tmp_path / "m.o").run({"x": x})["y"], want, rtol=1e-4, atol=1e-4)
