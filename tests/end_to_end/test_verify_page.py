"""The example of docs/verify.md prints what the page says, and its tables name all verdicts, backends and options."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from mlconv.commands.verify import BACKENDS as OFFERED
from mlconv.driver.sides import RUNTIMES
from mlconv.runtime.measures import LEAST_SNR, Verdict
from tests.support.cli import call
from tests.support.pages import read_example, run_example

PAGE = (Path(__file__).parent.parent.parent / "docs" / "verify.md").read_text(encoding="utf-8")


def test_example(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    example = read_example(PAGE)
    assert example is not None
    monkeypatch.chdir(tmp_path)
    ran = run_example(example, tmp_path)
    assert [r.status for r in ran] == [0, 0, 3]
    assert [r.output.rstrip() for r in ran] == [step.output.rstrip() for step in example.steps]


def test_what_is_named() -> None:
    assert all(f"| {verdict.value} |" in PAGE for verdict in Verdict) and f"({LEAST_SNR:g} dB)" in PAGE
    assert set(OFFERED) == {"auto"}.union(*RUNTIMES.values())
    assert all(f"`{name}`" in PAGE for name in OFFERED if name != "auto")
    known = {
        option
        for command in ("verify", "bisect", "convert")
        for option in re.findall(r"--[a-z-]+", call(command, "--help").output)
    }
    assert set(re.findall(r"(?<![\w-])--[a-z][a-z-]*", PAGE)) <= known
