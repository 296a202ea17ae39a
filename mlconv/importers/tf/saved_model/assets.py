"""Asset files of a SavedModel, and the tables that are filled from lines of text.

Source: tensorflow/core/protobuf/meta_graph.proto (AssetFileDef), tensorflow/core/kernels/lookup_util.cc
(TextFileLineIterator), io/inputbuffer.cc (ReadLine).
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.files import open_regular
from mlconv.importers.tf.graph import Graph, Node, Port
from mlconv.importers.tf.saved_model.variables import HANDLES, source
from mlconv.ir.constants import Const, Inline
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AssetFileDef


_LINE_NUMBER: Final = -1
_WHOLE_LINE: Final = -2
_INTEGER: Final = re.compile(rb"\s*[+-]?\d+\s*")
_FLOAT: Final = re.compile(
    rb"\s*[+-]?(\d+\.?\d*([eE][+-]?\d+)?|\.\d+([eE][+-]?\d+)?|inf|infinity|nan)\s*", re.IGNORECASE
)
_RANGES: Final = {DType.I32: 1 << 31, DType.I64: 1 << 63}


class Assets:
    """The files of a model's `assets` folder, by the node of the main graph that holds the path."""

    def __init__(self, folder: str, definitions: Iterable[AssetFileDef], graph: Graph) -> None:
        self.folder = os.path.join(folder, "assets")
        self.files: Mapping[str, str] = {d.tensor_info.name.partition(":")[0]: d.filename for d in definitions}
        self.held: dict[Node, Node] = {}  # variables that hold a path: what they are given
        for node in graph.nodes:
            if (
                node.op == "AssignVariableOp"
                and len(node.inputs) == 2
                and source(node.inputs[1]).node.name in self.files
            ):
                self.held[source(node.inputs[0]).node] = source(node.inputs[1]).node

    def path(self, port: Port) -> str | None:
        """The file whose name a value of the main graph is; None where that is no asset.  Raises ConversionError
        ExternalDataInvalid for a file that is not there.
        """
        node = source(port).node
        if node.op == "ReadVariableOp":
            node = source(node.inputs[0]).node
        node = self.held.get(node, node) if node.op in HANDLES else node
        name = self.files.get(node.name)
        return None if name is None else self._checked(name)

    def _checked(self, name: str) -> str:
        path, root = os.path.join(self.folder, name), os.path.realpath(self.folder)
        if not name or "\0" in name or os.path.isabs(name) or ".." in name.replace("\\", "/").split("/"):
            raise ConversionError(
                Code.ExternalDataInvalid, f"asset {name!r} lies outside of the model's folder and is refused"
            )
        if not os.path.isfile(path):
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"asset {name!r} is missing in {self.folder}",
                help="copy the whole folder of the SavedModel",
            )
        if os.path.commonpath([root, os.path.realpath(path)]) != root:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"asset {name!r} is a link that leads outside of the model's folder and is refused",
            )
        return path


def text_table(path: str, node: Node, key_dtype: DType, value_dtype: DType) -> tuple[Const, Const]:
    """Keys and values of InitializeTableFromTextFile.  Raises ConversionError FileDamaged for a line that does not fit,
    ElementTypeUnsupported.
    """
    count, offset = int(node.attrs.get("vocab_size", -1)), int(node.attrs.get("offset", 0))
    wanted = (int(node.attrs["key_index"]), int(node.attrs["value_index"]))
    delimiter = node.attrs.get("delimiter", b"\t")
    separator = delimiter.encode() if isinstance(delimiter, str) else bytes(delimiter)
    if not separator:
        raise ConversionError(Code.AttributeInvalid, f"'{node.name}' has an empty delimiter")
    lines = _lines(path)
    if count >= 0 and len(lines) < count:
        raise ConversionError(Code.FileDamaged, f"asset {path} has {len(lines)} lines, the table takes {count}")
    lines = lines[:count] if count >= 0 else lines
    if b"" in lines:
        raise ConversionError(Code.FileDamaged, f"asset {path} has an empty line, line {lines.index(b'') + 1}")
    rows = lines if max(wanted) < 0 else [line.split(separator) for line in lines]
    return tuple(
        _column(path, lines, rows, index, dtype, offset)
        for index, dtype in zip(wanted, (key_dtype, value_dtype), strict=True)
    )  # type: ignore[return-value]


def _lines(path: str) -> list[bytes]:
    try:
        with open_regular(path) as f:
            data = f.read().replace(b"\r", b"")
    except OSError as e:
        raise ConversionError(Code.ExternalDataInvalid, f"asset {path}: {e.strerror}") from e
    return data.removesuffix(b"\n").split(b"\n") if data else []


def _column(path: str, lines: list[bytes], rows: list[Any], index: int, dtype: DType, offset: int) -> Const:
    if index == _LINE_NUMBER:
        return Inline(np.arange(len(lines), dtype=np.int64) + offset, DType.I64)
    parse = _parser(dtype)
    out: list[Any] = []
    for number, (line, row) in enumerate(zip(lines, rows, strict=True)):
        token = line if index == _WHOLE_LINE else row[index] if index < len(row) else None
        value = None if token is None else parse(token)
        if value is None:
            what = (
                f"fewer than {index + 1} columns" if token is None else f"{token[:40]!r}, which is no {dtype.display}"
            )
            raise ConversionError(Code.FileDamaged, f"asset {path}, line {number + 1}, has {what}")
        if dtype is DType.I32:  # as the kernel does: of the types, int32 alone is moved
            value += offset
            if not -(2**31) <= value < 2**31:
                raise ConversionError(
                    Code.FileDamaged, f"asset {path}, line {number + 1}, has {value} with the offset, which is no int32"
                )
        out.append(value)
    array = np.empty(len(out), object) if dtype is DType.STRING else np.empty(len(out), dtype.numpy)
    array[:] = out
    return Inline(array, dtype)


def _parser(dtype: DType) -> Callable[[bytes], Any]:
    """A function from a token to its value; None for one that is not of the type."""
    if dtype is DType.STRING:
        return lambda token: token
    if dtype in _RANGES:
        limit = _RANGES[dtype]
        return lambda token: int(token) if _INTEGER.fullmatch(token) and -limit <= int(token) < limit else None
    if dtype in (DType.F32, DType.F64):
        return lambda token: float(token) if _FLOAT.fullmatch(token) else None
    raise ConversionError(Code.ElementTypeUnsupported, f"a table of {dtype.display} cannot be read from a text file")
