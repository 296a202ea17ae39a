"""TensorProto and SparseTensorProto to constants.  Large data stay in their file; every size is checked before it is
used.

Source: onnx.proto, message TensorProto (which field holds which element type; raw data are little-endian; 4-bit types
are packed, low half first).
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats import wire
from mlconv.formats.varints import packed_varints
from mlconv.importers.onnx.external import ExternalFiles
from mlconv.importers.onnx.fields import DOUBLE, FIELDS, FLOAT, INT32, INT64, RAW, TYPED, UINT64, dtype_of, text
from mlconv.ir.constants import Array, Const, Inline, Mapped, SourceFile, check_size
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_RANK

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import SparseTensorProto, TensorProto


_EXTERNAL = 1


@dataclass(frozen=True, eq=False, repr=False, slots=True)
class TensorReader:
    """Reads the tensors of one model file."""

    file: SourceFile | None
    reduced: wire.Reduced
    external: ExternalFiles
    _known: dict[int, tuple[TensorProto, Const]] = field(default_factory=dict, repr=False, compare=False)

    def read_once(self, tensor: TensorProto, name: str) -> Const:
        """As `read`; a tensor of a function that is called again is the same constant."""
        known = self._known.get(id(tensor))
        if known is None:
            known = self._known[id(tensor)] = tensor, self.read(tensor, name)  # kept: its id is its own
        return known[1]

    def read(self, tensor: TensorProto, name: str) -> Const:
        """The constant of a TensorProto.  Raises ConversionError ElementTypeUnsupported (type), ConstantInvalid (size),
        ExternalDataInvalid (external data).
        """
        dtype = dtype_of(tensor.data_type, f"tensor '{name}'")
        shape = checked_dims(tensor.dims, name)
        if tensor.HasField("segment"):
            raise ConversionError(
                Code.VariantUnsupported, f"tensor '{name}' is stored in segments, which no known writer uses"
            )
        if tensor.data_location == _EXTERNAL:
            return self._external(tensor, name, dtype, shape)
        if dtype is DType.STRING:
            return _strings(tensor, name, shape)
        payloads = wire.payloads_of(tensor, self.reduced) if self.reduced.payloads else {}
        if RAW in payloads or tensor.HasField("raw_data"):
            return self._raw(tensor, name, dtype, shape, payloads.get(RAW))
        return self._typed(tensor, name, dtype, shape, payloads)

    def sparse(self, sparse: SparseTensorProto, name: str) -> Const:
        """A SparseTensorProto as a dense constant: indices are linear [nnz] or coordinates [nnz, rank]."""
        shape = checked_dims(sparse.dims, name)
        values, indices = self.read(sparse.values, name), self.read(sparse.indices, f"{name}.indices")
        size = math.prod(shape)
        if size > 1 << 28:
            raise ConversionError(
                Code.TensorTooLarge,
                f"sparse tensor '{name}' has a size of {size} elements, which is too large to be stored densely",
            )
        where = indices.view()
        if where.ndim == 2:
            if where.shape[1] != len(shape) or ((where < 0) | (where >= np.asarray(shape))).any():
                raise ConversionError(
                    Code.ConstantInvalid, f"sparse tensor '{name}': indices do not fit the shape {list(shape)}"
                )
            where = np.ravel_multi_index(tuple(where.T), shape) if where.size else where.reshape(-1)
        if where.size != values.size or (where.size and (where.min() < 0 or where.max() >= size)):
            raise ConversionError(
                Code.ConstantInvalid,
                f"sparse tensor '{name}': {where.size} indices for "
                f"{values.size} values of size {size}, or out of range",
            )
        dense = np.zeros(size, values.dtype.numpy)
        dense[where] = values.view().reshape(-1)
        return Inline(dense.reshape(shape), values.dtype)

    def _external(self, tensor: TensorProto, name: str, dtype: DType, shape: tuple[int, ...]) -> Const:
        entries = {text(e.key): text(e.value) for e in tensor.external_data}
        found = self.external.find(entries, name)
        need = dtype.packed_bytes(math.prod(shape))
        have = found.nbytes if found.nbytes is not None else need
        if have != need or dtype is DType.STRING:
            raise _size_error(name, dtype, shape, have)
        if found.offset + need > found.file_bytes:
            where = f"{need} bytes from offset {found.offset} of '{found.location}'"
            raise ConversionError(
                Code.ExternalDataInvalid, f"external data of '{name}' takes {where}, which has {found.file_bytes} bytes"
            )
        return _mapped(self.external.source(found.path), found.offset, dtype, shape)

    def _raw(
        self, tensor: TensorProto, name: str, dtype: DType, shape: tuple[int, ...], payload: wire.Payload | None
    ) -> Const:
        nbytes = payload.nbytes if payload is not None else len(tensor.raw_data)
        if nbytes != dtype.packed_bytes(math.prod(shape)):
            raise _size_error(name, dtype, shape, nbytes)
        if payload is not None and self.file is not None:
            return _mapped(self.file, payload.offset, dtype, shape)
        return Inline(_decode_raw(tensor.raw_data, dtype, shape), dtype)

    def _typed(
        self, tensor: TensorProto, name: str, dtype: DType, shape: tuple[int, ...], payloads: dict[int, wire.Payload]
    ) -> Const:
        number = TYPED.get(dtype, INT32)
        payload = payloads.get(number)
        values: Array
        if payload is None:
            stored = getattr(tensor, FIELDS[number])
            values = np.fromiter(stored, _STORED[number], len(stored))
        elif getattr(tensor, FIELDS[number]):
            raise ConversionError(Code.ConstantInvalid, f"tensor '{name}' holds its data in several pieces")
        elif number in (FLOAT, DOUBLE) and self.file is not None:
            if payload.nbytes != math.prod(shape) * dtype.itemsize:
                raise _size_error(name, dtype, shape, payload.nbytes)
            return Mapped(self.file, payload.offset, dtype, shape, payload.nbytes)
        else:
            values = self._varints(payload, number)
        count = math.prod(shape)
        need = dtype.packed_bytes(count) if dtype.bits < 8 else count * (2 if dtype.is_complex else 1)
        if values.size != need:
            raise _size_error(name, dtype, shape, values.size * max(1, dtype.bits // (16 if dtype.is_complex else 8)))
        return Inline(_from_stored(values, dtype, shape), dtype)

    def _varints(self, payload: wire.Payload, number: int) -> Array:
        if self.file is None:
            raise ConversionError(Code.FileDamaged, "cannot parse the file: a payload without a file")
        data = memoryview(self.file.map())[payload.offset : payload.offset + payload.nbytes]
        return packed_varints(data).astype(_STORED[number])


_STORED = {FLOAT: np.float32, INT32: np.int32, INT64: np.int64, DOUBLE: np.float64, UINT64: np.uint64}


def checked_dims(dims: Iterable[int], name: str) -> tuple[int, ...]:
    """Dimensions of a stored tensor: none is negative, the rank and the sizes are sane.  Raises ConversionError
    TensorTooLarge, ConstantInvalid.
    """
    shape = tuple(int(d) for d in dims)
    if any(d < 0 for d in shape):
        raise ConversionError(Code.ConstantInvalid, f"tensor '{name}' has a negative dim in {list(shape)}")
    if 0 in shape or len(shape) > MAX_RANK:  # the data tell the other sizes
        check_size(shape, DType.C128, f"tensor '{name}'")
    return shape


def _size_error(name: str, dtype: DType, shape: tuple[int, ...], have: int) -> ConversionError:
    need = dtype.packed_bytes(math.prod(shape))
    return ConversionError(
        Code.ConstantInvalid,
        f"tensor '{name}' is {dtype.display}{list(shape)}, a size of {math.prod(shape)} "
        f"elements or {need} bytes, but {have} bytes of data are stored",
        help="the file is damaged, or its writer did not store what the dims say",
    )


def _mapped(file: SourceFile, offset: int, dtype: DType, shape: tuple[int, ...]) -> Const:
    """A range of a file; types whose stored form is not numpy's (bool, sub-byte) are decoded now."""
    if dtype.bits >= 8 and dtype is not DType.BOOL:
        return Mapped(file, offset, dtype, shape)
    nbytes = dtype.packed_bytes(math.prod(shape))
    return Inline(_decode_raw(memoryview(file.map())[offset : offset + nbytes] if nbytes else b"", dtype, shape), dtype)


def _decode_raw(data: bytes | memoryview, dtype: DType, shape: tuple[int, ...]) -> Array:
    if dtype is DType.BOOL:
        return np.not_equal(np.frombuffer(data, np.uint8), 0).reshape(shape)
    if dtype.bits < 8:
        return _unpack(np.frombuffer(data, np.uint8), dtype, shape)
    return np.frombuffer(data, dtype.numpy).reshape(shape)


def _unpack(packed: Array, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Sub-byte elements out of bytes, lowest bits first."""
    bits = dtype.bits
    shifts = np.arange(0, 8, bits, dtype=np.uint8)
    parts: Array = ((packed[:, None] >> shifts) & np.uint8((1 << bits) - 1)).reshape(-1)[: math.prod(shape)]
    if dtype.is_signed_int:
        parts = (parts.astype(np.int8) << np.int8(8 - bits)) >> np.int8(8 - bits)
        return parts.astype(dtype.numpy).reshape(shape)
    if dtype.is_float:
        return parts.view(dtype.numpy).reshape(shape)
    return parts.astype(dtype.numpy).reshape(shape)


def _from_stored(values: Array, dtype: DType, shape: tuple[int, ...]) -> Array:
    """Values of a typed field as elements: floats of 16 bits and less are stored as their bit patterns."""
    if dtype.bits < 8 and dtype is not DType.BOOL:
        return _unpack(values.astype(np.uint8), dtype, shape)
    if dtype.is_float and dtype.bits < 32:
        pattern = values.astype(np.uint16 if dtype.bits == 16 else np.uint8)
        return pattern.view(dtype.numpy).reshape(shape)
    if dtype.is_complex:
        return values.view(dtype.numpy).reshape(shape)
    return values.astype(dtype.numpy).reshape(shape)


def _strings(tensor: TensorProto, name: str, shape: tuple[int, ...]) -> Const:
    values = [bytes(v).decode("utf-8", "backslashreplace") for v in tensor.string_data]
    if len(values) != math.prod(shape):
        raise ConversionError(
            Code.ConstantInvalid,
            f"tensor '{name}' has a size of {math.prod(shape)} strings, but {len(values)} are stored",
        )
    array = np.empty(len(values), object)
    array[:] = values
    return Inline(array.reshape(shape), DType.STRING)
