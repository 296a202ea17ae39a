"""Tables and paragraphs that fit the terminal, or a line of 80 columns."""

from __future__ import annotations

import shutil
import sys
import textwrap
from collections.abc import Sequence

from mlconv.diagnostics.text import printable

COLUMNS = 80
_MOST = 160
_PROSE = 30  # columns that a text has at least beside its row
_BELOW = "    "
_LEAST = 8  # characters that are left of a cell
_GAP = 2


def folded(text: str, indent: str) -> list[str]:
    """A paragraph in lines of at most 80 columns, those behind the first indented.  No line begins as a command of a CI
    runner, which a fold could bring about.
    """
    lines = textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False)
    return [printable(line) for line in lines] or [text]


class Listing(str):
    """A cell of several names: where they do not fit, the last are counted, and not named.  hidden: how many more there
    are.
    """

    names: tuple[str, ...]
    hidden: int
    __slots__ = ("hidden", "names")

    @staticmethod
    def of(names: Sequence[str], most: int) -> Listing:
        """Of names the first few."""
        shown = names[:most]
        found = Listing(_listed(shown, len(names) - len(shown)))
        found.names, found.hidden = tuple(shown), len(names) - len(shown)
        return found

    def within(self, width: int) -> str:
        """One name is there in any case, if need be without its middle."""
        count = len(self.names)
        for shown in range(count, 0, -1):
            text = _listed(self.names[:shown], self.hidden + count - shown)
            if len(text) <= width:
                return text
        rest = _listed((), self.hidden + count - 1)
        return shortened(self.names[0], max(width - len(rest), _LEAST)) + rest if self.names else ""


def _listed(names: Sequence[str], hidden: int) -> str:
    return ", ".join(names) + (f" and {hidden} more" if hidden else "")


def shortened(text: str, width: int) -> str:
    """At most so many characters; what is too long loses its middle: names differ at both ends."""
    if len(text) <= width:
        return text
    if isinstance(text, Listing) and len(found := text.within(width)) <= width:
        return found
    left = (width - 1) // 2
    return f"{text[:left]}…{text[len(text) - (width - 1 - left) :]}"


def duration_text(seconds: float) -> str:
    """Seconds in a unit that gives up to four digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def columns() -> int:
    """Columns of the terminal, within reason; 80 where standard output goes elsewhere."""
    if not sys.stdout.isatty():
        return COLUMNS
    return min(max(shutil.get_terminal_size((COLUMNS, 24)).columns, COLUMNS), _MOST)


def fitted(
    head: Sequence[str] | None,
    rows: Sequence[Sequence[str]],
    numbers: frozenset[int] = frozenset(),
    indent: str = "",
    texts: bool = False,
) -> list[str]:
    """Lines of a table that fit the terminal: the widest columns give way first.  Names lose their middles; texts fold
    between words, below their row where there is no room beside it.

    head: None for a table without.  numbers: columns that stand on the right.  texts: sentences stand last.
    """
    whole = [*([] if head is None else [head]), *rows]
    longest = [max(map(len, column)) for column in zip(*whole, strict=True)]
    left = columns() - len(indent) - sum(longest[:-1]) - _GAP * (len(longest) - 1)
    if not texts or not rows or left >= min(longest[-1], _PROSE):
        return [line for lines in _laid(whole, numbers, indent, texts) for line in lines]
    laid = _laid([row[:-1] for row in whole], numbers, indent, False)
    below = [""] * (len(whole) - len(rows)) + ["" if row[-1] == "-" else row[-1] for row in rows]
    room = columns() - len(indent) - len(_BELOW)
    return [
        line
        for lines, text in zip(laid, below, strict=True)
        for line in (*lines, *(f"{indent}{_BELOW}{part}" for part in _fold(text, room) if part))
    ]


def _laid(rows: Sequence[Sequence[str]], numbers: frozenset[int], indent: str, texts: bool) -> list[list[str]]:
    """The lines of each row."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    room = columns() - len(indent) - _GAP * (len(widths) - 1)
    while sum(widths) > room:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _LEAST:
            break
        second = max((w for i, w in enumerate(widths) if i != widest), default=0)
        widths[widest] = max(widths[widest] - (sum(widths) - room), min(second, widths[widest] - 1), _LEAST)
    return [_row(row, widths, numbers, indent, texts) for row in rows]


def _row(row: Sequence[str], widths: Sequence[int], numbers: frozenset[int], indent: str, texts: bool) -> list[str]:
    first, *more = _fold(row[-1], widths[-1]) if texts else [shortened(row[-1], widths[-1])]
    parts = [*(shortened(cell, width) for cell, width in zip(row[:-1], widths[:-1], strict=True)), first]
    shown = [f"{c:>{w}}" if i in numbers else f"{c:<{w}}" for i, (c, w) in enumerate(zip(parts, widths, strict=True))]
    begin = len(indent) + sum(widths[:-1]) + _GAP * (len(widths) - 1)
    return [(indent + (" " * _GAP).join(shown)).rstrip(), *(" " * begin + text for text in more)]


def _fold(cell: str, width: int) -> list[str]:
    """The lines of a cell that stands last.  None begins as a command of a CI runner, as a fold could bring about."""
    if len(cell) <= width or " " not in cell:
        return [shortened(cell, width)]
    words = " ".join(shortened(word, width) for word in cell.split())
    return [printable(line) for line in textwrap.wrap(words, width, break_long_words=False, break_on_hyphens=False)]
