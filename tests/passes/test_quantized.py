"""Ops over quantized tensors: what they mean is what `quant-to-arithmetic` makes of them."""

from __future__ import annotations

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import FREE, NONE, has_quantized, quant_of
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from tests.support.core_rows import ROWS, Row
from tests.support.quantized_rows import built

OUT = QuantType.of(DType.U8, 0.07, 120)
IDS = [f"{i}-{row.name}" for i, row in enumerate(ROWS)]


def outcome(module: Module, row: Row) -> list[np.ndarray]:
    rng = np.random.default_rng(0)
    inputs = {
        f"x{i}": rng.integers(-128, 127, a.shape).astype(np.int8) if a.dtype == np.float32 else a
        for i, a in enumerate(row.inputs)
    }
    return list(run_function(module.main, inputs).values())


def check(module: Module, row: Row) -> None:
    verify(module)
    before = outcome(module, row)
    run_pipeline(module, parse_pipeline("quant-to-arithmetic"), Instruments(verify_each=True))
    assert not any(quant_of(v) for op in module.walk() for v in (*op.inputs, *op.results))
    for a, b in zip(before, outcome(module, row), strict=True):
        assert a.dtype == b.dtype and np.array_equal(a, b, equal_nan=a.dtype.kind == "f")


WITHOUT = """define_size tree_ensemble
and assign_variable atan2 bitcast bitwise_not cast complex cumprod cumsum custom fake_quant fft floor_div floor_mod
foreign from_integers gru imag integer_conv integer_matmul irfft is_finite is_inf is_nan logical_not lookup lrn lstm
non_max_suppression nonzero one_hot or random_normal random_uniform range read_variable real reduce_all reduce_any
reduce_prod rem rfft rnn scatter_elements scatter_fill scatter_nd segment_reduce shift_left shift_right sign
to_integers unique update_slice xor
"""

QUANTIZED = [
    pytest.param(row, id=name)
    for row, name in zip(ROWS, IDS, strict=True)
    if any(a.dtype == np.float32 for a in row.inputs)
]


@pytest.mark.parametrize("row", QUANTIZED)
def test_an_op_is_what_it_becomes(row: Row) -> None:
    try:
        module, op = built(row)
    except ConversionError as error:
        # no rule, constants beside the operands that are not quantized, or a bias with other scales
        assert "quantized" in str(error) or "bias" in str(error)
        return
    if has_quantized(op.operands):
        check(module, row)
    if op.spec.quant is FREE:
        check(built(row, OUT)[0], row)


def test_ops_without_a_rule() -> None:
    without = {c.name.removeprefix("core.") for c in core.OPS if c.spec.quant is NONE}
    assert without == set(WITHOUT.split())
