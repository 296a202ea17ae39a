"""The message of an ONNX file: binary protobuf, protobuf text format, ONNX text syntax or JSON, to a checked ModelProto
without its weights; nothing here loads numpy.

Source: onnx.proto and docs/IR.md.  Content decides about the format, not the file's suffix.
"""

from __future__ import annotations

import mmap
import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats import wire
from mlconv.formats.files import open_regular
from mlconv.formats.protos import onnx_pb
from mlconv.importers.onnx.fields import text

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import ModelProto, OperatorSetIdProto


OLDEST_OPSET = 1
NEWEST_OPSET = 28
"""Versions of the `ai.onnx` operator set that can be read; a test compares the newest with the onnx package."""

_TENSOR_DATA = frozenset({4, 5, 7, 9, 10, 11})
TABLES = wire.tables(
    wire.MessageTable("ModelProto", {7: "GraphProto", 25: "FunctionProto"}),
    wire.MessageTable("GraphProto", {1: "NodeProto", 5: "TensorProto", 15: "SparseTensorProto"}),
    wire.MessageTable("FunctionProto", {7: "NodeProto", 11: "AttributeProto"}),
    wire.MessageTable("NodeProto", {5: "AttributeProto"}),
    wire.MessageTable(
        "AttributeProto",
        {5: "TensorProto", 6: "GraphProto", 10: "TensorProto", 11: "GraphProto", 22: "SparseTensorProto"},
    ),
    wire.MessageTable("SparseTensorProto", {1: "TensorProto", 2: "TensorProto"}),
    wire.MessageTable("TensorProto", cut=_TENSOR_DATA),
)
"""Messages on the way to tensors, and the fields of TensorProto that hold numbers (onnx.proto)."""

_MAX_TEXT_BYTES = 1 << 30
_TEXT_FIELD = re.compile(
    rb"(ir_version|opset_import|graph|producer_name|producer_version|domain|model_version|doc_string)\s*[:{]"
)


class OnnxMessage(NamedTuple):
    """A model without its large payloads, and where those are."""

    model: ModelProto
    reduced: wire.Reduced
    opsets: dict[str, int]


def read_message(name: str, mapped: Callable[[], mmap.mmap], whole: int = 0) -> OnnxMessage:
    """Read and check the message of a model.  mapped: the bytes of its file, once it is known to be one.  whole: of
    files up to so many bytes payloads are not cut out.  Raises ConversionError InputNotReadable to TextNotUtf8 and
    VersionUnsupported.
    """
    size = _checked_size(name)
    data = mapped()
    head = data[: min(size, 4096)]
    model, reduced = onnx_pb().ModelProto(), wire.Reduced(b"", ())
    if _is_text(head):
        _parse_text(data, size, model, name)
    else:
        reduced = wire.Reduced(data[:], ()) if size <= whole else wire.reduce(data, TABLES, "ModelProto")
        _parse_binary(reduced.proto, model, name)
    if not model.HasField("graph"):
        raise ConversionError(Code.FileDamaged, f"{name} is not an ONNX model, or is invalid: it has no graph")
    return OnnxMessage(model, reduced, checked_opsets(model.opset_import))


def checked_opsets(imports: Iterable[OperatorSetIdProto]) -> dict[str, int]:
    """Operator set versions by domain, `ai.onnx` as the empty domain.  Raises ConversionError VersionUnsupported."""
    opsets: dict[str, int] = {}
    for entry in imports:
        domain = text(entry.domain)
        opsets["" if domain == "ai.onnx" else domain] = int(entry.version)
    version = opsets.get("")
    if version is not None and not OLDEST_OPSET <= version <= NEWEST_OPSET:
        help_ = (
            "convert it with onnx.version_converter.convert_version"
            if version < OLDEST_OPSET
            else "export with an older opset_version"
        )
        raise ConversionError(
            Code.VersionUnsupported,
            f"the model uses opset {version} of ai.onnx; versions {OLDEST_OPSET} to {NEWEST_OPSET} can be read",
            help=help_,
        )
    if not opsets:
        raise ConversionError(Code.VersionUnsupported, "the model names no opset (opset_import is missing or empty)")
    return opsets


def _checked_size(name: str) -> int:
    if os.path.isdir(name):
        raise ConversionError(
            Code.InputNotReadable,
            f"{name} is a directory, not an ONNX file",
            help="give the path of the .onnx file in it",
        )
    try:
        size = os.path.getsize(name)
        with open_regular(name):
            pass
    except (OSError, ValueError) as error:
        raise ConversionError(
            Code.InputNotReadable, f"{name} is not found or cannot be read: no such file or no permission ({error})"
        ) from error
    if size == 0:
        raise ConversionError(Code.FileDamaged, f"{name} is empty")
    return size


def _is_text(head: bytes) -> bool:
    """Printable from the start.  A binary model may begin with a printable field tag (`:` graph, `B` opset_import,
    ...), text does not.
    """
    return b"\0" not in head and head[0] not in b':B"2' and all(b >= 32 or b in b"\t\n\r" for b in head[:16])


def _parse_binary(data: bytes, model: ModelProto, name: str) -> None:
    from google.protobuf.message import DecodeError

    try:
        model.ParseFromString(data)
    except (DecodeError, RuntimeError) as error:
        reason = str(error) or "malformed message"
        raise ConversionError(
            Code.FileDamaged,
            f"cannot parse {name}: it is not an ONNX model, or is truncated or invalid, or nests too deeply ({reason})",
            help="the file is damaged or not an ONNX file; get it again and compare its size",
        ) from error


def _parse_text(mapped: mmap.mmap, size: int, model: ModelProto, name: str) -> None:
    if size > _MAX_TEXT_BYTES:
        raise ConversionError(
            Code.FormatUnknown, f"{name} is a text file of {size} bytes, which is too large for a model in text form"
        )
    data = mapped[:]
    start = data.lstrip()[:4096]
    try:
        content = data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConversionError(
            Code.TextNotUtf8, f"{name} is not an ONNX model: it is text that is not UTF-8 (byte {error.start})"
        ) from error
    if start.startswith(b"<") and b"ir_version" in start:
        _parse_onnx_syntax(content, model, name)
    elif start.startswith(b"{"):
        _parse_json(content, model, name)
    elif start.startswith(b"#") or _TEXT_FIELD.match(start):
        _parse_textproto(content, model, name)
    else:
        raise ConversionError(
            Code.FormatUnknown, f"{name} is not an ONNX model: it is a text file that begins with {start[:40]!r}"
        )


def _parse_textproto(content: str, model: ModelProto, name: str) -> None:
    from google.protobuf import text_format

    try:
        text_format.Parse(content, model)
    except (text_format.ParseError, RecursionError, UnicodeError) as error:
        raise ConversionError(
            Code.FileDamaged, f"cannot parse {name} as an ONNX model in protobuf text format: {str(error)[:200]}"
        ) from error


def _parse_json(content: str, model: ModelProto, name: str) -> None:
    from google.protobuf import json_format

    try:
        json_format.Parse(content, model, max_recursion_depth=wire.MAX_DEPTH)
    except (json_format.ParseError, RecursionError) as error:
        raise ConversionError(
            Code.FileDamaged, f"cannot parse {name} as an ONNX model in JSON form: {str(error)[:200]}"
        ) from error


def _parse_onnx_syntax(content: str, model: ModelProto, name: str) -> None:
    """ONNX's own text syntax (docs/Syntax.md); its parser is part of the onnx package, which this rare format alone
    imports.
    """
    try:
        from onnx import parser
    except ImportError as error:
        raise ConversionError(
            Code.PackageMissing,
            f"{name} is in ONNX text syntax, which needs the onnx package: {error}",
            help="pip install onnx",
        ) from error
    try:
        parsed = parser.parse_model(content)
    except (parser.ParseError, RuntimeError) as error:
        said = error.args[0] if error.args else ""
        text = said.decode("utf-8", "replace") if isinstance(said, bytes) else str(said)
        raise ConversionError(
            Code.FileDamaged, f"cannot parse {name} as ONNX text syntax: {' '.join(text.split())[:200]}"
        ) from error
    model.ParseFromString(parsed.SerializeToString())


def source_facts(path: str, model: ModelProto, opsets: Mapping[str, int]) -> dict[str, object]:
    """Where a model came from."""
    return {
        "path": path,
        "format": "onnx",
        "producer": f"{text(model.producer_name)} {text(model.producer_version)}".strip(),
        "ir_version": int(model.ir_version),
        "opset": opsets.get("", 1),
        "opsets": dict(opsets),
    }
