"""Tables and paragraphs that fit a line of 80 columns."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence

from mlconv.diagnostics.text import printable

COLUMNS = 80
_LEAST = 8  # characters that are left of a cell
_GAP = 2


def folded(text: str, indent: str) -> list[str]:
    """A paragraph in lines of at most 80 columns, those behind the first indented.  No line begins as a command of a CI
    runner, which a fold could bring about.
    """
    lines = textwrap.wrap(text, COLUMNS, subsequent_indent=indent, break_on_hyphens=False)
    return [printable(line) for line in lines] or [text]


def shortened(text: str, width: int) -> str:
    """At most so many characters; what is too long loses its middle: names differ at both ends."""
    if len(text) <= width:
        return text
    left = (width - 1) // 2
    return f"{text[:left]}…{text[len(text) - (width - 1 - left) :]}"


def duration_text(seconds: float) -> str:
    """Seconds in a unit that gives up to four digits."""
    for unit, factor in (("s", 1.0), ("ms", 1e3)):
        if seconds * factor >= 1:
            return f"{seconds * factor:.3g} {unit}"
    return f"{seconds * 1e6:.3g} us"


def fitted(head: Sequence[str], rows: Sequence[Sequence[str]], numbers: frozenset[int] = frozenset()) -> list[str]:
    """Lines of a table of at most 80 columns: the widest columns give way first, and their texts lose their middles.

    numbers: columns that stand on the right.
    """
    widths = [max(len(row[i]) for row in (head, *rows)) for i in range(len(head))]
    room = COLUMNS - _GAP * (len(head) - 1)
    while sum(widths) > room:
        widest = max(range(len(widths)), key=widths.__getitem__)
        if widths[widest] <= _LEAST:
            break
        second = max((w for i, w in enumerate(widths) if i != widest), default=0)
        widths[widest] = max(widths[widest] - (sum(widths) - room), min(second, widths[widest] - 1), _LEAST)
    lines = []
    for row in (head, *rows):
        texts = [shortened(cell, width) for cell, width in zip(row, widths, strict=True)]
        shown = [
            f"{c:>{w}}" if i in numbers else f"{c:<{w}}" for i, (c, w) in enumerate(zip(texts, widths, strict=True))
        ]
        lines.append((" " * _GAP).join(shown).rstrip())
    return lines
