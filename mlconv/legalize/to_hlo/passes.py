"""Core to HLO as a pass."""

from __future__ import annotations

from typing import ClassVar

from mlconv.ir.module import Module
from mlconv.legalize.to_hlo.driver import legalize
from mlconv.passes.base import Pass, PassContext


class ToHlo(Pass):
    """Core ops to HLO instructions."""

    name: ClassVar[str] = "to-hlo"

    def run(self, module: Module, context: PassContext) -> None:
        legalize(module, context.engine, context.rules_for(self.name))
        context.engine.raise_errors()
