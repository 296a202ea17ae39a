"""Legalization of HLO: `hlo.*` source ops to core, one function per opcode."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.ir.core import Value
from mlconv.ir.module import Module
from mlconv.legalize.source import Family, Handler, OpTable, SourceNode


@functools.cache
def op_table() -> OpTable:
    """The handlers of all families."""
    from mlconv.legalize.from_hlo import combine, contract, control, elementwise, index, shape, various, windows

    guarded = Family("hlo")
    for room in (combine, contract, control, elementwise, index, shape, various, windows):
        for name, since, until, handler in room.FAMILY.entries:
            guarded.add(name, _guarded(handler), since, until)
    return OpTable("hlo", [guarded])


def _guarded(handler: Handler) -> Handler:
    """Numbers of the file that do not fit one another (an axis of another rank, lists of different lengths) are an
    error of the file.
    """

    def run(n: SourceNode) -> Value | Sequence[Value]:
        try:
            return handler(n)
        except (IndexError, KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            raise ConversionError(
                Code.AttributeInvalid, f"the attributes of {n.kind} do not fit its operands: {error}"
            ) from error

    return run


def legalize(module: Module, engine: DiagnosticEngine) -> None:
    """Replace all `hlo.*` ops of a module by core ops; what cannot be replaced is reported to the engine."""
    conversion = op_table().conversion(engine, lambda op: 0)
    for function in module.functions:
        conversion.run(function.block)
