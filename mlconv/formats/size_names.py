"""Names of open sizes of a TFLite file's inputs.

The schema has -1 for each of them.  A metadata entry, which other programs leave alone, tells which are one: JSON, for
each signature and input a list with a name, or null, for each axis.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import Final, TypeAlias, Union

ENTRY: Final = "mlconv.sizes"  # name of the model's metadata entry
_LONGEST: Final = 1 << 20  # bytes that are read

Names: TypeAlias = Mapping[str, Mapping[str, Sequence[Union[str, None]]]]


def packed(names: Names) -> bytes:
    """The contents of the entry."""
    return json.dumps(names, separators=(",", ":")).encode()


def unpacked(data: bytes) -> Names:
    """Nothing of what is damaged: a model works without."""
    try:
        found = json.loads(data) if len(data) <= _LONGEST else None
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) and _is_sound(found) else {}


def _is_sound(found: Mapping[object, object]) -> bool:
    listed = [inputs for inputs in found.values() if isinstance(inputs, dict)]
    rows = [row for inputs in listed for row in inputs.values()]
    return len(listed) == len(found) and all(
        isinstance(row, list) and all(n is None or isinstance(n, str) for n in row) for row in rows
    )
