"""Reductions whose innermost kept axis is one vector: several neighbours are combined at once."""

from __future__ import annotations

import pathlib
import re

import numpy as np
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

REDUCTIONS = ("ReduceMax", "ReduceMin", "ReduceSum", "ReduceMean", "ReduceProd")


@needs_cc
@pytest.mark.parametrize("rows", [3, 4, 9])
def test_reductions(rows: int, tmp_path: pathlib.Path) -> None:
    arrays = [random(2, rows, 5, 3, 16), random(rows, 6, 8).astype(np.float64)]

    def make(b: IrBuilder, x: Value, y: Value) -> list[Value]:
        found = [b.emit(getattr(core, name)(x, axes=(2, 3))).y for name in REDUCTIONS]
        return [*found, *(b.emit(getattr(core, name)(y, axes=(1,))).y for name in REDUCTIONS)]

    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize(("channels", "sums"), [(16, 4), (15, 1), (48, 1)])
def test_how_many_wait_together(channels: int, sums: int) -> None:
    """Values that the innermost loop carries, besides its counter."""
    load = Instr("load", DType.F32, (0,), View(0, (15 * channels, 1, 5 * channels)))
    step = Step((8, channels, 3), 1, "maximum", (load,), (), View(0, (channels, 1)))
    b = Builder("kernel", [pointer("%x"), pointer("%y")], {}, X86_64[3])
    StepGenerator(b, step, DType.F32).run([pointer("%x")], pointer("%y"))
    loops = b.text().split("phi i64")
    assert max(len(re.findall(r"phi <\d+ x float>", part)) for part in loops) == sums
