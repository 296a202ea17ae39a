"""Every core op on ONNX Runtime: the rows of tests/core, exported."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import Code, ConversionError
from tests.support.core_rows import RANDOM, ROWS, Row, build, loop
from tests.support.onnx_files import check, to_onnx

COMPLEX = {"complex", "real", "imag", "fft", "rfft", "irfft"}
"""Complex numbers at the interface, where ONNX has none."""
LACKING = {
    "bitcast": "another width",
    "bitcast wider": "another width",
    "nms soft": "soft_sigma",
    "resize nearest half_pixel_symmetric": "",
}


@pytest.mark.parametrize("opset", [0, 18, 21])
@pytest.mark.parametrize("row", ROWS, ids=lambda r: r.name)
def test_op(row: Row, opset: int) -> None:
    made: list[Any] = []
    m = build(row, made)
    if row.name in COMPLEX or LACKING.get(row.name):
        with pytest.raises(ConversionError) as error:
            to_onnx(m, opset=opset)
        assert error.value.diagnostics[0].code in (Code.TargetLacksOp, Code.TargetLacksType)
    elif isinstance(made[0], RANDOM):
        assert to_onnx(m, opset=opset)
    else:
        check(m, row.inputs, opset=opset)


def test_while_sees_what_is_around_it() -> None:
    m, _ = loop(3)
    m.main.block.arguments[0].name = "in0"
    m.main.output_names = ["out0", "out1"]
    check(m, [np.array([1, 2, 3], np.float32)])
