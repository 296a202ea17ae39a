"""How far apart two runs are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array
from mlconv.runtime.tolerances import ATOL, RTOL

LOCAL = 1e-3
"""Least part of the largest magnitude of all that counts as the magnitude of a slice: rounding in float32 goes by
numbers that an output no longer shows.
"""

ROUNDED_RMS, ROUNDED_LARGEST = 0.03, 0.15
"""How far runtimes may be apart on models that round numbers inside: parts of the root mean square of the reference and
of its largest number.  One may round a number that lies next to a half up and the other down; what is computed of it
differs by a step and changes what lies next to a half behind it.
"""

APART = 2.0
"""How many times as far as other orders of summation take outputs they may be, as root mean squares and the largest:
two runs tell what orders do, and there are many.
"""

_ONE = 1.0 + 1e-5  # step, of numbers that are products of their scale in float32

FEW = 64
"""A slice of fewer elements has no magnitude of its own."""


@dataclass(frozen=True, slots=True)
class OutputError:
    """How far one output is off: largest absolute error, and that over the largest magnitude of the reference."""

    name: str
    max_abs: float
    relative: float
    ok: bool

    def worse_than(self, other: OutputError) -> bool:
        return (not self.ok, self.max_abs) > (not other.ok, other.max_abs)


class Tolerance(NamedTuple):
    """rtol: of the magnitude of an element, see `magnitudes`.  atol: besides."""

    rtol: float = RTOL
    atol: float = ATOL

    def holds(self, errors: Array, sizes: Array, item_bytes: int) -> bool:
        """sizes: magnitudes of the reference.  item_bytes: of its elements."""
        return bool((errors <= self.rtol * magnitudes(sizes, item_bytes) + self.atol).all())


def compare(
    name: str,
    expected: Array,
    got: Array,
    rounded: bool = False,
    apart: Array | None = None,
    tolerance: Tolerance | None = None,
    step: float = 0.0,
    unit: float = 0.0,
) -> OutputError:
    """Equal shape and type; NaN and each infinity in the same places; floats within 1e-3 of their magnitude plus 1e-5,
    all else equal.

    The magnitude of an element is the largest one of the slices (a row, a channel, an element of the batch) that it is
    in, whichever is least; see `magnitudes`.  Large numbers elsewhere do not hide that a row is wrong.

    rounded: the model rounds numbers inside; floats may be as far apart as `ROUNDED_RMS` and `ROUNDED_LARGEST` say.
    apart: how far other orders of summation take elements: then they may be as far apart as `APART` times that, too.
    tolerance: instead of 1e-3 and 1e-5.
    step: between neighbours that the output is rounded to: where numbers are rounded inside, each may be the next one.
    unit: the same of an output of integers, or of one that is rounded: a few may be the next one, where that is small
    beside the largest, and what counts of these is how much further they are.
    """
    if expected.shape != got.shape or expected.dtype != got.dtype:
        return OutputError(name, float("inf"), float("inf"), False)
    if expected.size == 0:
        return OutputError(name, 0.0, 0.0, True)
    if expected.dtype.kind in "OSU":
        same = np.array_equal(expected.astype(bytes), got.astype(bytes))
        return OutputError(name, 0.0 if same else float("inf"), 0.0 if same else float("inf"), same)
    if expected.dtype.kind in "biu":
        return _whole_numbers(name, expected, got)
    wide = np.complex128 if expected.dtype.kind == "c" else np.float64
    a, b = expected.astype(wide), got.astype(wide)
    finite = np.isfinite(a)
    same = np.array_equal(finite, np.isfinite(b)) and np.array_equal(a[~finite], b[~finite], equal_nan=True)
    if not same:
        return OutputError(name, float("inf"), float("inf"), False)
    errors, sizes = (np.abs(np.where(finite, v, 0)) for v in (a - np.where(finite, b, 0), a))
    error, scale = float(errors.max()), float(sizes.max())
    ok = (tolerance or Tolerance()).holds(errors, sizes, expected.dtype.itemsize)
    near = apart is None or apart.shape != errors.shape or _is_within(errors, apart)
    further = np.maximum(errors - unit * _ONE, 0) if _are_a_few(errors, unit, scale) else errors
    ok = ok or (rounded and ((near and is_noise(further, sizes)) or error <= step * _ONE))
    return OutputError(name, error, error / scale if scale else error, ok)


def _are_a_few(errors: Array, unit: float, largest: float) -> bool:
    """Steps small beside the largest number, by which no more than half of the numbers are off."""
    return unit <= ROUNDED_LARGEST * largest and 2 * int(np.count_nonzero(errors > unit / 2)) <= errors.size


def _is_within(errors: Array, apart: Array) -> bool:
    return rms(errors) <= APART * rms(apart) and float(errors.max()) <= APART * float(apart.max())


def has_nan(x: Array) -> bool:
    return x.dtype.kind == "f" and bool(np.isnan(x).any())


def rms(x: Array) -> float:
    """The root of the mean square."""
    return float(np.sqrt(np.mean(np.square(x)))) if x.size else 0.0


def is_noise(errors: Array, sizes: Array) -> bool:
    """As far apart as runtimes are that round numbers inside."""
    return rms(errors) <= ROUNDED_RMS * rms(sizes) and float(errors.max()) <= ROUNDED_LARGEST * float(sizes.max())


def magnitudes(sizes: Array, item_bytes: int) -> Array:
    """For each element the least, over the axes, of the largest magnitude in its slice across that axis.  Halves go by
    the largest magnitude of all: so does their rounding inside of a network."""
    top = np.asarray(sizes.max())
    found = top
    for axis, count in enumerate(sizes.shape if item_bytes >= 4 else ()):
        if count > 1 and sizes.size // count >= FEW:
            found = np.minimum(found, sizes.max(tuple(i for i in range(sizes.ndim) if i != axis), keepdims=True))
    return np.asarray(np.maximum(found, LOCAL * top))


def _whole_numbers(name: str, expected: Array, got: Array) -> OutputError:
    if np.array_equal(expected, got):
        return OutputError(name, 0.0, 0.0, True)
    a, b = expected.astype(np.float64), got.astype(np.float64)
    error, scale = float(np.max(np.abs(a - b))), float(np.max(np.abs(a)))
    return OutputError(name, error, error / scale if scale else error, False)
