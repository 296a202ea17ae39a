"""Several ops over the integers of one int8 tensor as one table of it, as a pass."""

from __future__ import annotations

from typing import ClassVar

from mlconv.dialects import core
from mlconv.ir.core import walk
from mlconv.ir.module import Function
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import greedy

_ELEMENTWISE = (core.QuantBinary, core.QuantTable, core.Requantize)


class JoinTables(Pass):
    """Elementwise ops over integers that depend on one int8 tensor become one table of it."""

    name: ClassVar[str] = "join-tables"

    def run_on_function(self, function: Function, context: PassContext) -> None:
        if any(isinstance(op, _ELEMENTWISE) for op in walk(function.block)):
            from mlconv.passes.quantized.joined_tables import joined

            greedy(function.block, [joined], context.statistics)
            eliminate_dead_code(function.block)
