"""Opening files that a user or a model names."""

from __future__ import annotations

import errno
import os
import stat
from typing import BinaryIO


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, open for reading.  Raises OSError, also for a pipe, a device and a folder: reading these may never end.

    Opened without waiting, as a pipe that nobody writes to would block; the flag has no effect on regular files (open(2)).
    """
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "its name holds a NUL character", os.fspath(path))
    number = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0))
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        return os.fdopen(number, "rb")
    except OSError:
        os.close(number)
        raise


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a regular file in UTF-8.  Raises OSError, UnicodeDecodeError."""
    with open_regular(path) as f:
        return f.read().decode("utf-8")
