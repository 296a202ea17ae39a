"""ONNX importer: a model file becomes a module of `onnx.*` source ops."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence

from mlconv.diagnostics import DiagnosticEngine
from mlconv.ir.module import Module


def load(
    path: str | os.PathLike[str],
    inputs: Sequence[str] | None = None,
    outputs: Sequence[str] | None = None,
    shapes: Mapping[str, Sequence[int | str]] | None = None,
    engine: DiagnosticEngine | None = None,
    linked_data: bool = False,
    opened: Callable[[Sequence[str]], None] | None = None,
) -> Module:
    """Read an ONNX file.  inputs, outputs: names that cut the graph (none: the file's own); shapes: of inputs, -1 keeps
    a dimension dynamic.
    opened: is told of each file of external data, before it is read.

    Raises ConversionError MLC00xx and MLC01xx, with all problems of nodes, names and tensors, which the engine takes.
    """
    from mlconv.importers.onnx.model import import_onnx

    cut = {"inputs": inputs or None, "outputs": outputs or None}
    return import_onnx(path, **cut, shapes=shapes, linked_data=linked_data, engine=engine, opened=opened)
