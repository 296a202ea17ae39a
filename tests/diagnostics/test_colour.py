"""Colour on a terminal, none in a pipe, none with NO_COLOR."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support import failing_models as models


def on_a_terminal(folder: Path, *command: str, **environment: str) -> str:
    """What a command writes to a terminal as its standard error."""
    ours, theirs = pty.openpty()
    env = {"PATH": "/usr/bin:/bin", "TERM": "xterm-256color", **environment}
    process = subprocess.Popen(
        [sys.executable, "-m", "mlconv", *command], cwd=folder, stderr=theirs, stdout=subprocess.DEVNULL, env=env
    )
    os.close(theirs)
    text = b""
    try:
        while chunk := os.read(ours, 4096):
            text += chunk
    except OSError:
        pass  # Linux says so when the other side is closed
    process.wait()
    os.close(ours)
    return text.decode()


@pytest.mark.skipif(sys.platform == "win32", reason="needs a pseudo-terminal")
def test_colour(tmp_path: Path) -> None:
    path = models.torch_custom_op(tmp_path)
    command = ("convert", path.name, "--to", "tflite")
    coloured = on_a_terminal(tmp_path, *command)
    assert "\x1b[31m" in coloured and "MLC0301" in coloured
    assert "\x1b[" not in on_a_terminal(tmp_path, *command, NO_COLOR="1")
    assert "\x1b[" not in on_a_terminal(tmp_path, *command, TERM="dumb")
