"""Functions of 16 bits in native code: by formulas in place of tables of 128 KB, the integers of the interpreter."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.dialects.core.rounding_wide import scaled_sigmoid, wide_table
from mlconv.interp import run_function
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.ir.quant import QuantType
from mlconv.runtime.native import load_native
from tests.support.integers import constant, function_of, int16
from tests.support.native import InProcess, to_object

FEW = 1 << 13
ALL = np.arange(-(1 << 15), 1 << 15).astype(np.int16)
UNIT = 1 / 32768
# function, alpha, scales of x and y
FUNCTIONS = [
    ("sigmoid", 0.0, 3e-4, UNIT),
    ("sigmoid", 0.0, 0.01, UNIT),
    ("sigmoid", 0.0, 1e-6, UNIT),
    ("tanh", 0.0, 9e-5, UNIT),
    ("tanh", 0.0, 1.3, UNIT),
    ("gelu", 0.0, 2.5e-4, 2.4e-4),
    ("gelu_tanh", 0.0, 1e-3, 1e-4),
    ("exp", 0.0, 6e-5, 2.5e-4),
    ("leaky_relu", 0.1, 2e-4, 1.7e-4),
    ("leaky_relu", -0.7, 2e-4, 5e-4),
    ("leaky_relu", 0.25, 2e-4, 2e-4),
]


def network(function: str, alpha: float, x: QuantType, y: QuantType, table: Any, count: int, hi: int) -> Module:
    def make(b: Any, values: list[Value]) -> core.QuantTable:
        made = constant(b, table, y)
        return core.QuantTable(values[0], made, function=function, alpha=alpha, element=y, lo=-(1 << 15), hi=hi)

    return function_of([(x, (count,))], make)


@pytest.mark.parametrize("hi", [(1 << 15) - 1, 9000])
@pytest.mark.parametrize(("function", "alpha", "scale", "steps"), FUNCTIONS)
def test_all_integers(function: str, alpha: float, scale: float, steps: float, hi: int, tmp_path: Path) -> None:
    """Of each instruction set, at limits that the function has anyway, and others."""
    x, y = int16(scale), int16(steps)
    whole = wide_table(function, alpha, x, y)
    assert whole is not None
    table = np.clip(whole, -(1 << 15), hi).astype(np.int16)
    m = network(function, alpha, x, y, table, FEW, hi)
    objects = [InProcess(to_object(m, tmp_path / f"m{i}.o", cpu)) for i, cpu in enumerate(host_cpus())]
    for part in ALL.reshape(-1, FEW):
        (want,) = run_function(m.main, {"in0": part}).values()
        for native in objects:
            code, (got,) = native.call([part])
            assert code == 0
            np.testing.assert_array_equal(got, want)


@pytest.mark.parametrize("optimize", ["speed", "size"])
@pytest.mark.parametrize("count", [FEW, 5 * FEW])
@pytest.mark.parametrize(("function", "alpha", "scale", "steps"), FUNCTIONS[::2])
def test_sizes(
    function: str, alpha: float, scale: float, steps: float, count: int, optimize: Any, tmp_path: Path
) -> None:
    """A table pays where much is looked up in it."""
    x, y = int16(scale), int16(steps)
    whole = wide_table(function, alpha, x, y)
    assert whole is not None
    table = np.clip(whole, -(1 << 15), (1 << 15) - 1).astype(np.int16)
    m = network(function, alpha, x, y, table, count, (1 << 15) - 1)
    mlconv.convert(m, to="native", output=tmp_path / "m.o", optimize=optimize, weights="file")
    file = tmp_path / "m.weights.bin"
    size = file.stat().st_size if file.exists() else 0
    is_table = optimize == "speed" and count > FEW and function != "leaky_relu"
    assert size >= table.nbytes if is_table else size <= 2048
    given = np.resize(ALL[::3], count)
    (got,) = load_native(tmp_path / "m.o").run({"in0": given}).values()
    np.testing.assert_array_equal(got, table[given.astype(np.int64) + (1 << 15)])


def test_products_that_do_not_fit(tmp_path: Path) -> None:
    """Of scales that no network has, the factor alone takes more than 16 bits: they have a table."""
    assert scaled_sigmoid(3.0).factor >= 1 << 15
    x, y = int16(3.0), int16(UNIT)
    whole = wide_table("tanh", 0.0, x, y)
    assert whole is not None
    table = np.clip(whole, -(1 << 15), (1 << 15) - 1).astype(np.int16)
    m = network("tanh", 0.0, x, y, table, FEW, (1 << 15) - 1)
    mlconv.convert(m, to="native", output=tmp_path / "m.o")
    (got,) = load_native(tmp_path / "m.o").run({"in0": ALL[:FEW]}).values()
    np.testing.assert_array_equal(got, table[:FEW])


@pytest.mark.parametrize("place", [0, 127, 128, 65535])
def test_one_integer_that_is_off_a_line(place: int, tmp_path: Path) -> None:
    """A table of lines but for one integer is no table of lines."""
    x, y = int16(0.5), int16(0.25)
    table = (ALL.astype(np.int64) // 3).astype(np.int16)
    table = (table[:: 1 << 7].astype(np.int64)[:, None] + ((np.arange(1 << 7) * 43 + 64) >> 7)).reshape(-1)
    table[place] += 5
    m = network("", 0.0, x, y, table.astype(np.int16), FEW, (1 << 15) - 1)
    native = InProcess(to_object(m, tmp_path / "m.o", host_cpus()[0]))
    for part in (ALL[:FEW], ALL[-FEW:]):
        code, (got,) = native.call([part])
        assert code == 0
        np.testing.assert_array_equal(got, table[part.astype(np.int64) + (1 << 15)])
