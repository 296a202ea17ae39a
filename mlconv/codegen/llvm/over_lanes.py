"""The lanes of a vector combined to one number."""

from __future__ import annotations

import math

from mlconv.codegen.llvm.literals import literal
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import I1, Value
from mlconv.ir.dtypes import DType

_EXTREMES = {
    "maximum": ("max", "ogt"),
    "minimum": ("min", "olt"),
    "greatest": ("max", "ogt"),
}  # of integers, and how floats compare


def over_lanes(b: Builder, combine: str, dtype: DType, wide: Value) -> Value:
    """combine: `add`, in any order, `maximum` or `minimum`; of floats also `add_wide`, as `add`, and `greatest`."""
    t = wide.type
    if combine not in _EXTREMES:
        if dtype.is_int:
            return b.call(t.element, f"llvm.vector.reduce.add.{t.name}", [wide])
        return b.call(t.element, f"llvm.vector.reduce.fadd.{t.name}", [literal(dtype, -0.0), wide], "reassoc ")
    name, order = _EXTREMES[combine]
    if dtype.is_int:
        return b.call(t.element, f"llvm.vector.reduce.{'s' if dtype.is_signed_int else 'u'}{name}.{t.name}", [wide])
    found = _outermost(b, order, wide)
    return found if combine == "greatest" else _or_unordered(b, dtype, wide, found)


def _outermost(b: Builder, order: str, wide: Value) -> Value:
    """The outermost lane, where none is NaN: each step is an instruction."""
    found = wide
    while found.type.lanes > 1:
        half = found.type.lanes // 2
        x, y = (b.lanes(found, at, half) if half > 1 else b.lane(found, at) for at in (0, half))
        found = b.select(b.fcmp(order, x, y), x, y)
    return found


def _or_unordered(b: Builder, dtype: DType, wide: Value, found: Value) -> Value:
    """NaN where a lane is one, which all are asked for at once."""
    unordered = b.fcmp("uno", wide, wide)
    some = b.call(I1, f"llvm.vector.reduce.or.{unordered.type.name}", [unordered])
    return b.select(some, literal(dtype, math.nan), found)
