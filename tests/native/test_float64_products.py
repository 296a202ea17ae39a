"""Products of float64 have register tiles: each sum is added up in the order of the depth, whatever the tile."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mlconv.codegen.program.compile import host_cpus
from mlconv.dialects import core
from tests.support.modules import module
from tests.support.native import Native, needs_cc, to_object

pytestmark = needs_cc
SHAPES = [((9, 33), (33, 29)), ((4, 17), (17, 16)), ((3, 6, 21), (3, 21, 40)), ((5, 8), (8, 3))]


@pytest.mark.parametrize("cpu", host_cpus())
def test_numbers(cpu: str, tmp_path: Path) -> None:
    """With rows and columns that fill no tile, and several sums in a turn of the loop over the depth."""
    rng = np.random.default_rng(1)
    inputs = [rng.standard_normal(shape) for pair in SHAPES for shape in pair]
    pairs = range(0, len(inputs), 2)
    m = module(lambda b, *v: [b.emit(core.MatMul(*v[i : i + 2])).y for i in pairs], inputs)
    path = to_object(m, tmp_path / "m.o", cpu, listings=("llvm",))
    code, found = Native(path).call(inputs)
    assert code == 0
    for i, got in zip(pairs, found, strict=True):
        np.testing.assert_allclose(got, inputs[i] @ inputs[i + 1], rtol=1e-13, atol=1e-13)
    (listing,) = tmp_path.glob("m.*ll")
    blocks = listing.read_text().split("\nhead")
    multiply = ("@llvm.fma.v8f64(", "fmul <8 x double>")
    assert max(sum(" = " in line and any(m in line for m in multiply) for line in b.splitlines()) for b in blocks) >= (
        2 if cpu == "x86-64" else 4
    )
