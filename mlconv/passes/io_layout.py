"""Inputs and outputs handed over channels-last, when the user asks for it.

After the layout pass an image input is used through a transpose to channels-last; with this pass the input itself takes
that shape and the transpose goes.  Outputs likewise.  The function's attribute `io_layout` says which axes went where,
by name, as a transpose of what the source has.
"""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir import facts
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import edit


class IoLayout(Pass):
    """Peel the transposes that bring inputs to channels-last, and outputs from it."""

    name: ClassVar[str] = "io-layout"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        inputs: dict[str, tuple[int, ...]] = {}
        outputs: dict[str, tuple[int, ...]] = {}
        state = function.facts.state  # what goes out must fit what comes in: these keep their shapes
        for value in function.inputs[: len(function.inputs) - len(state)]:
            users = value.users
            shape = value.tensor.shape
            if (
                len(users) == 1
                and isinstance(users[0], core.Transpose)
                and shape is not None
                and users[0].perm == _to_last(len(shape))
            ):
                transposed = users[0].y
                edit.retype(value, transposed.type)
                inputs[value.name] = users[0].perm
                edit.replace_uses(transposed, value)
        terminator, names = function.block.terminator, function.output_names
        for i, value in enumerate(terminator.inputs[: len(terminator.inputs) - len(state)]):
            producer = value.producer
            if isinstance(producer, core.Transpose) and producer.perm == _to_first(len(producer.perm)):
                edit.set_operand(terminator, i, producer.x)
                outputs[names[i]] = _to_last(len(producer.perm))
                edit.rename(producer.x, value.name)
        if inputs or outputs:
            function.facts.io_layout = facts.IoLayout(inputs, outputs)
        eliminate_dead_code(function.block)


def _to_last(rank: int) -> tuple[int, ...]:
    return (0, *range(2, rank), 1)


def _to_first(rank: int) -> tuple[int, ...]:
    return (0, rank - 1, *range(1, rank - 1))
