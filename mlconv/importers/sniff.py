"""Which format a path holds, by content: every format is asked."""

from __future__ import annotations

import os
from collections.abc import Iterable

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.formats.files import open_regular
from mlconv.formats.saved_model_folder import MESSAGES
from mlconv.importers.format import Confidence, SourceFormat

HEAD = 1 << 16
_MAGICS = {
    b"\x89PNG": "a PNG image",
    b"\xff\xd8\xff": "a JPEG image",
    b"\x1f\x8b": "a gzip file",
    b"PK\x03\x04": "a zip archive",
    b"\x7fELF": "an ELF object",
    b"%PDF": "a PDF document",
}
_SAVED_MODEL = (b"\x08\x01", b"saved_model_schema_version")
"""How such a message begins: with the version of its schema, which ONNX has long left."""
_KINDS = "not a GraphDef, SavedModel, ONNX or TFLite model"


def _neighbour(path: str) -> str:
    """A question for a file beside it whose name is nearly the same; empty where there is none."""
    folder, name = os.path.split(path)
    try:
        near = nearest(name, sorted(os.listdir(folder or ".")), alike=0.8)
    except OSError:
        return ""
    return f"did you mean {os.path.join(folder, near[0])}?" if near else ""


def recognise(path: str, formats: Iterable[SourceFormat]) -> SourceFormat:
    """The format that is surest of a path; of equals, the first.

    Raises ConversionError InputNotReadable when the path cannot be read, FileDamaged when it is empty, FormatUnknown
    when it is of none.
    """
    if not os.path.exists(path):
        raise ConversionError(
            Code.InputNotReadable, f"{path}: not found: no such file or directory", help=_neighbour(path)
        )
    head = b""
    if not os.path.isdir(path):
        try:
            with open_regular(path) as f:
                head = f.read(HEAD)
        except OSError as e:
            raise ConversionError(Code.InputNotReadable, f"{path}: {e.strerror}") from e
        if not head:
            raise ConversionError(Code.FileDamaged, f"{path} is empty")
    folder, name = os.path.split(path)
    if name in MESSAGES and head.startswith(_SAVED_MODEL):
        raise ConversionError(
            Code.FormatUnknown, f"{path} is a part of a SavedModel", help=f"give its folder, {folder or '.'}"
        )
    best, found = Confidence.NO, None
    for candidate in formats:
        confidence = candidate.recognises(head, path)
        if confidence > best:
            best, found = confidence, candidate
    if best is not Confidence.CERTAIN:
        _refuse_known(path, head)
    if found is None:
        raise ConversionError(Code.FormatUnknown, f"{path} is a text file, {_KINDS}")
    return found


def _refuse_known(path: str, head: bytes) -> None:
    """Raises ConversionError for what is plainly something else."""
    if not head:
        raise ConversionError(
            Code.InputNotReadable, f"{path} is a directory, and not a SavedModel (it holds no saved_model.pb)"
        )
    for magic, what in _MAGICS.items():
        if head.startswith(magic):
            raise ConversionError(Code.FormatUnknown, f"{path} is {what}, {_KINDS}")


def is_text(head: bytes) -> bool:
    """The file begins with nothing but text."""
    if not head or any(b < 32 and b not in b"\t\n\r\f\v" for b in head[:64]):
        return False  # the tag of a message's first field; a description that follows may be long
    sample = head[:4096]
    printable = sum(32 <= b < 127 or b in (9, 10, 13) for b in sample)
    return (printable >= 0.97 * len(sample) and b"\0" not in sample and b"\n" in sample) or printable == len(sample)


def suffix_of(path: str) -> str:
    """The end of a file's name, in small letters."""
    return os.path.splitext(path)[1].lower()
