"""The scripts of examples/ run, each with a line that says what it is for."""

from __future__ import annotations

import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent.parent
EXAMPLES = sorted((ROOT / "examples").glob("*.py"))


@pytest.mark.share(4)
@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_example(path: Path, tmp_path: Path) -> None:
    command = [sys.executable, "-W", "error", str(path)]
    ran = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.strip() and not list(tmp_path.iterdir())


def test_each_says_what_it_is_for() -> None:
    """The first line of a script, which docs/python.md lists beside its name."""
    document = (ROOT / "docs" / "python.md").read_text(encoding="utf-8")
    listed = dict(re.findall(r"^\| \[(\w+)\.py\]\(\.\./examples/\1\.py\) \| (.*) \|$", document, re.M))
    found = {path.stem: ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) for path in EXAMPLES}
    assert listed == found and len(found) == 12
    assert all(text and text.endswith(".") and "\n" not in text for text in found.values())
