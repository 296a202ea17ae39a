"""Functions that kernels share: code of problems which differ in sizes alone.  These come in a table, as sizes do that
are known at run time.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from mlconv.codegen.kernels.indexing import blocks
from mlconv.codegen.llvm.text import Builder
from mlconv.codegen.llvm.types import DIMS, I64, Value, index
from mlconv.formats.digests import digest_of
from mlconv.ir.dims import Dim, Size, floordiv


class SizeTable:
    """Sizes as symbols, for code that is shared, and what they are for one kernel."""

    def __init__(self) -> None:
        self.sizes: list[Size | Value] = []

    def symbol(self, size: Size | Value) -> Dim:
        """What a size is called in the code; each call gives another one, so that what is equal by chance makes no
        difference."""
        self.sizes.append(size)
        return Dim.symbol(self._name(len(self.sizes) - 1))

    def view(self, strides: Sequence[Size]) -> tuple[Size, ...]:
        """Strides as symbols, but for those of 0."""
        return tuple(self.symbol(s) if s != 0 else 0 for s in strides)

    def stored(self, b: Builder) -> Value:
        """The address of a table, which is filled here."""
        table = b.room(I64, len(self.sizes))
        for i, size in enumerate(self.sizes):
            b.store(size if isinstance(size, Value) else b.number(size), b.gep(I64, table, index(i)), 8)
        return table

    def function(
        self, b: Builder, kind: str, key: object, parameters: Sequence[Value], emit: Callable[[Builder], None]
    ) -> str:
        """The name of a function of the parameters and the table, for which `emit` writes the code, once for each
        instruction set and key.  key: all that its code goes by.
        """
        name = f"{kind}_{digest_of(repr(key).encode())}_{re.sub('[^a-z0-9]', '_', b.cpu.name)}"
        if name not in b.declarations:
            symbols = {self._name(i): i for i in range(len(self.sizes))}
            inner = Builder(name, (*parameters, DIMS), b.declarations, b.cpu, b.group, symbols)
            emit(inner)
            b.declarations[name] = inner.text()
        return name

    def _name(self, place: int) -> str:
        return f"n{place}"


def widths_of(channels: int, lanes: int) -> tuple[int, ...]:
    """The vectors that channels are done in."""
    return tuple(width for width, _, _ in blocks(channels, lanes))


def ranges(widths: Sequence[int], channels: Size) -> list[tuple[int, Size, Size]]:
    """(lanes, start, stop) of channels whose number has these widths."""
    out = list[tuple[int, Size, Size]]()
    start: Size = 0
    for width in widths[:-1]:
        stop = start + floordiv(channels - start, width) * width
        out.append((width, start, stop))
        start = stop
    return [*out, (widths[-1], start, channels)]
