"""Hash tables that an initializer fills with constants or from an asset file: a lookup reads the keys and values
instead of the table.

The initializer is a function that the main graph calls with the table's handle, and with keys and values (or it makes
them itself) or the name of a file; lookups stand in other functions, which are given the handle.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.importers.tf.attributes import FunctionRef
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import Graph, Node, Port
from mlconv.importers.tf.saved_model.assets import Assets, text_table
from mlconv.importers.tf.saved_model.effects import Make
from mlconv.importers.tf.saved_model.variables import source
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType, TensorType

TABLES: Final = frozenset({"HashTableV2", "HashTable"})
STATIC: Final = "StaticTable"  # op of the nodes that stand for such a table
_FILL: Final = frozenset({"LookupTableImportV2", "LookupTableImport", "InitializeTableV2", "InitializeTable"})
_FILES: Final = frozenset({"InitializeTableFromTextFileV2", "InitializeTableFromTextFile"})
_FIND: Final = frozenset({"LookupTableFindV2", "LookupTableFind"})
_SIZE: Final = frozenset({"LookupTableSizeV2", "LookupTableSize"})
_PREFIX: Final = "tf.table:"
_DEEPEST: Final = 4  # calls in calls that fill a table
Content = tuple[Const, Const]
Fill = tuple[Node, list[Port]]  # the op, and where its keys and values, or the name of its file, come from


def static_tables(graph: Graph, library: Library, assets: Assets) -> dict[Node, Content]:
    """Keys and values of the tables of the main graph that are filled once.  Raises ConversionError FileDamaged,
    ExternalDataInvalid for an asset that does not do.
    """
    found: dict[Node, list[Fill]] = {}
    _fills(graph, {Port(n, 0): Port(n, 0) for n in graph.nodes}, library, found, ())
    contents = {table: _content(table, *fills[0], assets) for table, fills in found.items() if len(fills) == 1}
    return {table: content for table, content in contents.items() if content is not None}


def _content(table: Node, fill: Node, sources: list[Port], assets: Assets) -> Content | None:
    """What a fill puts into a table; None where that is not known."""
    if fill.op in _FILES:
        path, types = assets.path(sources[0]), [table.attrs.get(k) for k in ("key_dtype", "value_dtype")]
        key, value = types
        return (
            text_table(path, fill, key, value)
            if path is not None and isinstance(key, DType) and isinstance(value, DType)
            else None
        )
    keys, values = (p.node.attrs.get("value") for p in sources)
    return (keys, values) if isinstance(keys, Const) and isinstance(values, Const) else None


def _fills(
    graph: Graph, outside: dict[Port, Port], library: Library, found: dict[Node, list[Fill]], path: tuple[str, ...]
) -> None:
    """The ops that fill tables, with what they are given.  outside: what a port of this graph is in the main graph."""

    def origin(port: Port) -> Port:
        inner = source(port)
        return outside.get(inner, inner)

    for node in graph.nodes:
        if node.op in _FILL | _FILES and len(node.inputs) >= 2:
            table = origin(node.inputs[0]).node
            if table.op in TABLES:
                found.setdefault(table, []).append((node, [origin(p) for p in node.inputs[1:]]))
        ref = node.attrs.get("f")
        if not isinstance(ref, FunctionRef) or ref.name in path or len(path) >= _DEEPEST:
            continue
        if library.has(ref.name, _FILL | _FILES):
            body = library.graph(ref)
            inner = {Port(p, 0): origin(i) for p, i in zip(body.inputs, node.inputs, strict=False)}
            _fills(body, inner, library, found, (*path, ref.name))


class TableLookups:
    """Emits lookups of static tables.  tables: by the name of the handle's node."""

    def __init__(self, tables: dict[str, Content]) -> None:
        self.tables = tables

    def roots(self, graph: Graph) -> list[Node]:
        return []

    def read(self, node: Node, operands: list[Value], make: Make, builder: Builder, path: str) -> list[Value]:
        return operands

    def emit(
        self, node: Node, operands: Sequence[Value], env: dict[Port, Value], make: Make, builder: Builder, path: str
    ) -> bool:
        if node.op == STATIC:
            env[Port(node, 0)] = Value(OpaqueType(_PREFIX + node.name), Block(), 0)
            return True
        name = _table(operands)
        if name is None or node.op not in _FIND | _SIZE:
            return False
        keys, values = (self._constant(c, node, make, builder, path) for c in self.tables[name])
        given = [operands[1], operands[2], keys, values] if node.op in _FIND else [keys]
        env[Port(node, 0)] = make(builder, path, node, given, {})[0]
        return True

    def _constant(self, c: Const, node: Node, make: Make, builder: Builder, path: str) -> Value:
        return make(
            builder, path, node, [], {"value": c, "dtype": c.dtype}, types=[TensorType(c.dtype, c.shape)], name="Const"
        )[0]


def _table(operands: Sequence[Value]) -> str | None:
    t = operands[0].type if operands else None
    return t.name.removeprefix(_PREFIX) if isinstance(t, OpaqueType) and t.name.startswith(_PREFIX) else None
