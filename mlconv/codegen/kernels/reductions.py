"""Reductions: where they start, and how their parts are combined."""

from __future__ import annotations

import math

from mlconv.ir.dtypes import DType

OF_INTEGERS = {"maximum", "minimum"}
OF_FLOATS = {"add", "add_wide", "greatest", *OF_INTEGERS}
FOLDED = 4  # lanes of partial sums that are left before they are widened
PARTIAL = 16  # terms of each lane of an `add_wide` that are summed in float32 before float64 takes over


def halves(lanes: int, last: int) -> list[int]:
    """Lanes halved until they are `last`."""
    out = []
    while lanes > last:
        lanes //= 2
        out.append(lanes)
    return out


def identity(combine: str, dtype: DType) -> float:
    """What a reduction starts from."""
    if combine in ("add", "add_wide", "or"):
        return -0.0 if dtype.is_float else 0
    if combine in ("mul", "and"):
        return 1
    sign = 1 if combine == "minimum" else -1
    if dtype.is_float:
        return sign * math.inf
    bits = dtype.bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if dtype.is_signed_int else (0, (1 << bits) - 1)
    return low if sign < 0 else high
