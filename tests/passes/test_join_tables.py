"""Ops over the integers of one int8 tensor become one table of it, with the same result for each integer."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import parse_pipeline, run_pipeline
from tests.support.integers import constant, function_of, int8, int16

Make = Callable[[Builder, list[Value]], OpDef]
RNG = np.random.default_rng(3)
X, Y, Z = int8(0.05, 7), int8(1 / 256, -128), int8(0.04, -90)
TABLE = RNG.integers(-128, 128, 256).astype(np.int8)
ALL = {"element": Z, "lo": -128, "hi": 127}


def looked_up(b: Builder, x: Value, element: QuantType = Y) -> Value:
    return b.emit(core.QuantTable(x, constant(b, TABLE, element), element=element, lo=-128, hi=127)).y


def recast(b: Builder, x: Value) -> Value:
    """The same integers, known as such for a while."""
    quant = x.tensor.quant
    return b.emit(core.StorageCast(b.emit(core.StorageCast(x, element=DType.I8)).y, element=quant)).y


def silu(b: Builder, v: list[Value]) -> OpDef:
    return core.QuantBinary(v[0], recast(b, looked_up(b, v[0])), kind="mul", **ALL)


def chain(b: Builder, v: list[Value]) -> OpDef:
    three = constant(b, np.asarray(99, np.int8), int8(0.03))
    sum_ = b.emit(core.QuantBinary(three, v[0], kind="add", element=Y, lo=-100, hi=90)).y
    return core.Requantize(looked_up(b, recast(b, sum_), Z), element=X, lo=-128, hi=127)


def diamond(b: Builder, v: list[Value]) -> OpDef:
    first = b.emit(core.Requantize(v[0], element=Z, lo=-128, hi=127)).y
    return core.QuantBinary(first, looked_up(b, first), kind="sub", **ALL)


def of_two(b: Builder, v: list[Value]) -> OpDef:
    return core.QuantBinary(looked_up(b, v[0]), v[1], kind="mul", **ALL)


def single(b: Builder, v: list[Value]) -> OpDef:
    return core.QuantBinary(v[0], v[0], kind="mul", **ALL)


def spread(b: Builder, v: list[Value]) -> OpDef:
    return core.QuantBinary(looked_up(b, v[0]), constant(b, TABLE[:8], Z), kind="add", **ALL)


def wide(b: Builder, v: list[Value]) -> OpDef:
    more = b.emit(core.Requantize(v[0], element=int16(0.001), lo=-32768, hi=32767)).y
    return core.Requantize(more, element=Z, lo=-128, hi=127)


@pytest.mark.parametrize(
    ("make", "left"),
    [(silu, 1), (chain, 1), (diamond, 1), (of_two, 2), (single, 1), (spread, 2), (wide, 2)],
    ids=lambda v: getattr(v, "__name__", str(v)),
)
def test_what_is_joined(make: Make, left: int) -> None:
    """left: ops over integers."""
    count = 2 if make is of_two else 1
    module = function_of([(X, (32, 8))] * count, make)
    verify(module)
    numbers = np.arange(-128, 128, dtype=np.int8).reshape(32, 8)
    inputs = {f"in{i}": RNG.permuted(numbers) if i else numbers for i in range(count)}
    (before,) = run_function(module.main, inputs).values()
    run_pipeline(module, parse_pipeline("join-tables"))
    verify(module)
    (after,) = run_function(module.main, inputs).values()
    np.testing.assert_array_equal(after, before)
    ops = [
        op for op in walk(module.main.block) if op.name in ("core.quant_binary", "core.quant_table", "core.requantize")
    ]
    assert len(ops) == left
    assert left > 1 or make is single or ops[0].name == "core.quant_table"


def test_long_chains_end() -> None:
    """Each op twice the one before: no more of them are looked at than become one table."""

    def make(b: Builder, v: list[Value]) -> OpDef:
        x = v[0]
        for _ in range(40):
            x = b.emit(core.QuantBinary(x, x, kind="add", element=X, lo=-128, hi=127)).y
        return core.Requantize(x, element=Z, lo=-128, hi=127)

    module = function_of([(X, (32, 8))], make)
    numbers = np.arange(-128, 128, dtype=np.int8).reshape(32, 8)
    (before,) = run_function(module.main, {"in0": numbers}).values()
    run_pipeline(module, parse_pipeline("join-tables"))
    np.testing.assert_array_equal(*run_function(module.main, {"in0": numbers}).values(), before)
