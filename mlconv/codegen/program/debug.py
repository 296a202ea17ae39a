"""DWARF line tables as LLVM metadata: each function and each call says the line of the user's source that it comes
from.

Source: LLVM, "Source Level Debugging" (DICompileUnit, DISubprogram, DILexicalBlockFile, DILocation); DWARF 4, 6.2.
"""

from __future__ import annotations

from mlconv.provenance.locations import FileLocation, Fused, Location, frames


class Debug:
    """Metadata of one module.  Nodes are numbered in the order in which they are asked for."""

    def __init__(self) -> None:
        self._nodes: dict[str, int] = {}
        self._distinct: list[tuple[int, str]] = []
        self._locations: dict[int, Location | None] = {}  # by function
        self._unit = -1

    def function(self, name: str, location: Location | None) -> int | None:
        """A DISubprogram, or None for one whose line is not known."""
        frame = _frame(location)
        if frame is None:
            return None
        if self._unit < 0:
            producer = 'producer: "mlconv", isOptimized: true, runtimeVersion: 0, emissionKind: FullDebug'
            self._unit = self._add(
                f"!DICompileUnit(language: DW_LANG_Python, file: !{self._file(frame.file)}, {producer})", distinct=True
            )
        file, type_ = self._file(frame.file), self._add("!DISubroutineType(types: !{})")
        flags = f"spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{self._unit}"
        text = (
            f"!DISubprogram(name: {_quoted(name)}, file: !{file}, line: "
            f"{frame.line}, type: !{type_}, scopeLine: {frame.line}, {flags})"
        )
        number = self._add(text, distinct=True)
        self._locations[number] = location
        return number

    def again(self, function: int | None, name: str) -> tuple[int | None, str]:
        """A DISubprogram of another name at the line of one that there is, and the place of its instructions."""
        if function is None:
            return None, ""
        location = self._locations[function]
        other = self.function(name, location)
        return other, self.line(other, location)

    def line(self, function: int | None, location: Location | None) -> str:
        """`, !dbg !N` for an instruction of a function; without a line of its own it counts to line 0 of the
        function.
        """
        if function is None:
            return ""
        frame = _frame(location)
        if frame is None:
            return f", !dbg !{self._add(f'!DILocation(line: 0, scope: !{function})')}"
        return self._place(function, frame)

    def fused(self, function: int | None, location: Location | None) -> list[str]:
        """The same for each further line of an op that was made from several, in the order of its origins."""
        own = _frame(location)
        if function is None or own is None or not isinstance(location, Fused):
            return []
        found = {(f.file, f.line): f for f in map(_frame, location.locations) if f is not None}
        return [self._place(function, f) for place, f in found.items() if place != (own.file, own.line)]

    def _place(self, function: int, frame: FileLocation) -> str:
        scope = self._add(f"!DILexicalBlockFile(scope: !{function}, file: !{self._file(frame.file)}, discriminator: 0)")
        place = f"!DILocation(line: {frame.line}, column: {min(frame.column, 65535)}, scope: !{scope})"
        return f", !dbg !{self._add(place)}"

    def text(self) -> list[str]:
        """The module's metadata."""
        if self._unit < 0:
            return []
        flags = [
            self._add(f'!{{i32 2, !"{name}", i32 {value}}}')
            for name, value in (("Debug Info Version", 3), ("Dwarf Version", 4))
        ]
        nodes = sorted([*((n, text) for text, n in self._nodes.items()), *self._distinct])
        named = [f"!llvm.dbg.cu = !{{!{self._unit}}}", f"!llvm.module.flags = !{{{', '.join(f'!{f}' for f in flags)}}}"]
        return [*named, *(f"!{n} = {text}" for n, text in nodes)]

    def _file(self, path: str) -> int:
        return self._add(f'!DIFile(filename: {_quoted(path)}, directory: "")')

    def _add(self, text: str, distinct: bool = False) -> int:
        if not distinct and text in self._nodes:
            return self._nodes[text]
        number = len(self._nodes) + len(self._distinct)
        if distinct:
            self._distinct.append((number, f"distinct {text}"))
        else:
            self._nodes[text] = number
        return number


def _frame(location: Location | None) -> FileLocation | None:
    """The innermost user frame of the first origin that has one."""
    return next((f for f in frames(location) if f.line > 0), None)


def has_line(location: Location | None) -> bool:
    """Whether a line of the user's source is known."""
    return _frame(location) is not None


def _quoted(text: str) -> str:
    plain = "".join(
        c if c.isascii() and c.isprintable() and c not in '"\\' else "".join(f"\\{b:02X}" for b in c.encode())
        for c in text
    )
    return f'"{plain}"'


def with_lines(text: str, function: int | None, suffix: str) -> str:
    """A function's text with its DISubprogram, and a location behind every instruction."""
    if function is None:
        return text
    head, *body = text.split("\n")
    head = f"{head.removesuffix(' {')} !dbg !{function} {{"
    return "\n".join([head, *(line + suffix if line.startswith("  ") else line for line in body)])
