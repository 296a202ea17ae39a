"""Places in the user's source as pages have them: stacks of frames, each frame and each line of text once."""

from __future__ import annotations

from typing import TypeAlias, TypedDict

from mlconv.diagnostics.source_spans import SourceSpans, View
from mlconv.provenance.locations import FileLocation, Location, frames

NOWHERE = -1
_DEEPEST = 12  # frames of a stack
_AROUND = 3  # lines in front of one that is shown, and behind it
_MOST_LINES = 20_000

Frame: TypeAlias = tuple[int, int, int, str, str]
"""Number of the file; line and column from 1, 0 where it is not known; function; the line as the model recorded it."""


class PlaceFacts(TypedDict):
    """files: as they are shown.  stacks: frames, innermost first.  lines: of each file, by number, those that may be
    shown.
    """

    files: list[str]
    frames: list[Frame]
    stacks: list[list[int]]
    lines: list[dict[int, str]]


class Places:
    """Stacks by number, in the order in which they are met."""

    def __init__(self) -> None:
        self._stacks: dict[tuple[FileLocation, ...], int] = {}
        self._known: dict[int, tuple[Location, int]] = {}  # by identity; kept, so that no other one takes its place

    def number(self, location: Location | None) -> int:
        """Of the frames behind a location; NOWHERE where none were recorded."""
        if location is None:
            return NOWHERE
        known = self._known.get(id(location))
        if known is None:
            stack = frames(location)[:_DEEPEST]
            known = location, self._stacks.setdefault(stack, len(self._stacks)) if stack else NOWHERE
            self._known[id(location)] = known
        return known[1]

    def recorded(self) -> list[FileLocation]:
        """All frames, each once."""
        return list(dict.fromkeys(frame for stack in self._stacks for frame in stack))

    def data(self, view: View) -> PlaceFacts:
        """With the lines that may be read."""
        spans = SourceSpans(view)
        recorded = self.recorded()
        files = {name: i for i, name in enumerate(dict.fromkeys(frame.file for frame in recorded))}
        numbers = {frame: i for i, frame in enumerate(recorded)}
        lines: list[dict[int, str]] = [{} for _ in files]
        left = _MOST_LINES
        for frame in recorded:
            found = spans.excerpt(frame, _AROUND) if left > 0 else {}
            left -= len(found)
            lines[files[frame.file]].update(found)
        return {
            "files": [view.shown(name) for name in files],
            "frames": [(files[f.file], f.line, f.column, f.function, f.text) for f in recorded],
            "stacks": [[numbers[frame] for frame in stack] for stack in self._stacks],
            "lines": lines,
        }


def readable(places: Places, view: View) -> list[str]:
    """The files of source that a page shows lines of."""
    found = (view.path(name) for name in dict.fromkeys(frame.file for frame in places.recorded()))
    return [path for path in found if view.may_read(path)]
