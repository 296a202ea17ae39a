"""Letters of element types in the tables that `tools/onnx_kernels.py` and `tools/tf_kernels.py` write."""

from __future__ import annotations

from mlconv.ir.dtypes import DType

_LETTERS = {
    "f": DType.F32,
    "d": DType.F64,
    "h": DType.F16,
    "e": DType.BF16,
    "b": DType.I8,
    "B": DType.U8,
    "s": DType.I16,
    "S": DType.U16,
    "i": DType.I32,
    "I": DType.U32,
    "l": DType.I64,
    "L": DType.U64,
    "?": DType.BOOL,
    "c": DType.STRING,
    "F": DType.C64,
    "D": DType.C128,
}

LISTED = frozenset(_LETTERS.values())
"""Types that have a letter."""


def read(pair: str) -> tuple[str, frozenset[DType]]:
    """A variable and its element types, from NAME=LETTERS."""
    name, _, letters = pair.partition("=")
    return name, frozenset(_LETTERS[letter] for letter in letters)
