"""Which constants are equal, so that a file has them once."""

from __future__ import annotations

import hashlib
from collections.abc import Hashable

from mlconv.ir.constants import Const, Inline
from mlconv.ir.dtypes import DType

_COMPARED_BYTES = 1 << 16
"""Constants up to this size are compared by what they hold: masks and tables, which models repeat."""


def key_of(constant: Const) -> Hashable:
    """Equal keys mean equal tensors; those that are not large are compared by their contents."""
    if constant.dtype is DType.STRING:
        return ("string", constant.shape, constant.key)
    if constant.nbytes <= _COMPARED_BYTES:
        found = hashlib.sha256()
        for block in constant.blocks():
            found.update(block)
        return ("held", constant.dtype, constant.shape, found.digest())
    return ("object", id(constant)) if isinstance(constant, Inline) else constant.key
