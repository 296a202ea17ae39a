"""Tensors of a TFLite file: their types, with quantization, and constants as handles into the file.

Source: tensorflow/compiler/mlir/lite/schema/schema.fbs; TFLite 8-bit quantization specification; string_util.h.
"""

from __future__ import annotations

import itertools
import math
import struct
from typing import NamedTuple

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tfl_table import ENUMS
from mlconv.dialects.tfl_types import DTYPES
from mlconv.formats.flatbuffer import FlatReader, Table
from mlconv.importers.tflite.sparsity import densified, read_sparsity
from mlconv.ir import recipes
from mlconv.ir.constants import Array, Const, Mapped, SourceFile, Splat, check_size, make_const
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.quant import Blocked, QuantType
from mlconv.ir.types import TensorType

_TYPE_NAMES = {number: name for name, number in ENUMS["TensorType"].items()}
_BLOCKWISE = ENUMS["QuantizationDetails"]["BlockwiseQuantization"]
_OPAQUE = ("RESOURCE", "VARIANT")
_PACKED = (DType.I4, DType.U4, DType.I2)
_TAKEN_AS = {DType.I2: DType.I4}
"""Quantized weights of a width that kernels over integers are not made for, by the next one: the same numbers."""
_WIDE = (DType.I32, DType.I64)  # numbers of their own, but for biases


class Buffer(NamedTuple):
    """Where the bytes of a constant are in the file."""

    position: int
    size: int


class Tensor(NamedTuple):
    """One tensor of a subgraph.  type: None for resources.  buffer: None where it has no data."""

    name: str
    type: TensorType | None
    buffer: Buffer | None
    is_variable: bool
    table: Table


def read_buffers(reader: FlatReader, root: Table) -> list[Buffer]:
    """All buffers of a file.  Raises DamagedError, ConversionError ExternalDataInvalid."""
    found = []
    for i, entry in enumerate(reader.tables(root, 4)):
        position, size = reader.vector(entry, 0, 1)
        outside = reader.scalar(entry, 1, code="<Q")
        if outside > 1:  # of files above 2 GB, behind the flatbuffer
            position, size = outside, reader.scalar(entry, 2, code="<Q")
            if position + size > reader.end:
                raise ConversionError(
                    Code.ExternalDataInvalid,
                    f"buffer {i} has {size} bytes at {position}, the file has {reader.end}: it is truncated or invalid",
                )
        found.append(Buffer(position, size))
    return found


class Tensors:
    """The tensors of one subgraph."""

    def __init__(self, reader: FlatReader, file: SourceFile, graph: Table, buffers: list[Buffer]) -> None:
        self.reader, self.file = reader, file
        self._buffers = buffers
        self._tables = reader.tables(graph, 0)
        self._read: dict[int, Tensor] = {}

    def __len__(self) -> int:
        return len(self._tables)

    def __getitem__(self, i: int) -> Tensor:
        """Raises ConversionError InputNotProduced for a number that no tensor has."""
        if not 0 <= i < len(self._tables):
            raise ConversionError(
                Code.InputNotProduced, f"tensor {i} is named, the subgraph has {len(self._tables)}: the file is invalid"
            )
        if i not in self._read:
            self._read[i] = self._tensor(self._tables[i])
        return self._read[i]

    def _tensor(self, table: Table) -> Tensor:
        reader = self.reader
        name = reader.text(table, 3)
        at = reader.scalar(table, 2)
        if at >= len(self._buffers):
            raise ConversionError(
                Code.ConstantInvalid, f"{name} has buffer {at} of {len(self._buffers)}: the file is invalid"
            )
        if reader.scalar(table, 10):
            raise ConversionError(Code.ExternalDataInvalid, f"{name} is a constant of another file, which is not read")
        buffer = self._buffers[at] if self._buffers[at].size else None
        return Tensor(name, self._type(table, name, buffer), buffer, bool(reader.scalar(table, 5, code="<b")), table)

    def _type(self, table: Table, name: str, buffer: Buffer | None) -> TensorType | None:
        reader = self.reader
        kind = _TYPE_NAMES.get(reader.scalar(table, 1, code="<b"), "")
        if kind in _OPAQUE:
            return None
        if kind not in DTYPES:
            raise ConversionError(Code.ElementTypeUnsupported, f"{name} has an element type that is not known: {kind}")
        dtype, shape = DTYPES[kind], reader.ints(table, 0)
        check_size(shape, dtype, name)
        if any(d < 0 for d in shape):
            raise ConversionError(Code.ShapeMismatch, f"{name} has the shape {list(shape)}: the file is invalid")
        declared = reader.ints(table, 7)
        sizes: list[Size] = list(shape)
        if buffer is None and len(declared) == len(shape):
            sizes = [Dim.unknown() if d == -1 else s for s, d in zip(shape, declared, strict=True)]
        position = reader.target(table, 4)
        quant = None
        if position and dtype.is_int and (dtype not in _WIDE or buffer is not None):
            storage = dtype if buffer is None else _TAKEN_AS.get(dtype, dtype)
            quant = self._quantization(reader.table(position), storage, shape)
        return TensorType(quant or dtype, tuple(sizes))

    def _quantization(self, table: Table, dtype: DType, shape: tuple[int, ...]) -> QuantType | None:
        """Files have the table for tensors without a quantization, too: there are no scales, or one of 0."""
        reader = self.reader
        if reader.scalar(table, 4, code="<B") == _BLOCKWISE:
            return self._in_blocks(reader.table(reader.target(table, 5)), dtype, shape)
        scales = np.asarray(reader.numbers(table, 2, "f"), np.float32)
        zeros = np.asarray(reader.numbers(table, 3, "q"), np.int64)
        if not scales.size or not (np.isfinite(scales) & (scales > 0)).all():
            return None
        axis = reader.scalar(table, 6, code="<i")
        if zeros.size not in (0, 1, scales.size):
            raise ConversionError(Code.QuantizationInvalid, f"{zeros.size} zero points for {scales.size} scales")
        if scales.size == 1:
            return QuantType.of(dtype, float(scales[0]), int(zeros[0]) if zeros.size else 0)
        if shape == (scales.size,):
            axis = 0  # old converters gave biases the axis of the filters
        if not 0 <= axis < len(shape) or shape[axis] != scales.size:
            raise ConversionError(
                Code.QuantizationInvalid, f"{scales.size} scales along dimension {axis} of {list(shape)}"
            )
        return QuantType.of(dtype, scales, zeros if zeros.size else 0, axis)

    def _in_blocks(self, table: Table, dtype: DType, shape: tuple[int, ...]) -> QuantType:
        """A scale for each `size` elements along the last axis, in a tensor of its own."""
        reader = self.reader
        size = reader.scalar(table, 2, code="<i")
        if size < 1 or not shape or shape[-1] % size:
            raise ConversionError(Code.QuantizationInvalid, f"blocks of {size} in {list(shape)}")
        if reader.scalar(table, 1, code="<i") > 0:
            raise ConversionError(Code.QuantizationInvalid, "zero points of blocks are not supported")
        scales = self.constant(self[reader.scalar(table, 0, code="<i")])
        wanted = (*shape[:-1], shape[-1] // size)
        if scales is None or not scales.dtype.is_float or scales.size != math.prod(wanted):
            raise ConversionError(Code.QuantizationInvalid, f"{list(shape)} has no scales for its blocks of {size}")
        return QuantType(dtype, DType.F32, Blocked(len(shape) - 1, size), scales.reshape(wanted))

    def constant(self, tensor: Tensor) -> Const | None:
        """The data of a tensor, None where it has none.  Raises ConversionError ConstantInvalid."""
        if tensor.type is None:
            return None
        dtype, shape = tensor.type.dtype, self.reader.ints(tensor.table, 0)
        if tensor.buffer is None:
            return Splat(0, dtype, shape) if 0 in shape and dtype is not DType.STRING else None
        position, size = tensor.buffer
        if dtype is DType.STRING:
            return make_const(_strings(self.reader.data[position : position + size], shape, tensor.name), dtype)
        sparsity = self.reader.target(tensor.table, 6)
        if sparsity:
            how = read_sparsity(self.reader, self.reader.table(sparsity))
            values = np.frombuffer(self.reader.data, dtype.numpy, size // dtype.itemsize, position)
            return make_const(densified(values, shape, how), dtype)
        if dtype in _PACKED:
            return self._unpacked(tensor, dtype, shape)
        return Mapped(self.file, position, dtype, shape, size)

    def _unpacked(self, tensor: Tensor, dtype: DType, shape: tuple[int, ...]) -> Const:
        """Elements of 4 or 2 bits, the first in the lowest bits of a byte."""
        count = math.prod(shape)
        position, size = tensor.buffer or Buffer(0, 0)
        taken, dtype = dtype, DTYPES[_TYPE_NAMES[self.reader.scalar(tensor.table, 1, code="<b")]]
        if size != -(-count * dtype.bits // 8):
            raise ConversionError(Code.ConstantInvalid, f"{size} bytes of data for {dtype.display}{list(shape)}")
        stored = Mapped(self.file, position, DType.U8, (size,), size)
        found = recipes.unpack(stored, dtype.bits, dtype, signed=dtype.is_signed_int)
        whole = found if found.size == count else recipes.slices(found, (0,), (count,))
        return recipes.cast(whole.reshape(shape), taken)


def _strings(data: bytes, shape: tuple[int, ...], name: str) -> Array:
    """int32 count, count + 1 int32 offsets, then the bytes."""
    count = struct.unpack_from("<i", data)[0] if len(data) >= 4 else -1
    if count != math.prod(shape) or len(data) < 4 * (count + 2):
        raise ConversionError(Code.ConstantInvalid, f"{name} has {count} strings, expected {math.prod(shape)}")
    ends = struct.unpack_from(f"<{count + 1}i", data, 4)
    if any(not 0 <= a <= b <= len(data) for a, b in itertools.pairwise(ends)):
        raise ConversionError(Code.ConstantInvalid, f"the strings of {name} lie outside of its data")
    out = np.empty(count, object)
    for i in range(count):
        out[i] = data[ends[i] : ends[i + 1]]
    return out.reshape(shape)
