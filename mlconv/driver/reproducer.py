"""What is kept of an internal error: the traceback, the command, and the IR before the pass that failed, constants
elided.
"""

from __future__ import annotations

import sys
import tempfile
import traceback
from typing import TYPE_CHECKING

import mlconv

if TYPE_CHECKING:
    from mlconv.passes.pipeline import PassFailure


def write_reproducer(error: Exception) -> str:
    """Write the details of an error to a new file; returns its path.  Raises OSError where there is no room for one."""
    with tempfile.NamedTemporaryFile(
        "w", prefix="mlconv-error-", suffix=".txt", delete=False, encoding="utf-8", errors="backslashreplace"
    ) as f:
        f.write(f"mlconv {mlconv.__version__}, Python {sys.version.split()[0]}\ncommand: {' '.join(sys.argv)}\n\n")
        f.write("".join(traceback.format_exception(error)))
        failure: PassFailure | None = getattr(error, "pass_failure", None)
        if failure is not None:
            flags = "".join(f" --plugin {plugin.partition(' ')[0]}" for plugin in failure.plugins)
            f.write("".join(f"plug-in {plugin}\n" for plugin in failure.plugins))
            f.write(
                f"\nfailed in pass {failure.name}; run again with:  "
                f"mlconv opt IR.mlir{flags} --pipeline '{failure.remaining}'\n"
            )
            f.write(f"\n// IR before {failure.name}, large constants elided\n{failure.text}")
        return f.name
