"""Sizes of files and functions, and forbidden habits."""

from __future__ import annotations

import ast
import pathlib
import re
import tokenize

from tests.support.sources import tree_of

ROOT = pathlib.Path(__file__).parent.parent.parent
FILES = sorted((ROOT / "mlconv").rglob("*.py"))
BESIDE = sorted(p for folder in ("tests", "tools") for p in (ROOT / folder).rglob("*.py"))


def functions(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]


def percentile(values: list[int], share: float) -> int:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def lengths(files: list[pathlib.Path]) -> dict[str, int]:
    """Lines by file; tables, many of which are generated, and what only gathers names are left out."""
    return {
        str(p.relative_to(ROOT)): len(p.read_text(encoding="utf-8").splitlines())
        for p in files
        if "table" not in p.name and p.name != "__init__.py"
    }


def test_files() -> None:
    assert not {p: n for p, n in lengths([*FILES, *BESIDE]).items() if n > 500}
    sizes = list(lengths(FILES).values())
    assert percentile(sizes, 0.95) <= 350
    assert percentile(sizes, 0.5) <= 200


def test_functions() -> None:
    found = {}
    for path in FILES:
        for f in functions(tree_of(path)):
            found[f"{path}:{f.lineno} {f.name}"] = (f.end_lineno or f.lineno) - f.lineno + 1
    assert not {k: n for k, n in found.items() if n > 60}
    assert percentile(list(found.values()), 0.95) <= 30


def test_no_broad_except_but_at_the_boundary() -> None:
    found = []
    for path in FILES:
        for node in ast.walk(tree_of(path)):
            if not isinstance(node, ast.ExceptHandler):
                continue
            names = {n.id for n in ast.walk(node.type) if isinstance(n, ast.Name)} if node.type else {"Exception"}
            if names & {"Exception", "BaseException"}:
                found.append(f"{path.relative_to(ROOT)}:{node.lineno}")
    assert {f.split(":")[0] for f in found} == {"mlconv/commands/group.py"}, found


def test_no_environment_no_print_no_unfinished_marks() -> None:
    pattern = re.compile(
        r"os\.environ|getenv|^\s*print\(|\b(TODO|FIXME|XXX|HACK)\b|NotImplementedError|fmt: (skip|off)"
    )
    found = [
        f"{p.relative_to(ROOT)}:{i}"
        for p in FILES
        for i, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1)
        if pattern.search(line)
    ]
    assert not found


def uses(path: pathlib.Path, name: str) -> int:
    """How often code has a name; imports, comments and strings do not count."""
    count, first = 0, ""
    if name not in path.read_text(encoding="utf-8"):
        return 0
    with path.open("rb") as file:
        for token in tokenize.tokenize(file.readline):
            if token.type == tokenize.NEWLINE:
                first = ""
            elif token.type == tokenize.NAME:
                first = first or token.string
                count += token.string == name and first not in ("import", "from")
    return count


def test_any_is_rare() -> None:
    """An op's class, a TypedDict or a protocol says more, and `object` is enough for what is only passed on."""
    counts = {str(p.relative_to(ROOT)): uses(p, "Any") for p in FILES}
    assert sum(counts.values()) <= 300, sorted(counts.items(), key=lambda item: -item[1])[:20]


def test_uses_are_counted_in_code_only(tmp_path: pathlib.Path) -> None:
    path = tmp_path / "module.py"
    path.write_text(
        'from typing import (\n    Any,\n)\n"""Any."""\nx: dict[str, Any] = {"Any": 1}  # Any\n'
        "def f(y: Any) -> Any: ...\n",
        encoding="utf-8",
    )
    assert uses(path, "Any") == 3
