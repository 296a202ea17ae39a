"""float64 computed in float32, where a user asks for it."""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Value, walk
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.spec import OpDef
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import Rewriter, remake


class ReduceFloat64(Pass):
    """Ops over float64 are computed in float32.

    Inputs, outputs, constants and what loops and branches hand on keep their types: numbers are rounded where an op
    takes them, and what it makes is widened.
    """

    name: ClassVar[str] = "reduce-float64"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        computing = [op for op in walk(function.block) if isinstance(op, OpDef) and _computes(op)]
        for op in computing:
            _in_float32(op)
        context.count(self.name, len(computing))


def _computes(op: OpDef) -> bool:
    if op.regions or not op.results or isinstance(op, (core.Constant, core.Cast)):
        return False
    return any(_is_float64(v) for v in [*op.operands, *op.results])


def _is_float64(value: Value | None) -> bool:
    return value is not None and value.tensor.dtype is DType.F64


def _in_float32(op: OpDef) -> None:
    rewriter = Rewriter(op)
    operands = [
        rewriter.emit(core.Cast(v, dtype=DType.F32)).y if v is not None and _is_float64(v) else v for v in op.operands
    ]
    attributes = {name: DType.F32 if value is DType.F64 else value for name, value in op.attributes.items()}
    made = rewriter.emit(remake(op, operands, **attributes))
    rewriter.replace(
        op,
        [
            new if new.tensor.dtype is old.tensor.dtype else rewriter.emit(core.Cast(new, dtype=old.tensor.dtype)).y
            for old, new in zip(op.results, made.results, strict=True)
        ],
    )
