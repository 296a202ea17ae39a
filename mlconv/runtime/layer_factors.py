"""By which powers of two channels of one model's value are those of another's: quantization scales them, and back."""

from __future__ import annotations

import math
from itertools import combinations

import numpy as np

from mlconv.ir.constants import Array
from mlconv.runtime.compare import rms
from mlconv.runtime.layer_errors import finite_part

_STEPS = 4  # that a channel goes to, to say by which power of two it is scaled
_ALIKE, _LEAST_ALIKE = 0.95, 0.8  # squared cosine of channels that are the same but for a factor, and for roundings
_NEAR, _COARSE = 0.08, 0.75  # of a power of two, as logarithm; and times as much as a step is of the largest number
_NOISY = 3.0  # times what roundings do, as part of a channel
_LEFT = 0.25  # of a difference, where factors of channels of few elements explain it
_FEW = 4  # elements of a channel, of which little can be told


def channel_factors(own: Array, laid: Array, step: float, noise: Array | float = 0.0) -> Array | None:
    """Powers of two, one for each channel, that take one array near to the other; channels may lie along two axes,
    as heads and their parts.  step: of the other's integers, which says nothing of channels of few of these.
    noise: what roundings do.
    """
    x, y, off = finite_part(own), finite_part(laid), _NOISY * np.broadcast_to(noise, own.shape)
    inner = range(1, own.ndim)
    found: list[Array] = []
    for kept in (*((i,) for i in inner), *combinations(inner, 2)):
        axes = tuple(i for i in range(own.ndim) if i not in kept)
        is_few = math.prod(own.shape[i] for i in axes) < _FEW
        if is_few and len(kept) > 1:
            continue
        pairs = ((x, x), (x, y), (y, y), (off, off))
        squares, products, others, noises = ((p * q).sum(axes, keepdims=True) for p, q in pairs)
        least = np.maximum(_ALIKE - noises / np.where(squares > 0, squares, 1), _LEAST_ALIKE)
        alike = (products > 0) & (np.square(products) >= least * squares * others)
        largest = np.maximum(np.abs(y).max(axes, keepdims=True, initial=0), np.finfo(np.float32).tiny)
        alike &= largest >= _STEPS * step
        powers = np.log2(np.where(alike, products / np.where(alike, squares, 1), 1))
        unsure = _NEAR + _COARSE * step / largest + np.sqrt(noises / np.where(alike, squares, 1))
        powers = np.where(np.abs(powers - np.rint(powers)) < unsure, np.rint(powers), 0)
        if powers.any() and not (is_few and rms(x - y / 2.0**powers) > _LEFT * rms(x - y)):
            found.append(2.0**powers)
    return min(found, key=lambda factors: rms(x - y / factors), default=None)
