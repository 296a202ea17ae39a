"""Convolutions of few channels, and of single elements, whose images have channels first: constant weights times what
windows read.
"""

from __future__ import annotations

import pathlib
import re
from typing import Any

import pytest

from mlconv.codegen.kernels.gemm import GemmGenerator
from mlconv.codegen.llvm.text import Builder as Code
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import X86_64
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import GemmOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.types import TensorType
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import CPUS, Array, check, needs_cc

pytestmark = needs_cc

ROWS: dict[str, tuple[tuple[int, ...], tuple[int, ...], dict[str, Any]]] = {
    "speech": ((1, 1, 203), (32, 1, 10), {"strides": (5,), "pads": ((0, 0),)}),
    "a wave": ((1, 1, 7300), (61, 1, 10), {"strides": (5,), "pads": ((0, 0),)}),
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


def test_one_channel_is_read_where_it_lies(tmp_path: pathlib.Path) -> None:
    """Also for a number of results that is no power of two: it is no depth multiplier, and x is not copied so often."""
    layouts = {"x_layout": "N0C", "w_layout": "0IO", "y_layout": "N0C"}

    def resampled(b: Builder, x: Value) -> Value:
        w = const(b, random(47, 1, 20, seed=2))
        return b.emit(core.Conv(x, w, None, strides=(44,), dilations=(1,), pads=((17, 30),), groups=1, **layouts)).y

    x = random(1, 1000, 1, seed=1)
    m = module(resampled, [x])
    check(m, [x], tmp_path)
    lower(m, "native")
    shapes = [v.type for op in m.main.block.ops if op.name == "kernel.loop_nest" for v in op.results]
    assert shapes == [TensorType(DType.F32, (1, 1047, 1))]  # with its borders


def test_results_are_written_page_by_page() -> None:
    """Behind a register tile of rows comes the one beside it, while a row's results fill a page."""
    m, _ = made("a wave")
    lower(m, "native", DiagnosticEngine())
    problem = next(op.problem for op in m.main.block.ops if isinstance(op, GemmOp))
    names = [pointer(f"%p{i}") for i in range(3)]
    b = Code("kernel", names, {}, X86_64[3])
    generator = GemmGenerator(b, problem, X86_64[3])
    generator.run(names[:2], names[2])
    steps = [int(step) for step in re.findall(r"add nsw i64 \S+, (\d+)", b.text())]  # loops end inside out
    assert steps.index(generator.count) < steps.index(generator.rows)
