"""The models of all rows, written once for all workers by a process that imports Keras."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.keras import zoo as writer
from tests.keras.models import LARGE
from tests.keras.rows import ROWS

TIMEOUT_S = 600


def written(folder: Path, names: Sequence[str]) -> Path:
    """The folder with the models of rows; who finds it there waits until it is whole."""
    done = folder / "done"
    try:
        folder.mkdir()
    except FileExistsError:
        end = time.monotonic() + TIMEOUT_S
        while not done.exists() and time.monotonic() < end:
            time.sleep(0.1)
    else:
        root = Path(writer.__file__).parent.parent.parent
        env = {**os.environ, "PYTHONPATH": str(root), "TF_CPP_MIN_LOG_LEVEL": "3"}
        env["TF_ENABLE_ONEDNN_OPTS"] = "1"  # has convolutions with channels first; not a default on all processors
        command = [sys.executable, "-m", "tests.keras.zoo", str(folder), *names]
        ran = subprocess.run(command, env=env, cwd=root, capture_output=True, text=True, timeout=TIMEOUT_S, check=False)
        done.write_text(ran.stderr[-2000:] if ran.returncode else "", encoding="utf-8")
    assert not done.read_text(encoding="utf-8"), done.read_text(encoding="utf-8")
    return folder


def shared(factory: pytest.TempPathFactory) -> Path:
    """A folder that all workers of a run have in common."""
    base = factory.getbasetemp()
    return base.parent if "PYTEST_XDIST_WORKER" in os.environ else base


@pytest.fixture(scope="session")
def zoo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of all rows but the largest: `NAME.keras`, `NAME.h5`, and `NAME.npz` with inputs and outputs."""
    return written(shared(tmp_path_factory) / "keras-zoo", [name for name in ROWS if name not in LARGE])


@pytest.fixture(scope="session")
def large(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Models of the largest rows."""
    return written(shared(tmp_path_factory) / "keras-large", LARGE)
