"""Every core op natively: the rows of tests/core, compiled and called, or refused with a code."""

from __future__ import annotations

import pathlib

import pytest

from mlconv.diagnostics import Code, ConversionError
from tests.support.core_rows import ROWS as ALL_ROWS
from tests.support.core_rows import Row, build
from tests.support.native import check, needs_cc

# Rows whose results have a size that depends on data.
REFUSED = frozenset({"nonzero", "unique", "unique axis", "nms soft", "lookup"})


ROWS = [r for r in ALL_ROWS if r.name != "random_normal"]  # its numbers are the target's own, see test_routines.py


@needs_cc
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, tmp_path: pathlib.Path) -> None:
    m = build(row, [])
    try:
        check(m, row.inputs, tmp_path)
    except ConversionError as error:
        assert row.name in REFUSED, error
        assert {d.code for d in error.diagnostics} <= {Code.TargetLacksOp, Code.TargetLacksType}
        assert not list(tmp_path.iterdir())
