"""Models whose weights nobody may look at."""

from __future__ import annotations

import shutil
from pathlib import Path

from mlconv.diagnostics import DiagnosticEngine
from mlconv.driver.loading import import_model
from mlconv.driver.options import Options
from mlconv.ir.constants import Const, Mapped

LARGE = 1 << 10  # bytes; smaller constants may decide about shapes


def weights(path: Path) -> list[tuple[int, int]]:
    """Offsets and sizes of the large constants that lie in the file itself."""
    module = import_model(str(path), Options(), DiagnosticEngine()).module
    constants = [v for op in module.walk() for v in op.attributes.values() if isinstance(v, Const)]
    return [
        (c.offset, c.nbytes)
        for c in constants
        if isinstance(c, Mapped) and c.nbytes > LARGE and c.dtype.is_float and Path(c.file.path) == path
    ]


def poisoned(path: Path, folder: Path) -> Path | None:
    """A copy with NaN in the place of its weights; None for a model without large ones."""
    places = weights(path)
    if not places:
        return None
    copy = Path(shutil.copy(path, folder / path.name))
    with open(copy, "r+b") as f:
        for offset, size in places:
            f.seek(offset)
            f.write(b"\xff" * size)
    return copy
