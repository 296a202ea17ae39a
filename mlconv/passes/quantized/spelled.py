"""Quantized types of integers whose numbers are spelled out: (integers - zero points) * scales."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from mlconv.dialects.core.shape import const_of
from mlconv.ir.constants import Array, Const, make_const
from mlconv.ir.core import Value
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType, storage_range
from mlconv.passes.quantized.weights import BLOCK, MOVING, moved

STORAGE = (DType.I8, DType.U8, DType.I4, DType.U4)


class Spread(NamedTuple):
    """Numbers of integers.  group: of each slice along an axis, where slices share numbers; axis: that one."""

    numbers: Array
    group: Array | None = None
    axis: int = 0


class Integers(NamedTuple):
    """zeros: that are taken off, of the rank of the constant or less; None for none."""

    constant: Const
    zeros: Spread | None


def constant_moved(value: Value) -> Const | None:
    """A constant, or one that is moved."""
    made, constant = value.producer, const_of(value)
    inner = constant_moved(made.inputs[0]) if constant is None and isinstance(made, MOVING) else None
    return moved(made, inner) if isinstance(made, MOVING) and inner is not None else constant


def inverse(found: Spread) -> Spread | None:
    """Scales of integers that are divided by numbers."""
    if found.numbers.dtype != np.float32:
        return None
    with np.errstate(divide="ignore"):
        return found._replace(numbers=np.float32(1) / found.numbers)


def element_of(found: Integers, scales: Spread) -> QuantType | None:
    """The type of such integers; None where the numbers are not those of one axis or of blocks along one, or no
    scales.
    """
    zeros = Spread(np.zeros((), np.float32), scales.group, scales.axis) if found.zeros is None else found.zeros
    if not (np.isfinite(scales.numbers) & (scales.numbers > 0)).all():
        return None
    low, high = storage_range(found.constant.dtype)
    if not ((zeros.numbers == np.rint(zeros.numbers)) & (zeros.numbers >= low) & (zeros.numbers <= high)).all():
        return None
    if scales.group is None and zeros.group is None:
        return _of_axis(found.constant, scales.numbers, zeros.numbers)
    return _of_groups(found.constant, scales, zeros)


def _of_axis(constant: Const, scales: Array, zeros: Array) -> QuantType | None:
    shape, given = constant.shape, [np.shape(v) for v in (scales, zeros)]
    if not all(_broadcasts(s, shape) for s in given):
        return None
    own = np.broadcast_shapes(*given)
    axes = [i - len(own) for i, n in enumerate(own) if n != 1]
    if len(axes) > 1 or any(own[a] != shape[a] for a in axes):
        return None
    spread = [np.broadcast_to(v, own).reshape(-1) for v in (scales, zeros)]
    if not axes:
        return QuantType.of(constant.dtype, float(spread[0][0]), int(spread[1][0]))
    return QuantType.of(constant.dtype, spread[0], spread[1].astype(np.int64), len(shape) + axes[0])


def _broadcasts(shape: Sequence[int], whole: Sequence[int]) -> bool:
    """To a shape, without making it larger."""
    pairs = zip(reversed(shape), reversed(whole), strict=False)
    return len(shape) <= len(whole) and all(n in (1, size) for n, size in pairs)


def _of_groups(constant: Const, scales: Spread, zeros: Spread) -> QuantType | None:
    """Of slices that share numbers: all of them, or blocks of the same size, which may have the same numbers."""
    axis, group = scales.axis, scales.group
    same = zeros.axis == axis and group is not None and zeros.group is not None and np.array_equal(group, zeros.group)
    rank = len(constant.shape)
    if not same or group is None or scales.numbers.ndim != rank or zeros.numbers.ndim not in (0, rank):
        return None
    if not group.size or group.min() < 0 or group.max() >= scales.numbers.shape[axis]:
        return None
    starts = np.flatnonzero(np.diff(group, prepend=group[0] - 1))
    size = int(np.gcd.reduce(np.append(starts, group.size)))
    parts = [
        v if not v.ndim else np.take(v, group[::size], axis=axis)
        for v in (scales.numbers, zeros.numbers.astype(np.int64))
    ]
    if size == group.size:
        return _of_axis(constant, parts[0], parts[1])
    whole = tuple(n // size if a == axis else n for a, n in enumerate(constant.shape))
    if size < BLOCK or parts[0].shape != whole or not _broadcasts(parts[1].shape, whole):
        return None
    points = make_const(np.broadcast_to(parts[1], whole).copy(), constant.dtype)
    return QuantType(constant.dtype, DType.F32, Blocked(axis, size), make_const(parts[0].astype(np.float32)), points)
