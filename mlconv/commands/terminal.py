"""Text for people on a terminal: wide lines fold between words, where a terminal would break them anywhere."""

from __future__ import annotations

import re
import shutil
import sys
from collections.abc import Iterator

_ESCAPE = re.compile(r"\x1b\[[0-9;]*m")
_SOURCE = re.compile(r"\s*\d* +\|( |$)")  # a line of source code, or what underlines it
_LEAD = re.compile(r"\s*(?:= \w+: +|--> |[-*] |error\[\w+\]: |warning\[\w+\]: |note: )?")
_GAP = re.compile(r" {2,}(?=\S)")
_FENCE = "```"
_BELOW = 4
_LEAST = 24  # columns of what is folded, at least


def on_terminal(text: str, err: bool = False, below: int = _BELOW) -> str:
    """A text as it is printed: as it stands where nobody reads it on a terminal, and where it is JSON.  Lines of source
    and of fenced blocks stay whole.  err: it goes to standard error.  below: how far to the right a line goes on that
    has neither a label nor columns.
    """
    stream = sys.stderr if err else sys.stdout
    if not stream.isatty() or text.startswith(("{", "[")):
        return text
    return "\n".join(_folded(text, shutil.get_terminal_size().columns, below))


def _folded(text: str, width: int, below: int) -> Iterator[str]:
    fenced = False
    for line in text.split("\n"):
        fenced ^= line.startswith(_FENCE)
        plain = _ESCAPE.sub("", line)
        if len(plain) <= width or fenced or _SOURCE.match(plain):
            yield line
        else:
            yield from _parts(line, width, _indent(plain, width, below))


def _indent(plain: str, width: int, below: int) -> int:
    """Where the text of a line begins: behind its label, or in the last column of a table."""
    lead = _LEAD.match(plain)
    assert lead is not None
    columns = [gap.end() for gap in _GAP.finditer(plain, lead.end())]
    if columns and columns[-1] <= width - _LEAST:
        return columns[-1]
    return lead.end() if lead[0].strip() else lead.end() + below


def _parts(line: str, width: int, indent: int) -> Iterator[str]:
    """Words that fit, and the others below, indented.  Spaces between words stay where they do not end a line."""
    part, length = "", 0
    for word in re.findall(r" *[^ ]+", line):
        size = len(_ESCAPE.sub("", word))
        if length + size > width and part.strip():
            yield part
            part = " " * indent
            length, word = indent, word.lstrip(" ")
            size = len(_ESCAPE.sub("", word))
        part, length = part + word, length + size
    yield part
