"""docs/diagnostics.md says what is there."""

from __future__ import annotations

import re
from pathlib import Path

from click.testing import CliRunner

from mlconv.cli import main
from mlconv.diagnostics.text import FORMATS
from tests.diagnostics.test_renderers import FIELDS

ROOT = Path(__file__).parent.parent.parent
DOCUMENT = (ROOT / "docs" / "diagnostics.md").read_text(encoding="utf-8")


def options_of(command: str) -> set[str]:
    return set(re.findall(r"--[a-z-]+", CliRunner().invoke(main, [command, "--help"]).output))


def test_fields_and_formats_are_described() -> None:
    assert all(f"`{name}`" in DOCUMENT for name in (*FIELDS, *FORMATS))


def test_options_exist() -> None:
    known = options_of("check") | options_of("convert") | {"--help"}
    assert set(re.findall(r"--[a-z][a-z-]+", DOCUMENT)) <= known
