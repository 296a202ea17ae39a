"""What the text cases must show: each rewrite of the passes, each rule of a legalization."""

from __future__ import annotations

import re
from types import ModuleType

import pytest

from mlconv.legalize.to_hlo import mathfn as hlo_functions
from mlconv.legalize.to_hlo import rules as hlo_rules
from mlconv.legalize.to_tfl import mathfn as tfl_functions
from mlconv.legalize.to_tfl import rules as tfl_rules
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


def converted(folder: str) -> set[str]:
    """Core ops that stand in the IR of a folder's cases."""
    texts = [case.source for path in (FOLDER / folder).glob("*.mlir") for case in read_cases(path)]
    return {name for text in texts for name in re.findall(r'"(core\.\w+)"\(', text)}


@pytest.mark.parametrize(
    ("folder", "rules", "functions"),
    [("to_tfl", tfl_rules, tfl_functions), ("to_hlo", hlo_rules, hlo_functions)],
    ids=["to_tfl", "to_hlo"],
)
def test_each_rule_is_shown(folder: str, rules: ModuleType, functions: ModuleType) -> None:
    """Functions that are made of many others are left to the tests that compare numbers."""
    shown = set(rules.RULES.by_op) - set(functions.RULES.by_op)
    assert shown <= converted(folder), "a rule that no text case shows"
