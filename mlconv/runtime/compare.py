"""How far apart two runs are."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mlconv.ir.constants import Array

RTOL, ATOL = 1e-3, 1e-5


@dataclass(frozen=True, slots=True)
class OutputError:
    """How far one output is off: largest absolute error, and that over the largest magnitude of the reference."""

    name: str
    max_abs: float
    relative: float
    ok: bool

    def worse_than(self, other: OutputError) -> bool:
        return (not self.ok, self.max_abs) > (not other.ok, other.max_abs)


def compare(name: str, expected: Array, got: Array) -> OutputError:
    """Equal shape and type; NaN and each infinity in the same places; floats within 1e-3 of the largest magnitude plus 1e-5, all else equal."""
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
    error = float(np.max(np.abs(a[finite] - b[finite]), initial=0.0)) if same else float("inf")
    scale = float(np.max(np.abs(a[finite]), initial=0.0))
    return OutputError(name, error, error / scale if scale else error, error <= RTOL * scale + ATOL)


def _whole_numbers(name: str, expected: Array, got: Array) -> OutputError:
    if np.array_equal(expected, got):
        return OutputError(name, 0.0, 0.0, True)
    a, b = expected.astype(np.float64), got.astype(np.float64)
    error, scale = float(np.max(np.abs(a - b))), float(np.max(np.abs(a)))
    return OutputError(name, error, error / scale if scale else error, False)
