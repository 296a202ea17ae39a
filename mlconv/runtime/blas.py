"""Threads of numpy's BLAS."""

from __future__ import annotations

import ctypes
import glob
import os
import sys
from importlib.machinery import PathFinder


def load_without_threads() -> None:
    """Load the library that numpy multiplies matrices with, and end the threads that it starts, one for each further
    processor: they turn around, for 30 ms each, until there is something to do.  A large product starts them anew.

    Does nothing where numpy is loaded, or has another library than the OpenBLAS of its wheels for Linux.
    """
    numpy = None if "numpy" in sys.modules or sys.platform != "linux" else PathFinder.find_spec("numpy")
    if numpy is None or not numpy.origin:
        return
    folder = os.path.dirname(os.path.dirname(numpy.origin))
    for path in glob.glob(os.path.join(glob.escape(folder), "numpy.libs", "lib*openblas*.so")):
        try:
            library = ctypes.CDLL(path)
        except OSError:
            continue  # numpy says so itself
        end = getattr(library, "blas_thread_shutdown_", None)  # what OpenBLAS itself calls before a fork
        if end is not None:
            end()
