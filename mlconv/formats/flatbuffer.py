"""Reading of flatbuffers with every step checked against the file's size.

Source: FlatBuffers internals (a table starts with the i32 distance back to its vtable, which is u16 size, u16 size of
the table, u16 offsets of the fields; offsets are u32 from where they stand).
"""

from __future__ import annotations

import mmap
import struct

_U32, _I32 = struct.Struct("<I"), struct.Struct("<i")

Table = tuple[int, tuple[int, ...]]
"""A table: its position, and those of its fields within it, 0 where absent."""


class DamagedError(Exception):
    """An offset leads outside of the file: nothing behind it can be read."""


class FlatReader:
    """Tables of a flatbuffer that are read in place.  All methods raise DamagedError for what leads outside."""

    def __init__(self, data: mmap.mmap | bytes) -> None:
        self.data = data
        self.end = len(data)
        self._vtables: dict[int, tuple[int, tuple[int, ...]]] = {}

    def root(self) -> Table:
        """The table that the file begins with."""
        if self.end < 8:
            raise DamagedError(f"a flatbuffer of {self.end} bytes is shorter than its header")
        return self.table(_U32.unpack_from(self.data, 0)[0])

    def table(self, at: int) -> Table:
        """The table at a position."""
        if not 4 <= at <= self.end - 4 or at & 3:
            raise DamagedError(f"table at {at} is outside of the file or unaligned")
        vtable = at - _I32.unpack_from(self.data, at)[0]
        known = self._vtables.get(vtable)
        if known is None:
            known = self._vtables[vtable] = self._vtable(vtable)
        if at + known[0] > self.end:
            raise DamagedError(f"table at {at} runs past the end of the file")
        return at, known[1]

    def _vtable(self, at: int) -> tuple[int, tuple[int, ...]]:
        if not 0 <= at <= self.end - 4 or at & 1:
            raise DamagedError(f"virtual table at {at} is outside of the file")
        size, body = struct.unpack_from("<HH", self.data, at)
        if size < 4 or size & 1 or at + size > self.end or body < 4:
            raise DamagedError(f"virtual table at {at} has size {size} for a table of {body} bytes")
        offsets = struct.unpack_from(f"<{size // 2 - 2}H", self.data, at + 4)
        if any(o >= body or (o and o < 4) for o in offsets):
            raise DamagedError(f"virtual table at {at} names a field outside of its table")
        return body, offsets

    def scalar(self, table: Table, slot: int, default: int = 0, code: str = "<I") -> int:
        """An integer field, by its `struct` code."""
        at, fields = table
        if slot >= len(fields) or not fields[slot]:
            return default
        position = at + fields[slot]
        if position + struct.calcsize(code) > self.end:
            raise DamagedError(f"field at {position} runs past the end of the file")
        value: int = struct.unpack_from(code, self.data, position)[0]
        return value

    def real(self, table: Table, slot: int, default: float = 0.0) -> float:
        """A float32 field."""
        at, fields = table
        if slot >= len(fields) or not fields[slot]:
            return default
        if at + fields[slot] + 4 > self.end:
            raise DamagedError(f"field at {at + fields[slot]} runs past the end of the file")
        value: float = struct.unpack_from("<f", self.data, at + fields[slot])[0]
        return value

    def target(self, table: Table, slot: int) -> int:
        """Position that an offset field refers to; 0 when absent."""
        offset = self.scalar(table, slot)
        if not offset:
            return 0
        position = table[0] + table[1][slot] + offset
        if position > self.end - 4:
            raise DamagedError(f"offset at {table[0] + table[1][slot]} leads to {position}, past the end of the file")
        return position

    def vector(self, table: Table, slot: int, size: int) -> tuple[int, int]:
        """(position of the first element, count) of a vector whose elements have a size; (0, 0) when absent."""
        position = self.target(table, slot)
        if not position:
            return 0, 0
        count = _U32.unpack_from(self.data, position)[0]
        if position + 4 + count * size > self.end:
            raise DamagedError(f"vector at {position} with {count} elements runs past the end of the file")
        return position + 4, count

    def numbers(self, table: Table, slot: int, code: str) -> tuple[int, ...]:
        """A vector of numbers, by the `struct` code of one."""
        position, count = self.vector(table, slot, struct.calcsize(f"<{code}"))
        return struct.unpack_from(f"<{count}{code}", self.data, position)

    def ints(self, table: Table, slot: int) -> tuple[int, ...]:
        """A vector of int32."""
        return self.numbers(table, slot, "i")

    def raw(self, table: Table, slot: int) -> bytes:
        """A vector of bytes, or a string."""
        position, count = self.vector(table, slot, 1)
        return self.data[position : position + count]

    def text(self, table: Table, slot: int) -> str:
        """A string; bytes that are no UTF-8 become replacement characters."""
        return self.raw(table, slot).decode("utf-8", "replace")

    def tables(self, table: Table, slot: int) -> list[Table]:
        """A vector of tables."""
        first, count = self.vector(table, slot, 4)
        offsets = struct.unpack_from(f"<{count}I", self.data, first)
        return [self.table(first + 4 * i + offset) for i, offset in enumerate(offsets)]
