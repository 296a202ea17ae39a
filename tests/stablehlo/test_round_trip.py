"""Every core op through StableHLO text and back: exported, imported, and run on the reference interpreter."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.context import BUILT_IN
from mlconv.exporters.hlo.stablehlo import export_text
from mlconv.interp import run_function
from mlconv.ir.module import clone_module
from mlconv.provenance.locations import frames
from tests.support.core_rows import DYNAMIC, RANDOM, ROWS, Row, build
from tests.support.lowering import lower


@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_round_trip(row: Row, tmp_path: pathlib.Path) -> None:
    made: list[Any] = []
    m = build(row, made)
    if isinstance(made[0], DYNAMIC):
        pytest.skip("test_data_sizes.py has sizes that data decide")
    copy, engine, path = clone_module(m), DiagnosticEngine(), tmp_path / "m.mlir"
    lower(copy, "hlo", engine)
    engine.raise_errors()
    export_text(copy, path)
    assert BUILT_IN.format_of(str(path)).name == "stablehlo"
    back = mlconv.load(path)
    assert (back.main.input_names, back.main.output_names) == (m.main.input_names, m.main.output_names)
    inputs = {f"in{i}": a for i, a in enumerate(row.inputs)}
    if isinstance(made[0], RANDOM):
        back.run(inputs)
        return
    with np.errstate(all="ignore"):
        expected, got = run_function(m.main, inputs), back.run(inputs)
    for name, array in expected.items():
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        assert got[name].dtype == array.dtype
        np.testing.assert_allclose(got[name].astype(kind), array.astype(kind), rtol=1e-5, atol=1e-5)
    places = [frames(op.location) for op in m.walk() if op.name.startswith("core.")]
    assert all(frames(op.location) in ((), *places) for op in back.main.block.ops)
