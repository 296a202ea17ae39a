"""Tensors of a safetensors file, as ranges of it.  Source: https://github.com/huggingface/safetensors, "Format"."""

from __future__ import annotations

import json
import os
import struct
from typing import Any, TypeGuard

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.files import open_regular
from mlconv.ir.constants import Const, Mapped, SourceFile
from mlconv.ir.dtypes import DType

_TYPES = {
    "F64": DType.F64,
    "F32": DType.F32,
    "F16": DType.F16,
    "BF16": DType.BF16,
    "I64": DType.I64,
    "I32": DType.I32,
    "I16": DType.I16,
    "I8": DType.I8,
    "U64": DType.U64,
    "U32": DType.U32,
    "U16": DType.U16,
    "U8": DType.U8,
    "BOOL": DType.BOOL,
    "F8_E4M3": DType.F8E4M3FN,
    "F8_E5M2": DType.F8E5M2,
    "C64": DType.C64,
}
_HEADER_LIMIT = 100_000_000


class Tensors:
    """The table of a file.  Raises ConversionError MLC0005 (not there), MLC0003 (not of the format)."""

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
        self.file = SourceFile(path)

    def constant(self, name: str) -> Const:
        """A tensor by name.  Raises ConversionError MLC0005 for a name that is not there, MLC0003, MLC0501 for a range
        that does not fit.
        """
        entry = self.table.get(name)
        if not isinstance(entry, dict):
            raise ConversionError(Code.ExternalDataInvalid, f"{self.path} has no tensor {name!r}")
        dtype, shape, offsets = _TYPES.get(str(entry.get("dtype"))), entry.get("shape"), entry.get("data_offsets")
        if dtype is None or not _are_sizes(shape) or not _are_sizes(offsets) or len(offsets) != 2:
            raise ConversionError(Code.FileDamaged, f"{self.path}: the entry of {name!r} is not understood")
        begin, end = offsets
        if not begin <= end <= self.size - self.start:
            raise ConversionError(
                Code.ConstantInvalid, f"{self.path}: {name!r} takes bytes {begin} to {end} of {self.size - self.start}"
            )
        return Mapped(self.file, self.start + begin, dtype, tuple(shape), end - begin)


def _are_sizes(values: Any) -> TypeGuard[list[int]]:
    return isinstance(values, list) and all(
        isinstance(v, int) and not isinstance(v, bool) and 0 <= v < 1 << 62 for v in values
    )
