"""Varints of packed protobuf fields, as arrays."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError


def packed_varints(data: bytes | memoryview) -> npt.NDArray[np.uint64]:
    """The varints of a packed field, as unsigned 64-bit integers (two's complement for signed fields).

    Raises ConversionError FileDamaged when the last one is cut short or one is longer than 10 bytes.
    """
    raw = np.frombuffer(data, np.uint8)
    ends = np.flatnonzero(raw < 128)
    if raw.size and (not ends.size or ends[-1] != raw.size - 1):
        raise ConversionError(Code.FileDamaged, "cannot parse the file: a packed field ends within a number")
    starts = np.concatenate([np.zeros(1, np.int64), ends[:-1] + 1]) if ends.size else ends
    lengths = ends - starts + 1
    longest = int(lengths.max(initial=0))
    if longest > 10:
        raise ConversionError(
            Code.FileDamaged,
            f"cannot parse the file: a packed field holds a number of {longest} bytes (10 are allowed)",
        )
    values = np.zeros(ends.size, np.uint64)
    for k in range(longest):
        has = lengths > k
        part = (raw[starts[has] + k] & 127).astype(np.uint64) << np.uint64(7 * k)
        values[has] |= part
    return values
