"""Products of few columns with a factor that is known at run time: many rows by a matrix that no vector lies along."""

from __future__ import annotations

import pathlib

import pytest

from mlconv.codegen.kernels.steps import StepGenerator
from mlconv.codegen.llvm.text import Builder as Code
from mlconv.codegen.machines.cpus import X86_64
from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.kernel import LoopNestOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from tests.support.lowering import lower
from tests.support.modules import module, random
from tests.support.native import check, needs_cc

FORMS = [(False, False), (False, True), (True, False), (True, True)]


def made(
    lead: tuple[int, ...], sizes: tuple[int, int, int], transposed: tuple[bool, bool], name: str = "float32"
) -> tuple[Module, list]:
    """sizes: rows, depth, columns.  transposed: each factor."""
    rows, depth, columns = sizes
    a, b = (
        ((depth, rows) if transposed[0] else (rows, depth)),
        ((columns, depth) if transposed[1] else (depth, columns)),
    )
    arrays = [random(*lead, *a).astype(name), random(*lead[1:], *b, seed=3).astype(name)]

    def product(b: Builder, x: Value, w: Value) -> Value:
        return b.emit(core.MatMul(x, w, transpose_a=transposed[0], transpose_b=transposed[1])).y

    return module(product, arrays), arrays


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("transposed", FORMS)
@pytest.mark.parametrize("lead", [(), (3,), (2, 3)])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_numbers(name: str, lead: tuple[int, ...], transposed: tuple[bool, bool], tmp_path: pathlib.Path) -> None:
    for rows, depth, columns in ((37, 3, 3), (300, 9, 2), (19, 40, 3), (260, 17, 1), (5, 33, 2), (16, 4, 3)):
        m, arrays = made(lead, (rows, depth, columns), transposed, name)
        (folder := tmp_path / f"{rows}x{depth}x{columns}").mkdir()
        check(m, arrays, folder, host_cpus()[-1])


@pytest.mark.parametrize("transposed", FORMS)
@pytest.mark.parametrize("depth", [3, 8, 20, 64])
@pytest.mark.parametrize("name", ["float32", "float64"])
def test_sums_are_in_vectors(name: str, depth: int, transposed: tuple[bool, bool]) -> None:
    """Along the rows of the result, or of the product."""
    m, _ = made((2,), (100, depth, 3), transposed, name)
    lower(m, "native", DiagnosticEngine())
    found = [s for op in m.main.block.ops if isinstance(op, LoopNestOp) for s in op.steps if s.reduced]
    generators = [StepGenerator(Code("own", [], {}, X86_64[-1]), step, DType.from_numpy(name)) for step in found]
    assert generators
    assert all(g.along_kept or g.along_reduced or g.turned is not None for g in generators)
