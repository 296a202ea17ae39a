"""Sizes of files and functions, and forbidden habits."""

from __future__ import annotations

import ast
import pathlib
import re

ROOT = pathlib.Path(__file__).parent.parent.parent
FILES = sorted(p for p in (ROOT / "mlconv").rglob("*.py"))


def functions(tree: ast.AST) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [n for n in ast.walk(tree) if isinstance(n, (ast.FunctionDef, ast.AsyncFunctionDef))]


def percentile(values: list[int], share: float) -> int:
    return sorted(values)[min(len(values) - 1, int(len(values) * share))]


def test_files() -> None:
    sizes = {
        p: len(p.read_text(encoding="utf-8").splitlines())
        for p in FILES
        if "table" not in p.name and p.name != "__init__.py"
    }
    assert not {str(p): n for p, n in sizes.items() if n > 500}
    assert percentile(list(sizes.values()), 0.95) <= 350


def test_functions() -> None:
    lengths = {}
    for path in FILES:
        for f in functions(ast.parse(path.read_text(encoding="utf-8"))):
            lengths[f"{path}:{f.lineno} {f.name}"] = (f.end_lineno or f.lineno) - f.lineno + 1
    assert not {k: n for k, n in lengths.items() if n > 60}
    assert percentile(list(lengths.values()), 0.95) <= 30


def test_no_broad_except_but_at_the_boundary() -> None:
    found = []
    for path in FILES:
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            names = {getattr(node.type, "id", "")} if isinstance(node, ast.ExceptHandler) else set()
            if isinstance(node, ast.ExceptHandler) and (node.type is None or names & {"Exception", "BaseException"}):
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


def test_median_file() -> None:
    sizes = [
        len(p.read_text(encoding="utf-8").splitlines())
        for p in FILES
        if "table" not in p.name and p.name != "__init__.py"
    ]
    assert percentile(sizes, 0.5) <= 200


def test_any_is_rare() -> None:
    """Lines with `Any`, imports left out: an op's class, a TypedDict or a protocol says more."""
    found = [
        f"{p.relative_to(ROOT)}:{i}"
        for p in FILES
        for i, line in enumerate(p.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(r"\bAny\b", line) and "import" not in line
    ]
    assert len(found) <= 300, len(found)
