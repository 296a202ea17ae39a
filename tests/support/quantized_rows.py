"""Rows of core ops over quantized tensors."""

from __future__ import annotations

from typing import Any

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.quant import QuantType
from mlconv.ir.spec import OpDef
from mlconv.ir.types import TensorType
from mlconv.provenance.locations import NameLocation
from tests.support.core_rows import Row

Q = QuantType.of(DType.I8, 0.05, 3)


def built(row: Row, stored: QuantType | None = None, given: QuantType = Q) -> tuple[Module, OpDef]:
    """The op of a row over quantized operands in place of float32 ones.  stored: of its results, where free."""
    types = [TensorType(given if a.dtype == np.float32 else DType.from_numpy(a.dtype), np.shape(a)) for a in row.inputs]
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
