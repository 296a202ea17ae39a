"""Tokens of IR text."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable
from functools import cached_property
from typing import NamedTuple, NoReturn

from mlconv.diagnostics import Code, ConversionError

_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*)+)
      | (?P<string>"(?:[^"\\]|\\.)*")
      | (?P<number>-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?))
      | (?P<value>%[A-Za-z0-9_$.]+)
      | (?P<arrow>->)
      | (?P<word>[#!^@]?[A-Za-z_][A-Za-z0-9_$.]*)
      | (?P<punct>[][(){}<>,:=?*-])""",
    re.X,
)

# Of a string: one that is escaped by its bytes in UTF-8, escaped by its name, or as it is.
_CHARACTER = re.compile(r"\\[0-9A-Fa-f]{2}(?:\\[89ABab][0-9A-Fa-f])*|\\.|[^\\]", re.S)


class Token(NamedTuple):
    kind: str
    text: str
    offset: int


class Lexer:
    """A cursor over tokens.  Errors are ConversionError TextNotUnderstood with line and column.

    outer: line and column of an offset, where the text is a part of another one.
    """

    def __init__(self, text: str, outer: Callable[[int], tuple[int, int]] | None = None) -> None:
        self.source, self.outer = text, outer
        self.tokens: list[Token] = []
        at = 0
        while at < len(text):
            match = _TOKEN.match(text, at)
            if not match or match.lastgroup is None:
                self.fail(at, f"unexpected {text[at]!r}")
            if match.lastgroup != "space":
                self.tokens.append(Token(match.lastgroup, match.group(), at))
            at = match.end()
        self.tokens.append(Token("end", "", len(text)))
        self.at = 0

    @property
    def current(self) -> Token:
        return self.tokens[self.at]

    @cached_property
    def _lines(self) -> list[int]:
        """Offsets at which lines begin."""
        return [0, *(m.end() for m in re.finditer("\n", self.source))]

    def place(self, offset: int) -> tuple[int, int]:
        """Line and column, from 1, in the whole text."""
        if self.outer is not None:
            return self.outer(offset)
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def fail(self, offset: int, message: str, hint: str = "") -> NoReturn:
        line, column = self.place(offset)
        raise ConversionError(Code.TextNotUnderstood, f"IR text, line {line} column {column}: {message}", help=hint)

    def expected(self, what: str) -> NoReturn:
        self.fail(self.current.offset, f"expected {what}, found {self.current.text or 'the end'!r}")

    def next(self) -> Token:
        token = self.current
        self.at += 1
        return token

    def accept(self, text: str) -> bool:
        if self.current.text == text and self.current.kind != "string":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.expected(repr(text))

    def string(self) -> str:
        if self.current.kind != "string":
            self.expected("a string")
        return unquote(self.next().text)

    def integer(self) -> int:
        token = self.current
        if token.kind != "number" or not re.fullmatch(r"-?\d+", token.text):
            self.expected("an integer")
        return int(self.next().text)

    def is_string(self) -> bool:
        return self.current.kind == "string"


def offset_in(literal: str, offset: int) -> int:
    """Where the character at an offset of an unquoted text stands in its literal."""
    starts = [m.start() for m in _CHARACTER.finditer(literal, 1, len(literal) - 1)]
    return starts[offset] if offset < len(starts) else len(literal) - 1


def unquote(literal: str) -> str:
    """The text of an MLIR string literal."""
    out = bytearray()
    body = literal[1:-1]
    i = 0
    while i < len(body):
        c = body[i]
        if c != "\\":
            out += c.encode("utf-8")
            i += 1
        elif body[i + 1] in '"\\':
            out.append(ord(body[i + 1]))
            i += 2
        elif body[i + 1] in "nt":
            out.append(10 if body[i + 1] == "n" else 9)
            i += 2
        else:
            out.append(int(body[i + 1 : i + 3], 16))
            i += 3
    return out.decode("utf-8", "surrogateescape")
