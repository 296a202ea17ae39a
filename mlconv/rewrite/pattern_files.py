"""Patterns of files that are loaded when an op is met that they root at."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import import_module

from mlconv.rewrite.pattern import Pattern


class PatternFiles:
    """Patterns in files, each with its PATTERNS.  files: the core ops that those of a file root at, in the order in
    which files are asked; files without are for ops of every network.
    """

    def __init__(self, package: str, files: Mapping[str, str]) -> None:
        self.package, self.files = package, files

    def of(self, name: str) -> Sequence[Pattern]:
        """The patterns that root at an op."""
        op = name.removeprefix("core.")
        files = [file for file, ops in self.files.items() if not ops or op in ops.split()]
        return tuple(p for file in files for p in self.in_file(file) if name in p.roots)

    def in_file(self, file: str) -> Sequence[Pattern]:
        patterns: Sequence[Pattern] = import_module(f"{self.package}.{file}").PATTERNS
        return patterns

    def all(self) -> list[Pattern]:
        return [pattern for file in self.files for pattern in self.in_file(file)]
