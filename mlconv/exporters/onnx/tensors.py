"""Constants as TensorProto messages whose data are streamed.

Source: onnx.proto, message TensorProto: raw data are little-endian, elements of less than 8 bits are packed, the first
in the lowest bits; strings are a field of their own.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from mlconv.dialects.onnx_types import DTYPES
from mlconv.formats.protos import onnx_pb
from mlconv.formats.wire import tag, varint_bytes
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import TensorProto

NUMBERS = {dtype: number for number, dtype in DTYPES.items()}
"""Numbers of TensorProto.DataType by element type."""
SMALL_BYTES = 1 << 10
"""Constants up to this size stay in the model."""
ALIGNMENT = 4096
"""Of large tensors in a file beside, so that they can be mapped (onnx/docs/ExternalData.md)."""
_ALIGNED_BYTES = 1 << 20
"""Larger ones have pages of their own, as onnx writes them: of many small ones these would be a third of the file."""
_LEAST_ALIGNMENT = 16
_RAW_FIELD = 9


def stored_bytes(constant: Const) -> int:
    """Bytes of raw data."""
    return constant.dtype.packed_bytes(constant.size)


def raw_blocks(constant: Const) -> Iterator[memoryview | bytes]:
    """Raw data in order."""
    bits = constant.dtype.bits
    if bits >= 8 or constant.dtype is DType.BOOL:
        yield from constant.blocks()
        return
    for block in constant.blocks():
        yield packed(np.frombuffer(block, np.uint8), bits)


def packed(values: np.ndarray[tuple[int, ...], np.dtype[np.uint8]], bits: int) -> bytes:
    """Elements of less than 8 bits, one a byte, as several to a byte."""
    per_byte = 8 // bits
    rest = -values.size % per_byte
    padded = np.concatenate([values, np.zeros(rest, np.uint8)]) if rest else values
    rows = (padded & np.uint8((1 << bits) - 1)).reshape(-1, per_byte)
    out = np.zeros(len(rows), np.uint8)
    for i in range(per_byte):
        out |= rows[:, i] << np.uint8(i * bits)
    return out.tobytes()


def message(constant: Const, name: str) -> TensorProto:
    """The message without its data, but for strings."""
    proto: TensorProto = onnx_pb().TensorProto()
    proto.name = name
    proto.data_type = NUMBERS[constant.dtype]
    proto.dims.extend(constant.shape)
    if constant.dtype is DType.STRING:
        strings = (s if isinstance(s, bytes) else str(s).encode() for s in constant.view().reshape(-1))
        proto.string_data.extend(strings)
    return proto


def whole(constant: Const, name: str = "") -> TensorProto:
    """The message with its data, for attributes."""
    proto = message(constant, name)
    if constant.dtype is not DType.STRING:
        proto.raw_data = b"".join(bytes(block) for block in raw_blocks(constant))
    return proto


class Stored(Protocol):
    """An initializer that is written.  nbytes: of its data.  offset: in the file beside, or -1."""

    offset: int

    @property
    def nbytes(self) -> int: ...

    def size(self, location: str) -> int:
        """Bytes of the message.  location: the name of the file beside."""

    def pieces(self, location: str) -> Iterable[memoryview | bytes]:
        """The message, its data streamed."""

    def data(self) -> Iterable[memoryview | bytes]:
        """What the file beside has of it."""


@dataclass(slots=True)
class Initializer:
    """A constant under its name.  offset: in the file beside, or -1."""

    name: str
    constant: Const
    offset: int = -1

    @property
    def is_text(self) -> bool:
        return self.constant.dtype is DType.STRING

    @property
    def nbytes(self) -> int:
        return 0 if self.is_text else stored_bytes(self.constant)

    def head(self, location: str) -> bytes:
        """The message without data.  location: the name of the file beside."""
        proto = message(self.constant, self.name)
        if self.offset >= 0:
            proto.data_location = onnx_pb().TensorProto.EXTERNAL
            for key, value in (("location", location), ("offset", self.offset), ("length", self.nbytes)):
                proto.external_data.add(key=key, value=str(value))
        data: bytes = proto.SerializeToString(deterministic=True)
        if self.offset < 0 and not self.is_text:
            data += tag(_RAW_FIELD) + varint_bytes(self.nbytes)
        return data

    def size(self, location: str) -> int:
        """Bytes of the message."""
        return len(self.head(location)) + (self.nbytes if self.offset < 0 else 0)

    def pieces(self, location: str) -> Iterator[memoryview | bytes]:
        """The message, its data streamed."""
        yield self.head(location)
        if self.offset < 0 and not self.is_text:
            yield from raw_blocks(self.constant)

    def data(self) -> Iterator[memoryview | bytes]:
        """What a file beside has of it."""
        return raw_blocks(self.constant)


def lay_out(initializers: Sequence[Stored]) -> int:
    """Give those that are not small their places in a file beside; returns its size."""
    end = 0
    for each in initializers:
        if each.nbytes > SMALL_BYTES:
            step = ALIGNMENT if each.nbytes > _ALIGNED_BYTES else _LEAST_ALIGNMENT
            each.offset = -(-end // step) * step
            end = each.offset + each.nbytes
    return end
