"""ONNX importer: a model file becomes a module of `onnx.*` source ops."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module


def load(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    engine: DiagnosticEngine | None = None,
    linked_data: bool = False,
) -> Module:
    """Read an ONNX file.  inputs, outputs: names that cut the graph (none: the file's own); shapes: of inputs, -1 keeps a dimension dynamic.

    Raises ConversionError MLC00xx and MLC01xx, with all problems of nodes, names and tensors, which the engine takes.
    """
    from mlconv.importers.onnx.model import import_onnx

    return import_onnx(path, inputs=inputs or None, outputs=outputs or None, shapes=shapes, linked_data=linked_data, engine=engine)
