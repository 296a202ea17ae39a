"""Ops over quantized tensors: what they mean is what `quant-to-arithmetic` makes of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.ir.quant_rules import FREE, NONE, has_quantized, quant_of
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.ir.verifier import verify
from mlconv.passes.pipeline import Instruments, parse_pipeline, run_pipeline
from mlconv.provenance.locations import NameLocation
from tests.support.core_rows import ROWS, Row

Q, OUT = QuantType.of(DType.I8, 0.05, 3), QuantType.of(DType.U8, 0.07, 120)
IDS = [f"{i}-{row.name}" for i, row in enumerate(ROWS)]


def built(row: Row, stored: QuantType | None = None) -> tuple[Module, OpDef]:
    """The op of a row over quantized operands in place of float32 ones.  stored: of its results, where free."""
    types = [TensorType(Q if a.dtype == np.float32 else DType.from_numpy(a.dtype), np.shape(a)) for a in row.inputs]
    function = Function.create("main", types, [f"x{i}" for i in range(len(types))], NameLocation("row"))
    builder = Builder(function.block, NameLocation("row"))

    def const(value: Any, dtype: DType | None = None) -> Value:
        return builder.emit(core.Constant(value=make_const(np.asarray(value), dtype))).y

    op = builder.emit(row.build(function.inputs, const))
    assert isinstance(op, OpDef)
    if stored is not None:
        op.quantized(*(stored if v.tensor.dtype is DType.F32 else None for v in op.results))
    builder.emit(Yield(op.results))
    function.output_names = [f"y{i}" for i in range(len(op.results))]
    return Module([function]), op


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


WITHOUT = """
and assign_variable atan2 bitcast bitwise_not cast complex constant cumprod cumsum custom fake_quant fft floor_div
floor_mod from_integers gru imag irfft is_finite is_inf is_nan logical_not lookup lrn lstm non_max_suppression nonzero
one_hot or random_normal random_uniform range read_variable real reduce_all reduce_any reduce_prod rem rfft rnn
scatter_elements scatter_fill scatter_nd segment_reduce shift_left shift_right sign to_integers unique update_slice xor
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
