"""The order of axes in which a value of another model lies."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array

Order = tuple[int, ...]
FAR = 1e-2  # of a difference, as a part of the magnitude
_MOST_AXES, _MOST_JOINED = 5, 4  # of arrays whose axes may lie in another order, and be one with others
_NEARER = 0.7  # times as far: another order of axes
_MUCH_NEARER = 0.25  # times as far, which is no chance
_INFINITE = 1e30


class _Laid(NamedTuple):
    """moved: how many axes are.  order: of those longer than one; none where elements only follow each other."""

    moved: int
    array: Array
    order: Order = ()


def laid_as(like: Array, other: Array, alone: Array | None = None, orders: dict[int, Order] | None = None) -> Array:
    """The same elements in the shape of another array: in the order of axes that lets them differ least.  alone: what
    the array is without the other model's values in front, of which some may stand for something else.

    orders: of values in front, by how many axes they have, to which what is told here is added.  A value that is far
    in every order lies as these do: where axes are as long as each other, a wrong one may be nearer by chance.
    """
    found = _candidates(like, other)
    known = [x for x in (like, alone) if x is not None and x.shape == like.shape]
    if len(found) == 1:
        return found[0].array
    far = _distances(found, known)
    nearest = _nearest_order(found, far)
    if orders is not None and like.dtype.kind == "f":
        nearest = _as_in_front(found, far, nearest, FAR * max(map(magnitude, known)), orders)
    return found[nearest].array


def laid_places(like: Array, other: Array) -> Array:
    """Where in the other array's elements, in their order, those of an array lie, as `laid_as` has them."""
    where, found = np.arange(other.size).reshape(other.shape), _candidates(like, other)
    nearest = _nearest_order(found, _distances(found, [like])) if len(found) > 1 else 0
    return _candidates(like, where)[nearest].array


def _distances(found: Sequence[_Laid], known: Sequence[Array]) -> list[float]:
    return [min(distance(x, one.array) for x in known) for one in found]


def _nearest_order(found: Sequence[_Laid], far: Sequence[float]) -> int:
    """Which one differs least; if its axes are moved, of those that differ about as much the one whose axes are moved
    least: values that stand for something else tell no order.
    """
    nearest = min(range(len(found)), key=far.__getitem__)
    near = [i for i, one in enumerate(found) if one.moved and _NEARER * far[i] <= far[nearest]]
    return min(near, key=lambda i: (found[i].moved, far[i])) if found[nearest].moved else nearest


def _as_in_front(
    found: Sequence[_Laid], far: Sequence[float], nearest: int, limit: float, orders: dict[int, Order]
) -> int:
    if far[nearest] > limit:
        alike = (i for i, one in enumerate(found) if one.order and one.order == orders.get(len(one.order)))
        usual = next(alike, nearest)
        return nearest if far[nearest] < _MUCH_NEARER * far[usual] else usual
    near = {one.order for one, apart in zip(found, far, strict=True) if apart <= limit and one.order}
    if len(near) == 1:
        orders.update((len(order), order) for order in near)
    return nearest


def _candidates(like: Array, other: Array) -> list[_Laid]:
    """The elements in all orders of axes that give the shape."""
    sizes, plain = [n for n in like.shape if n != 1], other.reshape([n for n in other.shape if n != 1])
    found = [_Laid(0, other, tuple(range(plain.ndim)))] if other.shape == like.shape else []
    if len(sizes) == plain.ndim <= _MOST_AXES:
        for perm in permutations(range(plain.ndim)):
            if [plain.shape[i] for i in perm] == sizes:
                found.append(_Laid(_moved(perm), plain.transpose(perm).reshape(like.shape), perm))
    if found or len(sizes) > _MOST_JOINED:
        return [*found, _Laid(like.ndim, other.reshape(like.shape))]
    return [_Laid(1 + _moved(perm), _joined(like, other, sizes, perm)) for perm in permutations(range(len(sizes)))]


def _joined(like: Array, other: Array, sizes: Sequence[int], perm: Sequence[int]) -> Array:
    """The elements where some axes of the other array are several of this one's, which lie there in another order."""
    return other.reshape([sizes[i] for i in perm]).transpose(np.argsort(perm)).reshape(like.shape)


def _moved(perm: Sequence[int]) -> int:
    """Axes that others are moved past: all but the longest row of them that keeps its order."""
    rows: list[int] = []
    for i, axis in enumerate(perm):
        rows.append(1 + max((rows[j] for j in range(i) if perm[j] < axis), default=0))
    return len(perm) - max(rows, default=0)


def magnitude(x: Array) -> float:
    """Sum of sizes."""
    with np.errstate(invalid="ignore"):  # there may be NaN of any kind
        return float(np.abs(_numbers(x.astype(np.float64))).sum())


def distance(a: Array, b: Array) -> float:
    """Sum of differences."""
    wide = np.complex128 if "c" in (a.dtype.kind, b.dtype.kind) else np.float64
    with np.errstate(invalid="ignore"):
        return float(np.abs(_numbers(a.astype(wide)) - _numbers(b.astype(wide))).sum())


def _numbers(x: Array) -> Array:
    """Infinities are far from all others, and their sum is a number."""
    return np.nan_to_num(x, posinf=_INFINITE, neginf=-_INFINITE)
