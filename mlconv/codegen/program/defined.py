"""Sizes that data decide are there before anything has them."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.kernel import KernelOp
from mlconv.dialects.kernel.verify.site import symbols_of_op
from mlconv.ir.core import Block, walk
from mlconv.ir.data_sizes import data_sizes, definition


def check_defined(block: Block) -> None:
    """Raises ConversionError InternalError for a kernel in front of what defines one of its sizes."""
    waiting = {*data_sizes(block)}
    if not waiting:
        return
    for op in walk(block):
        if not isinstance(op, KernelOp):
            continue
        found = definition(op)
        waiting -= {found[0]} if found is not None else set()
        early = sorted(waiting & symbols_of_op(op, op.problem)) if not op.regions else []
        if early:
            raise ConversionError(
                Code.InternalError,
                f"{op.describe()} has the size {early[0]} before it is defined",
                location=op.location,
            )
