"""Opening files that a user or a model names."""

from __future__ import annotations

import contextlib
import errno
import mmap
import os
import signal
import stat
import sys
from typing import BinaryIO

CHANGING = signal.SIGRTMIN + 7 if sys.platform == "linux" else 0
"""The signal that a leased file is about to be changed; 0 where there is none."""

_F_SETSIG = 10  # fcntl.h of Linux


def open_regular(path: str | os.PathLike[str]) -> BinaryIO:
    """A regular file, open for reading.  Raises OSError, also for a pipe, a device and a folder: reading these may
    never end.

    Opened without waiting, as a pipe that nobody writes to would block; the flag has no effect on regular files
    (open(2)).
    """
    if "\0" in os.fspath(path):
        raise OSError(errno.EINVAL, "its name holds a NUL character", os.fspath(path))
    number = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    )
    try:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise OSError(errno.EINVAL, "it is not a regular file", os.fspath(path))
        return os.fdopen(number, "rb")
    except OSError:
        os.close(number)
        raise


def lease(number: int) -> None:
    """Ask to be told by the signal CHANGING before another process writes to an open file, or makes it shorter; that
    process waits until the file is closed.

    The pages of a mapped file that becomes shorter are gone, and who reads them is killed (mmap(2), SIGBUS).  Only a
    process that handles the signal asks; only Linux, and not every file system, grants it (fcntl(2), F_SETLEASE).
    """
    if not CHANGING or not callable(signal.getsignal(CHANGING)):
        return
    import fcntl

    with contextlib.suppress(OSError):
        fcntl.fcntl(number, _F_SETSIG, CHANGING)
        fcntl.fcntl(number, fcntl.F_SETLEASE, fcntl.F_RDLCK)


class FileMap(mmap.mmap):
    """A file's bytes, which nobody can change: its pages may be given back at any time."""

    path: str
    identity: tuple[int, int]

    def read_into(self, buffer: memoryview, offset: int) -> bool:
        """Read bytes without mapping them, which also maps what the system has around them, up to 2 MB; whether there
        were as many.  The file is opened for it, if it is still the same one: a process may have so many at once.
        """
        if not hasattr(os, "preadv"):
            return False
        try:
            with open_regular(self.path) as f:
                return _identity(f) == self.identity and os.preadv(f.fileno(), [buffer], offset) == len(buffer)
        except OSError:
            return False


def _identity(f: BinaryIO) -> tuple[int, int]:
    """Which file of which system it is."""
    status = os.fstat(f.fileno())
    return status.st_dev, status.st_ino


def map_file(path: str | os.PathLike[str]) -> FileMap:
    """The bytes of a regular file that is not empty, mapped and leased.  Raises OSError, ValueError."""
    with open_regular(path) as f:
        lease(f.fileno())
        mapped = FileMap(f.fileno(), 0, access=mmap.ACCESS_READ)
        mapped.path, mapped.identity = os.path.abspath(path), _identity(f)
        return mapped


def head_of(path: str | os.PathLike[str], size: int = 1 << 16) -> bytes:
    """The first bytes of a regular file.  Raises OSError."""
    with open_regular(path) as f:
        return f.read(size)


def read_text(path: str | os.PathLike[str]) -> str:
    """The text of a regular file in UTF-8.  Raises OSError, UnicodeDecodeError."""
    with open_regular(path) as f:
        return f.read().decode("utf-8")


def bytes_of(path: str | os.PathLike[str]) -> int:
    """The size of a file, or of all files below a folder; files that go meanwhile count nothing."""
    if not os.path.isdir(path):
        return _size_of(os.fspath(path))
    return sum(_size_of(os.path.join(where, name)) for where, _, names in os.walk(path) for name in names)


def _size_of(path: str) -> int:
    try:
        return os.path.getsize(path)
    except OSError:
        return 0
