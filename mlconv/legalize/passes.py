"""Legalizations of sources as passes."""

from __future__ import annotations

from dataclasses import dataclass
from importlib import import_module
from typing import ClassVar

from mlconv.ir.module import Module
from mlconv.legalize.pass_through import keep_rule
from mlconv.legalize.source import Keep
from mlconv.passes.base import Pass, PassContext
from mlconv.passes.dce import eliminate_dead_code
from mlconv.rewrite import Rules


@dataclass(frozen=True, eq=False, repr=False)
class _FromSource(Pass):
    """Source ops to core ops.  room: of `mlconv.legalize`."""

    room: ClassVar[str]
    allow_custom_ops: bool = False
    allow_select_ops: bool = False
    foreign: str = ""

    def run(self, module: Module, context: PassContext) -> None:
        keep = keep_rule(self.allow_custom_ops, self.allow_select_ops)
        rules = Rules.merged([self._foreign(module), context.rules_for(self.name)])
        self._legalize(module, context, keep, rules)
        context.engine.raise_errors()
        for function in module.functions:
            eliminate_dead_code(function.block)

    def _legalize(self, module: Module, context: PassContext, keep: Keep | None, rules: Rules) -> None:
        import_module(f"mlconv.legalize.{self.room}").legalize(module, context.engine, keep, rules)

    def _foreign(self, module: Module) -> Rules:
        """Rules of the ops that C functions compute."""
        if not self.foreign:
            return Rules()
        from mlconv.legalize.foreign import foreign_rules, from_text

        return foreign_rules(from_text(self.foreign), module)


class FromOnnx(_FromSource):
    """ONNX operators to core ops.  allow_custom_ops: what has no meaning in core is kept, for TFLite's custom ops.
    foreign: ops that C functions compute, as JSON.
    """

    name: ClassVar[str] = "from-onnx"
    room: ClassVar[str] = "from_onnx"


class FromTf(_FromSource):
    """TensorFlow ops to core ops, and those of modules of StableHLO that they call.  allow_custom_ops,
    allow_select_ops: what has no meaning in core is kept, for custom ops of TFLite or for TensorFlow's delegate.
    foreign: ops that C functions compute, as JSON.
    """

    name: ClassVar[str] = "from-tf"
    room: ClassVar[str] = "from_tf"

    def _legalize(self, module: Module, context: PassContext, keep: Keep | None, rules: Rules) -> None:
        from mlconv.legalize.from_tf import legalize

        hlo = None
        if any(op.name.startswith("hlo.") for op in module.walk()):
            from mlconv.legalize.from_hlo import op_table

            hlo = op_table()
        legalize(module, context.engine, keep, rules, hlo)


class FromTfl(_FromSource):
    """TFLite operators to core ops.  allow_custom_ops: custom operators, and what has no meaning in core, are kept.
    foreign: ops that C functions compute, as JSON.
    """

    name: ClassVar[str] = "from-tfl"
    room: ClassVar[str] = "from_tfl"

    def _legalize(self, module: Module, context: PassContext, keep: Keep | None, rules: Rules) -> None:
        from mlconv.legalize.from_hlo import op_table as hlo
        from mlconv.legalize.from_tf import op_table as tensorflow
        from mlconv.legalize.from_tfl import legalize

        legalize(module, context.engine, keep, rules, tensorflow(), hlo())


class FromHlo(Pass):
    """HLO instructions to core ops."""

    name: ClassVar[str] = "from-hlo"

    def run(self, module: Module, context: PassContext) -> None:
        from mlconv.legalize.from_hlo import legalize

        legalize(module, context.engine, context.rules_for(self.name))
        context.engine.raise_errors()
        for function in module.functions:
            eliminate_dead_code(function.block)
