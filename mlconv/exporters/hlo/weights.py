"""Weights beside the module, in the safetensors format: constants that are entry parameters instead of literals.

Layout: uint64 little-endian length of the header, the header (JSON: name to dtype, shape, data_offsets), then the data
in order, without gaps.
Source: https://github.com/huggingface/safetensors, "Format".
"""

from __future__ import annotations

import json
import struct
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import replacing
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType

_NAMES = {
    DType.F64: "F64",
    DType.F32: "F32",
    DType.F16: "F16",
    DType.BF16: "BF16",
    DType.I64: "I64",
    DType.I32: "I32",
    DType.I16: "I16",
    DType.I8: "I8",
    DType.U64: "U64",
    DType.U32: "U32",
    DType.U16: "U16",
    DType.U8: "U8",
    DType.BOOL: "BOOL",
    DType.F8E4M3FN: "F8_E4M3",
    DType.F8E5M2: "F8_E5M2",
    DType.C64: "C64",
}
_ALIGNMENT = 8


def holds(dtype: DType) -> bool:
    """The format has the element type."""
    return dtype in _NAMES


def write_weights(weights: dict[str, Const], target: Path) -> int:
    """Write constants by name, in order; returns the size in bytes.  Raises ConversionError MLC0501 when a constant
    gives too few bytes, MLC0007.
    """
    table: dict[str, object] = {}
    end = 0
    for name, constant in weights.items():
        table[name] = {
            "dtype": _NAMES[constant.dtype],
            "shape": list(constant.shape),
            "data_offsets": [end, end + constant.nbytes],
        }
        end += constant.nbytes
    header = json.dumps(table).encode()
    header += b" " * (-len(header) % _ALIGNMENT)
    with replacing(target) as out:
        out.write(struct.pack("<Q", len(header)) + header)
        for name, constant in weights.items():
            written = sum(out.write(block) for block in constant.blocks())
            if written != constant.nbytes:
                raise ConversionError(Code.ConstantInvalid, f"{name} gave {written} bytes instead of {constant.nbytes}")
    return 8 + len(header) + end
