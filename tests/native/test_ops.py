"""Every core op natively: the rows of tests/core, compiled and called, or refused with a code."""

from __future__ import annotations

import pathlib

import numpy as np
import pytest

import mlconv
from mlconv.diagnostics import Code, ConversionError
from mlconv.interp import run_function
from mlconv.ir.module import Module
from tests.support.core_rows import ROWS as ALL_ROWS
from tests.support.core_rows import Row, build
from tests.support.native import OWN, check, needs_cc

REFUSED = frozenset({"lookup"})
# Rows whose results have a size that data decide.
SIZED = frozenset({"nonzero", "unique", "unique axis", "nms soft"})


ROWS = [r for r in ALL_ROWS if r.name != "random_normal"]  # its numbers are the target's own, see test_routines.py


def check_sized(m: Module, row: Row, folder: pathlib.Path) -> None:
    feeds = dict(zip(m.main.input_names, row.inputs, strict=True))
    want = run_function(m.main, feeds)
    mlconv.convert(m, to="native", output=folder / "m.o", cpu=OWN)
    got = mlconv.load_native(folder / "m.o").run(feeds)
    assert list(got) == list(want)
    for name, array in want.items():
        np.testing.assert_allclose(got[name], array, rtol=1e-6)


@pytest.mark.share(6)
@needs_cc
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, tmp_path: pathlib.Path) -> None:
    m = build(row, [])
    if row.name in SIZED:
        check_sized(m, row, tmp_path)
        return
    try:
        check(m, row.inputs, tmp_path)
    except ConversionError as error:
        assert row.name in REFUSED, error
        assert {d.code for d in error.diagnostics} <= {Code.TargetLacksOp, Code.TargetLacksType}
        assert not list(tmp_path.iterdir())
