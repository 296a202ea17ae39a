"""Types that a file declares for values inside, beside those that follow from their ops: these count, and where a file
says something else, it is told.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mlconv.diagnostics import Code, ConversionError, Diagnostic, DiagnosticEngine, Severity
from mlconv.ir.core import Op, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import TensorType, Type
from mlconv.rewrite.convert import diagnose

_NAMED = 5


class Declared:
    """Of the ops of a module, as they are replaced."""

    def __init__(self) -> None:
        self.first: Diagnostic | None = None
        self.others: dict[str, None] = {}

    def compare(self, op: Op, values: Sequence[Value]) -> None:
        """The results of a source op, with what replaces them."""
        for old, new in zip(op.results, values, strict=True):
            if are_at_odds(old.type, new.type):
                self._keep(op, old, new)

    def _keep(self, op: Op, old: Value, new: Value) -> None:
        if self.first is not None:
            self.others[old.name] = None
            return
        kind = op.name.partition(".")[2]
        why = f"'{old.name}' is declared {old.type}, and {kind} gives {new.type}"
        help_ = "onnx.shape_inference.infer_shapes on a model without value_info states them anew"
        found = diagnose(op, ConversionError(Code.DeclaredTypeWrong, why, help=help_))
        self.first = replace(found, severity=Severity.WARNING)

    def tell(self, engine: DiagnosticEngine) -> None:
        """One warning, at the first value, that names some others."""
        if self.first is None:
            return
        names, notes = list(self.others), self.first.notes
        if names:
            more = " ..." if len(names) > _NAMED else ""
            notes = (*notes, f"{len(names)} more are declared otherwise: {', '.join(names[:_NAMED])}{more}")
        engine.add(replace(self.first, notes=notes))


def are_at_odds(declared: Type, found: Type) -> bool:
    """Both state an element type, a rank or a size, and another one."""
    if not isinstance(declared, TensorType) or not isinstance(found, TensorType):
        return False
    if DType.UNKNOWN not in (declared.dtype, found.dtype) and declared.dtype is not found.dtype:
        return True
    if declared.shape is None or found.shape is None:
        return False
    if len(declared.shape) != len(found.shape):
        return True
    sizes = zip(declared.shape, found.shape, strict=True)
    return any(isinstance(a, int) and isinstance(b, int) and a != b for a, b in sizes)
