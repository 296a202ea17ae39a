"""The first of long rows: those that reach a value which enough groups of elements reach."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value
from tests.support.modules import const, module
from tests.support.native import check, needs_cc, to_object

pytestmark = needs_cc


def rows(dtype: str) -> np.ndarray:
    """Of each kind: without order, equal, with few values, in both orders, few large ones beside each other."""
    rng = np.random.default_rng(5)
    x = rng.normal(0, 1e3, (14, 1003))
    x[1], x[2], x[3], x[4] = 7, rng.integers(-2, 3, 1003), np.sort(x[3]), -np.sort(x[4])
    x[5], x[6], x[7, :900] = np.repeat(rng.permutation(59), 17), np.arange(1003) % 16, -1e9
    x[8, 1000:] = 1e9
    x = x.astype(dtype)
    if dtype == "float32":
        x[9, :999], x[10], x[11, ::2], x[12, ::3] = np.nan, np.nan, np.inf, -np.inf
        x[13] = np.where(rng.random(1003) < 0.5, np.float32(0.0), np.float32(-0.0))
    else:
        x[9], x[10, ::2], x[11, 5] = np.iinfo(dtype).min, np.iinfo(dtype).max, np.iinfo(dtype).min
    return x


def firsts(b: Builder, v: Value) -> list[Value]:
    ops = [
        core.TopK(v, const(b, np.int64(k)), axis=1, largest=largest) for k in (9, 40, 125) for largest in (False, True)
    ]
    return [r for op in ops for r in b.emit(op).results]


@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("dtype", ["float32", "int32"])
def test_ties_nans_and_orders(dtype: str, cpu: str, tmp_path: pathlib.Path) -> None:
    x = rows(dtype)
    check(module(firsts, [x]), [x], tmp_path, cpu=cpu)


def test_lanes_are_counted(tmp_path: pathlib.Path) -> None:
    """No element is passed over alone: those that reach the value are bits of a mask."""
    x = rows("float32")
    to_object(module(firsts, [x]), tmp_path / "m.o", listings=("llvm",))
    (listing,) = tmp_path.glob("m.*.ll")
    text = listing.read_text()
    assert "llvm.ctpop.i32" in text and "llvm.cttz.i32" in text


def test_the_longest_rows_take_as_little_code(tmp_path: pathlib.Path) -> None:
    """Blocks that are passed over at once are turns of a loop."""
    x = np.random.default_rng(6).normal(size=(1, 100_003)).astype(np.float32)
    first = module(lambda b, v: list(b.emit(core.TopK(v, const(b, np.int64(9)), axis=1)).results), [x])
    check(first, [x], tmp_path)
    to_object(first, tmp_path / "m.o", listings=("llvm",))
    assert all(path.stat().st_size < 1 << 20 for path in tmp_path.glob("m.*.ll"))
