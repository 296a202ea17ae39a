"""No modules import one another in a circle, nor do the folders of `codegen`; imports inside functions count, and so do
those for type checkers.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping
from pathlib import Path

import pytest

from tests.support.sources import tree_of

ROOT = Path(__file__).parent.parent.parent
PACKAGE = "mlconv"
Graph = Mapping[str, Iterable[str]]


def modules() -> dict[str, Path]:
    """Files by the names that they are imported by."""
    files = sorted((ROOT / PACKAGE).rglob("*.py"))
    return {".".join(p.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): p for p in files}


def imports() -> dict[str, set[str]]:
    """Who imports whom.  `from package import module` imports the module, and of the package nothing."""
    known = modules()
    found: dict[str, set[str]] = {name: set() for name in known}
    for name, path in known.items():
        for node in ast.walk(tree_of(path)):
            if isinstance(node, ast.Import):
                found[name].update(alias.name for alias in node.names)
            elif isinstance(node, ast.ImportFrom):
                assert not node.level, f"{path} imports by a relative name"
                targets = (f"{node.module}.{alias.name}" for alias in node.names)
                found[name].update(t if t in known else str(node.module) for t in targets)
        found[name] &= known.keys() - {name}
    return found


def circles(graph: Graph) -> list[list[str]]:
    """Sets of nodes of which each leads to all others (Tarjan 1972), of two nodes or more."""
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    stack: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        stack.append(node)
        for other in sorted(graph.get(node, ())):
            if other not in number:
                visit(other)
            if other in stack:
                lowest[node] = min(lowest[node], lowest[other])
        if lowest[node] == number[node]:
            place = stack.index(node)
            if len(stack) - place > 1:
                found.append(sorted(stack[place:]))
            del stack[place:]

    for node in sorted(graph):
        if node not in number:
            visit(node)
    return found


@pytest.mark.parametrize(
    ("graph", "expected"),
    [
        ({"a": "b", "b": "c", "c": ""}, []),
        ({"a": "b", "b": "cd", "c": "a", "d": ""}, [["a", "b", "c"]]),
        ({"a": "b", "b": "a", "c": "ad", "d": "c"}, [["a", "b"], ["c", "d"]]),
    ],
)
def test_circles(graph: Graph, expected: list[list[str]]) -> None:
    assert circles(graph) == expected


def test_no_modules_import_one_another() -> None:
    assert circles(imports()) == []


def test_no_folders_of_codegen_import_one_another() -> None:
    prefix = f"{PACKAGE}.codegen."
    folders: dict[str, set[str]] = {}
    for name, others in imports().items():
        if name.startswith(prefix):
            own = folders.setdefault(name.split(".")[2], set())
            own.update(o.split(".")[2] for o in others if o.startswith(prefix))
    assert {"kernels", "llvm", "machines", "objects", "program"} <= folders.keys()
    assert circles({folder: others - {folder} for folder, others in folders.items()}) == []
