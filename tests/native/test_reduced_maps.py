"""Maps that a reduction alone reads are computed in it, whatever the order of its axes."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.module import Module, clone_module
from tests.support.lowering import lower
from tests.support.modules import const, module, random
from tests.support.native import Array, check, needs_cc


def _masked(b: Builder, x: Value, mask: Value) -> Value:
    """[r, h, c] where a mask [r, rows, h] is above 0: the largest, [r, rows, c]."""
    inside = b.emit(core.Greater(b.emit(core.ExpandDims(mask, axes=(3,))).y, const(b, np.zeros((), np.float32)))).y
    wide = b.emit(core.ExpandDims(x, axes=(1,))).y
    return b.emit(core.ReduceMax(b.emit(core.Select(inside, wide, const(b, np.float32(-2)))).y, axes=(2,))).y


def _pooled(b: Builder, x: Value, weights: Value) -> Value:
    """Sums over the tokens of [b, s, h] by weights [b, s, 1]."""
    return b.emit(core.ReduceSum(b.emit(core.Mul(x, weights)).y, axes=(1,))).y


def _twice(b: Builder, x: Value, weights: Value) -> list[Value]:
    made = b.emit(core.Mul(x, weights)).y
    return [b.emit(core.ReduceSum(made, axes=(1,))).y, b.emit(core.ReduceMax(made, axes=(1,))).y]


CASES = [
    (_masked, [(3, 6, 20), (3, 4, 6)], 2),
    (_masked, [(2, 7, 16), (2, 3, 7)], 2),
    (_pooled, [(2, 9, 40), (2, 9, 1)], 1),
    (_pooled, [(2, 9, 40), (2, 9, 40)], 1),
    (_twice, [(2, 9, 40), (2, 9, 1)], 3),
]


def _kernels(m: Module) -> int:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    return sum(op.name == "kernel.loop_nest" for op in lowered.main.block.ops)


@needs_cc
@pytest.mark.parametrize(("make", "shapes", "kernels"), CASES, ids=["masked", "narrow", "tokens", "products", "twice"])
def test_maps(make: object, shapes: list[tuple[int, ...]], kernels: int, tmp_path: pathlib.Path) -> None:
    arrays: list[Array] = [random(*shape, seed=seed) for seed, shape in enumerate(shapes)]
    m = module(make, arrays)
    assert _kernels(m) == kernels
    for cpu in host_cpus():
        check(m, arrays, tmp_path, cpu)
