"""Sizes as int32 where ops read them as sizes: what TensorFlow's own functions compute shapes with, and TFLite has
kernels for.

What is read as data, too, is computed twice, once in each type.
"""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef, known_ints
from mlconv.ir.types import TensorType
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import edit, remake
from mlconv.rewrite.core_builder import CoreBuilder

_READERS: dict[type[Op], range] = {
    core.Reshape: range(1, 2),
    core.BroadcastTo: range(1, 2),
    core.Tile: range(1, 2),
    core.Resize: range(1, 2),
    core.Pad: range(1, 2),
    core.Slice: range(1, 4),
    core.DynamicSlice: range(1, 3),
}
"""Operands that are sizes, places and amounts in either type of integer."""
_ARITHMETIC = (core.Add, core.Sub, core.Mul, core.FloorDiv, core.FloorMod, core.Minimum, core.Maximum, core.Concat)
_MOVING = (core.Slice, core.Gather, core.Reshape, core.ExpandDims, core.Squeeze)
_LARGEST = 1 << 30


class NarrowSizes(Pass):
    """What is computed of sizes, and read as sizes, is computed as int32."""

    name: ClassVar[str] = "narrow-sizes"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        ops = [op for op in walk(function.block) if op.operands]
        wanted = _wanted(ops)
        narrow: dict[Value, Value] = {}
        for op in ops:
            for i in _READERS.get(type(op), ()):
                value = op.operands[i]
                if value in narrow:
                    edit.set_operand(op, i, narrow[value])
            if isinstance(op, OpDef) and op.results and op.results[0] in wanted:
                made = _made(op, narrow)
                if made is not None:
                    narrow[op.results[0]] = made
        context.count(self.name, len(narrow))
        eliminate_dead_code(function.block)


def _wanted(ops: list[Op]) -> set[Value]:
    """Sizes of int64 that are read as such, and those that they are computed of."""
    found: set[Value] = set()
    for op in reversed(ops):
        read = [op.operands[i] for i in _READERS.get(type(op), ())]
        if op.results and op.results[0] in found:
            read += _parts(op)
        found.update(v for v in read if v is not None and _is_size(v))
    return found


def _parts(op: Op) -> list[Value]:
    """Operands that have the type of the result."""
    if isinstance(op, _MOVING):
        return [op.x]
    return list(op.inputs) if isinstance(op, _ARITHMETIC) else []


def _is_size(value: Value) -> bool:
    t, known = value.type, known_ints(value)
    if not isinstance(t, TensorType) or t.dtype is not DType.I64 or t.quant is not None or known is None:
        return False
    return const_of(value) is None and all(k is not None and (not isinstance(k, int) or _fits(k)) for k in known)


def _fits(number: int) -> bool:
    return abs(number) < _LARGEST


def _made(op: OpDef, narrow: dict[Value, Value]) -> Value | None:
    """The result as int32, beside the op; None where it has no such form."""
    assert op.block is not None and op.location is not None
    e = CoreBuilder(Builder(op.block, op.location, op.next))
    if isinstance(op, core.ShapeOf):
        return e.y(core.ShapeOf(op.x, dtype=DType.I32))
    operands = list(op.operands)
    parts = _parts(op)
    for i, value in enumerate(op.operands):
        if value is None or not any(value is part for part in parts):
            continue
        constant = const_of(value)
        if value in narrow:
            operands[i] = narrow[value]
        elif constant is not None and all(_fits(int(n)) for n in constant.view().reshape(-1)):
            operands[i] = e.constant(constant.view().astype(np.int32), DType.I32)
        else:
            return None
    return e.y(remake(op, operands)) if parts else None
