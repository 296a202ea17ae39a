"""Large constants of one element: no bytes in the file, the same numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Splat
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from tests.support.litert import Row, check, data, file_bytes
from tests.support.modules import LOCATION

SHAPE = (600, 1000)


def splat(b: Builder, value: Any, dtype: DType) -> Value:
    return b.emit(core.Constant(value=Splat(value, dtype, SHAPE))).y


@pytest.mark.parametrize("dtype", [DType.F32, DType.I32, DType.I64])
def test_an_operand(dtype: DType) -> None:
    def make(b: Builder, x: Value) -> Value:
        return b.emit(core.Add(x, splat(b, 3, dtype))).y

    model = check(Row("splat", make, (data(str(dtype.numpy), 1, 1000),), tfl=("FILL",)))
    assert len(file_bytes(model)) < 4000


def test_an_output_and_operands_of_branches() -> None:
    def branch(make: Any) -> Region:
        block = Block()
        block.insert(Yield([make(Builder(block, LOCATION))], LOCATION))
        return Region(block)

    def make(b: Builder, p: Value, x: Value) -> list[Value]:
        big = splat(b, 2.5, DType.F32)
        then = branch(lambda inner: inner.emit(core.Mul(x, big)).y)
        orelse = branch(lambda inner: inner.emit(core.Sub(x, big)).y)
        return [*b.emit(core.If(p, then=then, orelse=orelse)).ys, big]

    for p in (True, False):
        model = check(Row("branches", make, (np.asarray(p), data("float32", *SHAPE)), tfl=("FILL",)))
        assert len(file_bytes(model)) < 6000
