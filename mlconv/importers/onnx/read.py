"""An ONNX file as the importer reads it: its message, and the tensors in it and beside it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlconv.importers.onnx.external import ExternalFiles, Opened
from mlconv.importers.onnx.message import read_message
from mlconv.importers.onnx.tensors import TensorReader
from mlconv.ir.constants import SourceFile

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ModelProto


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class OnnxFile:
    """A model that was read: the message without large payloads, and the reader that finds those again."""

    path: str
    model: ModelProto
    tensors: TensorReader
    opset: int
    opsets: dict[str, int]


def read_model(path: str | os.PathLike[str], linked_data: bool = False, opened: Opened | None = None) -> OnnxFile:
    """Read and check the frame of a model.  opened: is told of files of external data.  Raises ConversionError
    InputNotReadable to TextNotUtf8 and VersionUnsupported.
    """
    name = os.fspath(path)
    file = SourceFile(name)
    model, reduced, opsets = read_message(name, file.map)
    external = ExternalFiles(os.path.dirname(os.path.abspath(name)), linked_data, opened)
    return OnnxFile(name, model, TensorReader(file, reduced, external), opsets.get("", 1), opsets)
