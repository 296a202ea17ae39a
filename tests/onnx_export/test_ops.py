"""Every core op on ONNX Runtime: the rows of tests/core, exported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from tests.support.core_rows import RANDOM, ROWS, Row, build, named_loop
from tests.support.onnx_files import check, op_types, to_onnx

COMPLEX = {"complex", "real", "imag", "fft", "rfft", "irfft"}
"""Complex numbers at the interface, where ONNX has none."""
LACKING = {"bitcast", "bitcast wider", "nms soft"}
"""Bits of another width, and boxes whose scores are lowered."""


def is_refused(row: Row, opset: int) -> bool:
    """ONNX has no form for a row, or not in an operator set that is asked for."""
    return row.name in COMPLEX | LACKING or ("half_pixel_symmetric" in row.name and 0 < opset < 19)


@pytest.mark.share(6)
@pytest.mark.parametrize("opset", [0, 18, 21])
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, opset: int) -> None:
    made: list[Any] = []
    m = build(row, made)
    if is_refused(row, opset):
        with pytest.raises(ConversionError) as error:
            to_onnx(m, opset=opset)
        assert error.value.diagnostics[0].code in (Code.TargetLacksOp, Code.TargetLacksType)
    elif isinstance(made[0], RANDOM):
        assert to_onnx(m, opset=opset)
    else:
        check(m, row.inputs, opset=opset)


def test_while_sees_what_is_around_it() -> None:
    model = check(named_loop(3), [np.array([1, 2, 3], np.float32)])
    assert "Loop" in op_types(model)


@pytest.mark.parametrize("mode", ["nearest", "linear"])
def test_scales_that_float64_puts_below_a_whole_size(mode: str) -> None:
    """onnx's shape inference has 12 for 5 * 2.6 of float32, ONNX Runtime 13."""
    x = np.random.default_rng(0).random((1, 5, 5, 2), np.float32)
    row = Row("resize", [x], lambda v, k: core.Resize(v[0], k([10, 13]), axes=(1, 2), mode=mode, scales=(2.0, 2.6)))
    check(build(row, []), row.inputs)
