"""Tables of safetensors files: names, element types and places of tensors.

Layout: uint64 little-endian length of the header, the header (JSON: name to dtype, shape, data_offsets), then the data
in order, without gaps.  Source: https://github.com/huggingface/safetensors, "Format".
"""

from __future__ import annotations

import json
import os
import struct
from collections.abc import Mapping
from typing import Any, NamedTuple, TypeGuard

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.files import open_regular

KINDS = {
    "F64": "f64",
    "F32": "f32",
    "F16": "f16",
    "BF16": "bf16",
    "I64": "i64",
    "I32": "i32",
    "I16": "i16",
    "I8": "i8",
    "U64": "ui64",
    "U32": "ui32",
    "U16": "ui16",
    "U8": "ui8",
    "BOOL": "i1",
    "F8_E4M3": "f8E4M3FN",
    "F8_E5M2": "f8E5M2",
    "C64": "complex<f32>",
}
"""Element types of the format, and their names in MLIR."""
_HEADER_LIMIT = 100_000_000
_ALIGNMENT = 8


class Described(NamedTuple):
    """A tensor that is going to be written: its element type by the format's name."""

    kind: str
    shape: tuple[int, ...]
    nbytes: int


def head_of(tensors: Mapping[str, Described], metadata: Mapping[str, str] | None = None) -> bytes:
    """What stands in front of the data of tensors, which follow in order."""
    table: dict[str, object] = {} if metadata is None else {"__metadata__": dict(metadata)}
    end = 0
    for name, (kind, shape, nbytes) in tensors.items():
        table[name] = {"dtype": kind, "shape": list(shape), "data_offsets": [end, end + nbytes]}
        end += nbytes
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % _ALIGNMENT)
    return struct.pack("<Q", len(header)) + header


class Entry(NamedTuple):
    """A tensor: its element type by MLIR's name, and the bytes of the file that hold it, from `begin` on."""

    kind: str
    shape: tuple[int, ...]
    begin: int
    nbytes: int


class Tensors:
    """The table of a file.  Raises ConversionError ExternalDataInvalid (not there), FileDamaged (not of the format)."""

    def __init__(self, path: str) -> None:
        self.path = path
        try:
            self.size = os.path.getsize(path)
            with open_regular(path) as f:
                head = f.read(8)
                length = struct.unpack("<Q", head)[0] if len(head) == 8 else -1
                if not 0 <= length <= min(_HEADER_LIMIT, self.size - 8):
                    raise ConversionError(
                        Code.FileDamaged,
                        f"{path} is no safetensors file: its header takes {length} of {self.size} bytes",
                    )
                table = json.loads(f.read(length))
        except OSError as e:
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{path}: {e.strerror}",
                help="keep the files that were written beside the module with it",
            ) from e
        except (ValueError, RecursionError) as e:
            raise ConversionError(Code.FileDamaged, f"{path} is no safetensors file: {e}") from e
        self.table: dict[str, Any] = table if isinstance(table, dict) else {}
        self.start = 8 + length

    def __getitem__(self, name: str) -> Entry:
        """A tensor by name.  Raises ConversionError ExternalDataInvalid for a name that is not there, FileDamaged,
        ConstantInvalid for a range that does not fit.
        """
        entry = self.table.get(name)
        if not isinstance(entry, dict):
            raise ConversionError(Code.ExternalDataInvalid, f"{self.path} has no tensor {name!r}")
        kind, shape, offsets = KINDS.get(str(entry.get("dtype"))), entry.get("shape"), entry.get("data_offsets")
        if kind is None or not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
            raise ConversionError(Code.FileDamaged, f"{self.path}: the entry of {name!r} is not understood")
        begin, end = offsets
        if not begin <= end <= self.size - self.start:
            raise ConversionError(
                Code.ConstantInvalid, f"{self.path}: {name!r} takes bytes {begin} to {end} of {self.size - self.start}"
            )
        return Entry(kind, tuple(shape), self.start + begin, end - begin)


def _are_sizes(values: object) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(
        isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 1 << 62 for v in values
    )
