"""Elements that each lane reads at a place of its own: gathered at once where an instruction set has that."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import module
from tests.support.native import CPUS, InProcess, to_object

RNG = np.random.default_rng(5)
ROWS = [(t, i, axis) for t in ("float32", "int64") for i in ("int32", "int64") for axis in (0, 1)]


@pytest.mark.parametrize(("dtype", "index", "axis"), ROWS)
def test_elements(dtype: str, index: str, axis: int, tmp_path: pathlib.Path) -> None:
    """Negative ones count from the end, and those beyond both ends are limited."""
    x = RNG.integers(-99, 99, (23, 37)).astype(dtype)
    places = RNG.integers(-80, 80, (23, 21) if axis else (21, 37)).astype(index)

    def make(b: Builder, x: Value, i: Value) -> Value:
        return b.emit(core.GatherElements(x, i, axis=axis)).y

    m = module(make, [x, places])
    limited = np.clip(np.where(places < 0, places + x.shape[axis], places), 0, x.shape[axis] - 1)
    for cpu in CPUS:
        path = to_object(m, tmp_path / "m.o", cpu, listings=("llvm",))
        code, (got,) = InProcess(path).call([x, places])
        assert code == 0
        np.testing.assert_array_equal(got, np.take_along_axis(x, limited, axis))
        text = path.with_suffix(f".{cpu}.ll").read_text()
        assert ("llvm.masked.gather" in text) == (cpu == "x86-64-v4")
