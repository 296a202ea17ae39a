"""Legalization of TFLite: `tfl.*` ops to core, one function per builtin.

Many builtins are TensorFlow ops by other names: their rules are those of TensorFlow, which the caller gives.
"""

from __future__ import annotations

import functools
from importlib import import_module

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module
from mlconv.legalize.from_tfl.node import TflConversion
from mlconv.legalize.source import Keep, OpTable
from mlconv.rewrite import Rules

_ROOMS = (
    "combining",
    "control",
    "custom",
    "elementwise",
    "image",
    "index",
    "lstm",
    "products",
    "quant",
    "recurrent",
    "reduce",
    "shape",
    "stablehlo",
    "window",
)
"""Files of rules, each with its RULES."""


@functools.cache
def op_table() -> OpTable:
    """The rules of all files."""
    rooms = (import_module(f"{__name__}.{name}") for name in _ROOMS)
    return OpTable("tfl", [room.RULES for room in rooms])


def legalize(
    module: Module,
    engine: DiagnosticEngine,
    keep: Keep | None,
    more: Rules | None,
    tensorflow: OpTable,
    hlo: OpTable,
) -> None:
    """Replace all `tfl.*` ops of a module by core ops; what cannot be replaced is reported to the engine, or passes
    through where `keep` says so.  more: rules that are asked first.  tensorflow, hlo: rules of the ops that builtins
    are by other names.
    """
    conversion = TflConversion(op_table(), engine, keep, more or Rules(), tensorflow, hlo)
    module.note_kinds("tfl")
    for function in module.functions:
        conversion.run(function.block)
