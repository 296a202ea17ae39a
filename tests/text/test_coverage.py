"""What the text cases must show: each rewrite of the passes, each rule of a legalization."""

from __future__ import annotations

import re
from importlib import import_module
from pkgutil import iter_modules

import pytest

from mlconv.legalize.to_hlo import mathfn as to_hlo
from mlconv.legalize.to_tfl import mathfn as to_tfl
from mlconv.passes import fold_batch_norm
from mlconv.passes.patterns import PATTERNS
from mlconv.rewrite.rules import Rules
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
    patterns = {p.name for p in (*PATTERNS.all(), *fold_batch_norm.PATTERNS.all())}
    assert patterns <= applied("canonicalize", "fold", "layout"), "a pattern that no text case shows"


def test_each_counting_pass_is_shown() -> None:
    assert {"fold", "cse", "dce", "loops", "unroll", "state"} <= applied("canonicalize", "fold", "loops", "state")


# functions that two targets make of many ops: the tests that compare numbers say all of them
NUMERIC = {op for room in (to_tfl, to_hlo) for op in room.RULES.by_op}


def ruled(room: str) -> set[str]:
    """Core ops that a legalization has rules for."""
    package = import_module(f"mlconv.legalize.{room}")
    files = [m.name for m in iter_modules(package.__path__)]
    tables = (value for name in files for value in vars(import_module(f"{package.__name__}.{name}")).values())
    return {op for table in tables if isinstance(table, Rules) for op in table.by_op} - NUMERIC


def converted(folder: str) -> set[str]:
    """Core ops that stand in the IR of a folder's cases."""
    texts = [case.source for path in (FOLDER / folder).glob("*.mlir") for case in read_cases(path)]
    return {name for text in texts for name in re.findall(r'"(core\.\w+)"\(', text)}


@pytest.mark.parametrize("room", ["to_tfl", "to_hlo", "to_onnx", "to_tf", "to_kernel"])
def test_each_rule_is_shown(room: str) -> None:
    rules = ruled(room)
    assert len(rules) > 90 and rules <= converted(room), "a rule that no text case shows"
