"""CRC-32C (Castagnoli, RFC 3720 appendix B.4), vectorised with numpy.

A CRC is linear over GF(2), so the data are cut into many lanes of equal length whose CRCs advance together, two bytes a
step, and are then joined
pairwise: crc(a + b) = shift(crc(a), len(b)) ^ crc(b), where `shift` is a linear map that depends on the length alone.

Long data are made short before: 5685 bytes of zeros do to a register what 1362, 426 and none do, xored, so that a byte
may stand that much less far from the end instead, three times.  The numbers may be doubled, which squares the
polynomial; they were searched for among the registers behind 0 to 6000 bytes of zeros.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
import numpy.typing as npt

POLYNOMIAL = 0x82F63B78  # reflected
LANE_BYTES = 512
SHORT_LANE = 32  # for small tensors: fewer steps, more joining
MAX_LANES = 1 << 14
TERMS = (5685, 1362, 426)
LONG = 1 << 17  # bytes, from which on this takes less time
DOUBLED = 5  # times, at most: what is xored stays in the second level of caches
Words = npt.NDArray[np.uint32]


@lru_cache(maxsize=1)
def _byte_table() -> Words:
    table = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        table = np.where(table & 1, (table >> 1) ^ np.uint32(POLYNOMIAL), table >> 1).astype(np.uint32)
    return table


@lru_cache(maxsize=1)
def _pair_table() -> Words:
    """What two bytes do to a register: index is the low half of the register xor the bytes, little-endian."""
    one = _byte_table()
    index = np.arange(1 << 16, dtype=np.uint32)
    first = one[index & 255] ^ (index >> 8)
    table: Words = (one[first & 255] ^ (first >> 8)).astype(np.uint32)
    return table


Tables = npt.NDArray[np.uint32]  # [4, 256]: what a linear map does to each byte of a register


def _tables(images: Words) -> Tables:
    """Tables of the linear map that takes unit vector i to images[i]."""
    chosen = ((np.arange(256, dtype=np.uint32)[:, None] >> np.arange(8, dtype=np.uint32)) & 1).astype(bool)
    parts = [np.bitwise_xor.reduce(np.where(chosen, images[8 * b : 8 * b + 8], np.uint32(0)), axis=1) for b in range(4)]
    return np.stack(parts).astype(np.uint32)


def _apply(tables: Tables, words: Words) -> Words:
    """The map on many registers."""
    low, high = words & np.uint32(0xFFFF), words >> np.uint32(16)
    out: Words = tables[0][low & 255] ^ tables[1][low >> 8] ^ tables[2][high & 255] ^ tables[3][high >> 8]
    return out


@lru_cache(maxsize=64)
def _power(k: int) -> Tables:
    """The map of 2**k zero bytes."""
    units = np.uint32(1) << np.arange(32, dtype=np.uint32)
    if k == 0:
        return _tables((_byte_table()[units & 255] ^ (units >> 8)).astype(np.uint32))
    return _tables(_apply(_power(k - 1), _apply(_power(k - 1), units)))


def _shift(words: Words, zero_bytes: int) -> Words:
    """Registers after `zero_bytes` zero bytes."""
    k = 0
    while zero_bytes:
        if zero_bytes & 1:
            words = _apply(_power(k), words)
        zero_bytes >>= 1
        k += 1
    return words


def _shortened(data: npt.NDArray[np.uint8]) -> npt.NDArray[np.uint8]:
    """Up to TERMS[0] bytes with the register of the data."""
    if data.size < LONG:
        return data
    data, at = data.copy(), 0
    for k in range(DOUBLED, -1, -1):
        longest, second, third = (n << k for n in TERMS)
        while data.size - at > longest:
            end = min(at + longest - second, data.size - longest)
            head = data[at:end]
            for later in (longest - second, longest - third, longest):
                data[at + later : end + later] ^= head
            at = end
    return data[at:]


def _raw(data: npt.NDArray[np.uint8]) -> int:
    """The register after the data, from 0, without the final inversion."""
    data = _shortened(data)
    register, at, pairs = 0, 0, _pair_table()
    while data.size - at >= 2 * SHORT_LANE:
        lane = LANE_BYTES if data.size - at >= LANE_BYTES * MAX_LANES // 8 else SHORT_LANE
        lanes = 1 << (min(MAX_LANES, (data.size - at) // lane).bit_length() - 1)
        columns = data[at : at + lanes * lane].view("<u2").reshape(lanes, lane // 2).T.astype(np.uint32)
        words = np.zeros(lanes, np.uint32)
        for column in columns:
            words = pairs[(words ^ column) & np.uint32(0xFFFF)] ^ (words >> np.uint32(16))
        length = lane
        while words.size > 1:
            words = _shift(words[0::2], length) ^ words[1::2]
            length *= 2
        register = int(_shift(np.array([register], np.uint32), length)[0]) ^ int(words[0])
        at += length
    table = _byte_table()
    for byte in data[at:].tolist():
        register = int(table[(register ^ byte) & 255]) ^ (register >> 8)
    return register


def crc32c(blocks: Iterable[memoryview | bytes]) -> int:
    """The checksum of data that come in pieces."""
    register = 0xFFFFFFFF
    for block in blocks:
        data = np.frombuffer(block, np.uint8)
        register = int(_shift(np.array([register], np.uint32), data.size)[0]) ^ _raw(data)
    return register ^ 0xFFFFFFFF


def mask(checksum: int) -> int:
    """The form of a checksum that LevelDB and tensor bundles store (leveldb/util/crc32c.h)."""
    return (((checksum >> 15) | (checksum << 17)) + 0xA282EAD8) & 0xFFFFFFFF


def unmask(masked: int) -> int:
    """The checksum behind the form that LevelDB and tensor bundles store (leveldb/util/crc32c.h)."""
    rotated = (masked - 0xA282EAD8) & 0xFFFFFFFF
    return ((rotated >> 17) | (rotated << 15)) & 0xFFFFFFFF
