"""Static lookup tables: a lookup reads the keys and values that fill its table, instead of the table."""

from __future__ import annotations

from typing import Final

from mlconv.importers.tf.graph import Graph, Node, Port

_FILL: Final = frozenset({"LookupTableImportV2", "LookupTableImport", "InitializeTableV2", "InitializeTable"})
_FIND: Final = frozenset({"LookupTableFindV2", "LookupTableFind"})
_SIZE: Final = frozenset({"LookupTableSizeV2", "LookupTableSize"})


def bind_tables(graph: Graph) -> None:
    """Give lookups the inputs (query, default, keys, values), and sizes the input (keys), where the table is filled
    once in the graph.
    """
    fills: dict[object, list[Node]] = {}
    for node in graph.nodes:
        if node.op in _FILL and len(node.inputs) == 3:
            fills.setdefault(_identity(node.inputs[0].node), []).append(node)
    for node in graph.nodes:
        if node.op not in _FIND | _SIZE or not node.inputs:
            continue
        found = fills.get(_identity(node.inputs[0].node), [])
        if len(found) != 1:
            continue
        keys, values = found[0].inputs[1:]
        node.inputs = [*node.inputs[1:3], keys, values] if node.op in _FIND else [Port(keys.node, keys.slot)]


def _identity(table: Node) -> object:
    """Tables of one shared name are one table."""
    return table.attrs.get("shared_name") or table
