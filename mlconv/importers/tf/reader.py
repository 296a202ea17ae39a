"""Reading a GraphDef file, binary or text, without parsing its weights."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats import wire
from mlconv.formats.files import open_regular
from mlconv.formats.protos import tf_pb
from mlconv.ir.constants import SourceFile

if TYPE_CHECKING:
    from google.protobuf.message import Message

    from mlconv.formats.graph_messages import GraphDef

MAX_TEXT_BYTES: Final = 1 << 30
_SNIFF_BYTES: Final = 4096

# What a file that is no GraphDef most often is, by its first bytes.
_MAGIC: Final = (
    (b"\x89PNG", "a PNG image"),
    (b"\xff\xd8\xff", "a JPEG image"),
    (b"GIF8", "a GIF image"),
    (b"PK\x03\x04", "a zip archive"),
    (b"\x1f\x8b", "a gzip archive"),
    (b"\x89HDF", "an HDF5 (Keras) file"),
    (b"%PDF", "a PDF document"),
    (b"\x7fELF", "an ELF binary"),
)
_TEXT_START = re.compile(rb"(?:\s|#[^\n]*(?:\n|$))*(?:(?:node|library|versions|debug_info)\s*[{:<\[]|version\s*:)")


@dataclass(frozen=True, slots=True)
class GraphFile:
    """A parsed GraphDef, and where its large payloads are."""

    proto: GraphDef
    reduced: wire.Reduced
    file: SourceFile


def looks_like_text(head: bytes) -> bool:
    """True if the first bytes of a file begin a GraphDef in protobuf's text format; comments may come first."""
    return _TEXT_START.match(head.removeprefix(b"\xef\xbb\xbf")) is not None


def read_graph_def(path: str | os.PathLike[str]) -> GraphFile:
    """Read `path` (.pb or .pbtxt, told apart by content).

    Raises ConversionError: InputNotReadable (unreadable), FormatUnknown (another format), FileDamaged (damaged),
    TextNotUtf8 (a name is not UTF-8).
    """
    try:
        size = os.path.getsize(path)
        with open_regular(path) as f:
            head = f.read(_SNIFF_BYTES)
    except OSError as e:
        raise ConversionError(Code.InputNotReadable, f"cannot read {os.fspath(path)}: {e.strerror}") from e
    if size == 0:
        raise ConversionError(
            Code.FileDamaged, f"{os.fspath(path)} is empty: a GraphDef with no nodes has nothing to convert"
        )
    for magic, name in _MAGIC:
        if head.startswith(magic):
            raise ConversionError(Code.FormatUnknown, f"{os.fspath(path)} is not a GraphDef: it is {name}")
    return _read_text(path, size) if looks_like_text(head) else _read_binary(path)


def _read_binary(path: str | os.PathLike[str]) -> GraphFile:
    from google.protobuf.message import DecodeError

    file = SourceFile(path)
    reduced = wire.reduce(file.map(), wire.TENSORFLOW, "GraphDef")
    proto = tf_pb("framework.graph_pb2").GraphDef()
    try:
        proto.ParseFromString(reduced.proto)
    except DecodeError as e:
        bad = _bad_text(reduced.proto)
        if bad:
            raise ConversionError(Code.TextNotUtf8, bad) from e
        raise ConversionError(
            Code.FileDamaged, f"cannot parse {os.fspath(path)} as a GraphDef: it is damaged, truncated or invalid ({e})"
        ) from e
    if not proto.node:
        raise ConversionError(
            Code.FormatUnknown, f"{os.fspath(path)} is not a GraphDef with nodes: it parses, but has no nodes"
        )
    return GraphFile(proto, reduced, file)


def _read_text(path: str | os.PathLike[str], size: int) -> GraphFile:
    from google.protobuf import text_format

    if size > MAX_TEXT_BYTES:
        raise ConversionError(
            Code.TensorTooLarge,
            f"{os.fspath(path)} is too large for a text file: {size} bytes, at most {MAX_TEXT_BYTES}",
        )
    with open_regular(path) as f:
        data = f.read().removeprefix(b"\xef\xbb\xbf")
    try:
        text = data.decode()
    except UnicodeDecodeError as e:
        line = data.count(b"\n", 0, e.start) + 1
        raise ConversionError(Code.TextNotUtf8, f"{os.fspath(path)}, line {line}: text is not UTF-8") from e
    proto = tf_pb("framework.graph_pb2").GraphDef()
    try:
        text_format.Parse(text, proto)
    except text_format.ParseError as e:
        line = e.GetLine() or text.count("\n") + 1
        reason = re.sub(r"^\d+:\d+ : ", "", str(e)).strip()
        message = (
            f"cannot parse {os.fspath(path)}, line {line}, column "
            f"{e.GetColumn() or 1}: {reason or 'the text ends early'}"
        )
        raise ConversionError(Code.FileDamaged, message) from e
    except (RecursionError, UnicodeDecodeError) as e:
        raise ConversionError(Code.NestedTooDeeply, f"cannot parse {os.fspath(path)}: the text nests too deeply") from e
    if not proto.node:
        raise ConversionError(Code.FileDamaged, f"{os.fspath(path)} is a GraphDef with no nodes")
    return GraphFile(proto, wire.Reduced(b"", ()), SourceFile(path))


def _bad_text(data: bytes) -> str:
    """Says which string of which node is not UTF-8; "" if none is (or the bytes are damaged otherwise)."""
    for index, node in enumerate(_fields(data, 1)):
        for number, label in ((1, "name"), (2, "op"), (3, "input"), (4, "device")):
            for value in _fields(node, number):
                try:
                    value.decode()
                except UnicodeDecodeError:
                    return f"cannot parse the file: node {index}: its {label} {value[:64]!r} is invalid UTF-8"
    return ""


def _fields(data: bytes, wanted: int) -> list[bytes]:
    """Contents of the length-delimited fields `wanted` of a message; what cannot be read ends the list."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        tag, at = _varint(data, at)
        if tag & 7 == 0:
            _, at = _varint(data, at)
        elif tag & 7 in (1, 5):
            at += 8 if tag & 7 == 1 else 4
        elif tag & 7 == 2:
            size, at = _varint(data, at)
            if tag >> 3 == wanted:
                found.append(data[at : at + size])
            at += size
        else:
            break
    return found


def _varint(data: bytes, at: int) -> tuple[int, int]:
    value = 0
    for shift in range(0, 70, 7):
        if at >= len(data):
            break
        value |= (data[at] & 127) << shift
        at += 1
        if data[at - 1] < 128:
            break
    return value, at


def message_payloads(message: Message, graph: GraphFile) -> dict[int, wire.Payload]:
    """Byte ranges that were cut out of a message, by field number."""
    return wire.payloads_of(message, graph.reduced)
