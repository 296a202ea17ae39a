"""The buffers of a file: each constant content once."""

from __future__ import annotations

import struct
from collections.abc import Hashable, Iterable

import numpy as np

from mlconv.exporters.tflite.model import Payload, RawBytes
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.ir.equal_constants import EqualConstants

SMALL_BYTES = 1 << 10


class BufferPool:
    """Buffers in order of first use; buffer 0 is the empty one."""

    def __init__(self) -> None:
        self._payloads: list[Payload] = [RawBytes(b"")]
        self._by_key: dict[Hashable, int] = {}
        self._equal = EqualConstants()

    def payloads(self) -> list[Payload]:
        """All buffers."""
        return self._payloads

    def add(self, constant: Const) -> int:
        """The buffer of a constant."""
        payload = encode(constant)
        if payload.nbytes <= SMALL_BYTES:
            return self.add_bytes(b"".join(bytes(b) for b in payload.blocks()))
        return self._add((constant.dtype.bits, self._equal.number_of_bytes(constant)), payload)

    def add_bytes(self, data: bytes) -> int:
        """The buffer with these bytes."""
        return self._add(data, RawBytes(data))

    def _add(self, key: Hashable, payload: Payload) -> int:
        at = self._by_key.get(key)
        if at is None:
            at = self._by_key[key] = len(self._payloads)
            self._payloads.append(payload)
        return at


def encode(constant: Const) -> Payload:
    """A constant as TFLite stores it: strings with an offset table, integers of 4 and 2 bits packed, all else as is."""
    if constant.dtype is DType.STRING:
        return RawBytes(encode_strings(constant.view().reshape(-1)))
    if constant.dtype in (DType.I4, DType.U4, DType.I2):
        return RawBytes(pack_bits(constant.view().reshape(-1), constant.dtype.bits))
    return constant


def encode_strings(strings: Iterable[object]) -> bytes:
    """int32 count, count + 1 int32 offsets, then the bytes (string_util.h)."""
    raw = [s if isinstance(s, bytes) else str(s).encode() for s in strings]
    position = 4 * (len(raw) + 2)
    offsets = [position]
    for s in raw:
        position += len(s)
        offsets.append(position)
    return struct.pack(f"<{len(offsets) + 1}i", len(raw), *offsets) + b"".join(raw)


def pack_bits(values: np.ndarray[tuple[int, ...], np.dtype[np.generic]], bits: int) -> bytes:
    """Integers of 4 or 2 bits, several to a byte, the first in its lowest bits."""
    each = 8 // bits
    low = values.astype(np.int8).astype(np.uint8) & ((1 << bits) - 1)
    rows = np.pad(low, (0, -low.size % each)).reshape(-1, each) << (bits * np.arange(each, dtype=np.uint8))
    packed: np.ndarray[tuple[int, ...], np.dtype[np.uint8]] = np.bitwise_or.reduce(rows, axis=1)
    return packed.tobytes()
