"""Ops that C functions of the user compute."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.dialects import core
from mlconv.dialects.kernel import ForeignCall, ForeignOp, Room
from mlconv.ir.core import Value
from mlconv.legalize.to_kernel.builder import KernelBuilder, sizes
from mlconv.rewrite import Rules

RULES = Rules()


@RULES.rule(core.Foreign)
def foreign(op: core.Foreign, e: KernelBuilder) -> Sequence[Value]:
    """A call of the function."""
    inputs, outputs = (tuple(Room(v.tensor.dtype, sizes(v)) for v in values) for values in (op.xs, op.ys))
    call = ForeignCall(op.symbol, op.source, inputs, outputs, op.arguments, op.scratch_bytes, op.library)
    return e.builder.emit(ForeignOp(op.xs, call, [v.tensor for v in op.ys])).results
