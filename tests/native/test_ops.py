"""Every core op natively: the rows of tests/core, compiled and called, or refused with a code."""

from __future__ import annotations

import pathlib

import pytest

from mlconv.diagnostics import Code, ConversionError
from tests.core.test_ops import ROWS, Row
from tests.hlo.test_ops import build
from tests.native.kit import check, needs_cc

# Rows without a kernel so far (of some names, only for integers).
REFUSED = frozenset({
    "CumProd", "CumSum", "Div", "FloorDiv", "FloorMod", "Rem", "ShiftLeft", "ShiftRight", "bitcast", "bitcast wider", "complex", "conv transpose", "lookup",
    "conv transpose groups", "core.digamma", "core.lgamma", "dynamic_slice", "fft", "gru", "imag", "irfft", "lrn", "lstm", "nms", "nms soft",
    "nonzero", "random_normal", "random_uniform", "range", "range float", "real", "reverse_sequence", "rfft", "rnn", "scatter_elements",
    "scatter_fill", "scatter_nd", "segment add", "segment max", "segment mean", "segment min", "segment mul", "top_k", "unique", "unique axis",
})  # fmt: skip


@needs_cc
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, tmp_path: pathlib.Path) -> None:
    m = build(row, [])
    try:
        check(m, row.inputs, tmp_path)
    except ConversionError as error:
        assert row.name in REFUSED, error
        assert {d.code for d in error.diagnostics} <= {Code.MLC0401, Code.MLC0402}
        assert not list(tmp_path.iterdir())
