"""Reader of LevelDB's sorted table format, the container of a tensor bundle's index.

Source: leveldb/doc/table_format.md.  A footer of 48 bytes names the index block; blocks hold prefix-compressed keys and
end in a restart array; each block is followed by its compression type (none or Snappy) and a masked CRC-32C.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.crc32c import crc32c, unmask
from mlconv.importers.tf.saved_model.snappy import decompress

MAGIC = 0xDB4775248B80FB57
FOOTER = 48
MAX_BYTES = 1 << 30


class Table:
    """Entries of a table file.  Every offset and length is checked before it is used."""

    def __init__(self, data: bytes, name: str) -> None:
        self.data, self.name = data, name
        if len(data) < FOOTER or int.from_bytes(data[-8:], "little") != MAGIC:
            raise self.damaged("it does not end in the footer of a table")
        at = len(data) - FOOTER
        _, at = self.varint(at)
        _, at = self.varint(at)
        offset, at = self.varint(at)
        size, at = self.varint(at)
        self.index = (offset, size)

    def damaged(self, what: str) -> ConversionError:
        return ConversionError(Code.FileDamaged, f"{self.name} is damaged or truncated: {what}")

    def varint(self, at: int, data: bytes | None = None) -> tuple[int, int]:
        source = self.data if data is None else data
        value = shift = 0
        while True:
            if at >= len(source) or shift > 63:
                raise self.damaged(f"a number at byte {at} does not end")
            byte = source[at]
            at += 1
            value |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return value, at

    def block(self, offset: int, size: int) -> bytes:
        """The entries of a block, its checksum verified."""
        end = offset + size
        if end + 5 > len(self.data) or size < 4:
            raise self.damaged(f"a block of {size} bytes at {offset} leaves the file ({len(self.data)} bytes)")
        stored = unmask(int.from_bytes(self.data[end + 1 : end + 5], "little"))
        if crc32c([self.data[offset : end + 1]]) != stored:
            raise self.damaged(f"the checksum of the block at {offset} does not match")
        kind, data = self.data[end], self.data[offset:end]
        if kind == 1:
            try:
                data = decompress(data)
            except ValueError as e:
                raise self.damaged(f"the block at {offset} does not decompress: {e}") from e
        elif kind != 0:
            raise self.damaged(f"the block at {offset} has the unknown compression {kind}")
        restarts = int.from_bytes(data[-4:], "little")
        if 4 * restarts + 4 > len(data):
            raise self.damaged(f"block at {offset} has {restarts} restarts in {len(data)} bytes")
        return data[: len(data) - 4 - 4 * restarts]

    def entries(self, offset: int, size: int) -> Iterator[tuple[bytes, bytes]]:
        """(key, value) of a block."""
        data = self.block(offset, size)
        at, key = 0, b""
        while at < len(data):
            shared, at = self.varint(at, data)
            own, at = self.varint(at, data)
            length, at = self.varint(at, data)
            if shared > len(key) or at + own + length > len(data):
                raise self.damaged(f"an entry of the block at {offset} leaves it")
            key = key[:shared] + data[at : at + own]
            at += own
            yield key, data[at : at + length]
            at += length

    def items(self) -> Iterator[tuple[bytes, bytes]]:
        """All keys and values, in order."""
        for _, handle in self.entries(*self.index):
            offset, at = self.varint(0, handle)
            size, _ = self.varint(at, handle)
            yield from self.entries(offset, size)
