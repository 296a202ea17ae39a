"""Variables that only ever take the value that they have, as those of layers whose training is off: they are constants.

jax hands all variables of a model in and out, and Keras with jax assigns what comes out.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Value, walk
from mlconv.ir.module import Function, Module
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite import edit

_PASSING = (core.Reshape, core.Cast)


class UnchangedVariables(Pass):
    """Put initial values in the place of variables that nothing changes, in any of the functions that share them."""

    name: ClassVar[str] = "unchanged-variables"

    def run(self, module: Module, context: PassContext) -> None:
        changed = {
            op.variable
            for function in module.functions
            for op in walk(function.block)
            if isinstance(op, core.AssignVariable) and not _holds(op.x, op.variable)
        }
        for function in module.functions:
            context.count(self.name, _without(function, changed))


def _without(function: Function, changed: set[str]) -> int:
    """Take variables out of a function; returns how many."""
    same = {name: initial for name, initial in function.facts.variables.items() if name not in changed}
    if not same:
        return 0
    for op in [*walk(function.block)]:
        if not isinstance(op, (core.AssignVariable, core.ReadVariable)) or op.variable not in same:
            continue
        if isinstance(op, core.ReadVariable) and op.block is not None:
            builder = Builder(op.block, op.location or function.location, op)
            edit.replace_uses(op.y, builder.emit(core.Constant(value=same[op.variable])).y)
        edit.erase(op)
    function.facts.variables = {k: v for k, v in function.facts.variables.items() if k not in same}
    return len(same)


def _holds(value: Value, variable: str) -> bool:
    """The value is what a variable holds, in its own type."""
    made = value.producer
    while isinstance(made, _PASSING) and made.x.type == made.y.type:
        made = made.x.producer
    return isinstance(made, core.ReadVariable) and made.variable == variable
