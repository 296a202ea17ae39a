"""Branches without effects: both are computed, and the condition selects."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from mlconv.dialects import core
from mlconv.dialects.core.base import IMPURE
from mlconv.ir.core import Region, Value, clone_op, walk
from mlconv.ir.spec import OpDef
from mlconv.legalize.to_kernel.emit import Emit, refuse

MAX_OPS = 200  # of both branches: beyond that, computing both costs too much


def if_(op: core.If, e: Emit) -> Sequence[Value]:
    """Every kernel is defined for every input, so that the branch not taken does no harm."""
    count = sum(1 for region in op.regions for _ in walk(region.block))
    if count > MAX_OPS:
        raise refuse(f"branches of {count} ops, more than {MAX_OPS}")
    cond = e.reshaped(op.cond, ())
    return [e.y(core.Select(cond, a, b)) for a, b in zip(*(_inlined(region, e) for region in op.regions), strict=True)]


def _inlined(region: Region, e: Emit) -> list[Value]:
    """The region's ops in front of the branch; what it yields."""
    mapping: dict[Value, Value] = {}
    for op in region.block.ops:
        if op is region.block.last:
            continue
        if isinstance(op, OpDef) and IMPURE in op.spec.traits:
            raise refuse(f"{op.name} in a branch")
        e.builder.emit(clone_op(op, mapping))
    return [mapping.get(v, v) for v in region.block.outputs]


RULES: dict[type[OpDef], Callable[[Any, Emit], Value | Sequence[Value]]] = {core.If: if_}
