"""Debug metadata of a TFLite file to locations.

Source: tensorflow/compiler/mlir/lite/schema/debug_metadata.fbs; written by TFLiteConverter and by
`exporters/tflite/debug`.
"""

from __future__ import annotations

from mlconv.formats.flatbuffer import DamagedError, FlatReader, Table
from mlconv.provenance.locations import CallStack, FileLocation, Location, NameLocation, frames, fuse

ENTRY = "debug_metadata"
_CALL_SITE, _FILE, _FUSED, _NAME = 1, 2, 3, 4  # members of union LocationType
_CONVERSION, _LOCATION = 1, 1  # members of unions DebugMetadataType and Attribute
_MAX_FRAMES = 256


class DebugLocations:
    """by_graph: for each subgraph and operator the index of its location."""

    def __init__(self, data: bytes) -> None:
        """Raises DamagedError."""
        self.reader = FlatReader(data)
        self.rows: list[Location | None] = []
        self.by_graph: list[list[int]] = []
        root = self.reader.root()
        kinds = self.reader.numbers(root, 0, "B")
        for kind, table in zip(kinds, self.reader.tables(root, 1), strict=False):
            if kind == _CONVERSION and not self.rows:
                self._read(table)

    def of(self, graph: int, operator: int) -> Location | None:
        """Where an operator came from."""
        if not 0 <= graph < len(self.by_graph) or not 0 <= operator < len(self.by_graph[graph]):
            return None
        return self._at(self.by_graph[graph][operator])

    def _at(self, index: int) -> Location | None:
        return self.rows[index] if 0 <= index < len(self.rows) else None

    def _read(self, table: Table) -> None:
        for graph in self.reader.tables(table, 0):
            listed = [self.reader.numbers(operator, 0, "I") for operator in self.reader.tables(graph, 0)]
            self.by_graph.append([indices[0] if indices else -1 for indices in listed])
        kinds = self.reader.numbers(table, 1, "B")
        for kind, row in zip(kinds, self.reader.tables(table, 2), strict=False):
            self.rows.append(self._location(row) if kind == _LOCATION else None)

    def _location(self, row: Table) -> Location | None:
        """A row; it refers to those in front of it alone."""
        reader = self.reader
        kind, position = reader.scalar(row, 0, code="<B"), reader.target(row, 1)
        if not position:
            return None
        table = reader.table(position)
        if kind == _FILE:
            line = reader.scalar(table, 1)
            return FileLocation(reader.text(table, 0), line, reader.scalar(table, 2))
        if kind == _NAME:
            return _named(reader.text(table, 0), self._at(reader.scalar(table, 1)))
        if kind == _FUSED:
            parts = [p for p in map(self._at, reader.numbers(table, 0, "I")[:_MAX_FRAMES]) if p is not None]
            return fuse(parts) if parts else None
        if kind == _CALL_SITE:
            return _called(self._at(reader.scalar(table, 0)), self._at(reader.scalar(table, 1)))
        return None


def _named(name: str, child: Location | None) -> Location:
    """A frame whose function is known is a name, `@function`, around its line."""
    if name.startswith("@") and isinstance(child, FileLocation):
        return child._replace(function=name[1:])
    return NameLocation(name, child)


def _called(callee: Location | None, caller: Location | None) -> Location | None:
    listed = (*frames(callee), *frames(caller))[:_MAX_FRAMES]
    if not listed:
        return callee or caller
    stack = CallStack(listed)
    return NameLocation(callee.name, stack) if isinstance(callee, NameLocation) else stack


def read_debug_locations(data: bytes) -> DebugLocations | None:
    """None for what is damaged: a model works without."""
    try:
        return DebugLocations(data)
    except DamagedError:
        return None
