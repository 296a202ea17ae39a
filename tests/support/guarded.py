"""Arrays that lie beside pages that may not be touched."""

from __future__ import annotations

import ctypes
import mmap
from typing import Any

import numpy as np

Array = np.ndarray[Any, Any]


def room(size: int, at_end: bool = True, alignment: int = 1) -> Array:
    """So many bytes, zeros, in front of a page that may not be touched, or behind one.  alignment: of the first byte,
    of which some bytes may lie behind the last one.
    """
    length = max(1, -(-size // mmap.PAGESIZE)) * mmap.PAGESIZE
    memory = mmap.mmap(-1, length + 2 * mmap.PAGESIZE)
    protect = ctypes.CDLL(None, use_errno=True).mprotect
    protect.argtypes = ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int
    start = np.frombuffer(memory, np.uint8).ctypes.data
    for page in (0, mmap.PAGESIZE + length):
        if protect(start + page, mmap.PAGESIZE, 0):
            raise OSError(ctypes.get_errno(), "mprotect")
    return np.frombuffer(
        memory, np.uint8, size, mmap.PAGESIZE + ((length - size) // alignment * alignment if at_end else 0)
    )


def guarded(array: Array, more: int = 0) -> Array:
    """A copy behind whose last byte nothing can be read but so many more, which are anything."""
    place = room(array.nbytes + more)
    place[array.nbytes :] = np.random.default_rng(0).integers(0, 256, more)
    copy = place[: array.nbytes].view(array.dtype).reshape(array.shape)
    copy[...] = array
    return copy
