"""Pools of large windows are done along one axis after the other."""

from __future__ import annotations

import math
import pathlib

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.dialects import core
from mlconv.dialects.core.window import Pads
from mlconv.dialects.kernel import LoopNestOp
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from mlconv.ir.dims import product
from mlconv.ir.estimates import estimate
from mlconv.ir.module import Module, clone_module
from tests.support.lowering import lower
from tests.support.modules import module, random
from tests.support.native import CPUS, check


def _comparisons(m: Module) -> int:
    lowered = clone_module(m)
    lower(lowered, "native", DiagnosticEngine())
    nests = [op for op in lowered.main.block.ops if isinstance(op, LoopNestOp)]
    return sum(estimate(product(step.extents)) for op in nests for step in op.steps if step.reduced)


@pytest.mark.parametrize("dtype", ["float32", "int8"])
@pytest.mark.parametrize(
    ("window", "strides", "dilations", "pads", "ceil"),
    [
        ((5, 5), (1, 1), (1, 1), ((2, 2), (2, 2)), False),
        ((13, 9), (1, 2), (1, 1), ((6, 6), (4, 4)), False),
        ((5, 5), (2, 2), (1, 1), ((1, 0), (3, 2)), True),
        ((4, 6), (1, 1), (2, 1), "SAME_UPPER", False),
        ((3, 3, 3), (1, 1, 1), (1, 1, 1), ((1, 1), (0, 1), (1, 0)), False),
        ((7,), (1,), (1,), ((3, 3),), False),
    ],
)
def test_largest(
    window: tuple[int, ...],
    strides: tuple[int, ...],
    dilations: tuple[int, ...],
    pads: Pads,
    ceil: bool,
    dtype: str,
    tmp_path: pathlib.Path,
) -> None:
    n = len(window)
    place = {"window": window, "strides": strides, "dilations": dilations, "pads": pads, "ceil_mode": ceil}

    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.MaxPool(x, layout=f"N{'012'[:n]}C", **place)).y

    x = random(2, *(14, 15, 12)[:n], 6)
    x = (x * 30).astype(dtype) if dtype == "int8" else x
    if dtype == "float32":
        x.reshape(-1)[[5, 100]] = -np.inf, np.nan
    m = module(make, [x])
    whole = math.prod(next(iter(m.main.block.ops)).results[0].tensor.static_shape()) * math.prod(window)
    assert _comparisons(m) < whole * 0.75 or n == 1
    for cpu in CPUS:
        check(m, [x], tmp_path, cpu)
