"""Memory of results: what large ones were given goes to later ones once nothing reads it any more.

The system takes memory of that size back when it is freed, and clears it page by page when it is asked for again.
"""

from __future__ import annotations

import math

import numpy as np

from mlconv.ir.constants import Array

_LARGE = 1 << 17  # bytes from which on glibc asks the system for memory: M_MMAP_THRESHOLD of mallopt(3)
_SPARE = 2  # pieces that are kept of each result
_ALIGNMENT = 64


class Results:
    """Where the results of an output are written to.  Several threads may ask at once."""

    def __init__(self) -> None:
        self._spare: list[_Piece] = []

    def array(self, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> Array:
        """An array of its own, with no numbers yet."""
        size = math.prod(shape) * dtype.itemsize
        if size < _LARGE:
            return np.empty(shape, dtype)
        array = np.asarray(_Lent(self._piece(size, shape, dtype), self._spare))
        return array if array.dtype is dtype else array.view(dtype)

    def _piece(self, size: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> _Piece:
        """Memory that nobody reads, at most twice as large as it has to be."""
        try:
            piece = self._spare.pop()
        except IndexError:
            return _Piece(size, shape, dtype)
        if piece.interface["shape"] != shape and not piece.serves(size, shape):
            return _Piece(size, shape, dtype)
        return piece


class _Piece:
    """Memory, and how numpy is told where an array lies in it; all of them are for elements of one type."""

    __slots__ = ("interface", "memory")

    def __init__(self, size: int, shape: tuple[int, ...], dtype: np.dtype[np.generic]) -> None:
        self.memory: Array = np.empty(size + _ALIGNMENT, np.uint8)
        begin = self.memory.ctypes.data
        data = (begin + -begin % _ALIGNMENT, False)
        typestr = dtype.str if dtype.isbuiltin == 1 else f"|V{dtype.itemsize}"  # others are not told by a string
        self.interface = {"data": data, "shape": shape, "typestr": typestr, "version": 3}

    def serves(self, size: int, shape: tuple[int, ...]) -> bool:
        """Whether an array of another shape lies in it from now on."""
        room = size + _ALIGNMENT
        fits = room <= self.memory.nbytes <= 2 * room
        if fits:
            self.interface = {**self.interface, "shape": shape}
        return fits


class _Lent:
    """A piece of memory that arrays have until the last of them is gone: each view of one refers to it."""

    __slots__ = ("__array_interface__", "_piece", "_spare")

    def __init__(self, piece: _Piece, spare: list[_Piece]) -> None:
        self.__array_interface__ = piece.interface
        self._piece, self._spare = piece, spare

    def __del__(self) -> None:
        if len(self._spare) < _SPARE:
            self._spare.append(self._piece)
