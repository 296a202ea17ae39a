"""Syntax trees of Python files."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def tree_of(path: Path) -> ast.Module:
    """Several tests look at the same files; the tree is not to be changed."""
    return ast.parse(path.read_text(encoding="utf-8"))
