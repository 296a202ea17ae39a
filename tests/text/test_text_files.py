"""Runs the IR files of this folder.

// RUN: --pipeline=layout,canonicalize
// CHECK: a piece of the output, in order; {{...}} is a regular expression
// CHECK-NOT: a piece that must not occur anywhere
"""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from click.testing import CliRunner

from mlconv.cli import main

FILES = sorted(Path(__file__).parent.glob("*.mlir"))


def pattern(text: str) -> str:
    parts = re.split(r"\{\{(.*?)\}\}", text)
    return "".join(part if i % 2 else re.escape(part) for i, part in enumerate(parts))


def directives(text: str, name: str) -> list[str]:
    return [m.group(1).strip() for m in re.finditer(rf"^// {name}: (.*)$", text, re.M)]


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.stem)
def test_file(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    (arguments,) = directives(text, "RUN")
    result = CliRunner().invoke(main, ["opt", str(path), *arguments.split(), "--verify-each"])
    assert result.exit_code == 0, result.output
    at = 0
    checks = directives(text, "CHECK")
    assert checks, "a file without CHECK lines tests nothing"
    for check in checks:
        found = re.compile(pattern(check)).search(result.output, at)
        assert found, f"{check!r} not found in order in\n{result.output}"
        at = found.end()
    for check in directives(text, "CHECK-NOT"):
        assert not re.search(pattern(check), result.output), f"{check!r} occurs in\n{result.output}"
