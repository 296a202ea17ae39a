"""What a variable holds is known behind a read or an assignment: it need not be read again before it changes.

An optimizer's step reads its counter for each weight; what is computed of it is then the same for all.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.core import Block, Value
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import edit


class KnownVariables(Pass):
    """Reads of what is known give way to it; each region begins without knowledge."""

    name: ClassVar[str] = "known-variables"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if function.facts.variables:
            context.count(self.name, _without_reads(function.block))


def _without_reads(block: Block) -> int:
    found, now = 0, dict[str, Value]()
    for op in block.ops:
        if isinstance(op, core.ReadVariable):
            known = now.setdefault(op.variable, op.y)
            if known is not op.y and known.type == op.y.type:
                _replace(op, known)
                found += 1
        elif isinstance(op, core.AssignVariable):
            now[op.variable] = op.x
        for region in op.regions:
            found += _without_reads(region.block)
        if op.regions:
            for name in assigned_variables(op):
                now.pop(name, None)
    return found


def _replace(read: core.ReadVariable, known: Value) -> None:
    if isinstance(known.producer, core.ReadVariable):
        edit.merge(read, into=known.producer, by=KnownVariables.name)
    else:
        edit.replace_uses(read.y, known)
        edit.erase(read)
