"""The format TFLite."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import suffix_of

if TYPE_CHECKING:
    from mlconv.importers.loaded import LoadedModel

MAGIC = b"TFL3"


class TfLite(SourceFormat):
    """TFLite flatbuffers."""

    name = "tflite"
    label = "TFLite"
    prefix = "tfl."
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

        return LoadedModel(read_model(path, request))


FORMAT = TfLite()
