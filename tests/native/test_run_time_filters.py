"""Convolutions whose filters the run computes, and transposed ones in groups: products of tiles, as of known ones."""

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
from tests.support.lowering import lower
from tests.support.modules import Array, const, module, random
from tests.support.native import CPUS, InProcess, to_object


def _gemms(m: Module) -> int:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return sum(op.name == "kernel.gemm" for op in lowered.main.block.ops if isinstance(op, KernelOp))


def _agree(m: Module, feeds: list[Array], folder: pathlib.Path) -> None:
    (want,) = run_function(m.main, {f"in{i}": x for i, x in enumerate(feeds)}).values()
    for cpu in CPUS:
        code, (got,) = InProcess(to_object(m, folder / "m.o", cpu)).call(feeds)
        assert code == 0
        np.testing.assert_allclose(got, want, rtol=2e-5, atol=2e-5 * float(np.abs(want).max()))


@pytest.mark.parametrize(
    ("images", "channels", "results", "groups", "window", "stride"),
    [
        (1, 6, 10, 1, (3, 3), 1),
        (2, 8, 12, 2, (3, 2), 2),
        (3, 12, 20, 4, (1, 1), 1),
        (1, 10, 40, 5, (2, 3), 1),
        (2, 7, 33, 1, (4,), 3),
        (1, 4, 8, 1, (2, 2, 2), 1),
    ],
)
def test_convolutions(
    images: int, channels: int, results: int, groups: int, window: tuple[int, ...], stride: int, tmp_path: pathlib.Path
) -> None:
    n = len(window)

    def make(b: Builder, x: Value, w: Value) -> Value:
        place = {"strides": (stride,) * n, "dilations": (1,) * n, "pads": ((1, 0),) * n}
        made = b.emit(core.Conv(x, w, const(b, random(results)), groups=groups, **place, **_layouts(n))).y
        return b.emit(core.Clamp(made, lo=-1.0, hi=3.0)).y

    feeds = [random(images, *(9, 11, 7)[:n], channels, seed=2), random(*window, channels // groups, results, seed=3)]
    m = module(make, feeds)
    assert _gemms(m) == 1
    _agree(m, feeds, tmp_path)


@pytest.mark.parametrize("known", [True, False])
@pytest.mark.parametrize(
    ("images", "channels", "results", "groups", "window", "strides"),
    [
        (1, 6, 5, 1, (3, 3), (2, 2)),
        (2, 8, 6, 2, (4, 3), (2, 3)),
        (1, 12, 4, 3, (5,), (4,)),
        (2, 6, 2, 2, (1, 2), (3, 1)),
    ],
)
def test_transposed(
    images: int,
    channels: int,
    results: int,
    groups: int,
    window: tuple[int, ...],
    strides: tuple[int, ...],
    known: bool,
    tmp_path: pathlib.Path,
) -> None:
    """results: of each group.  A product with the phases for columns, whose image has no zeros between its elements."""
    n = len(window)
    x, w = random(images, *(9, 11)[:n], channels, seed=2), random(*window, channels, results, seed=3)

    def make(b: Builder, x: Value, *filters: Value) -> Value:
        place = {"strides": strides, "dilations": (1,) * n, "pads": ((1, 0),) * n, "output_pads": (0,) * n}
        given = (x, filters[0] if filters else const(b, w), const(b, random(results * groups)))
        return b.emit(core.ConvTranspose(*given, groups=groups, **place, **_layouts(n))).y

    feeds = [x] if known else [x, w]
    m = module(make, feeds)
    assert _gemms(m) == 1
    _agree(m, feeds, tmp_path)


def _layouts(n: int) -> dict[str, str]:
    digits = "".join(map(str, range(n)))
    return {"x_layout": f"N{digits}C", "w_layout": f"{digits}IO", "y_layout": f"N{digits}C"}
