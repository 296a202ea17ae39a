"""Locations in IR text, read back: the inverse of `text.location_text`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager

from mlconv.ir.lexer import Lexer
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation


def read_location(lex: Lexer, nested: Callable[[], AbstractContextManager[None]]) -> Location | None:
    """The location behind `loc`.  nested: entered for each level of what stands in parentheses.  Raises ConversionError
    TextNotUnderstood.
    """
    lex.expect("(")
    found = _Reader(lex, nested).place()
    lex.expect(")")
    return found


class _Reader:
    def __init__(self, lex: Lexer, nested: Callable[[], AbstractContextManager[None]]) -> None:
        self.lex, self.nested = lex, nested

    def place(self) -> Location | None:
        lex = self.lex
        if lex.accept("unknown"):
            return None
        with self.nested():
            if lex.accept("fused"):
                return self.fused()
            if lex.accept("callsite"):
                return CallStack(tuple(self.call_frames()))
            name = lex.string()
            if lex.accept(":"):
                line = lex.integer()
                lex.expect(":")
                return FileLocation(name, line, lex.integer())
            child = None
            if lex.accept("("):
                child = self.place()
                lex.expect(")")
        return _named(name, child)

    def fused(self) -> Location:
        lex = self.lex
        lex.expect("[")
        parts: list[Location] = []
        while not lex.accept("]"):
            part = self.place()
            if part is not None:
                parts.append(part)
            lex.accept(",")
        return Fused(tuple(parts))

    def call_frames(self) -> Iterator[FileLocation]:
        """After `callsite`: `(frame at rest)`, the rest being another call site or the outermost frame."""
        lex = self.lex
        closing = 0
        while True:
            lex.expect("(")
            closing += 1
            frame = self.place()
            lex.expect("at")
            if isinstance(frame, FileLocation):
                yield frame
            if not lex.accept("callsite"):
                break
        frame = self.place()
        if isinstance(frame, FileLocation):
            yield frame
        for _ in range(closing):
            lex.expect(")")


def _named(name: str, child: Location | None) -> Location:
    if name.startswith("@") and isinstance(child, FileLocation):
        function, _, text = name[1:].partition("\n")
        return child._replace(function=function, text=text)
    if name.startswith("#fused ") and isinstance(child, Fused):
        return child._replace(by=name.removeprefix("#fused "))
    if name == "#stack" and isinstance(child, Fused) and len(child.locations) == 2:
        stack, every = child.locations
        whole = every.frames if isinstance(every, CallStack) else (every,) if isinstance(every, FileLocation) else ()
        if isinstance(stack, CallStack):
            return stack._replace(every=whole)
    if name.startswith("#frames "):
        hidden = int(name.split()[1])
        if isinstance(child, CallStack):
            return child._replace(hidden=hidden)
        if isinstance(child, FileLocation):
            return CallStack((child,), hidden)
    return NameLocation(name, child)
