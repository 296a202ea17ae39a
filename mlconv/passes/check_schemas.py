"""A look at source ops, as they were imported, beside the schemas of the framework that they are of."""

from __future__ import annotations

from dataclasses import replace
from typing import ClassVar

from mlconv.diagnostics import Severity
from mlconv.dialects.source import BROKEN
from mlconv.ir.core import OpaqueOp
from mlconv.ir.module import Module
from mlconv.passes.base import Pass, PassContext
from mlconv.rewrite.convert import diagnose


class CheckSchemas(Pass):
    """Note source ops that their schemas do not allow.  They may be converted all the same, until a rule needs what is
    wrong.
    """

    name: ClassVar[str] = "check-schemas"

    def run(self, module: Module, context: PassContext) -> None:
        for op in module.walk():
            if not isinstance(op, OpaqueOp) or BROKEN in op.attributes:
                continue
            schema = context.dialects.schema(op.name, int(op.attributes.get("opset_version", 0)))
            for misfit in schema.misfits(op) if schema is not None else ():
                context.engine.add(replace(diagnose(op, misfit), severity=Severity.NOTE))
