"""HLO's loops and branches."""

from __future__ import annotations

from collections.abc import Callable

from mlconv.dialects.hlo_checks.base import region_types
from mlconv.ir.dtypes import DType
from mlconv.ir.target_op import TargetOp
from mlconv.ir.types import TensorType


def _while(op: TargetOp) -> None:
    types = [v.type for v in op.results]
    if [v.type for v in op.inputs] != types:
        raise op.malformed("the loop's variables change their types")
    cond, body = op.regions
    region_types(op, cond, types, [TensorType(DType.BOOL, ())], "the condition")
    region_types(op, body, types, types, "the body")


def _conditional(op: TargetOp) -> None:
    """Two branches for a predicate, or any number for an index."""
    by, count = op.inputs[0].tensor, len(op.regions)
    fits = count == 2 if by.dtype is DType.BOOL else by.dtype is DType.I32 and count > 0
    if not fits or by.shape != ():
        raise op.malformed(f"it has {count} branches for {by}: expected two for a bool, or some for an int32 scalar")
    for region in op.regions:
        region_types(op, region, (), [v.type for v in op.results], "a branch")


CHECKS: dict[str, Callable[[TargetOp], None]] = {"while": _while, "conditional": _conditional}
