"""Inputs of runs in files: arrays, and images for a model with one input."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.formats.safetensors import Tensors
from mlconv.ir.constants import Array
from mlconv.runtime.arrays import SUFFIXES, read_data
from mlconv.runtime.casting import as_taken
from mlconv.runtime.images import IMAGE_SUFFIXES, ImageForm, files_in, read_image
from mlconv.runtime.ports import Port


class Given(NamedTuple):
    """runs: arrays by the names of inputs.  others: names of arrays that no input has, by file."""

    runs: list[dict[str, Array]]
    others: dict[str, list[str]]

    @property
    def notes(self) -> list[str]:
        return [f"{path} also has {', '.join(names)}, which no input is called" for path, names in self.others.items()]


def read_ports(path: str, ports: Sequence[Port]) -> list[dict[str, Array]]:
    """As `read_data`; what stands for variables may be left out."""
    return read_data(path, [port.name for port in ports], [port.name for port in ports if port.is_variable])


def read_inputs(path: str, ports: Sequence[Port], images: ImageForm | None = None) -> Given:
    """What a file or a folder holds, each file a run, in order of their names: an .npz or .safetensors file with an
    array for each input, an .npy or an image for a model with one.  Inputs that stand for variables may be left out.

    images: how images become inputs.  Raises ConversionError InputNotReadable, NameNotFound, and what `read_image`
    raises.
    """
    files = [path]
    if os.path.isdir(path):
        files = files_in(path, (*SUFFIXES, *IMAGE_SUFFIXES))
        if not files:
            raise ConversionError(
                Code.InputNotReadable, f"{path} holds none of {', '.join((*SUFFIXES, *IMAGE_SUFFIXES))}"
            )
    given = Given([_run_of(file, ports, images or ImageForm()) for file in files], {})
    known = {other for port in ports for other in (port.name, port.name.removesuffix(":0"))}
    for file in files:
        others = sorted(name for name in _names(file) if name not in known and name.removesuffix(":0") not in known)
        if others:
            given.others[file] = others
    return given


def _run_of(path: str, ports: Sequence[Port], images: ImageForm) -> dict[str, Array]:
    if not path.lower().endswith(IMAGE_SUFFIXES):
        (run,) = read_ports(path, ports)
        return as_taken(run, ports)
    ports = [port for port in ports if not port.is_variable]
    if len(ports) != 1:
        names = ", ".join(port.name for port in ports)
        raise ConversionError(
            Code.NameNotFound, f"{path} is one image, the model's inputs are {names}", help="give an .npz of arrays"
        )
    image, rank = read_image(path, ports[0], images), len(ports[0].shape or ())
    return {ports[0].name: image.reshape((1,) * (rank - image.ndim) + image.shape)}


def _names(path: str) -> list[str]:
    """Of the arrays in a file that was read already."""
    if path.endswith(".safetensors"):
        return list(Tensors(path).table)
    if path.lower().endswith((".npy", *IMAGE_SUFFIXES)):
        return []
    with zipfile.ZipFile(path) as archive:
        return [name.removesuffix(".npy") for name in archive.namelist()]
