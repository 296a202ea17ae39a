"""Reductions whose rows lie apart: stretches of several vectors of each row."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import check, data, needs_cc, to_object

pytestmark = needs_cc

OPS = (core.ReduceMean, core.ReduceSum, core.ReduceMax, core.ReduceMin, core.ReduceProd)


def reduced(b: Builder, v: Value) -> list[Value]:
    return [b.emit(op(v, axes=axes)).y for op in OPS for axes in ((1,), (0, 1))]


@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("columns", [3, 64, 181, 515, 2048])
def test_all_widths(columns: int, cpu: str, tmp_path: pathlib.Path) -> None:
    x = data("float32", 2, 150, columns)
    x[x == 0] = 1
    x = np.where(np.abs(x) < 0.5, x + np.sign(x) * 0.5, x) / 2
    check(module(reduced, [x]), [x], tmp_path, cpu=cpu)


def test_several_vectors_are_read_of_each_row(tmp_path: pathlib.Path) -> None:
    x = data("float32", 150, 512)
    m = module(lambda b, v: b.emit(core.ReduceMean(v, axes=(0,))).y, [x])
    to_object(m, tmp_path / "m.o", "x86-64-v4", listings=("llvm",))
    (listing,) = tmp_path.glob("m.*.ll")
    assert "load <128 x float>" in listing.read_text()
