"""External data of ONNX tensors: which file, which bytes, and whether the model may name them.

Source: ONNX docs/ExternalData.md.  A location is a path relative to the model's folder.  Absolute paths, `..` and links
that lead out of the folder are refused, as the model could otherwise read any file of the user.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError

if TYPE_CHECKING:
    from mlconv.ir.constants import SourceFile

_MAX_OFFSET = 1 << 62
Opened = Callable[[Sequence[str]], None]


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExternalRange:
    """Bytes of an external file.  nbytes is None when the model does not state a length."""

    path: str
    offset: int
    nbytes: int | None
    file_bytes: int
    location: str


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class ExternalFiles:
    """The files beside one model; each is checked and opened once.

    folder: the model's.  linked: links may lead out of it, as those of the Hugging Face cache do.  opened: is told of
    each file, before it is read.
    """

    folder: str
    linked: bool = False
    opened: Opened | None = None
    _found: dict[str, tuple[str, int]] = field(default_factory=dict)
    _open: dict[str, SourceFile] = field(default_factory=dict)

    def find(self, entries: Mapping[str, str], tensor: str) -> ExternalRange:
        """The range that a tensor's `external_data` entries name.  Raises ConversionError ExternalDataInvalid."""
        location = entries.get("location", "")
        path, size = self._file(location, tensor)
        offset = _number(entries.get("offset", "0"), "offset", tensor)
        nbytes = _number(entries["length"], "length", tensor) if "length" in entries else None
        if offset + (nbytes or 0) > size:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"external data of '{tensor}' takes bytes {offset} to "
                f"{offset + (nbytes or 0)} of '{location}', which has {size} bytes",
                help="the data file is truncated or belongs to another version of the model",
            )
        return ExternalRange(path, offset, nbytes, size, location)

    def paths(self) -> list[str]:
        """The files that tensors lie in."""
        return [path for path, _ in self._found.values()]

    def source(self, path: str) -> SourceFile:
        """A file that was found, to map constants from."""
        if path not in self._open:
            from mlconv.ir.constants import SourceFile

            self._open[path] = SourceFile(path)
        return self._open[path]

    def _file(self, location: str, tensor: str) -> tuple[str, int]:
        known = self._found.get(location)
        if known is None:
            path = self._checked_path(location, tensor)
            if self.opened is not None:
                self.opened([path])
            known = path, os.path.getsize(path)
            self._found[location] = known
        return known

    def _checked_path(self, location: str, tensor: str) -> str:
        where = f"external data of '{tensor}' lies at '{location}'"
        parts = location.replace("\\", "/").split("/")
        if not location or "\0" in location:
            raise ConversionError(
                Code.ExternalDataInvalid, f"external data of '{tensor}' has an invalid location {location!r}"
            )
        if os.path.isabs(location) or parts[0] == "" or parts[0].endswith(":"):
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{where}: an absolute path is refused, it may lie outside the model's folder",
                help=_KEEP,
            )
        if ".." in parts:
            raise ConversionError(
                Code.ExternalDataInvalid, f"{where}: '../' leads outside the model's folder and is refused", help=_KEEP
            )
        path = os.path.join(self.folder, location)
        try:
            status = os.stat(path)
        except (OSError, ValueError) as error:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{where}, which is not found: the file is missing in '{self.folder}'",
                help="copy the data file beside the model",
            ) from error
        root = os.path.realpath(self.folder)
        if not self.linked and os.path.commonpath([root, os.path.realpath(path)]) != root:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{where}: the link leads outside the model's folder and is refused",
                help=_LINKED,
            )
        if not stat.S_ISREG(status.st_mode):
            raise ConversionError(Code.ExternalDataInvalid, f"{where}, which is not a regular file")
        if status.st_nlink > 1 and not self.linked:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{where}: a hard link may show a file from outside the model's folder and is refused",
                help=_LINKED,
            )
        return path


_KEEP = (
    "keep the data as plain files beside the model (onnx.save_model(..., save_as_external_data=True) writes them so)"
)
_LINKED = f"--allow-linked-data follows links, for models that you trust; or {_KEEP}"


def _number(text: str, what: str, tensor: str) -> int:
    if not (text.isascii() and text.isdigit() and len(text) < 20 and int(text) < _MAX_OFFSET):
        raise ConversionError(
            Code.ExternalDataInvalid, f"external data of '{tensor}' has an invalid {what} {text[:40]!r}"
        )
    return int(text)
