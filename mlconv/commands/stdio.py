"""Standard output and standard error: the one place that writes to them.

A run whose output is lost (a full disk, a closed stream) has failed, with a code.  What is said on standard error is
lost silently where nobody can read it.
"""

from __future__ import annotations

import errno
import io
import os
import shutil
import sys
from typing import IO, BinaryIO, TextIO

import click

from mlconv.diagnostics import Code, ConversionError


class OutputLostError(ConversionError):
    """Standard output takes nothing any more."""

    def __init__(self, why: str) -> None:
        super().__init__(Code.OutputNotWritable, f"cannot write to standard output: {why}")


class _Closed(io.TextIOBase):
    """In place of a standard output that was closed before the start: for Python and click that is no error."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, "it is closed")

    @property
    def buffer(self) -> IO[bytes]:
        raise OSError(errno.EBADF, "it is closed")


def prepare() -> None:
    """Before anything is opened: no file of the run gets the number of a standard stream that was closed, or the
    system's messages would go into it.
    """
    number = 0
    while number <= 2:
        number = os.open(os.devnull, os.O_RDWR)
    os.close(number)
    if sys.stdout is None:
        sys.stdout = _Closed()
    if sys.stderr is None:
        sys.stderr = _nowhere()


def say(text: str, err: bool = False, nl: bool = True, color: bool | None = None) -> None:
    """Print a text; characters that the stream's encoding lacks are escaped.  Raises OutputLostError, BrokenPipeError
    (which click ends quietly).
    """
    try:
        try:
            click.echo(text, err=err, nl=nl, color=color)
        except UnicodeEncodeError as e:
            click.echo(text.encode(e.encoding, "backslashreplace").decode(e.encoding), err=err, nl=nl, color=color)
    except BrokenPipeError:
        raise
    except OSError as e:
        if not err:
            raise lost(e) from e
        sys.stderr = _nowhere()


def send(data: BinaryIO) -> None:
    """A file's bytes to standard output.  Raises OutputLostError, BrokenPipeError."""
    try:
        shutil.copyfileobj(data, sys.stdout.buffer)
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        raise
    except OSError as e:
        raise lost(e) from e


def lost(error: OSError) -> OutputLostError:
    """Standard output failed: what is still in its buffer would fail again when the process ends."""
    sys.stdout = _nowhere()
    return OutputLostError(error.strerror or str(error))


def _nowhere() -> TextIO:
    return open(os.devnull, "w", encoding="utf-8")
