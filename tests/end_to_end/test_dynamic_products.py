"""Products that quantize floats at run time are arithmetic for XLA and in native code."""

from __future__ import annotations

from pathlib import Path

import pytest

from mlconv.dialects import core
from mlconv.ir.dtypes import DType
from tests.support import native, xla
from tests.support.dynamic import blocks, convolution, floats, module_of, vector, weights
from tests.support.integers import Make

ROWS: list[tuple[str, tuple[int, ...], Make]] = [
    ("columns", (3, 20, 32), lambda b, v: core.DynamicMatMul(v[0], weights(b, (32, 16), 1), bias=vector(b, 16))),
    ("int4", (20, 32), lambda b, v: core.DynamicMatMul(v[0], weights(b, (32, 16), None, DType.I4))),
    ("blocks", (3, 5, 64), lambda b, v: core.DynamicMatMul(v[0], blocks(b, 24, 64, 32), transpose_b=True)),
    ("short block", (3, 5, 80), lambda b, v: core.DynamicMatMul(v[0], blocks(b, 24, 80, 32), transpose_b=True)),
    ("batch", (3, 20, 32), lambda b, v: core.DynamicMatMul(v[0], weights(b, (3, 32, 16), None))),
    ("window", (2, 9, 10, 8), convolution(3, 1, 1, 8, 12, 1)),
    ("elements", (2, 9, 10, 8), convolution(1, 1, 1, 8, 12, 0)),
    ("depthwise", (2, 9, 10, 8), convolution(3, 2, 8, 8, 8, 1)),
]


@pytest.mark.share(4)
@pytest.mark.parametrize(("shape", "make"), [pytest.param(*row[1:], id=row[0]) for row in ROWS])
def test_targets(shape: tuple[int, ...], make: Make, tmp_path: Path) -> None:
    x = floats(*shape)
    xla.check(module_of(shape, make), [x], tolerance=1e-4)
    native.check(module_of(shape, make), [x], tmp_path, tolerance=1e-6)
