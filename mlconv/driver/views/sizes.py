"""What makes a file big: by section, by layer, by line of the user's source.  Each list adds up to the bytes of all
files of the model.
"""

from __future__ import annotations

from typing import TypedDict

from mlconv.driver.counting import constants_of, place_of, works
from mlconv.driver.files import FileFacts, bytes_of, file_facts
from mlconv.driver.views.nodes import stored_bytes
from mlconv.driver.views.seen import Match, Seen, constant_of, line_of, name_of
from mlconv.formats.files import head_of
from mlconv.importers.sniff import is_text
from mlconv.ir.constants import Const, Splat
from mlconv.ir.core import Op
from mlconv.ir.recipes import Derived

REST = "(not weights)"
UNREAD = "(weights that no op reads)"


class PartFacts(TypedDict):
    """share: of all bytes."""

    name: str
    bytes: int
    share: float


class LayerFacts(PartFacts):
    """op, line: of the op that reads weights; empty for what is no op.  parameters: how many numbers."""

    op: str
    line: str
    parameters: int


class SizesFacts(TypedDict):
    """bytes: of all files.  sections: what the bytes are.  layers: weights by the first op that reads them, the largest
    first; those in no file (a constant that a text has as one number, say) take none.  lines: the same by line of the
    user's source.
    """

    bytes: int
    files: list[FileFacts]
    sections: list[PartFacts]
    layers: list[LayerFacts]
    lines: list[PartFacts]


def sizes_view(seen: Seen, match: str = "", top: int | None = None) -> SizesFacts:
    """match: of the ops whose weights are told one by one, all others are one entry.  top: so many of each list."""
    files = file_facts(seen.files)
    total = bytes_of(files)
    layers = _layers(seen, match)
    weights = sum(layer["bytes"] for layer in layers)
    layers.append(_layer(REST, "", "", 0, total - weights))
    lines: dict[str, int] = {}
    for layer in layers:
        line = layer["line"] or (layer["name"] if not layer["op"] else "(no line)")
        lines[line] = lines.get(line, 0) + layer["bytes"]
    for one in layers:
        one["share"] = one["bytes"] / max(total, 1)
    return {
        "bytes": total,
        "files": files,
        "sections": _cut(_parts(_sections(seen, total, weights), total), None),
        "layers": _cut_layers(layers, top, total),
        "lines": _cut(_parts(lines, total), top, total),
    }


def _sections(seen: Seen, total: int, weights: int) -> dict[str, int]:
    """Those that the format knows; else weights and all the rest."""
    path = seen.path
    form = seen.context.format_of(path)
    found = form.sections(path, [f["path"] for f in file_facts(seen.files)])
    if not found:
        text = is_text(head_of(path))
        return {"text": total} if text else {"weights": weights, "graph and all else": total - weights}
    left = total - sum(found.values())
    return {**found, **({"other files": left} if left else {})}


def _layers(seen: Seen, match: str) -> list[LayerFacts]:
    """Weights by the first op that reads them."""
    owners: dict[object, tuple[Op | None, Const]] = {}
    held = [op for op in seen.numbers if not works(op)]
    for op in seen.ops:
        for constant in (*(c for v in op.inputs if (c := constant_of(v)) is not None), *constants_of(op)):
            owners.setdefault(place_of(constant), (op, constant))
    for op in held:
        for constant in constants_of(op):
            owners.setdefault(place_of(constant), (None, constant))
    chooses = Match(match) if match else None
    found: dict[Op | str, LayerFacts] = {}
    for op_, constant in owners.values():
        key: Op | str = UNREAD if op_ is None else op_ if chooses is None or chooses(op_) else "(others)"
        named = (name_of(key), key.name, line_of(key)) if isinstance(key, Op) else (key, "", "")
        layer = found.setdefault(key, _layer(*named, 0, 0))
        layer["bytes"] += _in_file(constant)
        layer["parameters"] += constant.size
    return sorted(found.values(), key=lambda one: -one["bytes"])


def _in_file(constant: Const) -> int:
    """Bytes that a constant takes in a file; one that is a single number everywhere takes that, and what is computed
    of others takes what they do.
    """
    if isinstance(constant, Splat):
        return min(constant.dtype.itemsize, stored_bytes(constant))
    if isinstance(constant, Derived):
        return sum(_in_file(c) for c in constant.inputs)
    return stored_bytes(constant)


def _layer(name: str, op: str, line: str, parameters: int, nbytes: int) -> LayerFacts:
    return {"name": name, "op": op, "line": line, "parameters": parameters, "bytes": nbytes, "share": 0.0}


def _parts(sizes: dict[str, int], total: int) -> list[PartFacts]:
    ordered = sorted(sizes.items(), key=lambda item: (-item[1], item[0]))
    return [{"name": name, "bytes": size, "share": size / max(total, 1)} for name, size in ordered if size]


def _cut(parts: list[PartFacts], top: int | None, total: int = 0) -> list[PartFacts]:
    """The first of them, and the rest as one."""
    if top is None or len(parts) <= top:
        return parts
    left = sum(p["bytes"] for p in parts[top:])
    return [*parts[:top], {"name": f"({len(parts) - top} more)", "bytes": left, "share": left / max(total, 1)}]


def _cut_layers(layers: list[LayerFacts], top: int | None, total: int) -> list[LayerFacts]:
    rest, named = layers[-1:], layers[:-1]
    if top is None or len(named) <= top:
        return layers
    left = named[top:]
    more = _layer(f"({len(left)} more)", "", "", sum(x["parameters"] for x in left), sum(x["bytes"] for x in left))
    more["share"] = more["bytes"] / max(total, 1)
    return [*named[:top], more, *rest]
