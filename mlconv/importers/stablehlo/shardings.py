"""How a module says that its inputs and outputs are cut over devices: attributes of Shardy.

A mesh and, by name, the mesh axes of each axis of a tensor, which exporters to StableHLO and HLO take.  Whatever else
Shardy can say (parts of mesh axes, several meshes) is left out, with a note.  Source: shardy/dialect/sdy/ir/attrs.td.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from mlconv.importers.stablehlo.ir import Fields, MlirFunction, MlirModule, Opaque

_MESH_AXIS = re.compile(r'"([^"]+)"\s*=\s*(\d{1,9})')
_SHARDING = re.compile(r"#sdy\.sharding<\s*@(\w+)\s*,\s*\[([^\]]*)\]\s*>")
_PART = re.compile(r"\{([^}]*)\}(?:p\d+)?")
_AXIS = re.compile(r'\s*"([^"+]+)"\s*')


def sharding_of(
    module: MlirModule, main: MlirFunction, inputs: list[str], outputs: list[str]
) -> tuple[dict[str, object], list[str]]:
    """The mesh with the axes of tensors by name, empty where there is none; and names of tensors that are left out."""
    meshes = {str(op.fields.get("sym_name")): _mesh(op.fields.get("mesh")) for op in module.others}
    found: dict[str, list[str]] = {}
    used: list[str] = []
    lost = []
    for name, text in _told(main, inputs, outputs):
        mesh, axes = _axes(text)
        if axes is None or mesh not in meshes or mesh != (used or [mesh])[0] or not {*_flat(axes)} <= {*meshes[mesh]}:
            lost.append(name)
            continue
        used.append(mesh)
        found[name] = ["+".join(part) or "-" for part in axes]
    return ({"mesh": meshes[used[0]], "tensors": found} if used else {}), lost


def _told(main: MlirFunction, inputs: list[str], outputs: list[str]) -> Iterator[tuple[str, str]]:
    """Names with the text of their sharding."""
    sides: tuple[tuple[list[str], tuple[Fields, ...]], ...] = (
        (inputs, main.argument_attributes),
        (outputs, main.result_attributes),
    )
    for names, attributes in sides:
        for name, given in zip(names, attributes, strict=False):
            found = given.get("sdy.sharding")
            if isinstance(found, Opaque):
                yield name, found.text


def _mesh(found: object) -> dict[str, int]:
    text = found.text if isinstance(found, Opaque) else ""
    return {name: int(size) for name, size in _MESH_AXIS.findall(text)}


def _axes(text: str) -> tuple[str, list[list[str]] | None]:
    """The mesh and the mesh axes of each axis; None for what has no such form.  That an axis may be cut further (`?`)
    is left to the partitioner in any case.
    """
    match = _SHARDING.fullmatch(text)
    if match is None:
        return "", None
    parts = []
    for part in _PART.findall(match.group(2)):
        names = [_AXIS.fullmatch(item) for item in part.split(",") if item.strip() not in ("", "?")]
        if any(name is None for name in names):
            return match.group(1), None
        parts.append([name.group(1) for name in names if name is not None])
    return match.group(1), parts


def _flat(axes: list[list[str]]) -> Iterator[str]:
    for part in axes:
        yield from part
