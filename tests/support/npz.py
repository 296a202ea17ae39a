"""Files of arrays, which are closed once they are read."""

from __future__ import annotations

from pathlib import Path
from typing import IO, Any

import numpy as np

from mlconv.ir.constants import Array


def npz(path: str | Path | IO[Any]) -> dict[str, Array]:
    """All arrays of an .npz, by name."""
    with np.load(path) as arrays:
        return dict(arrays)
