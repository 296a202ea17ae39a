"""The source spans of a diagnostic, as they are shown: mapped and relative paths, source text, and the span within the
line.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from mlconv.diagnostics.engine import Diagnostic
from mlconv.diagnostics.spans import Call, Span, calls_of_file, calls_of_line, find_span, names_of_op
from mlconv.diagnostics.text import printable
from mlconv.provenance.locations import FileLocation, all_frames, frames, hidden_frames, mapped_path

_NEVER = ("/proc/", "/dev/", "/sys/")
_LARGEST_SOURCE = 4 << 20  # bytes; a larger file is not read for an excerpt


@dataclass(frozen=True, slots=True)
class View:
    """How diagnostics are shown.

    limit: causes that are shown, 0 for all.  full_stacks: every frame, library frames too.  path_map: (from, to)
    prefixes of recorded paths, first match wins.  folder: paths below it are shown relative to it; empty for none.
    source_roots: folders whose Python files may be read for excerpts, besides `folder` and what the path map leads to.
    """

    limit: int = 0
    full_stacks: bool = False
    path_map: tuple[tuple[str, str], ...] = ()
    folder: str = ""
    source_roots: tuple[str, ...] = ()

    def may_read(self, path: str) -> bool:
        """An excerpt of the file may be shown: it is a regular Python file, by its real path, in a folder that the user
        works in or has named.

        Paths come out of model files: without this, a model could print any file of the machine that converts it into a
        log.
        """
        real = os.path.realpath(path)
        roots = [
            os.path.realpath(r) for r in (self.folder, *self.source_roots, *(new for _, new in self.path_map)) if r
        ]
        inside = any(real.startswith(root.rstrip(os.sep) + os.sep) for root in roots)
        return inside and real.endswith(".py") and not real.startswith(_NEVER) and os.path.isfile(real)

    def path(self, file: str) -> str:
        """A recorded path with the first matching prefix replaced."""
        return mapped_path(file, self.path_map)

    def shown(self, file: str) -> str:
        """The path as it is printed."""
        path = self.path(file)
        if self.folder and path.startswith(self.folder.rstrip(os.sep) + os.sep):
            return os.path.relpath(path, self.folder)
        return path.removeprefix("./")


def source_files(diagnostics: Iterable[Diagnostic], view: View) -> list[str]:
    """The files whose lines may be shown."""
    recorded = dict.fromkeys(f.file for d in diagnostics for f in all_frames(d.location))
    return [path for path in map(view.path, recorded) if view.may_read(path)]


class SourceSpan(NamedTuple):
    """A frame as it is shown.  column, end_column count characters from 1; 0 is not known.  mark is the span within
    `text`.
    """

    file: str
    line: int
    column: int = 0
    end_column: int = 0
    function: str = ""
    text: str = ""
    mark: Span | None = None
    changed: bool = False  # the file on disk has other text in this line than the model recorded


class Stack(NamedTuple):
    """Spans innermost first, and how many library frames are left out."""

    spans: tuple[SourceSpan, ...]
    hidden: int


@dataclass(slots=True)
class SourceSpans:
    """Makes source spans; reads and parses each source file once."""

    view: View = View()
    _lines: dict[str, list[str]] = field(default_factory=dict)
    _calls: dict[str, list[Call]] = field(default_factory=dict)

    def stack(self, d: Diagnostic) -> Stack:
        """The frames of a diagnostic.  The first is always the user's innermost one, library frames follow only with
        `full_stacks`.
        """
        user = frames(d.location)
        every = all_frames(d.location) if self.view.full_stacks else ()
        names = names_of_op(d.op)
        spans: list[SourceSpan] = []
        for frame in user:
            spans.append(self.source_span(frame, names))
            names = frozenset({frame.function})
        if not every:
            return Stack(tuple(spans), hidden_frames(d.location))
        known = dict(zip(user, spans, strict=True))
        rest = [known.get(f) or self.source_span(f, frozenset()) for f in every if f != user[0]]
        return Stack((spans[0], *rest), 0)

    def source_span(self, frame: FileLocation, names: frozenset[str]) -> SourceSpan:
        """A frame as it is shown, in printable text."""
        source_span = self._source_span(frame, names)
        text = printable(source_span.text, tabs=True)
        mark = source_span.mark if text == source_span.text else None
        return source_span._replace(
            file=printable(source_span.file), function=printable(source_span.function), text=text, mark=mark
        )

    def _source_span(self, frame: FileLocation, names: frozenset[str]) -> SourceSpan:
        """A frame with its text; the column is the recorded one, else that of the only call of `names` in the line."""
        line = self._line(frame.file, frame.line)
        shown = self.view.shown(frame.file)
        if line is None or (frame.text and line.strip() != frame.text.strip()):
            mark = find_span(calls_of_line(frame.text), 1, len(frame.text), names) if frame.text else None
            return SourceSpan(shown, frame.line, frame.column, 0, frame.function, frame.text, mark, line is not None)
        span = self._span(frame, line, names)
        if frame.column and (span is None or span.start + 1 != frame.column):
            return SourceSpan(
                shown, frame.line, frame.column, 0, frame.function, line, Span(frame.column - 1, frame.column)
            )
        if span is None:
            return SourceSpan(shown, frame.line, 0, 0, frame.function, line)
        return SourceSpan(shown, frame.line, span.start + 1, span.end + 1, frame.function, line, span)

    def excerpt(self, frame: FileLocation, around: int) -> dict[int, str]:
        """The lines around a frame by number, its own among them; none when they cannot be read, or when the file has
        other text there than the model recorded.
        """
        line = self._line(frame.file, frame.line)
        if line is None or (frame.text and line.strip() != frame.text.strip()):
            return {}
        lines = self._lines[frame.file]
        first, last = max(frame.line - around, 1), min(frame.line + around, len(lines))
        return {number: lines[number - 1].expandtabs(4) for number in range(first, last + 1)}

    def _span(self, frame: FileLocation, line: str, names: frozenset[str]) -> Span | None:
        """The span by the whole file, or by the line alone when the file does not parse."""
        calls = self._calls_of(frame.file)
        if calls:
            return find_span(calls, frame.line, len(line), names)
        text = line.strip()
        span = find_span(calls_of_line(text), 1, len(text), names)
        indent = len(line) - len(line.lstrip())
        return span and Span(span.start + indent, span.end + indent)

    def _line(self, file: str, number: int) -> str | None:
        """A line of a source file; None when it cannot be read."""
        if file not in self._lines:
            self._lines[file] = self._read(self.view.path(file))
        lines = self._lines[file]
        return lines[number - 1] if 0 < number <= len(lines) else None

    def _read(self, path: str) -> list[str]:
        try:
            if not self.view.may_read(path) or os.path.getsize(path) > _LARGEST_SOURCE:
                return []
            with open(os.path.realpath(path), encoding="utf-8", errors="replace") as f:
                return f.read().splitlines()
        except (OSError, ValueError):
            return []

    def _calls_of(self, file: str) -> list[Call]:
        if file not in self._calls:
            self._calls[file] = calls_of_file("\n".join(self._lines[file]))
        return self._calls[file]
