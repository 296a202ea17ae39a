"""Files that appear under their name only when they are whole."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO

from mlconv.diagnostics import Code, ConversionError


@contextlib.contextmanager
def replacing(target: Path, check: Callable[[Path], None] | None = None) -> Iterator[BinaryIO]:
    """An open file beside `target`, renamed to it at the end; nothing is left behind on failure.

    check: called on the finished file before it is renamed; raises to refuse it.  Raises ConversionError MLC0007 when the file cannot be written.
    """
    temporary = target.with_name(f".{target.name}.{os.getpid()}.tmp")
    try:
        with open(temporary, "xb", buffering=1 << 20) as out:
            yield out
        if check is not None:
            check(temporary)
        os.replace(temporary, target)
    except OSError as e:
        raise ConversionError(Code.MLC0007, f"cannot write {target}: {e.strerror or e}") from e
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temporary)
