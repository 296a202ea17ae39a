"""The example of docs/inspect.md prints what the page says, and its tables name all views, numerics and options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlconv.commands.inspect import VIEWS
from mlconv.commands.views_report import NUMERICS
from mlconv.driver.inspection import DEDUCED
from tests.support.cli import call
from tests.support.pages import read_example, run_example, with_outputs

PATH = Path(__file__).parent.parent.parent / "docs" / "inspect.md"
PAGE = PATH.read_text(encoding="utf-8")


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> None:
    example = read_example(PAGE)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    ran = run_example(example, tmp_path)
    assert [r.status for r in ran] == [0] * len(example.steps)
    if request.config.getoption("--update"):
        PATH.write_text(with_outputs(PAGE, example, ran), encoding="utf-8")
    else:
        assert [r.output.rstrip() for r in ran] == [step.output.rstrip() for step in example.steps]


def test_what_is_named() -> None:
    assert re.findall(r"^\| `(\w+)` \|", PAGE, re.M) == list(VIEWS)
    assert all(f"| {text} |" in PAGE for text in NUMERICS.values())
    assert f"{DEDUCED >> 20} MB" in PAGE
    known = {
        option
        for command in ("inspect", "convert", "check")
        for option in re.findall(r"--[a-z-]+", call(command, "--help").output)
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) <= known
