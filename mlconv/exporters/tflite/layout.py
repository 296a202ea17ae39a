"""Byte layout of flatbuffer tables, and a writer that lays tables down front to back.

A flatbuffer refers forward only (offsets are unsigned), so a table is written before what it refers to, and its offset
fields are patched when the target's position is known.  Virtual tables are shared: the first table of a layout is
preceded by its virtual table.
Source: FlatBuffers internals (vtable = u16 size, u16 table size, u16 field offsets; table starts with i32 distance back
to its vtable).
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Hashable, Sequence
from functools import lru_cache

from mlconv.dialects.tfl_table import LAYOUTS, OPTION_FIELDS

_SCALARS = {
    "bool": "?",
    "int8": "b",
    "uint8": "B",
    "int32": "i",
    "uint32": "I",
    "int64": "q",
    "uint64": "Q",
    "float32": "f",
}
# Tables of debug_metadata.fbs, as LAYOUTS has those of schema.fbs.
_DEBUG: dict[str, tuple[tuple[str, int, str, int], ...]] = {
    "DebugMetadata": (("debug_metadata_type", 0, "vector", 0), ("debug_metadata", 1, "vector", 0)),
    "ConversionDebugMetadata": (
        ("subgraphs_debug_metadata", 0, "vector", 0),
        ("attributes_type", 1, "vector", 0),
        ("attributes", 2, "vector", 0),
    ),
    "SubgraphDebugMetadata": (("operators_debug_metadata", 0, "vector", 0),),
    "OperatorDebugMetadata": (("attribute_metadata_indexes", 0, "vector", 0),),
    "Location": (("location_type", 0, "uint8", 0), ("location", 1, "union", 0)),
    "CallSiteLoc": (("callee_index", 0, "uint32", 0), ("caller_index", 1, "uint32", 0)),
    "FileLineColLoc": (("filename", 0, "string", 0), ("line", 1, "uint32", 0), ("column", 2, "uint32", 0)),
    "FusedLoc": (("location_indexes", 0, "vector", 0),),
    "NameLoc": (("name", 0, "string", 0), ("child_index", 1, "uint32", 0)),
    "UnknownLoc": (),
}
# Tables of schema.fbs that say how constants are sparse.
_SPARSE: dict[str, tuple[tuple[str, int, str, int], ...]] = {
    "SparsityParameters": (
        ("traversal_order", 0, "vector", 0),
        ("block_map", 1, "vector", 0),
        ("dim_metadata", 2, "vector", 0),
    ),
    "DimensionMetadata": (
        ("format", 0, "int8", 0),
        ("dense_size", 1, "int32", 0),
        ("array_segments_type", 2, "uint8", 0),
        ("array_segments", 3, "union", 0),
        ("array_indices_type", 4, "uint8", 0),
        ("array_indices", 5, "union", 0),
    ),
    "SparseIndexVector": (("values", 0, "vector", 0),),
}
_SIZES = {"?": 1, "b": 1, "B": 1, "H": 2, "i": 4, "I": 4, "f": 4, "q": 8, "Q": 8}
_U32 = struct.Struct("<I")
Value = bool | int | float


def scalar_code(kind: str) -> str:
    """struct letter of a field kind; everything that is not a scalar is a 32-bit offset."""
    return "b" if kind.startswith("enum:") else _SCALARS.get(kind, "I")


class Layout:
    """Where the present fields of one table stand: `vtable` bytes, `order` of slots in the packed body, `at` the offset
    of each slot.
    """

    __slots__ = ("align", "at", "order", "pack", "vtable")

    def __init__(self, kinds: dict[int, str]) -> None:
        codes = {slot: scalar_code(kind) for slot, kind in kinds.items()}
        by_size = {n: [s for s in sorted(codes) if _SIZES[codes[s]] == n] for n in (4, 8, 1)}
        self.order = tuple(by_size[4] + by_size[8] + by_size[1])
        self.align = 8 if by_size[8] else 4
        self.at: dict[int, int] = {}
        fmt, end = "<i", 4
        for slot in self.order:
            size = _SIZES[codes[slot]]
            fmt += "x" * (-end % size) + codes[slot]
            end += -end % size
            self.at[slot] = end
            end += size
        self.pack = struct.Struct(fmt)
        count = max(codes, default=-1) + 1
        self.vtable = struct.pack(f"<{count + 2}H", 4 + 2 * count, end, *(self.at.get(s, 0) for s in range(count)))


@lru_cache(maxsize=1024)
def layout_of(table: str, slots: tuple[int, ...]) -> Layout:
    """The layout of a schema table when exactly these slots are present."""
    rows = LAYOUTS.get(table) or _DEBUG.get(table) or _SPARSE.get(table) or OPTION_FIELDS.get(table, ())
    kinds = {slot: kind for _, slot, kind, _ in rows}
    return Layout({slot: kinds[slot] for slot in slots})


class Laid:
    """The bytes so far.  All positions are relative to the start of the file.  has_bodies: of loops and branches, which
    are alike in parts: names, tensors and operators that are equal are written once.
    """

    __slots__ = ("_shared", "_vtables", "data", "has_bodies")

    def __init__(self, has_bodies: bool = False) -> None:
        self.data = bytearray()
        self.has_bodies = has_bodies
        self._vtables: dict[bytes, int] = {}
        self._shared: dict[Hashable, tuple[Callable[[], int], list[int]]] = {}

    def align(self, alignment: int) -> int:
        """Pad to a multiple of `alignment`; returns the position."""
        data = self.data
        data.extend(bytes(-len(data) % alignment))
        return len(data)

    def table(self, table: str, values: dict[int, Value]) -> tuple[int, Layout]:
        """Write a table with these slots; offset fields are given as 0 and patched later.  Returns its position and
        layout.
        """
        layout = layout_of(table, tuple(values))
        data = self.data
        if len(data) & 3:
            self.align(4)
        vtable = self._vtables.get(layout.vtable)
        if vtable is None:
            vtable = self._vtables[layout.vtable] = len(data)
            data.extend(layout.vtable)
        position = self.align(layout.align)
        data.extend(layout.pack.pack(position - vtable, *[values[slot] for slot in layout.order]))
        return position, layout

    def point(self, field: int, target: int) -> None:
        """Let the offset field at position `field` refer to `target`, which must lie behind it."""
        _U32.pack_into(self.data, field, target - field)

    def share(self, field: int, key: Hashable, write: Callable[[], int]) -> None:
        """Let the offset field at position `field` refer to what `write` will write, once for all fields with that
        key.
        """
        self._shared.setdefault(key, (write, []))[1].append(field)

    def share_in_bodies(self, field: int, key: Hashable, write: Callable[[], int]) -> None:
        """As `share`, where there are bodies: else nothing is equal, and it is written at once."""
        if self.has_bodies:
            self.share(field, key, write)
        else:
            self.point(field, write())

    def share_vector(self, field: int, code: str, values: Sequence[Value]) -> None:
        """Let an offset field refer to a vector of scalars, once for all that are equal."""
        numbers = tuple(values)
        self.share(field, (code, numbers), lambda: self.vector(code, numbers))

    def write_shared(self) -> None:
        """Write what is shared behind all that refers to it."""
        while self._shared:
            waiting, self._shared = self._shared, {}
            for write, fields in waiting.values():
                position = write()
                for field in fields:
                    self.point(field, position)

    def string(self, text: str | bytes) -> int:
        """Write a string; returns its position."""
        raw = text.encode("utf-8") if isinstance(text, str) else text
        position = self.align(4)
        self.data.extend(_U32.pack(len(raw)) + raw + b"\0")
        return position

    def vector(self, code: str, values: Sequence[Value]) -> int:
        """Write a vector of scalars; returns its position (of the length prefix).  8-byte elements are aligned as
        such.
        """
        data = self.data
        if _SIZES[code] == 8:
            data.extend(bytes((4 - len(data)) % 8))
        elif len(data) & 3:
            self.align(4)
        position = len(data)
        data.extend(struct.pack(f"<I{len(values)}{code}", len(values), *values))
        return position

    def offsets(self, count: int) -> int:
        """Reserve a vector of `count` offsets; returns its position."""
        position = self.align(4)
        self.data.extend(_U32.pack(count) + bytes(4 * count))
        return position

    def point_all(self, vector: int, targets: Sequence[int]) -> None:
        """Fill a vector that `offsets` reserved."""
        first = vector + 4
        struct.pack_into(f"<{len(targets)}I", self.data, first, *[t - first - 4 * i for i, t in enumerate(targets)])
