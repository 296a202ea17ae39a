"""What recipes do: a function of arrays and parameters for each name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from mlconv.ir.constants import Array

Params = tuple[Any, ...]


def _transpose(xs: list[Array], p: Params) -> Array:
    return np.transpose(xs[0], p)


def _cast(xs: list[Array], p: Params) -> Array:
    with np.errstate(all="ignore"):
        return xs[0].astype(p[0].numpy)


def _concat(xs: list[Array], p: Params) -> Array:
    return np.concatenate(xs, axis=p[0])


def _slice(xs: list[Array], p: Params) -> Array:
    return xs[0][tuple(slice(b, e, s) for b, e, s in p)]


def _take(xs: list[Array], p: Params) -> Array:
    return np.take(xs[0], xs[1], axis=p[0])


def _pad(xs: list[Array], p: Params) -> Array:
    return np.pad(xs[0], p)


_SHARED = 1 << 18  # products that OpenBLAS shares among threads, which wait in loops: ten times as much processor time


def _combine(xs: list[Array], p: Params) -> Array:
    """Rows of the result are sums of the input's rows by the rows of a matrix, taken in float64, a few columns at a
    time.
    """
    matrix, flat = np.asarray(p, np.float64), xs[0].reshape(xs[0].shape[0], -1)
    out, step = np.empty((len(matrix), flat.shape[1]), flat.dtype), max(1, _SHARED // matrix.size)
    for start in range(0, flat.shape[1], step):
        out[:, start : start + step] = matrix @ flat[:, start : start + step].astype(np.float64)
    return out.reshape(len(matrix), *xs[0].shape[1:])


def _quantize(xs: list[Array], p: Params) -> Array:
    """Numbers, scales and zero points to integers, by `QuantType.quantize`'s arithmetic, in [p[1], p[2]]."""
    ratio = np.asarray(xs[0].astype(np.float32, copy=False) / xs[1])
    np.rint(ratio, out=ratio)
    if xs[2].any() or p[0].bits > 16:
        stored = np.nan_to_num(ratio.astype(np.float64) + xs[2])
        return np.clip(stored, p[1], p[2]).astype(np.int64).astype(p[0].numpy)
    np.clip(ratio, p[1], p[2], out=ratio)  # as in float64: float32 has all integers of 16 bits
    missing = np.isnan(ratio)
    if missing.any():
        ratio[missing] = np.clip(0, p[1], p[2])
    return ratio.astype(p[0].numpy)


def _unpack(xs: list[Array], p: Params) -> Array:
    """Elements of p[0] bits out of bytes, lowest bits first (the other way round where p[1]), less p[2]; where there is
    a p[4], the highest bit of each is its sign.
    """
    bits, reverse, shift, dtype, *signed = p
    places = np.arange(0, 8, bits, dtype=np.uint8)
    parts = (xs[0][..., None] >> (places[::-1] if reverse else places)) & np.uint8((1 << bits) - 1)
    flat = parts.reshape(*xs[0].shape[:-1], -1).astype(np.int16) - np.int16(shift)
    if signed:
        half = np.int16(1 << (bits - 1))
        flat = (flat ^ half) - half
    return np.asarray(flat.astype(dtype.numpy))


def _levels(xs: list[Array], p: Params) -> Array:
    """Numbers limited to [low, high], in steps from low less so many, halves up, all in float32."""
    x, low, high, scale, zero = xs
    limited = np.clip(x.astype(np.float32, copy=False), low, high)
    return np.asarray(np.floor((limited - low) / scale - zero + np.float32(0.5)).astype(p[0].numpy))


RECIPES: dict[str, Callable[[list[Array], Params], Array]] = {
    "transpose": _transpose,
    "cast": _cast,
    "concat": _concat,
    "slice": _slice,
    "pad": _pad,
    "take": _take,
    "total": lambda xs, p: xs[0].sum(axis=p[0], dtype=p[1].numpy),
    "broadcast": lambda xs, p: np.broadcast_to(xs[0], p),
    "combine": _combine,
    "flip": lambda xs, p: np.flip(xs[0], p),
    "add": lambda xs, p: np.add(xs[0], xs[1]),
    "sub": lambda xs, p: np.subtract(xs[0], xs[1]),
    "mul": lambda xs, p: np.multiply(xs[0], xs[1]),
    "div": lambda xs, p: np.divide(xs[0], xs[1]),
    "and": lambda xs, p: np.bitwise_and(xs[0], xs[1]),
    "xor": lambda xs, p: np.bitwise_xor(xs[0], xs[1]),
    "quantize": _quantize,
    "levels": _levels,
    "unpack": _unpack,
}
