"""The format ONNX, binary and text."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, ClassVar

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.format import CUT, Confidence, LoadRequest, SourceFormat
from mlconv.importers.sniff import is_text, suffix_of

if TYPE_CHECKING:
    from mlconv.importers.about import About
    from mlconv.importers.loaded import LoadedModel
    from mlconv.importers.summary import Summary

_TEXT = re.compile(rb"^\s*(ir_version|opset_import|producer_name|graph\s*\{\s*(?!node\b.*\bop\b)|graph\s*\{)", re.M)


def _looks_like_onnx(head: bytes) -> bool:
    """ModelProto starts with ir_version (field 1, varint) and has no node at field 1 as a GraphDef does (field 1,
    length-delimited).
    """
    return head[0] == 0x08 or (head[0] in (0x12, 0x3A, 0x42) and head[:1] != b"\n")


class Onnx(SourceFormat):
    """ONNX models."""

    name = "onnx"
    label = "ONNX"
    prefix = "onnx."
    legalization = "from-onnx"
    needs = "onnx"
    takes: ClassVar[frozenset[str]] = CUT | {"linked_data"}
    keeps_ops = True

    def recognises(self, head: bytes, path: str) -> Confidence:
        suffix = suffix_of(path)
        if not head:
            return Confidence.NO
        if is_text(head):
            if suffix == ".onnx":
                raise ConversionError(
                    Code.FormatUnknown,
                    f"{path} is a text file, not an ONNX model",
                    help="text-format models end in .onnxtxt or .textproto",
                )
            return Confidence.LIKELY if suffix == ".onnxtxt" or _TEXT.search(head) else Confidence.NO
        return Confidence.LIKELY if suffix == ".onnx" or _looks_like_onnx(head) else Confidence.NO

    def load(self, path: str, request: LoadRequest) -> LoadedModel:
        from mlconv.importers.onnx.model import import_onnx

        return import_onnx(
            path,
            inputs=request.inputs or None,
            outputs=request.outputs or None,
            shapes=request.shapes,
            linked_data=request.linked_data,
            engine=request.engine,
            opened=request.opened,
        )

    def summary(self, path: str, request: LoadRequest) -> Summary | None:
        from mlconv.importers.onnx.summary import summary_of

        return summary_of(path, request)

    def about(self, path: str, request: LoadRequest) -> About:
        from mlconv.importers.onnx.summary import about_onnx

        return about_onnx(path)

    def sections(self, path: str, files: Sequence[str]) -> dict[str, int]:
        from mlconv.formats.files import head_of, map_file
        from mlconv.formats.wire_sections import ONNX, WEIGHTS, sections_of

        if is_text(head_of(path)):
            return {}
        found = sections_of(map_file(path), ONNX, "ModelProto")
        beside = sum(os.path.getsize(f) for f in files if not os.path.samefile(f, path))
        return {**found, WEIGHTS: found.get(WEIGHTS, 0) + beside}


FORMAT = Onnx()
