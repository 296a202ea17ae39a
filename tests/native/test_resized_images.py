"""Images that are resampled along two axes, the innermost of which may be one of them."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import const, module, random
from tests.support.native import check


@pytest.mark.parametrize("mode", ["linear", "cubic", "nearest"])
@pytest.mark.parametrize("sizes", [(40, 44), (15, 70), (4, 5), (30, 3)], ids=str)
def test_of_any_order(mode: str, sizes: tuple[int, int], tmp_path: pathlib.Path) -> None:
    """Larger, smaller, or both; channels in front, innermost, and moved to the front behind."""
    images = [random(2, 3, 10, 11), random(2, 10, 11, 3), random(2, 10, 11, 3, seed=5)]

    def make(b: Builder, *values: Value) -> list[Value]:
        size = const(b, np.asarray(sizes))
        axes = [(2, 3), (1, 2), (1, 2)]
        made = [b.emit(core.Resize(v, size, axes=a, mode=mode)).y for v, a in zip(values, axes, strict=True)]
        return [*made[:2], b.emit(core.Transpose(made[2], perm=(0, 3, 1, 2))).y]

    check(module(make, images), images, tmp_path)
