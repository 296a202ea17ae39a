"""Core to TensorFlow's ops as a pass."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from mlconv.ir.module import Module
from mlconv.passes.base import Pass, PassContext


@dataclass(frozen=True, eq=False, repr=False)
class ToTf(Pass):
    """Core ops to ops of TensorFlow."""

    name: ClassVar[str] = "to-tf"

    def run(self, module: Module, context: PassContext) -> None:
        from mlconv.legalize.to_tf.driver import legalize

        legalize(module, context.engine, context.rules_for(self.name))
        context.engine.raise_errors()
