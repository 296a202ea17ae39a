"""TensorFlow's formats: GraphDef and SavedModel."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING, ClassVar

from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import is_text, suffix_of

if TYPE_CHECKING:
    from mlconv.importers.about import About
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

    def about(self, path: str, request: LoadRequest) -> About:
        from mlconv.importers.tf.saved_model.about import about_saved_model

        return about_saved_model(path, request.tags)

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.loaded import LoadedModel
        from mlconv.importers.tf.saved_model.load import import_saved_model

        cut = request.inputs, request.outputs, request.shapes
        tags = request.tags or None
        module = import_saved_model(path, *cut, request.signature, tags, request.engine, request.keep_node_defs)
        return LoadedModel(module)


GRAPHDEF, SAVED_MODEL = GraphDef(), SavedModel()
