"""Debug metadata of a TFLite file: for each operator the node that it came from and the lines of the user's code.

Source: tensorflow/compiler/mlir/lite/schema/debug_metadata.fbs, and what TFLiteConverter writes with
`serialize_debug_metadata`: one list of locations, each behind those that it refers to, the first of them unknown; each
operator has the index of its own.  A call stack is a chain of call sites, innermost first; a frame whose function is
known is a name, `@function`, around its line.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mlconv.exporters.tflite.layout import Laid
from mlconv.exporters.tflite.model import SubGraph
from mlconv.provenance.locations import CallStack, FileLocation, Fused, Location, NameLocation, frames

ENTRY = "debug_metadata"  # name of the model's metadata entry
_CALL_SITE, _FILE, _FUSED, _NAME, _UNKNOWN = 1, 2, 3, 4, 6  # members of union LocationType
_LOCATION, _CONVERSION = 1, 1  # members of unions Attribute and DebugMetadataType
_UINT_MAX = (1 << 32) - 1


def debug_metadata(subgraphs: Sequence[SubGraph]) -> bytes | None:
    """The flatbuffer for a model; None when no operator has a line."""
    if not any(frames(op.location) for graph in subgraphs for op in graph.operators):
        return None
    table = _Locations()
    indices = [[table.of(op.location) for op in graph.operators] for graph in subgraphs]
    laid = Laid()
    laid.data.extend(b"\0\0\0\0")
    root, layout = laid.table("DebugMetadata", {0: 0, 1: 0})
    laid.point(0, root)
    laid.point(root + layout.at[0], laid.vector("B", [_CONVERSION]))
    members = laid.offsets(1)
    laid.point(root + layout.at[1], members)
    conversion, layout = laid.table("ConversionDebugMetadata", {0: 0, 1: 0, 2: 0})
    laid.point_all(members, [conversion])
    graphs = laid.offsets(len(indices))
    laid.point(conversion + layout.at[0], graphs)
    laid.point_all(graphs, [_subgraph(laid, rows) for rows in indices])
    laid.point(conversion + layout.at[1], laid.vector("B", [_LOCATION] * len(table.rows)))
    attributes = laid.offsets(len(table.rows))
    laid.point(conversion + layout.at[2], attributes)
    table.write(laid, attributes)
    return bytes(laid.data)


def _subgraph(laid: Laid, rows: list[int]) -> int:
    position, layout = laid.table("SubgraphDebugMetadata", {0: 0})
    operators = laid.offsets(len(rows))
    laid.point(position + layout.at[0], operators)
    found = []
    for index in rows:
        operator, inner = laid.table("OperatorDebugMetadata", {0: 0})
        laid.point(operator + inner.at[0], laid.vector("I", [index]))
        found.append(operator)
    laid.point_all(operators, found)
    return position


class _Locations:
    """Rows of the list of locations: (member of the union, fields); equal ones stand there once."""

    def __init__(self) -> None:
        self.rows: list[tuple[int, tuple[str | int, ...]]] = []
        self.index: dict[tuple[int, tuple[str | int, ...]], int] = {}
        self.known: dict[Location, int] = {}
        self.unknown = self.row(_UNKNOWN)

    def row(self, kind: int, *fields: str | int) -> int:
        key = (kind, fields)
        if key not in self.index:
            self.index[key] = len(self.rows)
            self.rows.append(key)
        return self.index[key]

    def of(self, location: Location | None) -> int:
        """The index of a location."""
        if location is None:
            return self.unknown
        if location not in self.known:
            self.known[location] = self._add(location)
        return self.known[location]

    def _add(self, location: Location) -> int:
        if isinstance(location, FileLocation):
            line = self.row(_FILE, location.file, _unsigned(location.line), _unsigned(location.column))
            return self.row(_NAME, "@" + location.function, line) if location.function else line
        if isinstance(location, CallStack):
            return self._chain(location.frames)
        if isinstance(location, NameLocation):
            return self.row(_NAME, location.name, self.of(location.child))
        if isinstance(location, Fused):
            return self.row(_FUSED, *[self.of(part) for part in location.locations])
        return self.unknown

    def _chain(self, stack: Iterable[FileLocation]) -> int:
        listed = [self.of(frame) for frame in stack]
        at = listed.pop()
        for callee in reversed(listed):
            at = self.row(_CALL_SITE, callee, at)
        return at

    def write(self, laid: Laid, vector: int) -> None:
        """Write all rows; each text once."""
        texts: dict[str, list[int]] = {}  # where each text is referred to from
        found = []
        for kind, fields in self.rows:
            position, layout = laid.table("Location", {0: kind, 1: 0})
            found.append(position)
            laid.point(position + layout.at[1], _member(laid, kind, fields, texts))
        laid.point_all(vector, found)
        for text, places in texts.items():
            target = laid.string(text.encode("utf-8", "surrogateescape"))
            for place in places:
                laid.point(place, target)


def _member(laid: Laid, kind: int, fields: tuple[str | int, ...], texts: dict[str, list[int]]) -> int:
    if kind == _UNKNOWN:
        return laid.table("UnknownLoc", {})[0]
    if kind == _FUSED:
        position, layout = laid.table("FusedLoc", {0: 0})
        laid.point(position + layout.at[0], laid.vector("I", [f for f in fields if isinstance(f, int)]))
        return position
    names = {_CALL_SITE: "CallSiteLoc", _FILE: "FileLineColLoc", _NAME: "NameLoc"}
    position, layout = laid.table(names[kind], {i: f if isinstance(f, int) else 0 for i, f in enumerate(fields)})
    for i, field in enumerate(fields):
        if isinstance(field, str):
            texts.setdefault(field, []).append(position + layout.at[i])
    return position


def _unsigned(number: int) -> int:
    return min(max(number, 0), _UINT_MAX)
