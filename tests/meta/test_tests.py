"""What tests share is in tests/support, once."""

from __future__ import annotations

import ast
import pathlib
from collections import defaultdict
from collections.abc import Iterator

from tests.support.sources import tree_of

ROOT = pathlib.Path(__file__).parent.parent
FILES = sorted(ROOT.rglob("*.py"))
SHORT = 150  # characters of a syntax tree: bodies below that say nothing that needs a name


def imports(path: pathlib.Path) -> Iterator[str]:
    for node in ast.walk(tree_of(path)):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            yield node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_no_folder_imports_from_the_tests_of_another() -> None:
    found = []
    for path in FILES:
        allowed = {"support", path.relative_to(ROOT).parts[0]}
        for module in imports(path):
            parts = module.split(".")
            if parts[0] == "tests" and len(parts) > 1 and parts[1] not in allowed:
                found.append(f"{path.relative_to(ROOT)} imports {module}")
    assert not found


def test_helpers_are_written_once() -> None:
    bodies: dict[str, list[str]] = defaultdict(list)
    for path in FILES:
        for node in tree_of(path).body:
            if isinstance(node, ast.FunctionDef):
                body = node.body[1:] if ast.get_docstring(node) is not None else node.body
                text = ast.dump(ast.Module(body, []))
                if len(text) > SHORT:
                    bodies[text].append(f"{path.relative_to(ROOT)}: {node.name}")
    assert not [places for places in bodies.values() if len(places) > 1]
