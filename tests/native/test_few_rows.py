"""Products of a few rows with a factor that is known at run time: it is read where it lies."""

from __future__ import annotations

import pathlib

import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import clone_module
from tests.support.lowering import lower
from tests.support.modules import module, random
from tests.support.native import Array, check, needs_cc

pytestmark = needs_cc
CASES = [
    ((4, 40), (40, 48)),
    ((3, 5, 33), (3, 33, 16)),
    ((2, 3, 8, 70), (2, 3, 70, 64)),
    ((2, 3, 7, 24), (3, 24, 96)),
    ((5, 1, 6, 31), (1, 4, 31, 32)),
]


def _product(b: Builder, x: Value, y: Value) -> Value:
    return b.emit(core.MatMul(x, y)).y


def _attention(b: Builder, q: Value, k: Value, v: Value) -> Value:
    scores = b.emit(core.Softmax(b.emit(core.MatMul(q, k, transpose_b=True)).y, axis=-1)).y
    return b.emit(core.MatMul(scores, v)).y


@pytest.mark.parametrize(("a", "b"), CASES, ids=str)
def test_products(a: tuple[int, ...], b: tuple[int, ...], tmp_path: pathlib.Path) -> None:
    arrays = [random(*a), random(*b, seed=1)]
    m = module(_product, arrays)
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)


@pytest.mark.parametrize("rows", [4, 8])
def test_attention(rows: int, tmp_path: pathlib.Path) -> None:
    arrays: list[Array] = [random(2, 3, rows, 32), random(2, 3, 45, 32, seed=1), random(2, 3, 45, 64, seed=2)]
    m = module(_attention, arrays)
    check(m, arrays, tmp_path, host_cpus()[-1])


def test_nothing_is_packed() -> None:
    m = clone_module(module(_product, [random(2, 6, 40), random(2, 40, 32)]))
    lower(m, "native", DiagnosticEngine())
    assert [op.name for op in m.main.block.ops if op.name.startswith("kernel.")] == ["kernel.gemm"]
