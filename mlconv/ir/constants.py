"""Handles of constants.  A handle knows type, shape and where the data are; data are touched only when they are written
or computed with.

`Mapped`: a range of a file, mapped on demand.  `Inline`: bytes in memory.  `Splat`: one element repeated.  `Derived`: a
recipe over other constants, run in blocks when the result is written (see `recipes.py`).
"""

from __future__ import annotations

import math
import mmap
import os
from collections.abc import Hashable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.digests import blake2b
from mlconv.formats.files import FileMap, map_file
from mlconv.ir.dtypes import DType
from mlconv.ir.limits import MAX_BYTES, MAX_RANK

Array = npt.NDArray[Any]
BLOCK_BYTES = 1 << 20
_KEPT_BYTES = 1 << 10  # of a constant in memory, that are its key
_DIGESTED = 1 << 18  # bytes at a time
_AROUND = 2 << 20  # bytes that Linux may map with a page that is read


class SourceFile:
    """A file that constants are mapped from; opened and mapped on first use.  Pages that were read can be given back
    with `release`.
    """

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.fspath(path)
        self._map: FileMap | None = None
        self._digests: dict[tuple[int, int], str] = {}

    def map(self) -> FileMap:
        """The file's bytes.  Raises ConversionError: ExternalDataInvalid when it cannot be mapped, FileDamaged when it
        has become shorter: its pages are gone then.
        """
        if self._map is not None and self._map.size() < len(self._map):
            raise ConversionError(
                Code.FileDamaged,
                f"{self.path} was truncated while it was read: {len(self._map)} bytes became {self._map.size()}",
            )
        if self._map is None:
            try:
                self._map = map_file(self.path)
            except (OSError, ValueError) as e:
                raise ConversionError(
                    Code.ExternalDataInvalid, f"cannot map {self.path}: {getattr(e, 'strerror', None) or e}"
                ) from e
        return self._map

    def digest(self, offset: int, nbytes: int) -> str:
        """SHA-256 of a range.  Raises ConversionError ExternalDataInvalid when the file ends before."""
        import hashlib

        found = self._digests.get((offset, nbytes))
        if found is None:
            data = memoryview(self.map())
            if not 0 <= offset <= offset + nbytes <= len(data):
                raise ConversionError(
                    Code.ExternalDataInvalid, f"{self.path} has {len(data)} bytes, and none up to {offset + nbytes}"
                )
            hasher = hashlib.sha256()
            for start in range(offset, offset + nbytes, BLOCK_BYTES):
                stop = min(start + BLOCK_BYTES, offset + nbytes)
                hasher.update(data[start:stop])
                self.release(start, stop - start)
            found = self._digests[offset, nbytes] = hasher.hexdigest()
        return found

    def release(self, offset: int, nbytes: int) -> None:
        """Tell the system that a range is not needed now, nor what it has mapped around it, so that resident memory
        stays bounded.
        """
        if self._map is not None:
            _release(self._map, offset, nbytes)


def _release(mapped: FileMap, offset: int, nbytes: int) -> None:
    if hasattr(mapped, "madvise") and nbytes:
        start = max(0, offset - _AROUND) // mmap.PAGESIZE * mmap.PAGESIZE
        stop = min(len(mapped), offset + nbytes + _AROUND)
        mapped.madvise(mmap.MADV_DONTNEED, start, stop - start)


def release_part(data: Array) -> None:
    """Tell the system that what an array shows of a source's file is not needed now.  Other arrays are left alone:
    pages of a caller's own mapping may hold what no file has.
    """
    place = _place_in_file(data)
    if place is not None:
        _release(*place)


def read_part(data: Array) -> Array:
    """What an array shows of a source's file, read and not mapped, so that it takes no more memory than it has bytes;
    other arrays as they are.
    """
    place = _place_in_file(data)
    if place is None:
        return data
    mapped, offset, nbytes = place
    buffer = bytearray(nbytes)
    if not mapped.read_into(memoryview(buffer), offset):
        return data
    first = sum(stride * (n - 1) for n, stride in zip(data.shape, data.strides, strict=True) if stride < 0)
    return np.ndarray(data.shape, data.dtype, buffer, -first, data.strides)


def _place_in_file(data: Array) -> tuple[FileMap, int, int] | None:
    """The bytes of a source's file that an array shows, and what lies between them: their map, offset and number."""
    base: object = data
    while isinstance(base, np.ndarray):
        base = base.base
    if isinstance(base, memoryview):  # as numpy holds what a buffer is of
        base = base.obj
    if not isinstance(base, FileMap) or not data.size:
        return None
    low = data.ctypes.data - np.frombuffer(base, np.uint8, 1).ctypes.data
    reach = [stride * (n - 1) for n, stride in zip(data.shape, data.strides, strict=True)]
    return base, low + sum(r for r in reach if r < 0), sum(map(abs, reach)) + data.itemsize


class Const:
    """A constant tensor.  shape: integers.  Subclasses say where the data are."""

    __slots__ = ("dtype", "shape")

    def __init__(self, dtype: DType, shape: tuple[int, ...]) -> None:
        self.dtype, self.shape = dtype, shape

    @property
    def size(self) -> int:
        return math.prod(self.shape)

    @property
    def nbytes(self) -> int:
        return self.size * self.dtype.itemsize

    def view(self) -> Array:
        """The data as a read-only array; zero-copy for mapped and inline data."""
        raise TypeError("an abstract constant has no data")

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
        """The data in order, little-endian, in pieces of about `block_bytes`."""
        flat = np.ascontiguousarray(self.view()).reshape(-1).view(np.uint8)
        for start in range(0, flat.nbytes, block_bytes):
            yield flat[start : start + block_bytes].data

    def release(self) -> None:
        """Tell the system that the data are not needed now, where they are in files."""

    def reshape(self, shape: tuple[int, ...]) -> Const:
        """The same data under another shape."""
        raise TypeError("an abstract constant has no data")

    @property
    def key(self) -> Hashable:
        """Equal keys mean equal data and type (the reverse need not hold)."""
        raise TypeError("an abstract constant has no data")

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Const) and self.key == other.key

    def __hash__(self) -> int:
        return hash(self.key)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.dtype.display}{list(self.shape)})"


class Mapped(Const):
    """`nbytes` bytes of a file at `offset`.  Raises ConversionError ConstantInvalid when size and shape disagree."""

    __slots__ = ("file", "offset")

    def __init__(
        self, file: SourceFile, offset: int, dtype: DType, shape: tuple[int, ...], nbytes: int | None = None
    ) -> None:
        super().__init__(dtype, shape)
        if nbytes is not None and nbytes != self.nbytes:
            raise ConversionError(
                Code.ConstantInvalid,
                f"{nbytes} bytes of data for {dtype.display}{list(shape)}, which takes {self.nbytes}",
            )
        self.file, self.offset = file, offset

    def view(self) -> Array:
        if self.size == 0:
            return np.zeros(self.shape, self.dtype.numpy)
        return np.frombuffer(self.file.map(), self.dtype.numpy, self.size, self.offset).reshape(self.shape)

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
        end = self.offset + self.nbytes
        for start in range(self.offset, end, block_bytes):
            stop = min(start + block_bytes, end)
            yield memoryview(self.file.map())[start:stop]
            self.file.release(start, stop - start)

    def release(self) -> None:
        self.file.release(self.offset, self.nbytes)

    def reshape(self, shape: tuple[int, ...]) -> Mapped:
        return Mapped(self.file, self.offset, self.dtype, shape, self.nbytes)

    @property
    def key(self) -> Hashable:
        return ("mapped", self.file.path, self.offset, self.dtype, self.shape)


class Inline(Const):
    """Data in memory: an array that nobody changes.  It may be what an op has cut out of a file."""

    __slots__ = ("_array", "_key")

    def __init__(self, array: Array, dtype: DType | None = None) -> None:
        super().__init__(dtype or DType.from_numpy(array.dtype), array.shape)
        self._array = array
        self._key: Hashable = None

    def view(self) -> Array:
        view = self._array.view()
        view.flags.writeable = False
        return view

    def release(self) -> None:
        release_part(self._array)

    def reshape(self, shape: tuple[int, ...]) -> Inline:
        return Inline(self._array.reshape(shape), self.dtype)

    @property
    def key(self) -> Hashable:
        if self._key is None:
            self._key = ("inline", self._told(), self.dtype, self.shape)
        return self._key

    def _told(self) -> Hashable:
        """What its elements are; of many, a digest, as the key lives as long as they do."""
        if self.dtype is DType.STRING:
            return tuple(self._array.reshape(-1).tolist())
        if self._array.nbytes <= _KEPT_BYTES:
            return self._array.tobytes()
        data, digest = np.ascontiguousarray(self._array).reshape(-1).view(np.uint8), blake2b(digest_size=32)
        for start in range(0, data.size, _DIGESTED):
            digest.update(read_part(data[start : start + _DIGESTED]).data)
        return digest.digest()


class Splat(Const):
    """One element, repeated.  value: an array of rank 0."""

    __slots__ = ("value",)

    def __init__(self, value: Array | float | bool, dtype: DType, shape: tuple[int, ...]) -> None:
        super().__init__(dtype, shape)
        self.value: Array = np.asarray(value).astype(dtype.numpy)

    def view(self) -> Array:
        return np.broadcast_to(self.value, self.shape)

    def blocks(self, block_bytes: int = BLOCK_BYTES) -> Iterator[memoryview]:
        itemsize = max(1, self.value.itemsize)
        for start in range(0, self.size, max(1, block_bytes // itemsize)):
            count = min(self.size - start, max(1, block_bytes // itemsize))
            yield np.full(count, self.value).view(np.uint8).data

    def reshape(self, shape: tuple[int, ...]) -> Splat:
        return Splat(self.value, self.dtype, shape)

    @property
    def key(self) -> Hashable:
        return ("splat", self.value.tobytes(), self.dtype, self.shape)


def make_const(array: Array | float | list[Any] | tuple[Any, ...], dtype: DType | None = None) -> Const:
    """An inline constant of an array or a number; `dtype` defaults to the array's."""
    data = np.asarray(array)
    if dtype is not None and data.dtype != dtype.numpy:
        data = data.astype(dtype.numpy)
    return Inline(data, dtype)


def check_size(shape: tuple[int, ...], dtype: DType, what: str) -> None:
    """Refuse a tensor that no machine holds, before anything is allocated; sizes beside a size of 0 count too.  Raises
    ConversionError TensorTooLarge.
    """
    if len(shape) > MAX_RANK:
        raise ConversionError(
            Code.TensorTooLarge, f"{what} has {len(shape)} dimensions; at most {MAX_RANK} are possible"
        )
    if math.prod(d or 1 for d in shape) * dtype.itemsize > MAX_BYTES:
        raise ConversionError(
            Code.TensorTooLarge,
            f"{what} is too large: {dtype.display}{list(shape)} has a size of {math.prod(shape)} elements",
        )
