"""Programs that import TensorFlow, in a process of their own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from types import ModuleType


def written(program: ModuleType, folder: Path) -> Path:
    """The folder that a program has been run for, which writes graphs and results into it."""
    environment = {**os.environ, "TF_CPP_MIN_LOG_LEVEL": "3", "CUDA_VISIBLE_DEVICES": ""}
    command = [sys.executable, str(program.__file__), str(folder)]
    subprocess.run(command, check=True, env=environment, capture_output=True, timeout=300)
    return folder
