"""TensorFlow's formats: GraphDef and SavedModel."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from mlconv.formats.saved_model_folder import holds_saved_model
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
    other_prefixes = ("hlo.",)
    legalization = "from-tf"
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

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        return _sections(path, "GraphDef")


def _sections(path: str, root: str) -> dict[str, int]:
    from mlconv.formats.files import head_of, map_file
    from mlconv.formats.wire_sections import TENSORFLOW, sections_of

    return {"text": os.path.getsize(path)} if is_text(head_of(path)) else sections_of(map_file(path), TENSORFLOW, root)


class SavedModel(SourceFormat):
    """Folders with a saved_model.pb."""

    name = "saved_model"
    label = "SavedModel"
    prefix = "tf."
    other_prefixes = ("hlo.",)
    legalization = "from-tf"
    takes: ClassVar[frozenset[str]] = CUT | {"signature", "tags"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        return Confidence.CERTAIN if holds_saved_model(path) else Confidence.NO

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

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        """Files of variables are weights, an index of them metadata; whatever else lies in the folder is called after
        its folder.
        """
        found: Counter[str] = Counter()
        for file in files:
            name = os.path.relpath(file, path)
            if name == "saved_model.pb":
                found.update(_sections(file, "SavedModel"))
                continue
            top = name.split(os.sep)[0]
            weights = top == "variables" and ".data-" in name
            kind = "weights" if weights else {"variables": "metadata"}.get(top, top if os.sep in name else "metadata")
            found[kind] += os.path.getsize(file)
        return dict(found)


GRAPHDEF, SAVED_MODEL = GraphDef(), SavedModel()
