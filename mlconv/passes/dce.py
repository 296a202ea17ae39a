"""Dead code elimination: ops whose results nobody uses go, from the end to the start, regions included; loop variables
and branch results too.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value, walk
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
    """A loop variable goes when neither its result nor the condition reads it, and the body does for such alone."""
    body, cond = op.body.block, op.cond.block
    keep = _read_variables(op)
    if len(keep) == len(op.results):
        return
    edit.keep_operands(op, keep)
    edit.keep_operands(body.terminator, keep)
    edit.keep_results(op, keep)
    eliminate_dead_code(body)
    for block in (body, cond):
        edit.keep_arguments(block, keep)


def _read_variables(op: core.While) -> list[int]:
    """What something is computed of that is read behind the loop, in its condition, or by an op with an effect."""
    body, cond = op.body.block, op.cond.block
    places = {argument: i for i, argument in enumerate(body.arguments)}
    read = {i for i, v in enumerate(op.results) if v.uses or cond.arguments[i].uses}
    pending = [v for x in body.ops if has_effect(x) for v in _inputs(x)] + [body.outputs[i] for i in read]
    seen = set[Value]()
    while pending:
        value = pending.pop()
        if value in seen:
            continue
        seen.add(value)
        place, producer = places.get(value), value.producer
        if place is not None and place not in read:
            read.add(place)
            pending.append(body.outputs[place])
        if producer is not None and producer.block is body:
            pending += _inputs(producer)
    return sorted(read)


def _inputs(op: Op) -> list[Value]:
    """What an op reads, and the ops in its regions."""
    return [*op.inputs, *(v for region in op.regions for inner in walk(region.block) for v in inner.inputs)]


class Dce(Pass):
    """Erase ops whose results are not used."""

    name: ClassVar[str] = "dce"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        count = eliminate_dead_code(function.block)
        context.count("dce", count)
