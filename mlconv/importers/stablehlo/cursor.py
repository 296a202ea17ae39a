"""Numbers of MLIR bytecode, each checked against what is there.  Source: mlir/docs/BytecodeFormat.md."""

from __future__ import annotations

import mmap
from typing import NoReturn, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError

Data: TypeAlias = Union[bytes, mmap.mmap, memoryview]
PADDING = 0xCB


class Cursor:
    """A place in a part of a file.  base: where offsets for alignment are counted from."""

    __slots__ = ("at", "base", "data", "end")

    def __init__(self, data: Data, at: int, end: int, base: int = 0) -> None:
        self.data, self.at, self.end, self.base = data, at, end, base

    def fail(self, why: str) -> NoReturn:
        raise ConversionError(Code.FileDamaged, f"MLIR bytecode, byte {self.at - self.base}: {why}")

    @property
    def left(self) -> int:
        return self.end - self.at

    def byte(self) -> int:
        if self.at >= self.end:
            self.fail("the file ends within a number")
        value = self.data[self.at]
        self.at += 1
        return value

    def varint(self) -> int:
        """An unsigned number: zeros at the low end of the first byte count the bytes that follow."""
        if self.at >= self.end:
            self.fail("the file ends within a number")
        first = self.data[self.at]
        if first & 1:
            self.at += 1
            return first >> 1
        more = 8 if first == 0 else (first & -first).bit_length() - 1
        start, self.at = self.at, self.at + 1 + more
        if self.at > self.end:
            self.fail("the file ends within a number")
        if first == 0:
            return int.from_bytes(self.data[start + 1 : self.at], "little")
        return int.from_bytes(self.data[start : self.at], "little") >> (more + 1)

    def signed(self) -> int:
        """Zigzag: the low bit is the sign."""
        value = self.varint()
        return (value >> 1) ^ -(value & 1)

    def flagged(self) -> tuple[int, bool]:
        """A number and the flag in its low bit."""
        value = self.varint()
        return value >> 1, bool(value & 1)

    def count(self) -> int:
        """How many items follow, each of at least a byte."""
        n = self.varint()
        if n > self.left:
            self.fail(f"{n} items are announced, {self.left} bytes are left")
        return n

    def take(self, size: int) -> int:
        """Where `size` bytes begin, which are passed over."""
        if size > self.left:
            self.fail(f"{size} bytes are announced, {self.left} are left")
        start, self.at = self.at, self.at + size
        return start

    def part(self, size: int) -> Cursor:
        """A cursor over the next `size` bytes."""
        start = self.take(size)
        return Cursor(self.data, start, start + size, self.base)

    def text(self) -> str:
        """A string that ends with a NUL."""
        stop = self.at
        while stop < self.end and self.data[stop]:
            stop += 1
        if stop == self.end:
            self.fail("a string has no end")
        found = bytes(self.data[self.at : stop]).decode("utf-8", "replace")
        self.at = stop + 1
        return found

    def align(self, alignment: int) -> None:
        if alignment < 1 or alignment & (alignment - 1):
            self.fail(f"an alignment of {alignment}, which is no power of two")
        while (self.at - self.base) % alignment:
            if self.byte() != PADDING:
                self.fail("padding is not 0xCB")

    def section(self) -> tuple[int, Cursor]:
        """The number of a section and its contents."""
        kind = self.byte()
        length = self.varint()
        if kind & 0x80:
            self.align(self.varint())
        return kind & 0x7F, self.part(length)

    def integer(self, bits: int) -> int:
        """A number of known width, as its bits."""
        if bits <= 8:
            return self.byte() & ((1 << bits) - 1)
        if bits <= 64:
            return self.signed() & ((1 << bits) - 1)
        words = [self.signed() & ((1 << 64) - 1) for _ in range(self.count())]
        return sum(word << (64 * i) for i, word in enumerate(words)) & ((1 << bits) - 1)
