"""Bounds on the tables and lists that legalizations write down, checked before they are made: a few bytes of a file can
ask for gigabytes.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError

MAX_TABLE = 1 << 24
"""Most elements of a table."""

MAX_LIST = 1 << 20
"""Most numbers of a constant that are looked at one by one."""


def check_table(sizes: Sequence[int], what: str) -> None:
    """Refuse a constant table, or a list of steps, that is out of all proportion.  Raises ConversionError ShapeMismatch
    (a negative size) and TensorTooLarge.
    """
    if any(s < 0 for s in sizes):
        raise ConversionError(Code.ShapeMismatch, f"{what} would have the sizes {list(sizes)}")
    if math.prod(sizes) > MAX_TABLE:
        raise ConversionError(
            Code.TensorTooLarge,
            f"{what} is too large: its size is {' x '.join(map(str, sizes))}, at most {MAX_TABLE} elements are made",
        )
