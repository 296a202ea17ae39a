"""Models that only their own framework can open: it does so in a process of its own, and writes what is read here."""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
import weakref
from collections.abc import Sequence

from mlconv.diagnostics import Code, ConversionError

TIMEOUT_S = 1800


class Folder:
    """A temporary folder that goes with its object, at the latest with the process."""

    def __init__(self, prefix: str = "mlconv-") -> None:
        self.name = tempfile.mkdtemp(prefix=prefix)
        self.remove = weakref.finalize(self, shutil.rmtree, self.name, ignore_errors=True)

    def cleanup(self) -> None:
        """Remove it now."""
        self.remove()


def last_words(script: str, arguments: Sequence[str], what: str) -> list[str] | None:
    """Run a script; None when it succeeds, else the lines that it said last, at least one.  what: who does what, for
    the message that it took too long.  Raises ConversionError VariantUnsupported then.
    """
    command = [sys.executable, "-P", "-c", script, *arguments]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
    except subprocess.TimeoutExpired as e:
        raise ConversionError(Code.VariantUnsupported, f"{what} within {TIMEOUT_S} s") from e
    if done.returncode == 0:
        return None
    return [line for line in done.stderr.strip().splitlines() if line.strip()] or ["no message"]
