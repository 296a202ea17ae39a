"""Tensor bundles: `variables.index` and its data shards.

Source: tensorflow/core/protobuf/tensor_bundle.proto.  Tensors become `Mapped` constants; shapes and sizes are checked
against the shard before anything is mapped, and checksums are verified when a tensor is taken.
"""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from typing import TYPE_CHECKING

import numpy as np
from google.protobuf.message import DecodeError

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.crc32c import crc32c, unmask
from mlconv.formats.files import open_regular
from mlconv.importers.tf.saved_model.table import MAX_BYTES, Table
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import BundleEntryProto, BundleHeaderProto, TensorSliceProto


class Bundle:
    """The variables of a SavedModel, by checkpoint key.

    prefix: path without `.index`.  entry_class, header_class: the generated messages.  dtype_of: DataType number to
    element type.
    """

    def __init__(
        self,
        prefix: str,
        header_class: type[BundleHeaderProto],
        entry_class: type[BundleEntryProto],
        dtype_of: Callable[[int], DType],
    ) -> None:
        self.prefix, self.dtype_of = prefix, dtype_of
        path = prefix + ".index"
        if not os.path.exists(path):
            raise ConversionError(Code.ExternalDataInvalid, f"{path} is missing: not found beside the SavedModel")
        if os.path.getsize(path) > MAX_BYTES:
            raise ConversionError(
                Code.TensorTooLarge, f"{path} is too large for an index: {os.path.getsize(path)} bytes"
            )
        try:
            with open_regular(path) as f:
                table = Table(f.read(), path)
        except OSError as e:
            raise ConversionError(Code.ExternalDataInvalid, f"{path}: {e.strerror}") from e
        self.entries: dict[str, BundleEntryProto] = {}
        self.shard_count = 1
        for key, value in table.items():
            try:
                if key:
                    entry = entry_class()
                    entry.ParseFromString(value)
                    self.entries[key.decode("utf-8", "surrogateescape")] = entry
                    continue
                header = header_class()
                header.ParseFromString(value)
            except DecodeError as e:
                raise table.damaged(f"the entry {key!r} does not parse") from e
            if header.endianness:
                raise ConversionError(Code.VariantUnsupported, f"{path} is big-endian, which is not supported")
            self.shard_count = max(1, header.num_shards)
        self.shards: dict[int, SourceFile] = {}

    def shard(self, number: int) -> SourceFile:
        """A data file.  Raises ConversionError ExternalDataInvalid when it is missing."""
        if number not in self.shards:
            path = f"{self.prefix}.data-{number:05d}-of-{self.shard_count:05d}"
            if not os.path.exists(path):
                raise ConversionError(Code.ExternalDataInvalid, f"{path} is missing: not found beside the index")
            self.shards[number] = SourceFile(path)
        return self.shards[number]

    def constant(self, key: str) -> Const:
        """The tensor of a key.  Raises ConversionError: NameNotFound unknown key, ExternalDataInvalid shard missing or
        short, FileDamaged checksum, ConstantInvalid size.
        """
        if key not in self.entries:
            raise ConversionError(Code.NameNotFound, f"{self.prefix}.index holds no tensor {key!r}")
        entry = self.entries[key]
        shape = tuple(d.size for d in entry.shape.dim)
        if any(d < 0 for d in shape):
            raise ConversionError(Code.ConstantInvalid, f"variable {key!r} has a negative dimension in {list(shape)}")
        if entry.slices:
            return self._joined(key, entry, shape)
        file = self.shard(entry.shard_id)
        available = os.path.getsize(file.path)
        if entry.offset < 0 or entry.size < 0 or entry.offset + entry.size > available:
            end = entry.offset + entry.size
            raise ConversionError(
                Code.ExternalDataInvalid,
                f"{file.path} is truncated: variable {key!r} ends at byte {end}, the file has {available}",
            )
        dtype = self.dtype_of(entry.dtype)
        if dtype is DType.STRING:
            return self._strings(key, entry, shape, file)
        constant = Mapped(file, entry.offset, dtype, shape, entry.size)
        if entry.size and crc32c(constant.blocks()) != unmask(entry.crc32c):
            raise ConversionError(
                Code.FileDamaged, f"{file.path} is damaged: the checksum of variable {key!r} does not match"
            )
        return constant

    def _joined(self, key: str, entry: BundleEntryProto, shape: tuple[int, ...]) -> Const:
        """A partitioned variable: each slice is an entry of its own."""
        dtype = self.dtype_of(entry.dtype)
        whole = np.zeros(shape, dtype.numpy)
        covered = 0
        for proto in entry.slices:
            box = _box(proto, shape)
            part = self.constant(
                slice_key(key, [(e.start, e.length if e.HasField("length") else None) for e in proto.extent])
            )
            sizes = [b.stop - b.start for b in box]
            if part.size != math.prod(sizes):
                raise ConversionError(
                    Code.ConstantInvalid, f"slice {sizes} of variable {key!r} holds {part.size} elements"
                )
            whole[box] = part.view().reshape(sizes)
            covered += part.size
        if covered != whole.size:
            raise ConversionError(
                Code.FileDamaged,
                f"{self.prefix}.index is damaged: slices of variable {key!r} cover {covered} of {whole.size} elements",
            )
        return Inline(whole, dtype)

    def _strings(self, key: str, entry: BundleEntryProto, shape: tuple[int, ...], file: SourceFile) -> Const:
        """Strings: varint lengths, a checksum of them, then the bytes."""
        data = bytes(memoryview(file.map())[entry.offset : entry.offset + entry.size])
        count, at, lengths = math.prod(shape), 0, []
        for _ in range(min(count, len(data))):
            value = shift = 0
            while at < len(data):
                byte = data[at]
                at += 1
                value |= (byte & 127) << shift
                shift += 7
                if byte < 128:
                    break
            lengths.append(value)
        # The checksum covers the lengths as 32-bit numbers, their own checksum, and the bytes (tensor_bundle.cc,
        # WriteStringTensor).
        fixed = b"".join(n.to_bytes(4 if n < 1 << 32 else 8, "little") for n in lengths)
        if crc32c([fixed, data[at:]]) != unmask(entry.crc32c):
            raise ConversionError(
                Code.FileDamaged, f"{file.path} is damaged: the checksum of variable {key!r} does not match"
            )
        at += 4
        if len(lengths) < count or at + sum(lengths) > len(data):
            raise ConversionError(
                Code.FileDamaged, f"{file.path} is damaged: strings of variable {key!r} leave their range"
            )
        items = []
        for n in lengths:
            items.append(data[at : at + n])
            at += n
        array = np.empty(count, object)
        array[:] = items
        return Inline(array.reshape(shape), DType.STRING)


def _box(proto: TensorSliceProto, shape: tuple[int, ...]) -> tuple[slice, ...]:
    """The region of a TensorSliceProto: an extent without length is the whole axis."""
    out = []
    if len(proto.extent) != len(shape):
        raise ConversionError(
            Code.ConstantInvalid, f"a slice of {len(proto.extent)} axes does not fit the shape {list(shape)}"
        )
    for extent, size in zip(proto.extent, shape, strict=True):
        start = extent.start
        length = extent.length if extent.HasField("length") else size
        if start < 0 or length < 0 or start + length > size:
            raise ConversionError(Code.ConstantInvalid, f"a slice [{start}, {start + length}) leaves an axis of {size}")
        out.append(slice(start, start + length))
    return tuple(out)


def slice_key(name: str, extents: list[tuple[int, int | None]]) -> str:
    """The key of one slice of a variable: tensorflow/core/util/saved_tensor_slice_util.cc, EncodeTensorNameSlice, in
    ordered code.
    """
    out = (
        _number(0)
        + name.encode("utf-8", "surrogateescape").replace(b"\xff", b"\xff\x00").replace(b"\0", b"\0\xff")
        + b"\0\x01"
    )
    out += _number(len(extents))
    for start, length in extents:
        out += _signed(start if length is not None else 0) + _signed(-1 if length is None else length)
    return out.decode("utf-8", "surrogateescape")


def _number(value: int) -> bytes:
    """OrderedCode::WriteNumIncreasing: the number of bytes, then the bytes, most significant first."""
    size = (value.bit_length() + 7) // 8
    return bytes([size]) + value.to_bytes(size, "big")


def _signed(value: int) -> bytes:
    """OrderedCode::WriteSignedNumIncreasing: as many leading ones as there are bytes, xored onto the two's
    complement.
    """
    magnitude = ~value if value < 0 else value
    size = magnitude.bit_length() // 7 + 1
    header = (
        int.from_bytes(((((1 << size) - 1) << (16 - size)).to_bytes(2, "big") + bytes(size))[:size], "big")
        if size > 1
        else 0x80
    )
    return ((value & ((1 << 8 * size) - 1)) ^ header).to_bytes(size, "big")
