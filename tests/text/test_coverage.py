"""What the text cases must show: each rewrite of the passes at work."""

from __future__ import annotations

from mlconv.passes import fold_batch_norm
from mlconv.passes.patterns import ALL
from mlconv.rewrite.pattern import Pattern
from tests.support.text_cases import outcome, read_cases
from tests.text.test_text_files import FOLDER


def applied(*folders: str) -> set[str]:
    """Names of the patterns that cases of folders apply."""
    found: set[str] = set()
    for folder in folders:
        for path in (FOLDER / folder).glob("*.mlir"):
            for case in read_cases(path):
                found.update(name for name, count in outcome(case).statistics.applied.items() if count)
    return found


def test_each_pattern_is_shown() -> None:
    patterns = {p.name for p in (*ALL, *vars(fold_batch_norm).values()) if isinstance(p, Pattern)}
    assert patterns <= applied("canonicalize", "fold", "layout"), "a pattern that no text case shows"


def test_each_counting_pass_is_shown() -> None:
    assert {"fold", "cse", "dce", "loops", "unroll", "state"} <= applied("canonicalize", "fold", "loops", "state")
