"""All files that one run reads and all that it writes: the one place that refuses to write over what is read, or two
things under one name.

Whoever is about to read or write a file says so here first: inputs as they are found, everything that will be written
before the work begins. A file is known by its folder and name and, when there is one, by the file that these lead to,
so that links do not hide it.
"""

from __future__ import annotations

import os
from collections.abc import Iterable

from mlconv.diagnostics import Code, ConversionError

_Key = tuple[int, int, str]  # device, inode and an empty name: a file; or those of a folder, and a name in it


class RunFiles:
    """What the files of one run are for.  A file may be read for several purposes, and read and written for the same
    one (a cache).
    """

    def __init__(self) -> None:
        self._read: dict[_Key, dict[str, str]] = {}  # paths by purpose
        self._written: dict[_Key, dict[str, str]] = {}

    def read(self, paths: Iterable[str | os.PathLike[str]], purpose: str = "an input of this run") -> None:
        """These are read; what is not there is left out.  Raises ConversionError OutputNotWritable when one is to be
        written for another purpose.
        """
        for path in filter(_exists, paths):
            keys = _keys(path)
            for key in keys:
                self._read.setdefault(key, {}).setdefault(purpose, os.fspath(path))
            for key in keys:
                self._check(key)

    def write(self, path: str | os.PathLike[str], purpose: str) -> None:
        """The path is going to be written.  Raises ConversionError OutputNotWritable when it is read, or written, for
        another purpose.
        """
        keys = _keys(path)
        for key in keys:
            self._written.setdefault(key, {}).setdefault(purpose, os.fspath(path))
        for key in keys:
            self._check(key)

    def inputs(self) -> list[str]:
        """Paths of the files that are read, each once."""
        return sorted({path for (_, _, name), listed in self._read.items() if name for path in listed.values()})

    def _check(self, key: _Key) -> None:
        """What was refused once is refused again: also the report of an error is not written over an input."""
        written = self._written.get(key, {})
        for purpose, path in written.items():
            for other, name in self._read.get(key, {}).items():
                if other != purpose:
                    raise ConversionError(
                        Code.OutputNotWritable, f"cannot write {path}: it is {other} ({name})", help="name another file"
                    )
        if len(written) > 1:
            path, purposes = next(iter(written.values())), " and ".join(written)
            raise ConversionError(
                Code.OutputNotWritable, f"cannot write {path}: it would be {purposes}", help="name another file"
            )


def _exists(path: str | os.PathLike[str]) -> bool:
    return "\0" not in os.fspath(path) and os.path.exists(path)


def _keys(path: str | os.PathLike[str]) -> list[_Key]:
    """The names of a file: by its folder, and by itself if it is there."""
    keys = []
    folder, name = os.path.split(path)
    for where, last in ((folder or os.curdir, os.path.normcase(name)), (path, "")):
        try:
            status = os.stat(where)
        except (OSError, ValueError):
            continue
        keys.append((status.st_dev, status.st_ino, last))
    return keys
