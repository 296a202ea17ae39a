"""`SAME_*` pads of windows with dilations, which ONNX Runtime refuses: it gives the same with the pads written out."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from onnx import helper

import mlconv
from tests.support.onnx_models import model, save, value
from tests.support.onnx_runtimes import run_reference


@pytest.mark.parametrize("kind", ["SAME_UPPER", "SAME_LOWER"])
@pytest.mark.parametrize(("stride", "dilation", "window"), [(1, 2, 3), (2, 2, 3), (2, 3, 2), (3, 2, 2), (5, 2, 2)])
def test_same_with_dilations(kind: str, stride: int, dilation: int, window: int, tmp_path: Path) -> None:
    rng = np.random.default_rng(window)
    w = rng.standard_normal((4, 3, window, window)).astype(np.float32)
    x = rng.standard_normal((2, 3, 11, 8)).astype(np.float32)
    steps = {"strides": [stride] * 2, "dilations": [dilation] * 2}
    # [ONNX Conv] "pad so that output_shape[i] = ceil(input_shape[i] / strides[i])"; the odd one is at the end for UPPER
    both = [max((-(-n // stride) - 1) * stride + (window - 1) * dilation + 1 - n, 0) for n in x.shape[2:]]
    small, large = [n // 2 for n in both], [n - n // 2 for n in both]
    pads = [*small, *large] if kind == "SAME_UPPER" else [*large, *small]
    same, written = (
        model(
            [helper.make_node("Conv", ["x", "w"], ["y"], **steps, **more)],
            [value("x", [2, 3, "h", 8])],
            [value("y")],
            {"w": w},
        )
        for more in ({"auto_pad": kind}, {"pads": pads})
    )
    (want,) = run_reference(written, {"x": x}, "ort")
    (got,) = mlconv.load(save(tmp_path, same)).run({"x": x}).values()
    np.testing.assert_allclose(got, want, rtol=1e-5, atol=1e-5)
