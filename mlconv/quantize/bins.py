"""How often numbers were met, in bins that are fixed: each octave of a float32, of either sign, has 32.

Counts of bins are joined exactly, in any order, whatever numbers come.  Bins are the upper bits of the numbers: the
sign, the exponent and five bits of the fraction.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array

_SHIFT = 18  # bits of a float32's fraction that do not tell bins apart
BINS = 1 << 32 - _SHIFT


def counts_of(numbers: Array) -> Array:
    """numbers: float32, any shape.  Returns int64 [BINS]."""
    bits = np.ascontiguousarray(numbers, np.float32).reshape(-1).view(np.uint32) >> _SHIFT
    return np.bincount(bits, minlength=BINS)


class Histogram(NamedTuple):
    """values: of the middle of bins that were met, from the least on.  counts: of numbers in each."""

    values: Array
    counts: Array


def histogram_of(counts: Array) -> Histogram:
    """The first bin of each sign, of which 0 is, stands for 0."""
    met = np.flatnonzero(counts)
    low = (met.astype(np.uint32) << _SHIFT).view(np.float32).astype(np.float64)
    high = ((met.astype(np.uint32) << _SHIFT) + np.uint32((1 << _SHIFT) - 1)).view(np.float32).astype(np.float64)
    middle = np.where(met % (BINS // 2) == 0, 0.0, (low + high) / 2)
    order = np.argsort(middle, kind="stable")
    return Histogram(middle[order], counts[met][order])
