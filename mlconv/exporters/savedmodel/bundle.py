"""A tensor bundle: `variables.index`, a table of where tensors are, and their numbers in one data file.

Sources: tensorflow/core/protobuf/tensor_bundle.proto; leveldb/doc/table_format.md.  The table's keys are sorted; its
blocks are not compressed, and each entry begins anew, so that keys share nothing.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from mlconv.dialects.tf_types import NUMBERS
from mlconv.exporters.savedmodel.messages import fill_shape
from mlconv.formats.atomic import replacing
from mlconv.formats.crc32c import crc32c, mask
from mlconv.formats.protos import tf_pb
from mlconv.formats.wire import varint_bytes
from mlconv.ir.constants import Const

MAGIC = 0xDB4775248B80FB57
ALIGNMENT = 64
_BLOCK_BYTES = 1 << 14
_HANDLES_BYTES = 40
Rows = list[tuple[bytes, bytes]]


def write_bundle(prefix: Path, tensors: Mapping[str, Const]) -> int:
    """Write `prefix`.index and `prefix`.data-00000-of-00001; returns their sizes together."""
    messages = tf_pb("protobuf.tensor_bundle_pb2")
    header = messages.BundleHeaderProto(num_shards=1)
    header.version.producer = 1
    rows: Rows = [(b"", header.SerializeToString(deterministic=True))]
    with replacing(prefix.with_name(f"{prefix.name}.data-00000-of-00001")) as out:
        end = 0
        for name, constant in sorted(tensors.items(), key=lambda item: item[0].encode()):
            start = -(-end // ALIGNMENT) * ALIGNMENT
            out.write(bytes(start - end))
            checksum = crc32c(_written(constant, out))
            end = start + constant.nbytes
            entry = messages.BundleEntryProto(dtype=NUMBERS[constant.dtype], offset=start, size=end - start)
            fill_shape(entry.shape, constant.shape)
            entry.crc32c = mask(checksum)
            rows.append((name.encode(), entry.SerializeToString(deterministic=True)))
    table = table_bytes(rows)
    with replacing(prefix.with_name(f"{prefix.name}.index")) as out:
        out.write(table)
    return end + len(table)


def _written(constant: Const, out: BinaryIO) -> Iterator[memoryview]:
    """The numbers of a constant, which go to a file on the way."""
    for block in constant.blocks():
        out.write(block)
        yield block


def table_bytes(rows: Rows) -> bytes:
    """A table of sorted keys and their values."""
    out, index = bytearray(), list[tuple[bytes, bytes]]()
    block: Rows = []
    nbytes = 0
    for i, (key, value) in enumerate(rows):
        block.append((key, value))
        nbytes += len(key) + len(value)
        if nbytes >= _BLOCK_BYTES or i == len(rows) - 1:
            index.append((key, _append(out, block)))
            block, nbytes = [], 0
    others = _append(out, [])
    own = _append(out, index)
    out += (others + own).ljust(_HANDLES_BYTES, b"\0") + MAGIC.to_bytes(8, "little")
    return bytes(out)


def _append(out: bytearray, rows: Rows) -> bytes:
    """Add a block with its checksum; returns its handle."""
    data, starts = bytearray(), [0] if not rows else []
    for key, value in rows:
        starts.append(len(data))
        data += varint_bytes(0) + varint_bytes(len(key)) + varint_bytes(len(value)) + key + value
    for start in (*starts, len(starts)):
        data += start.to_bytes(4, "little")
    handle = varint_bytes(len(out)) + varint_bytes(len(data))
    data += b"\0"  # no compression
    out += data + mask(crc32c([bytes(data)])).to_bytes(4, "little")
    return handle
