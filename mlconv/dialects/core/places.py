"""Indices that are known at conversion time: they must lie inside of what they point into.

Targets disagree about the others: TFLite's kernels fail at run time, HLO clamps, and no source framework runs such a
model.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.core.base import check_integer_type
from mlconv.dialects.core.shape import Constant
from mlconv.ir.constants import Array, Splat
from mlconv.ir.core import Value
from mlconv.ir.dims import Size
from mlconv.ir.spec import known_ints


def _held(value: Value) -> Array | None:
    """The data of a constant of integers, one row of it where all elements are equal; None for other values and for
    constants without elements.
    """
    producer = value.producer
    if isinstance(producer, Constant):
        const = producer.value
        if const.size == 0 or not const.dtype.is_int:
            return None
        return np.broadcast_to(const.value, const.shape[-1:]) if isinstance(const, Splat) else const.view()
    known = known_ints(value)
    numbers = [k for k in known or () if isinstance(k, int)]
    return np.asarray(numbers, np.int64) if numbers and known is not None and len(numbers) == len(known) else None


def check_places(indices: Value, size: Size, what: str, low: int | None = None) -> None:
    """Constant indices into `size` elements lie in [low, size).  low: by default -size, as negative ones count from the
    end.  Raises ConversionError ShapeMismatch, TypeMismatch for what are no integers.
    """
    check_integer_type(indices, f"{what}: indices")
    data = _held(indices) if isinstance(size, int) else None
    if data is not None and isinstance(size, int):
        _check(int(data.min()), int(data.max()), size, what, low)


def check_tuples(indices: Value, sizes: Sequence[Size], what: str, low: int | None = None) -> None:
    """The same of tuples of indices [..., k] into the first k of `sizes`."""
    check_integer_type(indices, f"{what}: indices")
    shape = indices.tensor.shape
    depth = shape[-1] if shape else None
    data = _held(indices) if isinstance(depth, int) and depth > 0 else None
    if data is None or not isinstance(depth, int):
        return
    rows = data.reshape(-1, depth)
    for size, least, most in zip(sizes, rows.min(0), rows.max(0), strict=False):
        if isinstance(size, int):
            _check(int(least), int(most), size, what, low)


def _check(least: int, most: int, size: int, what: str, low: int | None) -> None:
    if most >= size or least < (-size if low is None else low):
        worst = most if most >= size else least
        raise ConversionError(
            Code.ShapeMismatch, f"{what}: index {worst} is out of bounds for an axis of size {size}", operand=1
        )
