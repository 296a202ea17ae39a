"""Weights beside the module, in the safetensors format: constants that are entry parameters instead of literals."""

from __future__ import annotations

from pathlib import Path

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.atomic import replacing, write_pieces
from mlconv.formats.safetensors import KINDS, Described, head_of
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType

_NAMES = {DType(kind): name for name, kind in KINDS.items()}


def holds(dtype: DType) -> bool:
    """The format has the element type."""
    return dtype in _NAMES


def write_weights(weights: dict[str, Const], target: Path) -> int:
    """Write constants by name, in order; returns the size in bytes.  Raises ConversionError ConstantInvalid when a
    constant gives too few bytes, OutputNotWritable.
    """
    head = head_of({name: Described(_NAMES[c.dtype], c.shape, c.nbytes) for name, c in weights.items()})
    with replacing(target) as out:
        out.write(head)
        for name, constant in weights.items():
            written = write_pieces(out, constant.blocks())
            if written != constant.nbytes:
                raise ConversionError(Code.ConstantInvalid, f"{name} gave {written} bytes instead of {constant.nbytes}")
    return len(head) + sum(c.nbytes for c in weights.values())
