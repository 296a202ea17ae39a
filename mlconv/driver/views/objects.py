"""A native object that mlconv wrote, by the model interface beside it: how it is called, and what its bytes are.

Objects of other compilers have none: nothing is known of them, and they are refused.
"""

from __future__ import annotations

import json
import os
import struct
from typing import TypedDict

from mlconv.codegen.machines.targets import target_named
from mlconv.codegen.objects.objects import section_sizes
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.files import FileFacts, bytes_of, file_facts
from mlconv.driver.options import Options
from mlconv.driver.types import TypeFacts
from mlconv.formats.files import open_regular, read_text
from mlconv.ir.dims import Size
from mlconv.runtime.native import check_code, interface_path
from mlconv.runtime.native_interface import NativeInterface, Port, parse_interface

_WHOLE = 1 << 28  # bytes of an object that are read where its table is behind its weights


class ObjectPortFacts(TypeFacts):
    """bytes: None where they depend on sizes that are known at run time."""

    name: str
    bytes: int | None


class ObjectFacts(TypedDict):
    """version: of the ABI.  cpus: the instruction sets that it has code for.  weights: a file beside it, or None.
    code_bytes: in front of the weights in the object.  sections: bytes by name.  symbols: what it takes from elsewhere.
    """

    path: str
    format: str
    version: int
    entry: str
    triple: str
    cpu: str
    cpus: list[str]
    inputs: list[ObjectPortFacts]
    outputs: list[ObjectPortFacts]
    dimensions: list[str]
    workspace_bytes: int | None
    alignment: int
    weights: FileFacts | None
    code_bytes: int
    weight_bytes: int
    sections: dict[str, int]
    symbols: list[str]
    foreign: list[str]
    state: list[str]
    pool: bool
    bytes: int
    files: list[FileFacts]


def inspect_object(path: str, options: Options) -> ObjectFacts:
    """Raises ConversionError: FormatUnknown for an object of another compiler, InputNotReadable, FileDamaged."""
    options.reads([path, interface_path(path)])
    interface = _interface(path)
    check_code(path, interface)
    facts = interface.facts
    beside = interface.weights
    weights = [] if beside is None else [os.path.join(os.path.dirname(path), beside.file)]
    sizes = _sections(path, interface)
    files = file_facts([path, *weights])
    inside = max(os.path.getsize(path) - interface.code_bytes, 0)
    return {
        "path": path,
        "format": "native",
        "version": facts["version"],
        "entry": interface.entry,
        "triple": interface.triple,
        "cpu": interface.cpu,
        "cpus": [str(name) for name in facts.get("cpus", [interface.cpu])],
        "inputs": [_port(p) for p in interface.inputs],
        "outputs": [_port(p) for p in interface.outputs],
        "dimensions": interface.dimensions,
        "workspace_bytes": facts.get("workspace_bytes"),
        "alignment": interface.alignment,
        "weights": None if beside is None else {"path": weights[0], "bytes": beside.nbytes},
        "code_bytes": interface.code_bytes,
        "weight_bytes": inside if beside is None else beside.nbytes,
        "sections": sizes,
        "symbols": interface.symbols,
        "foreign": [f.function for f in interface.foreign],
        "state": [str(s.get("variable", "")) for s in facts.get("state", [])],
        "pool": bool(facts.get("pool")),
        "bytes": bytes_of(files),
        "files": files,
    }


def _interface(path: str) -> NativeInterface:
    where = interface_path(path)
    try:
        open_regular(path).close()
        if not os.path.exists(where):
            raise ConversionError(
                Code.FormatUnknown,
                f"{path} is an object without a model interface: {where} is not there, so nothing is known of it",
                help="of an object that mlconv wrote, keep MODEL.io.json beside it; others are not understood",
            )
        found = json.loads(read_text(where))
    except (OSError, ValueError, RecursionError) as error:
        raise ConversionError(
            Code.InputNotReadable, f"{path} cannot be read with its interface {where}: {error}"
        ) from error
    interface = parse_interface(found, where)
    interface.check_whole(where)
    return interface


def _sections(path: str, interface: NativeInterface) -> dict[str, int]:
    target = target_named(interface.triple)
    with open_regular(path) as f:
        image = f.read(_WHOLE if target.format == "wasm" else interface.code_bytes)
    try:
        return section_sizes(image, target)
    except (struct.error, ValueError, IndexError) as error:
        raise ConversionError(Code.FileDamaged, f"{path} is damaged: its table of sections cannot be read") from error


def _port(port: Port) -> ObjectPortFacts:
    known = [d for d in port.shape if isinstance(d, int)]
    nbytes = port.dtype.itemsize
    for size in known:
        nbytes *= size
    return {
        "name": port.name,
        "dtype": port.dtype.display,
        "shape": [_plain(d) for d in port.shape],
        "bytes": nbytes if len(known) == len(port.shape) else None,
    }


def _plain(size: Size) -> int | str:
    return size if isinstance(size, int) else str(size)
