"""Dead code elimination: ops whose results nobody uses go, from the end to the start, regions included; loop variables
and branch results too.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block
from mlconv.ir.module import Function
from mlconv.ir.traits import has_effect
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import edit


def eliminate_dead_code(block: Block) -> int:
    """Erase unused ops of a block, but for those with an effect; returns how many.  Ops without results stay."""
    erased = 0
    op = block.last
    while op is not None:
        before = op.prev
        if op.results and not op.is_used and not has_effect(op):
            edit.erase(op)
            erased += 1
        else:
            if isinstance(op, core.While):
                _drop_loop_variables(op)
            elif isinstance(op, core.If):
                _drop_branch_results(op)
            for region in op.regions:
                erased += eliminate_dead_code(region.block)
        op = before
    return erased


def _drop_branch_results(op: core.If) -> None:
    keep = [i for i, v in enumerate(op.results) if v.uses]
    if len(keep) < len(op.results):
        for region in op.regions:
            edit.keep_operands(region.block.terminator, keep)
        edit.keep_results(op, keep)


def _drop_loop_variables(op: core.While) -> None:
    """A loop variable goes when neither its result nor the condition nor the body (but to carry itself) uses it."""
    body, cond = op.body.block, op.cond.block
    terminator = body.terminator

    def is_dead(i: int) -> bool:
        argument = body.arguments[i]
        own_use = {(terminator, i)} if terminator.operands[i] is argument else set()
        return not op.results[i].uses and not cond.arguments[i].uses and set(argument.uses) <= own_use

    keep = [i for i in range(len(op.results)) if not is_dead(i)]
    if len(keep) == len(op.results):
        return
    edit.keep_operands(op, keep)
    edit.keep_operands(terminator, keep)
    edit.keep_results(op, keep)
    for block in (body, cond):
        edit.keep_arguments(block, keep)


class Dce(Pass):
    """Erase ops whose results are not used."""

    name: ClassVar[str] = "dce"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = eliminate_dead_code(function.block)
        context.count("dce", count)
