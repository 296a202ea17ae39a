"""Which format a path holds, by content."""

from __future__ import annotations

import os
import re

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.files import open_regular

_TEXT_ONNX = re.compile(
    rb"^\s*(ir_version|opset_import|producer_name|graph\s*\{\s*(?!node\b.*\bop\b)|graph\s*\{)", re.M
)
_TEXT_GRAPHDEF = re.compile(rb"^\s*(node|library|versions)\s*:?\s*\{", re.M)
_MAGICS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip archive",
    b"\x7fELF": "an ELF object",
    b"%PDF": "a PDF document",
}


def sniff(path: str) -> str:
    """`onnx`, `onnx_text`, `graphdef`, `graphdef_text`, `saved_model`, `hlo` or `tflite`.

    Raises ConversionError MLC0001 when the path cannot be read, MLC0002 when the content is none of these.
    """
    if not os.path.exists(path):
        raise ConversionError(Code.InputNotReadable, f"{path}: not found: no such file or directory")
    if os.path.isdir(path):
        if any(os.path.exists(os.path.join(path, f"saved_model.{s}")) for s in ("pb", "pbtxt")):
            return "saved_model"
        raise ConversionError(
            Code.InputNotReadable, f"{path} is a directory, and not a SavedModel (it holds no saved_model.pb)"
        )
    try:
        with open_regular(path) as f:
            head = f.read(1 << 16)
    except OSError as e:
        raise ConversionError(Code.InputNotReadable, f"{path}: {e.strerror}") from e
    if not head:
        raise ConversionError(Code.FileDamaged, f"{path} is empty")
    return _by_content(path, head)


def _by_content(path: str, head: bytes) -> str:
    suffix = os.path.splitext(path)[1].lower()
    if head[4:8] == b"TFL3":
        return "tflite"
    if head.startswith(b"\x89HDF") or (head.startswith(b"PK\x03\x04") and suffix == ".keras"):
        return "keras"
    for magic, what in _MAGICS.items():
        if head.startswith(magic):
            raise ConversionError(Code.FormatUnknown, f"{path} is {what}, not a GraphDef, SavedModel or ONNX model")
    if _is_text(head):
        if suffix == ".onnx":
            raise ConversionError(
                Code.FormatUnknown,
                f"{path} is a text file, not an ONNX model",
                help="text-format models end in .onnxtxt or .textproto",
            )
        if suffix == ".onnxtxt" or _TEXT_ONNX.search(head):
            return "onnx_text"
        if suffix in (".pbtxt", ".textproto", ".prototxt") or _TEXT_GRAPHDEF.search(head):
            return "graphdef_text"
        raise ConversionError(Code.FormatUnknown, f"{path} is a text file, not a GraphDef, SavedModel or ONNX model")
    if _looks_like_hlo(head):
        return "hlo"
    if suffix == ".onnx":
        return "onnx"
    if suffix == ".pb":
        return "onnx" if _looks_like_onnx(head) else "graphdef"
    return "onnx" if _looks_like_onnx(head) else "graphdef"


def _is_text(head: bytes) -> bool:
    if any(b < 32 and b not in b"\t\n\r\f\v" for b in head[:64]):
        return False  # the tag of a message's first field; a description that follows may be long
    sample = head[:4096]
    printable = sum(32 <= b < 127 or b in (9, 10, 13) for b in sample)
    return (printable >= 0.97 * len(sample) and b"\0" not in sample and b"\n" in sample) or printable == len(sample)


def _looks_like_onnx(head: bytes) -> bool:
    """ModelProto starts with ir_version (field 1, varint) and has no node at field 1 as a GraphDef does (field 1,
    length-delimited).
    """
    return head[0] == 0x08 or (head[0] in (0x12, 0x3A, 0x42) and head[:1] != b"\n")


def _looks_like_hlo(head: bytes) -> bool:
    """HloModuleProto starts with two strings, the names of module and entry computation (fields 1 and 2); a GraphDef
    has messages in field 1.
    """
    return (
        re.match(
            rb"\n(?:[\x01-\x7f]|[\x80-\xff][\x01-\x03])[\w.:<>-]+\x12(?:[\x01-\x7f]|[\x80-\xff][\x01-\x03])[\w.<>-]+",
            head,
        )
        is not None
    )
