"""Weights beside the module, in the safetensors format: constants that are entry parameters instead of literals."""

from __future__ import annotations

import json
import struct
from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import replacing
from mlconv.formats.safetensors import KINDS
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType

_NAMES = {DType(kind): name for name, kind in KINDS.items()}
_ALIGNMENT = 8


def holds(dtype: DType) -> bool:
    """The format has the element type."""
    return dtype in _NAMES


def write_weights(weights: dict[str, Const], target: Path) -> int:
    """Write constants by name, in order; returns the size in bytes.  Raises ConversionError ConstantInvalid when a
    constant gives too few bytes, OutputNotWritable.
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
