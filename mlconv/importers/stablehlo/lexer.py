"""Tokens of MLIR text, in linear time.  Source: mlir/docs/LangRef.md; mlir/lib/AsmParser/Lexer.cpp."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NoReturn

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.lexer import unquote

# A tensor type is one token: its sizes (`2x3x`) would be none.  Angle brackets nest in it at most twice.
_TOKEN = re.compile(
    r"""(?P<space>(?:\s|//[^\n]*)+)
      | (?P<string>"[^"\\]*(?:\\.[^"\\]*)*")
      | (?P<tensor>tensor<(?:[^<>]|<(?:[^<>]|<[^<>]*>)*>)*>)
      | (?P<number>-?(?:0x[0-9A-Fa-f]+|\d+(?:\.\d*(?:[eE][-+]?\d+)?)?))
      | (?P<value>%[\w$.-]+(?:\#\d+)?)
      | (?P<symbol>@(?:[\w$.-]+|"[^"\\]*(?:\\.[^"\\]*)*"))
      | (?P<label>\^[\w$.-]+)
      | (?P<alias>[\#!][A-Za-z_][\w$.]*)
      | (?P<punct>->|\{-\#|\#-\}|::|[][(){}<>,:=?*+|-])
      | (?P<word>[A-Za-z_][\w$.]*)
      | (?P<other>.)""",
    re.X | re.S,
)


class Lexer:
    """A cursor over tokens.  Errors are ConversionError TextNotUnderstood with line and column."""

    def __init__(self, text: str) -> None:
        self.source = text
        self.kinds: list[str] = []
        self.texts: list[str] = []
        self.offsets: list[int] = []
        for match in _TOKEN.finditer(text):
            kind = match.lastgroup or "other"
            if kind == "space":
                continue
            self.kinds.append(kind)
            self.texts.append(match.group())
            self.offsets.append(match.start())
        self.kinds.append("end")
        self.texts.append("")
        self.offsets.append(len(text))
        self.at = 0

    @property
    def kind(self) -> str:
        return self.kinds[self.at]

    @property
    def text(self) -> str:
        return self.texts[self.at]

    def fail(self, message: str, at: int | None = None) -> NoReturn:
        offset = self.offsets[self.at if at is None else at]
        starts = [0, *(m.end() for m in re.finditer("\n", self.source[:offset]))]
        line = bisect_right(starts, offset)
        raise ConversionError(
            Code.TextNotUnderstood, f"StableHLO text, line {line} column {offset - starts[line - 1] + 1}: {message}"
        )

    def expected(self, what: str) -> NoReturn:
        self.fail(f"expected {what}, found {self.text[:40] or 'the end'!r}")

    def next(self) -> str:
        """The text of the current token, which is passed over."""
        text = self.texts[self.at]
        if self.kinds[self.at] != "end":
            self.at += 1
        return text

    def accept(self, text: str) -> bool:
        if self.texts[self.at] == text and self.kinds[self.at] != "string":
            self.at += 1
            return True
        return False

    def expect(self, text: str) -> None:
        if not self.accept(text):
            self.expected(repr(text))

    def take(self, kind: str, what: str) -> str:
        """A token of a kind."""
        if self.kinds[self.at] != kind:
            self.expected(what)
        return self.next()

    def string(self) -> str:
        return self.unquoted(self.take("string", "a string"))

    def unquoted(self, literal: str) -> str:
        """The text of a literal that was passed over."""
        try:
            return unquote(literal)
        except (ValueError, IndexError):
            self.fail("a string has an escape that is none", self.at - 1)

    def integer(self) -> int:
        text = self.take("number", "an integer")
        try:
            return int(text, 16 if "x" in text else 10)
        except ValueError:
            self.at -= 1
            self.expected("an integer")

    def word(self, what: str = "a word") -> str:
        return self.take("word", what)

    def symbol(self) -> str:
        text = self.take("symbol", "a symbol")[1:]
        return self.unquoted(text) if text.startswith('"') else text

    def skip_balanced(self) -> str:
        """Pass over what is in angle brackets, the next of which opens; its text."""
        start, depth = self.at, 0
        while self.kind != "end":
            text = self.next()
            depth += (text == "<") - (text == ">")
            if depth == 0:
                return self.source[self.offsets[start] : self.offsets[self.at - 1] + 1]
        self.expected("'>'")
