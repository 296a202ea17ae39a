"""Dead code elimination: ops whose results nobody uses go, from the end to the start, regions included; loop variables
and branch results too.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.dialects import core
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.core import Block, Op
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext


def eliminate_dead_code(block: Block) -> int:
    """Erase unused ops of a block; returns how many.  Ops without results (terminators) stay."""
    erased = 0
    op = block.last
    while op is not None:
        before = op.prev
        if op.results and not any(v.uses for v in op.results) and not (op.regions and assigned_variables(op)):
            op.erase()
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


def _renumber(op: Op, keep: list[int]) -> None:
    op.results = [op.results[i] for i in keep]
    for i, value in enumerate(op.results):
        value.index = i


def _keep_yields(block: Block, keep: list[int]) -> None:
    terminator = block.terminator
    terminator.set_operands([terminator.operands[i] for i in keep])


def _drop_branch_results(op: core.If) -> None:
    keep = [i for i, v in enumerate(op.results) if v.uses]
    if len(keep) < len(op.results):
        for region in op.regions:
            _keep_yields(region.block, keep)
        _renumber(op, keep)


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
    op.set_operands([op.operands[i] for i in keep])
    _keep_yields(body, keep)
    _renumber(op, keep)
    for block in (body, cond):
        block.arguments = [block.arguments[i] for i in keep]
        for i, value in enumerate(block.arguments):
            value.index = i


@dataclass(frozen=True)
class Dce(Pass):
    """Erase ops whose results are not used."""

    name: ClassVar[str] = "dce"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = eliminate_dead_code(function.block)
        context.count("dce", count)
