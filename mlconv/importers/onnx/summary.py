"""The inputs, outputs, kinds of ops and weights of an ONNX file, from its message alone: no op is made, and numpy is
not loaded.

It says what the importer's module would; of a model that this cannot be said of so simply, nothing.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING

from mlconv.formats.files import map_file
from mlconv.importers.about import About
from mlconv.importers.onnx.external import ExternalFiles
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.message import OnnxMessage, read_message, source_facts
from mlconv.importers.onnx.survey import Survey, UnclearError
from mlconv.importers.onnx.types import type_of
from mlconv.importers.summary import Summary
from mlconv.ir.types import Type

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ModelProto, ValueInfoProto

    from mlconv.importers.format import LoadRequest

_WHOLE = 1 << 25  # bytes of a file whose parsing takes less than cutting it does


def summary_of(path: str, request: LoadRequest) -> Summary | None:
    """None where the importer has to tell: of what is wrong, say.  Raises ConversionError for a file that is
    damaged.
    """
    try:
        message = read_message(path, partial(map_file, path), _WHOLE)
        return _summary(path, message, request)
    except (UnclearError, OSError, ValueError):
        return None


def _summary(path: str, message: OnnxMessage, request: LoadRequest) -> Summary:
    folder = os.path.dirname(os.path.abspath(path))
    external = ExternalFiles(folder, request.linked_data, request.opened)
    graph = message.model.graph
    weights = {t.name for t in graph.initializer}
    inputs, outputs = _types(v for v in graph.input if v.name not in weights), _types(graph.output)
    if not outputs:
        raise UnclearError
    survey = Survey(message, external)
    ops = survey.ops()
    return Summary(
        source_facts(path, message.model, message.opsets),
        inputs,
        outputs,
        ops,
        survey.parameters,
        survey.parameter_bytes,
        external.paths(),
        about(message.model),
    )


def about_onnx(path: str) -> About:
    """Raises ConversionError for a file that cannot be read."""
    return about(read_message(path, partial(map_file, path), _WHOLE).model)


def about(model: ModelProto) -> About:
    """What a model says of itself: `metadata_props` by their keys, and fields that are set."""
    graph = model.graph
    fields = {
        "graph": text(graph.name),
        "domain": text(model.domain),
        "model_version": int(model.model_version),
        "doc_string": text(model.doc_string) or text(graph.doc_string),
        "functions": len(model.functions),
    }
    metadata: dict[str, object] = {name: value for name, value in fields.items() if value}
    metadata.update((text(p.key), text(p.value)) for p in model.metadata_props)
    return {"signatures": [], "metadata": metadata}


def _types(infos: Iterable[ValueInfoProto]) -> list[tuple[str, Type]]:
    found = []
    for info in infos:
        name = text(info.name)
        t = type_of(info.type, name, anonymous=True)
        if t is None:
            raise UnclearError
        found.append((name, t))
    return found
