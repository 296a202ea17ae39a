"""Convolutions of few channels, and of single elements, whose images have channels first: constant weights times what
windows read.
"""

from __future__ import annotations

import pathlib
from typing import Any

import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Array, check, needs_cc

pytestmark = needs_cc

ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "speech": ((1, 1, 203), (32, 1, 10), {"strides": (5,), "pads": ((0, 0),)}),
    "images": ((2, 2, 9, 11), (61, 2, 3, 3), {"pads": ((1, 1), (0, 2))}),
    "apart": ((2, 1, 12, 13), (40, 1, 3, 3), {"strides": (2, 1), "dilations": (1, 2), "pads": "SAME_UPPER"}),
    "volumes": ((1, 1, 5, 6, 7), (27, 1, 2, 2, 2), {"strides": (1, 2, 1), "pads": ((0, 0), (1, 0), (0, 1))}),
    "elements": ((3, 24, 7, 5), (9, 24, 1, 1), {}),
}


def made(name: str) -> tuple[Module, list[Array]]:
    image, kernel, given = ROWS[name]
    digits = "".join(map(str, range(len(image) - 2)))
    n = len(digits)
    layouts = {"x_layout": f"NC{digits}", "w_layout": f"OI{digits}", "y_layout": f"NC{digits}"}
    attributes = {"strides": (1,) * n, "dilations": (1,) * n, "pads": ((0, 0),) * n, **layouts, **given}

    def convolved(b: Builder, x: Value) -> list[Value]:
        w, bias = const(b, random(*kernel, seed=2)), const(b, random(kernel[0], seed=3))
        plain = b.emit(core.Conv(x, w, None, **attributes)).y
        return [plain, b.emit(core.Abs(b.emit(core.Conv(x, w, bias, **attributes)).y)).y]

    x = random(*image, seed=1)
    return module(convolved, [x]), [x]


@pytest.mark.parametrize("cpu", CPUS)
@pytest.mark.parametrize("name", ROWS)
def test_numbers(name: str, cpu: str, tmp_path: pathlib.Path) -> None:
    check(*made(name), tmp_path, cpu)


@pytest.mark.parametrize("name", ROWS)
def test_results_are_not_moved(name: str) -> None:
    """They are written by the product as they are wanted."""
    m, _ = made(name)
    engine = DiagnosticEngine()
    lower(m, "native", engine)
    engine.raise_errors()
    products = [op for op in m.main.block.ops if op.name == "kernel.gemm"]
    moved = [op for op in m.main.block.ops if op.name == "kernel.loop_nest" and op.results[0] in m.main.block.outputs]
    assert len(products) == 2 and not moved
