"""Control flow whose condition is a constant."""

from __future__ import annotations

from mlconv.dialects import core
from mlconv.dialects.core.state import assigned_variables
from mlconv.ir.core import Block, Value, Yield
from mlconv.passes.patterns.algebra import uniform
from mlconv.rewrite import NoMatch, Rewriter, edit, rewrite
from mlconv.rewrite.pattern import Replacement


def inline_block(block: Block, arguments: list[Value], rw: Rewriter) -> list[Value]:
    """Move the ops of a region's block before the matched op; returns what it yields."""
    for parameter, argument in zip(block.arguments, arguments, strict=True):
        edit.replace_uses(parameter, argument)
    outputs = block.outputs
    for op in block.ops:
        edit.unlink(op)
        if isinstance(op, Yield):
            edit.forget(op)
        else:
            rw.emit(op)
    return outputs


@rewrite(core.If)
def inline_constant_if(op: core.If, rw: Rewriter) -> Replacement | NoMatch:
    """An if with a constant condition is its branch."""
    cond = uniform(op.cond)
    if cond is None:
        return NoMatch("condition is not a constant")
    return inline_block((op.then if cond else op.orelse).block, [], rw)


@rewrite(core.While)
def drop_loop_that_never_runs(op: core.While, rw: Rewriter) -> Replacement | NoMatch:
    """A loop whose condition is false from the start gives its initial values."""
    cond = op.cond.block
    value = cond.outputs[0]
    if uniform(value) == 0.0 and not any(assigned_variables(inner) for inner in cond.ops):
        return list(op.inits)
    return NoMatch("condition is not constantly false")


PATTERNS = (inline_constant_if, drop_loop_that_never_runs)
