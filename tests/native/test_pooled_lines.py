"""Pools of images with channels first, whose windows overlap: lines first, then neighbours in them."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from tests.support.lowering import lower
from tests.support.modules import module, random
from tests.support.native import check, needs_cc

PLAIN: dict[str, Any] = {
    "window": (3, 3),
    "strides": (2, 2),
    "pads": ((1, 1), (1, 1)),
    "dilations": (1, 1),
    "layout": "NC01",
}
FORMS: dict[str, dict[str, Any]] = {
    "as in ResNet": {},
    "ends": {"pads": ((2, 0), (0, 1)), "window": (3, 4)},
    "apart": {"dilations": (2, 3), "pads": ((3, 2), (0, 2))},
    "last window is a part": {"ceil_mode": True, "pads": ((0, 0), (0, 0))},
    "many lines": {"window": (7, 2), "strides": (2, 3), "pads": ((3, 3), (0, 0))},
    "a line": {"window": (3, 1), "strides": (1, 1), "pads": ((1, 1), (0, 0))},
}


@needs_cc
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("size", [(9, 40), (12, 17)], ids=str)
def test_numbers(size: tuple[int, int], form: str, tmp_path: pathlib.Path) -> None:
    given = {**PLAIN, **FORMS[form]}
    arrays = [random(2, 3, *size), random(1, 5, *size).astype(np.float64), (random(1, 4, *size) * 50).astype(np.int8)]
    arrays[0][0, 1, 4, 5] = np.nan

    def make(b: Builder, x: Value, y: Value, z: Value) -> list[Value]:
        found = [b.emit(core.MaxPool(v, **given)).y for v in (x, y, z)]
        means = [{}, {"count_include_pad": True}]
        return [*found, *(b.emit(core.AvgPool(v, **given, **more)).y for v in (x, y) for more in means)]

    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


def _kernels(m: Module) -> list[tuple[int | Any, ...] | None]:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return [op.result.tensor.shape for op in lowered.main.block.ops if op.name.startswith("kernel.loop_nest")]


def test_a_pool_alone_stays_where_it_is() -> None:
    """The image is read once, by the lines, and nothing turned."""
    m = module(lambda b, x: b.emit(core.MaxPool(x, **PLAIN)).y, [random(1, 64, 56, 56)])
    assert len(_kernels(m)) == 2
