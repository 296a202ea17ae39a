"""Legalization of HLO: `hlo.*` source ops to core, one function per opcode."""

from __future__ import annotations

import functools

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module
from mlconv.legalize.source import OpTable


@functools.cache
def op_table() -> OpTable:
    """The rules of all files."""
    from mlconv.legalize.from_hlo import combine, contract, control, elementwise, index, shape, various, windows

    rooms = (combine, contract, control, elementwise, index, shape, various, windows)
    return OpTable("hlo", [room.RULES for room in rooms])


def legalize(module: Module, engine: DiagnosticEngine) -> None:
    """Replace all `hlo.*` ops of a module by core ops; what cannot be replaced is reported to the engine."""
    conversion = op_table().conversion(engine, lambda op: 0)
    for function in module.functions:
        conversion.run(function.block)
