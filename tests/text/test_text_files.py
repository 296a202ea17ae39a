"""Runs the cases of the text files in the folders here; `tests/support/text_cases.py` has their form."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.text_cases import Case, outcome, read_cases, write_expected

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.rglob("*.mlir"))


def cases() -> list[object]:
    return [
        pytest.param(case, id=f"{path.relative_to(FOLDER).with_suffix('')}: {case.title}")
        for path in FILES
        for case in read_cases(path)
    ]


@pytest.mark.parametrize("case", cases())
def test_case(case: Case, request: pytest.FixtureRequest) -> None:
    got = outcome(case).text
    if request.config.getoption("--update"):
        write_expected(case, got)
        return
    assert case.expected, "the case expects nothing; --update writes what is there"
    assert got == case.expected
