"""GraphDef importer: a frozen TensorFlow graph becomes a module of `tf.*` source ops."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from mlconv.diagnostics import DiagnosticEngine
    from mlconv.ir.module import Module

__all__ = ["load", "load_saved_model"]


def load(
    path: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    shapes: Mapping[str, Sequence[int | str | None]] | None = None,
    engine: DiagnosticEngine | None = None,
    keep_node_defs: bool = False,
) -> Module:
    """Import a GraphDef, binary or text; see `model.import_graph_def`.  Problems go to `engine` where they need not end
    the run.
    """
    from mlconv.importers.tf.model import import_graph_def

    return import_graph_def(path, inputs, outputs, shapes, engine, keep_node_defs)


def load_saved_model(
    path: str,
    inputs: Sequence[str] = (),
    outputs: Sequence[str] = (),
    shapes: Mapping[str, Sequence[int | str | None]] | None = None,
    signature: str | None = None,
    tags: Sequence[str] | None = None,
    engine: DiagnosticEngine | None = None,
    keep_node_defs: bool = False,
) -> Module:
    """Import a SavedModel folder; see `saved_model.load.import_saved_model`."""
    from mlconv.importers.tf.saved_model.load import import_saved_model

    return import_saved_model(path, inputs, outputs, shapes, signature, tags, engine, keep_node_defs)
