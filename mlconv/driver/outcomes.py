"""What became of quantized layers on a target."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.exporters.target import Target
from mlconv.ir.module import Module
from mlconv.quantize.outcome import Row, computes_floats, tell_outcome
from mlconv.quantize.report import FLOAT


def tell_layers(rows: Sequence[Row], module: Module, target: Target, lowered: bool) -> None:
    """Tell layers whether they compute with floats, as soon as that can be seen.  lowered: the module has the target's
    ops; else core ops, behind quantization and what follows it.
    """
    lacks = f"{target.name} has no form of it over integers"
    if target.computes_quantized:
        if lowered is target.tells_floats:
            tell_outcome(rows, module.walk(), target.computes_floats if lowered else computes_floats, lacks)
    elif not target.keeps_stored_weights:  # else its files have the integers, and floats between borders
        for row in rows:
            if row.scheme:
                row.layer.scheme, row.layer.reason = FLOAT, lacks


def refuse_floats(rows: Sequence[Row], target: str, engine: DiagnosticEngine) -> None:
    """An error for each layer that computes with floats."""
    for row in rows:
        if row.layer.scheme == FLOAT:
            text = f"{row.layer.op} computes with floats on {target}: {row.layer.reason}"
            engine.error(ConversionError(Code.FloatsLeft, text), row.place, row.layer.node, row.layer.op)
