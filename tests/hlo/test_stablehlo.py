"""StableHLO text of every core op: parsed and run by jaxlib."""

from __future__ import annotations

import pathlib
from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import DiagnosticEngine
from mlconv.exporters.hlo.stablehlo import export_text
from mlconv.interp import run_function
from mlconv.ir.module import Module, clone_module
from mlconv.runtime.xla_program import run_hlo
from tests.hlo.test_file import X, growing
from tests.support.core_rows import DYNAMIC, RANDOM, ROWS, Row, build
from tests.support.lowering import lower
from tests.support.modules import module


def run(m: Module, arrays: list[np.ndarray[Any, Any]], path: pathlib.Path) -> list[np.ndarray[Any, Any]]:
    copy, engine = clone_module(m), DiagnosticEngine()
    lower(copy, "hlo", engine)
    engine.raise_errors()
    assert export_text(copy, path) == path.stat().st_size
    return run_hlo(str(path), arrays)


@pytest.mark.share(6)
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, tmp_path: pathlib.Path) -> None:
    made: list[Any] = []
    m = build(row, made)
    if isinstance(made[0], DYNAMIC):
        pytest.skip("test_data_sizes.py has sizes that data decide")
    got = run(m, row.inputs, tmp_path / "m.mlir")
    if isinstance(made[0], RANDOM):
        return
    with np.errstate(all="ignore"):
        expected = run_function(m.main, {f"in{i}": a for i, a in enumerate(row.inputs)})
    for array, y in zip(expected.values(), got, strict=True):
        kind = np.complex128 if array.dtype.kind == "c" else np.float64
        np.testing.assert_allclose(y.astype(kind), array.astype(kind), rtol=1e-5, atol=1e-5)


def test_loop(tmp_path: pathlib.Path) -> None:
    m = module(growing, [X])
    expected = run_function(m.main, {"in0": X})
    for array, y in zip(expected.values(), run(m, [X], tmp_path / "m.mlir"), strict=True):
        np.testing.assert_allclose(y, array)
