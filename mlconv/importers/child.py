"""Models that only their own framework can open: it does so in a process of its own, and writes what is read here."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError

TIMEOUT_S = 1800
_COLOR = re.compile(r"\x1b\[[0-9;]*m")


class Folder:
    """A temporary folder that goes with its object, at the latest with the process."""

    def __init__(self, prefix: str = "mlconv-") -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)
        self.remove = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    def cleanup(self) -> None:
        """Remove it now."""
        self.remove()


def last_words(script: str, arguments: Sequence[str], what: str) -> list[str] | None:
    """Run a script; None when it succeeds, else the lines that it said last, at least one: the exception that ended it
    first, then what its message goes on with.  what: who does what, for the message that it took too long.  Raises
    ConversionError VariantUnsupported then.
    """
    command = [sys.executable, "-P", "-c", script, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as e:
        raise ConversionError(Code.VariantUnsupported, f"{what} within {TIMEOUT_S} s") from e
    if done.returncode == 0:
        return None
    return said_last(done.stderr) or ["no message"]


def said_last(errors: str) -> list[str]:
    """What a process ended with: from the exception of the last traceback on, else the last line; blank lines not."""
    lines = [line.rstrip() for line in _COLOR.sub("", errors).splitlines() if line.strip()]
    calls = max((i for i, line in enumerate(lines) if line.startswith("Traceback (most recent")), default=None)
    if calls is None:
        return lines[-1:]
    heads = (i for i in range(calls + 1, len(lines)) if not lines[i].startswith(" "))
    return lines[next(heads, len(lines) - 1) :]
