"""Floats to integers: by one conversion where a vector holds nothing far from 0, and as numpy has them elsewhere."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from mlconv.ir.dtypes import DType
from tests.support.modules import module
from tests.support.native import Native, needs_cc, to_object

pytestmark = needs_cc


@pytest.mark.parametrize("cpu", host_cpus())
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_vectors_with_and_without_large_numbers(dtype: str, cpu: str, tmp_path: pathlib.Path) -> None:
    rng = np.random.default_rng(1)
    x = rng.normal(0, 1e4, 640).astype(dtype)
    edges = [2.0**31, -(2.0**31), 2.0**31 - 128, 2.0**32 + 512, -3e9, 1e18, 5e9, -(2.0**40) - 65536]
    x[256:320:8] = np.array(edges, dtype)
    made = (DType.I32, DType.U32, DType.I16, DType.I8, DType.U8)
    m = module(lambda b, v: [b.emit(core.Cast(v, dtype=t)).y for t in made], [x])
    code, got = Native(to_object(m, tmp_path / "m.o", cpu)).call([x])
    assert code == 0
    for t, y in zip(made, got, strict=True):
        assert (y == x.astype(np.int64).astype(t.numpy)).all()


def test_one_conversion(tmp_path: pathlib.Path) -> None:
    x = np.ones(4096, np.float32)
    m = module(lambda b, v: b.emit(core.Cast(v, dtype=DType.I32)).y, [x])
    to_object(m, tmp_path / "m.o", listings=("llvm",))
    (listing,) = tmp_path.glob("m.*.ll")
    assert "llvm.vector.reduce.or.v16i1" in listing.read_text()
