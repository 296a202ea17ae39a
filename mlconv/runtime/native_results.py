"""Memory of results: what large ones were given goes to later ones once nothing reads it any more.

The system takes memory of that size back when it is freed, and clears it page by page when it is asked for again.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from mlconv.ir.constants import Array

_LARGE = 1 << 17  # bytes from which on glibc asks the system for memory: M_MMAP_THRESHOLD of mallopt(3)
_SPARE = 2  # pieces that are kept of each result
_ALIGNMENT = 64


class Results:
    """Where the results of an output are written to.  Several threads may ask at once."""

    def __init__(self) -> None:
        self._spare: list[Array] = []

    def array(self, shape: Sequence[int], dtype: np.dtype[np.generic]) -> Array:
        """An array of its own, with no numbers yet."""
        size = math.prod(shape) * dtype.itemsize
        if size < _LARGE:
            return np.empty(shape, dtype)
        return np.asarray(_Lent(self._piece(size), size, self._spare)).view(dtype).reshape(shape)

    def _piece(self, size: int) -> Array:
        """Memory that nobody reads, at most twice as large as it has to be."""
        try:
            piece = self._spare.pop()
        except IndexError:
            piece = np.empty(0, np.uint8)
        room = size + _ALIGNMENT
        return piece if room <= piece.nbytes <= 2 * room else np.empty(room, np.uint8)


class _Lent:
    """A piece of memory that arrays have until the last of them is gone: each view of one refers to it."""

    __slots__ = ("__array_interface__", "_piece", "_spare")

    def __init__(self, piece: Array, size: int, spare: list[Array]) -> None:
        begin = piece.ctypes.data
        address = begin + -begin % _ALIGNMENT
        self.__array_interface__ = {"data": (address, False), "shape": (size,), "typestr": "|u1", "version": 3}
        self._piece, self._spare = piece, spare

    def __del__(self) -> None:
        if len(self._spare) < _SPARE:
            self._spare.append(self._piece)
