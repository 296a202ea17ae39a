"""Lookups without a table: every key is compared with every element."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.ir.constants import make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import OpDef


def by_comparison(op: core.Lookup, y: Callable[[OpDef], Value], target: str, *, strings: bool = False) -> Value:
    """core.lookup in core ops, which `y` emits.  strings: the target compares and gathers them.  Raises ConversionError
    TargetLacksType for strings where it does not, ShapeNotStatic when the number of keys or x's rank is not known.
    """
    if not strings and DType.STRING in (op.keys.tensor.dtype, op.values.tensor.dtype):
        raise ConversionError(
            Code.TargetLacksType, f"{target} has no strings, and the table goes from {op.keys.type} to {op.values.type}"
        )
    shape, (count, *_) = op.x.tensor.shape, op.keys.tensor.shape or (None,)
    if shape is None or not isinstance(count, int):
        raise ConversionError(
            Code.ShapeNotStatic, "the number of keys of a table and the rank of what is looked up must be known"
        )
    rank = len(shape)

    def const(value: object, dtype: DType) -> Value:
        return y(core.Constant(value=make_const(np.asarray(value), dtype)))

    same = y(core.Equal(y(core.ExpandDims(op.x, axes=(rank,))), op.keys))
    hit = y(core.Select(same, const(np.arange(1, count + 1), DType.I32), const(0, DType.I32)))
    place = y(core.ReduceMax(hit, axes=(rank,)))
    row = y(core.Concat([y(core.Reshape(op.default, const([1], DType.I64))), op.values], axis=0))
    return y(core.Gather(row, place, axis=0))
