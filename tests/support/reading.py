"""Model files to source ops."""

from __future__ import annotations

from mlconv.diagnostics import DiagnosticEngine
from mlconv.importers.format import LoadRequest
from mlconv.importers.tf.format import GRAPHDEF
from mlconv.ir.module import Module


def read_graph(path: str, engine: DiagnosticEngine | None = None) -> Module:
    """A GraphDef as it is."""
    return GRAPHDEF.load(path, LoadRequest(engine or DiagnosticEngine())).module
