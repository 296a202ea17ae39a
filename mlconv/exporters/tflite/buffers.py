"""The buffers of a file: each constant content once.

Handles that say the same (same range of the same file, same recipe) share a buffer at once.  Contents are compared only
where they can be equal: by size, then by their first bytes, and only then by a digest of the whole, so that large
weights are read once, when they are written.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Hashable, Iterable

import numpy as np

from mlconv.exporters.tflite.model import Payload, RawBytes
from mlconv.ir.constants import Const, Inline, Mapped
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import Derived

PREFIX_BYTES = 1 << 12
SMALL_BYTES = 1 << 10


class BufferPool:
    """Buffers in order of first use; buffer 0 is the empty one."""

    def __init__(self) -> None:
        self._payloads: list[Payload] = [RawBytes(b"")]
        self._by_key: dict[Hashable, int] = {}
        self._by_prefix: dict[Hashable, list[int]] = {}
        self._digests: dict[int, Hashable] = {}
        self._keyed: list[Const] = []  # kept alive: a key may hold the identity of its constant

    def payloads(self) -> list[Payload]:
        """All buffers."""
        return self._payloads

    def add(self, constant: Const) -> int:
        """The buffer of a constant."""
        payload = encode(constant)
        if payload.nbytes <= SMALL_BYTES:
            return self.add_bytes(b"".join(bytes(b) for b in payload.blocks()))
        key = _handle_key(constant)
        at = self._by_key.get(key)
        if at is None:
            self._keyed.append(constant)
            at = self._by_key[key] = self._add_large(payload)
        return at

    def add_bytes(self, data: bytes) -> int:
        """The buffer with these bytes."""
        at = self._by_key.get(data)
        if at is None:
            at = self._by_key[data] = len(self._payloads)
            self._payloads.append(RawBytes(data))
        return at

    def _add_large(self, payload: Payload) -> int:
        prefix = (payload.nbytes, _start_of(payload))
        same = self._by_prefix.setdefault(prefix, [])
        if same:
            digest = _digest(payload)
            for at in same:
                if at not in self._digests:
                    self._digests[at] = _digest(self._payloads[at])
                if self._digests[at] == digest:
                    return at
            self._digests[len(self._payloads)] = digest
        same.append(len(self._payloads))
        self._payloads.append(payload)
        return len(self._payloads) - 1


def _handle_key(constant: Const) -> Hashable:
    """A key that says which bytes a handle has, whatever its shape."""
    if isinstance(constant, Mapped):
        return ("mapped", constant.file.path, constant.offset, constant.nbytes)
    return ("object", id(constant)) if isinstance(constant, Inline) else constant.key


def _start_of(payload: Payload) -> Hashable:
    """Something cheap that equal contents share: the first bytes, for a recipe those of its inputs."""
    if isinstance(payload, Derived):
        return (payload.recipe, payload.params, payload.result_shape, tuple(_start_of(c) for c in payload.inputs))
    if isinstance(payload, Mapped):
        start = bytes(payload.view().reshape(-1)[: PREFIX_BYTES // payload.dtype.itemsize].tobytes())
        payload.file.release(payload.offset, payload.nbytes)  # the system may have made megabytes around it resident
        return start
    for block in payload.blocks():
        return bytes(block[:PREFIX_BYTES])
    return b""


def _digest(payload: Payload) -> Hashable:
    """A digest of the whole content; of a recipe that of its inputs, so that it need not be run for this."""
    if isinstance(payload, Derived):
        return (payload.recipe, payload.params, payload.result_shape, tuple(_digest(c) for c in payload.inputs))
    digest = hashlib.blake2b(digest_size=16)
    for block in payload.blocks():
        digest.update(block)
    return digest.digest()


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
