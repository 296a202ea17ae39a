"""Tables of rules are made of the rules of files without changing these, however often they are asked for."""

from __future__ import annotations

import importlib
import pathlib
from collections.abc import Callable

import pytest

from mlconv.legalize.source import OpTable
from mlconv.passes import fold_batch_norm
from mlconv.passes.patterns import PATTERNS
from mlconv.rewrite import Rules
from mlconv.rewrite.pattern_files import PatternFiles

ROOT = pathlib.Path(__file__).parent.parent.parent / "mlconv" / "legalize"


def declared(folder: str) -> dict[str, dict[str, list[str]]]:
    """The rules of each file."""
    found = {}
    for path in sorted((ROOT / folder).glob("*.py")):
        rules = getattr(importlib.import_module(f"mlconv.legalize.{folder}.{path.stem}"), "RULES", None)
        rules = getattr(rules, "rules", rules)
        if isinstance(rules, Rules):
            found[path.stem] = {str(op): [r.name for r in listed] for op, listed in rules.by_op.items()}
    return found


@pytest.mark.parametrize("folder", ["from_hlo", "from_onnx", "from_tf"])
def test_asking_twice_changes_nothing(folder: str) -> None:
    make: Callable[[], OpTable] = importlib.import_module(f"mlconv.legalize.{folder}").op_table.__wrapped__
    before = declared(folder)
    tables = [
        {str(op): [(r.name, r.versions) for r in listed] for op, listed in make().rules.by_op.items()} for _ in "ab"
    ]
    assert before and tables[0] == tables[1]
    assert declared(folder) == before


@pytest.mark.parametrize(("folder", "table"), [("from_onnx", "_ROOMS"), ("to_kernel.driver", "_FAMILIES")])
def test_files_are_listed_with_the_ops_that_they_have_rules_for(folder: str, table: str) -> None:
    """What is loaded goes by the list."""
    listed: dict[str, str] = getattr(importlib.import_module(f"mlconv.legalize.{folder}"), table)
    package = folder.partition(".")[0]
    found = declared(package)
    assert listed.keys() == found.keys()
    for file, ops in listed.items():
        if ops:
            assert {op.removeprefix("core.") for op in found[file]} == set(ops.split()), file


@pytest.mark.parametrize("patterns", [PATTERNS, fold_batch_norm.PATTERNS, fold_batch_norm.IN_FRONT_OF_ALL])
def test_patterns_are_listed_with_the_ops_that_they_root_at(patterns: PatternFiles) -> None:
    """What is loaded goes by the list."""
    for file, ops in patterns.files.items():
        roots = {root.removeprefix("core.") for p in patterns.in_file(file) for root in p.roots}
        assert not ops or roots == set(ops.split()), file


def test_every_file_of_patterns_is_listed() -> None:
    folder = ROOT.parent / "passes" / "patterns"
    having = {path.stem for path in folder.glob("*.py") if "\nPATTERNS = " in path.read_text(encoding="utf-8")}
    assert having == {file.partition(".")[2] for file in PATTERNS.files if file.startswith("patterns.")} | {"__init__"}


def test_all_patterns_of_an_op_are_found_in_order() -> None:
    for name in {root for p in PATTERNS.all() for root in p.roots}:
        assert list(PATTERNS.of(name)) == [p for p in PATTERNS.all() if name in p.roots]
