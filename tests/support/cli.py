"""Runs the command line in process."""

from __future__ import annotations

import os
from pathlib import Path
from typing import NamedTuple

import pytest
from click.testing import CliRunner, Result

from mlconv.cli import main


class Ran(NamedTuple):
    code: int
    out: str
    err: str


def call(*arguments: object) -> Result:
    """`mlconv ARGUMENTS`, here."""
    return CliRunner().invoke(main, [os.fspath(a) if isinstance(a, Path) else str(a) for a in arguments])


def run(folder: Path, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> Ran:
    """Exit code and output of `mlconv ARGUMENTS` with `folder` as current directory."""
    monkeypatch.chdir(folder)
    result = call(*arguments)
    return Ran(result.exit_code, result.stdout, result.stderr)
