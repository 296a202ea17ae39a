"""What is the same all along a row is computed once for it."""

from __future__ import annotations

import pathlib

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


@needs_cc
@pytest.mark.parametrize("columns", [1, 5, 16, 70, 3000])
@pytest.mark.parametrize("rows", [2, 40])
def test_numbers(rows: int, columns: int, tmp_path: pathlib.Path) -> None:
    """Rows that are gathered, from two tensors and by negative indices, and factors of rows."""
    places = np.random.default_rng().integers(-9, 9, rows)
    arrays = [random(9, columns), places, random(rows, 1), (random(9, columns) * 50).astype(np.int8)]

    def make(b: IrBuilder, x: Value, at: Value, factor: Value, small: Value) -> list[Value]:
        picked = b.emit(core.Gather(x, at, axis=0)).y
        scaled = b.emit(core.Mul(picked, b.emit(core.Exp(factor)).y)).y
        last = b.emit(core.Gather(x, b.emit(core.Cast(at, dtype=DType.I32)).y, axis=1 if columns > 9 else 0)).y
        return [scaled, last, b.emit(core.Gather(small, at, axis=0)).y]

    m = module(make, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


def test_what_the_loop_reads() -> None:
    """A row of float32 by an int64 index: whole vectors, and the index in front of the loop."""
    at = Instr("load", DType.I64, (0,), View(0, (1, 0)))
    row = Instr("load_at", DType.F32, (1, 0), (View(0, (0, 1)), 80, 50))
    step = Step((30, 80), 0, "", (at, row), (), View(0, (80, 1)))
    b = Builder("kernel", [pointer("%at"), pointer("%x"), pointer("%y")], {}, X86_64[3])
    StepGenerator(b, step, DType.F32).run([pointer("%at"), pointer("%x")], pointer("%y"))
    inner = b.text().split("phi i64")[-1]
    assert "<16 x float>" in inner
    assert "load i64" not in inner
