"""The example of docs/simplify.md prints what the page says, and its tables name all rules."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlconv.simplifiers.onnx.simplify import all_rules
from mlconv.simplifiers.tflite.rules import NAMES
from tests.support.cli import call
from tests.support.pages import read_example, run_example

PAGE = (Path(__file__).parent.parent.parent / "docs" / "simplify.md").read_text(encoding="utf-8")


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = read_example(PAGE)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    (ran,) = run_example(example, tmp_path)
    assert ran.status == 0
    assert ran.output.split("\ntime:")[0].rstrip() == example.steps[0].output.rstrip()


def test_what_is_named() -> None:
    rows = re.findall(r"^\| ([a-z].*?) \|", PAGE, re.M)
    named = [name for row in rows if row != "rule" for name in row.split(", ")]
    assert sorted(named) == sorted([*all_rules().names, *NAMES])
    known = set(re.findall(r"--[a-z-]+", call("simplify", "--help").output))
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) <= known
