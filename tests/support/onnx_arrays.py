"""Small arrays that tables of nodes name."""

from __future__ import annotations

import numpy as np

FLAT, IMAGE, SCALAR, VECTOR = (
    np.ones((2, 3), np.float32),
    np.ones((1, 2, 5, 5), np.float32),
    np.float32(1),
    np.ones(4, np.float32),
)
ONE, THREE, LINE = np.ones(1, np.float32), np.ones(3, np.float32), np.ones((1, 3, 5), np.float32)
LSTM = [np.ones((5, 2, 3), np.float32), np.ones((1, 16, 3), np.float32), np.ones((1, 16, 4), np.float32)]


def ints(*values: int) -> np.ndarray:
    return np.asarray(values, np.int64)
