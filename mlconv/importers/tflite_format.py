"""The format TFLite.

`importers/tflite` and `importers/tf` know nothing of one another; here they come together: Select operators of a file
are nodes of TensorFlow.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import suffix_of

if TYPE_CHECKING:
    from mlconv.importers.about import About
    from mlconv.importers.loaded import LoadedModel
    from mlconv.importers.tf.attributes import Attributes

MAGIC = b"TFL3"


class TfLite(SourceFormat):
    """TFLite flatbuffers."""

    name = "tflite"
    label = "TFLite"
    prefix = "tfl."
    other_prefixes = ("tf.",)
    legalization = "from-tfl"
    takes: ClassVar[frozenset[str]] = CUT | {"signature"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        mark = head[4:8]
        if mark == MAGIC:
            return Confidence.CERTAIN
        if mark[:3] == MAGIC[:3] and suffix_of(path) == ".tflite":
            raise ConversionError(
                Code.FormatUnknown, f"{path} has the file identifier {mark!r}, TFLite files have {MAGIC!r} (TFL3)"
            )
        return Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.loaded import LoadedModel
        from mlconv.importers.tflite.model import read_model

        select_node = partial(_select_node, path, request.keep_node_defs)
        return LoadedModel(read_model(path, request, select_node))

    def about(self, path: str, request: LoadRequest) -> About:
        from mlconv.importers.tflite.about import about_tflite

        return about_tflite(path)

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        from mlconv.importers.tflite.sections import tflite_sections

        return tflite_sections(path)


def _select_node(path: str, keep: bool, message: bytes) -> tuple[str, Attributes]:
    """The op and the attributes of a serialized NodeDef.  Raises ConversionError AttributeInvalid, PackageMissing."""
    from google.protobuf.message import DecodeError

    from mlconv.dialects.tf import find_op
    from mlconv.formats import wire
    from mlconv.formats.protos import tf_pb
    from mlconv.importers.tf.attributes import AttrDecoder
    from mlconv.importers.tf.reader import GraphFile
    from mlconv.ir.constants import SourceFile

    graph = tf_pb("framework.graph_pb2").GraphDef()
    node = graph.node.add()
    try:
        node.ParseFromString(message)
    except DecodeError as error:
        raise ConversionError(Code.AttributeInvalid, f"the NodeDef of a Select operator is damaged: {error}") from error
    decoder = AttrDecoder(GraphFile(graph, wire.Reduced(b"", ()), SourceFile(path)), keep)
    return str(node.op), decoder.decode(node, find_op(node.op))


FORMAT = TfLite()
