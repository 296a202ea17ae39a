"""Strings at the ends of functions, for targets that have none."""

from __future__ import annotations

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.types import TensorType


def refuses_strings(function: Function, engine: DiagnosticEngine, target: str) -> bool:
    """Whether an input or output is of strings: each becomes an error TargetLacksType."""
    rest = [name for name, value in zip(function.output_names, function.outputs, strict=False) if not _is_string(value)]
    leave_out = (
        f"leave it out with --outputs {','.join(rest)}" if rest else "let the model end before it with --outputs"
    )
    given = [(value.name, value, "input", "let the model begin behind it with --inputs") for value in function.inputs]
    made = [
        (name, value, "output", leave_out) for name, value in zip(function.output_names, function.outputs, strict=False)
    ]
    found = [end for end in (*given, *made) if _is_string(end[1])]
    for name, value, kind, help_ in found:
        error = ConversionError(
            Code.TargetLacksType, f"{kind} {name} is {value.type}: {target} has no strings", help=help_
        )
        engine.add(error.with_context(function.location, name, kind))
    return bool(found)


def _is_string(value: Value) -> bool:
    return isinstance(value.type, TensorType) and value.type.dtype is DType.STRING
