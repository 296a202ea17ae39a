"""Objects of equal code, compiled once for all tests of a run: half of LLVM's time went into code that another test had
had compiled.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import Target
from mlconv.codegen.program.compile import Effort, compilation

Compile = Callable[[str, Target, Cpu, Effort], Callable[[], bytes]]


def kept_in(folder: Path) -> Compile:
    """`compilation`, which looks into the folder first; workers may share it."""
    folder.mkdir(exist_ok=True)

    def compiled(text: str, target: Target, cpu: Cpu, effort: Effort) -> Callable[[], bytes]:
        path = folder / hashlib.sha256(repr((text, target, cpu, effort)).encode()).hexdigest()
        if not path.exists():
            written = path.with_suffix(f".{os.getpid()}")
            written.write_bytes(compilation(text, target, cpu, effort)())
            written.rename(path)
        return path.read_bytes

    return compiled
