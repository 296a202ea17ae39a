"""TensorFlow's formats: GraphDef, SavedModel, and Keras files by way of a SavedModel."""

from __future__ import annotations

import os
import re
from dataclasses import replace
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, Diagnostic, Severity
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import is_text, suffix_of

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel

_TEXT = re.compile(rb"^\s*(node|library|versions)\s*:?\s*\{", re.M)
_TEXT_SUFFIXES = (".pbtxt", ".textproto", ".prototxt")


class GraphDef(SourceFormat):
    """Frozen graphs, binary or text."""

    name = "graphdef"
    label = "GraphDef"
    prefix = "tf."
    legalization = "from-tf"
    needs = "tensorflow"
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        if not head:
            return Confidence.NO
        if is_text(head):
            is_graph = suffix_of(path) in _TEXT_SUFFIXES or _TEXT.search(head)
            return Confidence.LIKELY if is_graph else Confidence.NO
        return Confidence.FALLBACK

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.loaded import LoadedModel
        from mlconv.importers.tf.model import import_graph_def

        cut = request.inputs, request.outputs, request.shapes
        return LoadedModel(import_graph_def(path, *cut, request.engine, request.keep_node_defs))


class SavedModel(SourceFormat):
    """Folders with a saved_model.pb."""

    name = "saved_model"
    label = "SavedModel"
    prefix = "tf."
    legalization = "from-tf"
    needs = "tensorflow"
    takes: ClassVar[frozenset[str]] = CUT | {"signature", "tags"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        held = (os.path.join(path, f"saved_model.{suffix}") for suffix in ("pb", "pbtxt"))
        return Confidence.CERTAIN if os.path.isdir(path) and any(map(os.path.exists, held)) else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.loaded import LoadedModel
        from mlconv.importers.tf.saved_model.load import import_saved_model

        cut = request.inputs, request.outputs, request.shapes
        tags = request.tags or None
        module = import_saved_model(path, *cut, request.signature, tags, request.engine, request.keep_node_defs)
        return LoadedModel(module)


class Keras(SourceFormat):
    """Files of Keras, which a process of its own loads and writes as a SavedModel."""

    name = "keras"
    label = "Keras"
    prefix = "tf."
    legalization = "from-tf"
    needs = "tensorflow"
    takes: ClassVar[frozenset[str]] = SavedModel.takes | {"imports", "unsafe_keras"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        is_zip = head.startswith(b"PK\x03\x04") and suffix_of(path) == ".keras"
        return Confidence.CERTAIN if head.startswith(b"\x89HDF") or is_zip else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.keras import to_saved_model

        request.opened(name.replace(".", os.sep) + ".py" for name in request.imports)
        message = (
            f"{os.path.basename(path)} is a Keras file: loaded with "
            f"your Keras in a separate process, which takes some seconds"
        )
        request.engine.add(Diagnostic(Code.VariantUnsupported, message, Severity.NOTE))
        folder = to_saved_model(path, request.imports, request.unsafe_keras)
        loaded = SAVED_MODEL.load(folder.name, replace(request, imports=(), unsafe_keras=False))
        loaded.resources = (folder,)
        loaded.source["path"] = path
        return loaded


GRAPHDEF, SAVED_MODEL, KERAS = GraphDef(), SavedModel(), Keras()
