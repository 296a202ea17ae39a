"""Legalization of HLO: `hlo.*` source ops to core, one function per opcode."""

from __future__ import annotations

import functools
from importlib import import_module

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module
from mlconv.legalize.source import OpTable
from mlconv.rewrite import Rules

_ROOMS = (
    "combine",
    "contract",
    "control",
    "elementwise",
    "floored",
    "index",
    "linalg",
    "random_bits",
    "shape",
    "special",
    "various",
    "windows",
)
"""Files of rules, each with its RULES."""


@functools.cache
def op_table() -> OpTable:
    """The rules of all files."""
    rooms = (import_module(f"{__name__}.{name}") for name in _ROOMS)
    return OpTable("hlo", [room.RULES for room in rooms])


def legalize(module: Module, engine: DiagnosticEngine, more: Rules | None = None) -> None:
    """Replace all `hlo.*` ops of a module by core ops; what cannot be replaced is reported to the engine.  more: rules
    that are asked first.
    """
    conversion = op_table().conversion(engine, lambda op: 0, more=more)
    module.note_kinds("hlo")
    for function in module.functions:
        conversion.run(function.block)
