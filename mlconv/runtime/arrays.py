"""Arrays in files: .npz, .npy and safetensors.  Headers are checked before memory is reserved for what they promise."""

from __future__ import annotations

import os
import stat
import zipfile
from collections.abc import Collection, Sequence
from typing import IO

import numpy as np
from numpy.lib import format as npy

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.safetensors import Tensors
from mlconv.ir.constants import Array
from mlconv.ir.dtypes import DType

SUFFIXES = (".npz", ".npy", ".safetensors")
MAX_BYTES = 1 << 34
"""Largest array that is read, in bytes."""


def read_data(path: str, names: Sequence[str], optional: Collection[str] = ()) -> list[dict[str, Array]]:
    """The arrays of each run that a file or a folder holds.  names: of the model's inputs.  optional: of them,
    those that may be left out.

    path: an .npz or a .safetensors file with an array for each input, an .npy for a model with one input, or a folder
    of such files, one a run, in order of their names.  Arrays with other names are left out.  Raises ConversionError
    InputNotReadable, NameNotFound.
    """
    if not os.path.isdir(path):
        return [_run_of(path, names, optional)]
    files = sorted(f for f in os.listdir(path) if f.endswith(SUFFIXES))
    if not files:
        raise ConversionError(Code.InputNotReadable, f"{path} holds no {', no '.join(SUFFIXES)} file")
    return [_run_of(os.path.join(path, f), names, optional) for f in files]


def _run_of(path: str, names: Sequence[str], optional: Collection[str]) -> dict[str, Array]:
    if path.endswith(".npy"):
        names = [name for name in names if name not in optional]
        if len(names) != 1:
            raise ConversionError(
                Code.NameNotFound,
                f"{path} holds one array, the model's inputs are {', '.join(names)}",
                help="give an .npz with an array for each",
            )
        return {names[0]: read_npy(path)}
    arrays = read_arrays(path)
    plain = {n.removesuffix(":0"): n for n in names}
    found = {
        n if n in names else plain[n.removesuffix(":0")]: a
        for n, a in arrays.items()
        if n in names or n.removesuffix(":0") in plain
    }
    missing = [n for n in names if n not in found and n not in optional]
    if missing:
        held = ", ".join(sorted(arrays)) or "none"
        raise ConversionError(Code.NameNotFound, f"{path} has no array for {', '.join(missing)}; it holds {held}")
    return found


def read_arrays(path: str) -> dict[str, Array]:
    """The arrays of an .npz or .safetensors file by name.  Raises ConversionError."""
    return read_safetensors(path) if path.endswith(".safetensors") else read_npz(path)


def read_npy(path: str) -> Array:
    """The array of an .npy file.  Raises ConversionError InputNotReadable."""
    size = _file_size(path)
    try:
        with open(path, "rb") as f:
            return _array(f, size, path)
    except (OSError, ValueError, EOFError) as e:
        raise ConversionError(Code.InputNotReadable, f"{path} is not a readable .npy: {e}") from e


def read_npz(path: str) -> dict[str, Array]:
    """The arrays of an .npz file by name.  Raises ConversionError InputNotReadable."""
    _file_size(path)
    arrays: dict[str, Array] = {}
    try:
        with zipfile.ZipFile(path) as archive:
            for member in archive.infolist():
                if not member.filename.endswith(".npy"):
                    raise ConversionError(
                        Code.InputNotReadable, f"{path} is not a readable .npz: it holds {member.filename!r}"
                    )
                with archive.open(member) as f:
                    arrays[member.filename.removesuffix(".npy")] = _array(f, member.file_size, path)
    except (OSError, ValueError, EOFError, RuntimeError, zipfile.BadZipFile, zipfile.LargeZipFile) as e:
        raise ConversionError(Code.InputNotReadable, f"{path} is not a readable .npz: {e}") from e
    return arrays


def _file_size(path: str) -> int:
    """Raises ConversionError InputNotReadable for what is no regular file: reading a pipe might never end."""
    try:
        status = os.stat(path)
    except (OSError, ValueError) as e:
        raise ConversionError(
            Code.InputNotReadable, f"{path} is not found or cannot be read: {getattr(e, 'strerror', None) or e}"
        ) from e
    if not stat.S_ISREG(status.st_mode):
        raise ConversionError(Code.InputNotReadable, f"{path} is not a regular file")
    return status.st_size


def _array(f: IO[bytes], nbytes: int, path: str) -> Array:
    """An array in the npy format, out of `nbytes` bytes.  Source: numpy.lib.format.  Raises ConversionError
    InputNotReadable, ValueError.
    """
    version = npy.read_magic(f)
    readers = {(1, 0): npy.read_array_header_1_0, (2, 0): npy.read_array_header_2_0}
    if version not in readers:
        raise ConversionError(
            Code.InputNotReadable, f"{path} has an array of version {version} of the npy format, which is not read"
        )
    shape, fortran, dtype = readers[version](f)
    size = dtype.itemsize
    for n in shape:
        size *= n
    if dtype.hasobject:
        raise ConversionError(
            Code.InputNotReadable,
            f"{path} has an array of Python objects, which is not read",
            help="store text as bytes (dtype S)",
        )
    if not 0 <= size <= min(nbytes, MAX_BYTES):
        raise ConversionError(
            Code.InputNotReadable,
            f"{path} has an array of {dtype}{list(shape)}, which takes {size} bytes; there are {nbytes}",
        )
    data = f.read(size)
    if len(data) != size:
        raise ConversionError(Code.InputNotReadable, f"{path} ends within an array of {dtype}{list(shape)}")
    array: Array = np.frombuffer(data, dtype).reshape(shape, order="F" if fortran else "C")
    return array if dtype.isnative else array.astype(dtype.newbyteorder("="))  # written on a machine of the other order


def read_safetensors(path: str) -> dict[str, Array]:
    """The arrays of a safetensors file.  Raises ConversionError FileDamaged, ExternalDataInvalid, ConstantInvalid for a
    file that is none.
    """
    tensors, data, arrays = Tensors(path), np.fromfile(path, np.uint8), dict[str, Array]()
    for name in tensors.table:
        kind, shape, begin, nbytes = tensors[name]
        arrays[name] = data[begin : begin + nbytes].view(DType(kind).numpy).reshape(shape)
    return arrays
