"""Runs the command line in process."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner

from mlconv.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ran:
    """Exit code and output of `mlconv ARGUMENTS` with `folder` as current directory."""
    monkeypatch.chdir(folder)
    result = CliRunner().invoke(main, list(arguments))
    return Ran(result.exit_code, result.stdout, result.stderr)
