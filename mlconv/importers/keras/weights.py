"""Weights of Keras files: datasets of an HDF5 file, or of one that lies inside of a zip archive, as constants that are
ranges of the file.

Source: keras/src/saving/saving_lib.py (`H5IOStore`), keras/src/legacy/saving/legacy_h5_format.py.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Protocol

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.hdf5 import DamagedError, OtherFormError, read_hdf5
from mlconv.importers.keras.fields import LeftToKerasError
from mlconv.ir.constants import Const, Inline, Mapped, SourceFile, check_size
from mlconv.ir.dtypes import DType

_TYPES = {name: DType.from_numpy(np.dtype(name)) for name in ("<f4", "<f2", "<f8", "|i1", "|u1", "<i4", "<i8")}


class H5Weights:
    """What an HDF5 file that is `size` bytes of a file at `offset` holds.

    groups: attributes of each, by its path.  Raises ConversionError FileDamaged where it contradicts itself, or data
    lie outside of it; LeftToKerasError for data that are no plain array, as Keras writes them.
    """

    def __init__(self, file: SourceFile, offset: int, size: int) -> None:
        self.file, self.offset, self.size = file, offset, size
        try:
            self.groups, self.datasets = read_hdf5(memoryview(file.map())[offset : offset + size])
        except OtherFormError as e:
            raise LeftToKerasError(f"the weights have {e}") from e
        except DamagedError as e:
            raise self.damaged(e) from e
        self.counts: dict[str, int] = {}  # datasets right in a group
        for path in self.datasets:
            group = path.rpartition("/")[0]
            self.counts[group] = self.counts.get(group, 0) + 1

    def damaged(self, why: object) -> ConversionError:
        return ConversionError(Code.FileDamaged, f"the weights in {self.file.path} cannot be read: {str(why)[:200]}")

    def variables(self, group: str) -> list[Const]:
        """The datasets `0`, `1`, ... of a group, which has no others."""
        return [self.constant(f"{group}/{i}") for i in range(self.counts.get(group, 0))]

    def constant(self, path: str) -> Const:
        """A dataset, as a range of the file."""
        if path not in self.datasets:
            raise self.damaged(f"there is no dataset {path!r}")
        name, shape, at, stored, kept = self.datasets[path]
        dtype = _TYPES.get(name)
        if dtype is None or shape is None:
            raise LeftToKerasError(f"{path} is of the type {name or 'of something else'}")
        check_size(shape, dtype, path)
        if 0 in shape:
            return Inline(np.zeros(shape, dtype.numpy))
        if not kept or at is None:
            raise LeftToKerasError(f"{path} is not stored as a plain array")
        wanted = int(np.prod(shape, dtype=object)) * dtype.itemsize
        if stored != wanted or not 0 <= at <= at + wanted <= self.size:
            raise self.damaged(f"{path} of {wanted} bytes lies outside of the file")
        return Mapped(self.file, self.offset + at, dtype, shape, wanted)


class Weights(Protocol):
    """Weights of one layer and of the layers in it."""

    def own(self) -> list[Const]:
        """Those of the layer itself, in order."""

    def at(self, name: str, index: int) -> Weights:
        """Those of a layer in it: the attribute that holds it, and how many others with weights come before it."""

    def listed(self, name: str, kinds: Sequence[str]) -> list[Weights]:
        """Those of layers, each with weights of its own, in a list: the attribute that holds it, their classes in small
        letters.
        """

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        """Those of the layers of a model, by their classes in small letters and their names."""


class StoredWeights:
    """Of `model.weights.h5`: groups by attributes of layers, `layers` of a model by the classes of its layers."""

    def __init__(self, file: H5Weights, path: str = "") -> None:
        self.file, self.path = file, path

    def own(self) -> list[Const]:
        return self.file.variables(f"{self.path}vars")

    def at(self, name: str, index: int) -> StoredWeights:
        return StoredWeights(self.file, f"{self.path}{name}/")

    def listed(self, name: str, kinds: Sequence[str]) -> list[Weights]:
        return [*self._listed(name, kinds)]

    def _listed(self, name: str, kinds: Sequence[str]) -> Iterator[StoredWeights]:
        used: dict[str, int] = {}
        for kind in kinds:
            count = used[kind] = used.get(kind, -1) + 1
            yield StoredWeights(self.file, f"{self.path}{name}/{f'{kind}_{count}' if count else kind}/")

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        found: list[Weights] = []
        for below, name in zip(self._listed("layers", kinds), names, strict=True):
            below.check_name(name)
            found.append(below)
        return found

    def check_name(self, name: str) -> None:
        """Files say which layer a group is of; a file whose order is another one is for Keras."""
        said = self.file.groups.get(f"{self.path}vars", {}).get("name", name)
        if said != name:
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

    def listed(self, name: str, kinds: Sequence[str]) -> list[Weights]:
        return [NamedWeights(self.parts[i : i + 1]) for i in range(len(kinds))]

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        found = [[p for p in self.parts if f"/{name}/" in f"/{p[0]}/"] for name in names]
        if sum(map(len, found)) > len(self.parts):
            raise LeftToKerasError("weights in one folder may be those of several layers")
        return [NamedWeights(parts) for parts in found]


class NamedGroups:
    """The layers of a whole model in one HDF5 file.  Source: `load_weights_from_hdf5_group`."""

    def __init__(self, file: H5Weights, group: str) -> None:
        self.file, self.group = file, group

    def own(self) -> list[Const]:
        return []

    def at(self, name: str, index: int) -> Weights:
        raise LeftToKerasError("a model has no weights of its own")

    def listed(self, name: str, kinds: Sequence[str]) -> list[Weights]:
        raise LeftToKerasError("a model has no weights of its own")

    def layers(self, kinds: Sequence[str], names: Sequence[str]) -> list[Weights]:
        return [NamedWeights(self._parts(name)) for name in names]

    def _parts(self, layer: str) -> list[tuple[str, list[Const]]]:
        group = f"{self.group}/{layer}"
        parts: dict[str, list[Const]] = {}
        for name in names_in(self.file.groups.get(group, {}), "weight_names"):
            parts.setdefault(name.rpartition("/")[0], []).append(self.file.constant(f"{group}/{name}"))
        return list(parts.items())


def names_in(attributes: Mapping[str, object], name: str) -> list[str]:
    """A list of names, which may be split over several attributes."""
    if name in attributes:
        found = [attributes[name]]
    else:
        found = [attributes[f"{name}{i}"] for i in range(len(attributes)) if f"{name}{i}" in attributes]
    return [str(n) for part in found for n in (part if isinstance(part, list) else [part])]
