"""Where keys stand in a TOML file, which Python's reader does not say."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property

from mlconv.diagnostics import Code, ConversionError, Diagnostic
from mlconv.formats.files import read_text
from mlconv.provenance.locations import FileLocation

_KEY = r"(?:[A-Za-z0-9_-]+|\"[^\"]*\"|'[^']*')"
_DOTTED = rf"{_KEY}(?:\s*\.\s*{_KEY})*"
_HEADING = re.compile(rf"\s*\[\[?\s*({_DOTTED})\s*\]\]?\s*(?:#.*)?")
_ASSIGNED = re.compile(rf"\s*({_DOTTED})\s*=")


class Places:
    """Of a file's keys.  top: keys that all others are below, as `tool.mlconv` of a pyproject.toml."""

    def __init__(self, path: str, top: Sequence[str] = ()) -> None:
        self.path, self.top = path, tuple(top)

    def problem(self, keys: Sequence[str], message: str, help_: str = "") -> Diagnostic:
        """What is wrong with a key, or in the table of the innermost of keys that stands in the file by name."""
        return self.located(ConversionError(Code.UsageError, f"{self.path}: {message}", help=help_), keys)

    def located(self, error: ConversionError, keys: Sequence[str]) -> Diagnostic:
        return error.with_context(self.of(keys), "", "")

    def of(self, keys: Sequence[str]) -> FileLocation | None:
        """The first line of a key or of its table; of the nearest one around it where it is in an inline table."""
        whole = (*self.top, *keys)
        found = next((self._lines[whole[:n]] for n in range(len(whole), 0, -1) if whole[:n] in self._lines), None)
        if found is None:
            return None
        number, line = found
        return FileLocation(self.path, number, len(line) - len(line.lstrip()) + 1, text=line)

    @cached_property
    def _lines(self) -> dict[tuple[str, ...], tuple[int, str]]:
        """Number and text by keys."""
        found: dict[tuple[str, ...], tuple[int, str]] = {}
        table: tuple[str, ...] = ()
        for number, line in enumerate(read_text(self.path).splitlines(), 1):
            if heading := _HEADING.fullmatch(line):
                table = _parts(heading[1])
                found.setdefault(table, (number, line))
            elif assigned := _ASSIGNED.match(line):
                parts = _parts(assigned[1])
                for n in range(1, len(parts) + 1):
                    found.setdefault((*table, *parts[:n]), (number, line))
        return found


def _parts(dotted: str) -> tuple[str, ...]:
    return tuple(part.strip("\"'") for part in re.findall(_KEY, dotted))
