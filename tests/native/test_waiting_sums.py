"""Products with one row: sums of several vectors wait together, also where work items are pieces of the row."""

from __future__ import annotations

import pathlib
import re

import pytest

from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import pointer
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.dialects.kernel import Instr, Step, View
from mlconv.ir.builder import Builder as IrBuilder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from tests.support.modules import module, random
from tests.support.native import check, needs_cc


@needs_cc
@pytest.mark.parametrize("columns", [64, 150, 1000])
@pytest.mark.parametrize("heads", [1, 8])
def test_numbers(heads: int, columns: int, tmp_path: pathlib.Path) -> None:
    arrays = [random(heads, 1, 200), random(heads, 200, columns)]

    def make(b: IrBuilder, x: Value, y: Value) -> Value:
        return b.emit(core.MatMul(x, y)).y

    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize(("columns", "sums"), [(64, 4), (160, 4)])
def test_how_many_wait_together(columns: int, sums: int) -> None:
    """Of 8 heads, whose rows are work items or pieces of them, by 512 rows of weights that are not constant."""
    x = Instr("load", DType.F32, (0,), View(0, (512, 0, 1)))
    y = Instr("load", DType.F32, (1,), View(0, (512 * columns, 1, columns)))
    body = (x, y, Instr("mul", DType.F32, (0, 1)))
    step = Step((8, columns, 512), 1, "add", body, (), View(0, (columns, 1)))
    b = Builder("kernel", [pointer("%x"), pointer("%w"), pointer("%y")], {}, X86_64[3])
    StepGenerator(b, step, DType.F32).run([pointer("%x"), pointer("%w")], pointer("%y"), as_items=True)
    widths = re.findall(r"phi <(\d+) x float>", b.text())
    assert max(map(int, widths)) == 16 * sums
