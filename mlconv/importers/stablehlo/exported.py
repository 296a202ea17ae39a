"""What jax.export serializes: a FlatBuffers table, of which one field is the module as bytecode.

Source: jax/_src/export/serialization.fbs, table Exported; flatbuffers.dev/internals.
"""

from __future__ import annotations

import mmap
from typing import TypeAlias, Union

Data: TypeAlias = Union[bytes, mmap.mmap]
_MODULE_FIELD = 30  # where the table of fields has mlir_module_serialized, in all versions of the schema


def module_range(data: Data) -> tuple[int, int] | None:
    """Offset and length of the bytecode; None for a file that is something else.  data: the file, or its beginning."""
    table = _number(data, 0, 4)
    if not 4 <= table <= len(data) - 4:
        return None
    fields = table - int.from_bytes(data[table : table + 4], "little", signed=True)
    if not 4 <= fields <= len(data) - 4 or _number(data, fields, 2) < _MODULE_FIELD + 2:
        return None
    place = _number(data, fields + _MODULE_FIELD, 2)
    if not place or table + place + 4 > len(data):
        return None
    begin = table + place + _number(data, table + place, 4)
    return begin + 4, _number(data, begin, 4)


def _number(data: Data, at: int, size: int) -> int:
    """An unsigned number; 0 where there is none."""
    return int.from_bytes(data[at : at + size], "little") if at + size <= len(data) else 0
