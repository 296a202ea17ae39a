"""Weights of Keras files: datasets of an HDF5 file, or of one that lies inside of a zip archive, as constants that are
ranges of the file.

Source: keras/src/saving/saving_lib.py (`H5IOStore`), keras/src/legacy/saving/legacy_h5_format.py.
"""

from __future__ import annotations

import io
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.keras.fields import LeftToKerasError
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile, check_size
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    import h5py

_TYPES = {
    np.dtype(name): DType.from_numpy(np.dtype(name)) for name in ("<f4", "<f2", "<f8", "|i1", "|u1", "<i4", "<i8")
}


class _Range(io.RawIOBase):
    """A range of a mapped file, as h5py takes it."""

    def __init__(self, data: memoryview) -> None:
        super().__init__()
        self.data, self.at = data, 0

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return True

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        start = (0, self.at, len(self.data))[whence]
        self.at = max(0, start + offset)
        return self.at

    def tell(self) -> int:
        return self.at

    def readinto(self, buffer: Any) -> int:
        part = self.data[self.at : self.at + len(buffer)]
        buffer[: len(part)] = part
        self.at += len(part)
        return len(part)


class H5Weights:
    """An HDF5 file that is `size` bytes of a file at `offset`.

    Raises ConversionError FileDamaged where HDF5 cannot read it, or data lie outside of it; LeftToKerasError for data
    that are no plain array, as Keras writes them.
    """

    def __init__(self, file: SourceFile, offset: int, size: int) -> None:
        import h5py

        self.file, self.offset, self.size = file, offset, size
        self.errors = (OSError, RuntimeError, KeyError, ValueError, TypeError, AttributeError)
        self.hard = h5py.HardLink
        self.kinds: tuple[Any, Any] = (h5py.Group, h5py.Dataset)
        self.contiguous = h5py.h5d.CONTIGUOUS
        try:
            self.root = h5py.File(_Range(memoryview(file.map())[offset : offset + size]), "r")
        except self.errors as e:
            raise self.damaged(e) from e

    def damaged(self, why: object) -> ConversionError:
        return ConversionError(Code.FileDamaged, f"the weights in {self.file.path} cannot be read: {str(why)[:200]}")

    def close(self) -> None:
        self.root.close()

    def group(self, path: Sequence[str], start: h5py.Group | None = None) -> h5py.Group | None:
        """The group under names, one below the other; None where there is none.  Links elsewhere are not followed."""
        group = self.root if start is None else start
        try:
            for name in path:
                if group is None or group.get(name, getclass=True, getlink=True) is not self.hard:
                    return None
                found = group[name]
                group = found if isinstance(found, self.kinds[0]) else None
        except self.errors as e:
            raise self.damaged(e) from e
        return group

    def attributes(self, group: h5py.Group) -> Mapping[str, Any]:
        """Attributes of a group, read one by one."""
        try:
            return {str(name): group.attrs[name] for name in group.attrs}
        except self.errors as e:
            raise self.damaged(e) from e

    def variables(self, group: h5py.Group | None) -> list[Const]:
        """The datasets `0`, `1`, ... of a group, which has no others."""
        if group is None:
            return []
        count = len(group)
        return [self.constant(group, str(i)) for i in range(count)]

    def constant(self, group: h5py.Group, name: str) -> Const:
        """A dataset of a group, as a range of the file."""
        try:
            if group.get(name, getclass=True, getlink=True) is not self.hard:
                raise self.damaged(f"there is no dataset {name!r} in {group.name}")
            found = group[name]
            if not isinstance(found, self.kinds[1]):
                raise LeftToKerasError(f"{name} of {group.name} is no dataset")
            shape = found.shape
            dtype = _TYPES.get(found.dtype)
            if shape is None or dtype is None or len(found.attrs):
                raise LeftToKerasError(f"{found.name} is of {found.dtype}")
            plain = found.id.get_create_plist().get_layout() == self.contiguous and not found.external
            at, stored = found.id.get_offset(), found.id.get_storage_size()
        except self.errors as e:
            raise self.damaged(e) from e
        shape = tuple(int(n) for n in shape)
        check_size(shape, dtype, f"{group.name}/{name}")
        if 0 in shape:
            return Inline(np.zeros(shape, dtype.numpy))
        if not plain or at is None:
            raise LeftToKerasError(f"{group.name}/{name} is not stored as a plain array")
        wanted = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if stored != wanted or not 0 <= at <= at + wanted <= self.size:
            raise self.damaged(f"{group.name}/{name} of {wanted} bytes lies outside of the file")
        return Mapped(self.file, self.offset + at, dtype, shape, wanted)


class Weights(Protocol):
    """Weights of one layer and of the layers in it."""

    def own(self) -> list[Const]:
        """Those of the layer itself, in order."""

    def at(self, name: str, index: int) -> Weights:
        """Those of a layer in it: the attribute that holds it, and how many others with weights come before it."""

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        """Those of the layers of a model, by their classes in small letters and their names."""


class StoredWeights:
    """Of `model.weights.h5`: groups by attributes of layers, `layers` of a model by the classes of its layers."""

    def __init__(self, file: H5Weights, path: tuple[str, ...] = ()) -> None:
        self.file, self.path = file, path

    def own(self) -> list[Const]:
        return self.file.variables(self.file.group((*self.path, "vars")))

    def at(self, name: str, index: int) -> StoredWeights:
        return StoredWeights(self.file, (*self.path, name))

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        used: dict[str, int] = {}
        found: list[Weights] = []
        for kind, name in zip(kinds, names, strict=True):
            count = used[kind] = used.get(kind, -1) + 1
            below = StoredWeights(self.file, (*self.path, "layers", f"{kind}_{count}" if count else kind))
            below.check_name(name)
            found.append(below)
        return found

    def check_name(self, name: str) -> None:
        """Files say which layer a group is of; a file whose order is another one is for Keras."""
        group = self.file.group((*self.path, "vars"))
        said = None if group is None else self.file.attributes(group).get("name")
        if said is not None and said != name:
            raise LeftToKerasError(f"the weights of layer {name!r} are stored as those of {str(said)[:40]!r}")


class NamedWeights:
    """Of a whole model in one HDF5 file: a list for each layer of the model, by their paths.

    parts: weights that lie in one folder of names, such as `lstm/lstm_cell`, in the order in which they are listed.
    """

    def __init__(self, parts: Sequence[tuple[str, list[Const]]]) -> None:
        self.parts = parts

    def own(self) -> list[Const]:
        return self.parts[0][1] if self.parts else []

    def at(self, name: str, index: int) -> NamedWeights:
        return NamedWeights(self.parts[index:])

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        return [NamedWeights([p for p in self.parts if f"/{name}/" in f"/{p[0]}/"]) for name in names]


class NamedGroups:
    """The layers of a whole model in one HDF5 file.  Source: `load_weights_from_hdf5_group`."""

    def __init__(self, file: H5Weights, group: h5py.Group) -> None:
        self.file, self.group = file, group

    def own(self) -> list[Const]:
        return []

    def at(self, name: str, index: int) -> Weights:
        raise LeftToKerasError("a model has no weights of its own")

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        return [NamedWeights(self._parts(name)) for name in names]

    def _parts(self, layer: str) -> list[tuple[str, list[Const]]]:
        group = self.file.group([layer] if "/" not in layer else layer.split("/"), self.group)
        if group is None:
            return []
        parts: dict[str, list[Const]] = {}
        for name in names_in(self.file.attributes(group), "weight_names"):
            folder, _, leaf = name.rpartition("/")
            holder = self.file.group(folder.split("/") if folder else (), group)
            if holder is None or not leaf:
                raise self.file.damaged(f"there is no dataset {name!r} in {group.name}")
            parts.setdefault(folder, []).append(self.file.constant(holder, leaf))
        return list(parts.items())


def names_in(attributes: Mapping[str, Any], name: str) -> list[str]:
    """A list of names, which may be split over several attributes."""
    if name in attributes:
        found = [attributes[name]]
    else:
        found = [attributes[f"{name}{i}"] for i in range(len(attributes)) if f"{name}{i}" in attributes]
    return [n.decode("utf-8", "replace") if isinstance(n, bytes) else str(n) for part in found for n in np.ravel(part)]
