"""One function of generated code, and the declarations of those that it calls."""

from __future__ import annotations

from collections.abc import Sequence

from mlconv.codegen.llvm.instructions import Instructions
from mlconv.codegen.llvm.types import I32, POINTER, VOID, LlvmType, Value, integer, pointer
from mlconv.formats.digests import digest_of


class CodeFunction(Instructions):
    """Text of a function.  declarations: of the module, by name; calls add to them.

    attributes: a group, and whatever else stands before the body.  linkage: `internal`, or empty for a symbol that
    others see.  convention: of calls, where it is not the target's.
    """

    def __init__(
        self,
        result: LlvmType,
        name: str,
        parameters: Sequence[Value],
        declarations: dict[str, str],
        attributes: str = "#0",
        linkage: str = "internal",
        convention: str = "",
    ) -> None:
        super().__init__("v", ["entry:"])
        given = ", ".join(f"{v.type.text} {v.text}" for v in parameters)
        words = " ".join(filter(None, ("define", linkage, convention, result.text)))
        self.head = f"{words} @{name}({given}) {attributes} {{"
        self.block, self.declarations = "entry", declarations

    def call(self, result: LlvmType, name: str, arguments: Sequence[Value], flags: str = "") -> Value:
        """Call of a function, which is declared.  flags: fast-math flags."""
        if name not in self.declarations:
            types = ", ".join([a.type.text for a in arguments])
            self.declarations[name] = f"declare {result.text} @{name}({types})"
        return self.invoke(result, name, arguments, flags)

    def prefetch(self, place: Value, level: int = 2) -> None:
        """Ask for a line that will be read, to the cache of a level.  What is not there is no error."""
        ways = [integer(I32, n) for n in (0, 4 - level, 1)]  # to read, how near, data
        self.call(VOID, f"llvm.prefetch.{POINTER.name}", [place, *ways])

    def data(self, data: bytes) -> Value:
        """The address of bytes of the object; equal ones are there once."""
        name = f"mlc_data_{digest_of(data)}"
        text = "".join(f"\\{byte:02X}" for byte in data)
        self.declarations[name] = f'@{name} = private unnamed_addr constant [{len(data)} x i8] c"{text}"'
        return pointer(f"@{name}")

    def label(self, name: str) -> None:
        super().label(name)
        self.block = name

    def text(self) -> str:
        return "\n".join([self.head, *self.lines, "}"])
