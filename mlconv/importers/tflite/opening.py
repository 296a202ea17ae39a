"""A TFLite file is opened, and what it lacks becomes an error of the file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.flatbuffer import DamagedError
from mlconv.ir.constants import SourceFile

_HEADER = 16  # bytes


@contextmanager
def opened(path: str) -> Iterator[SourceFile]:
    """Raises ConversionError InputNotReadable and FileDamaged, the latter for what is read inside, too."""
    try:
        file = SourceFile(path)
        if os.path.getsize(path) < _HEADER:
            raise DamagedError("it is shorter than a header")
        yield file
    except OSError as error:
        raise ConversionError(Code.InputNotReadable, f"{path}: {error.strerror}") from error
    except DamagedError as error:
        raise ConversionError(
            Code.FileDamaged, f"{path} is an invalid flatbuffer, or truncated: cannot parse it: {error}"
        ) from error
