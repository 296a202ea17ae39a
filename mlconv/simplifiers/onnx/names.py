"""Names of values in subgraphs that are those of other values, too: subgraphs side by side may use the same.

Facts are kept by names, so that each value gets a name of its own.  Names of the main graph stay.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.nodes import subgraphs

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto


def make_distinct(graph: GraphProto) -> tuple[set[str], dict[str, str]]:
    """Give values of subgraphs names that no other value has, in place; returns all names that are taken, and what
    those that are new were.
    """
    taken, originals = set(_defined(graph)), dict[str, str]()
    for node in graph.node:
        for inner in subgraphs(node):
            _distinguish(inner, {}, taken, originals)
    return taken, originals


def restore(graph: GraphProto, originals: Mapping[str, str], around: frozenset[str] = frozenset()) -> None:
    """Give values of subgraphs their names back, in place, where nothing around them has these by now."""
    visible = around | frozenset(_defined(graph))
    for node in graph.node if originals else ():
        for inner in subgraphs(node):
            defined = set(_defined(inner))
            back = {n: o for n in defined if (o := originals.get(n, n)) != n and o not in visible | defined}
            _rename(inner, back)
            restore(inner, originals, visible)


def _defined(graph: GraphProto) -> list[str]:
    names = [text(v.name) for v in graph.input]
    names += [text(t.name) for t in graph.initializer]
    names += [text(s.values.name) for s in graph.sparse_initializer]
    names += [text(n) for node in graph.node for n in node.output if n]
    return names


def _distinguish(graph: GraphProto, around: Mapping[str, str], taken: set[str], originals: dict[str, str]) -> None:
    """around: new names of values that the graph takes from outside.  Depth is bounded by the parser's limit."""
    defined = _defined(graph)
    renamed = {old: new for old, new in around.items() if old not in defined}
    for name in dict.fromkeys(defined):
        if name in taken:
            k = 1
            while f"{name}_{k}" in taken:
                k += 1
            renamed[name] = f"{name}_{k}"
            originals[renamed[name]] = name
        taken.add(renamed.get(name, name))
    _rename_own(graph, renamed)
    for node in graph.node:
        for inner in subgraphs(node):
            _distinguish(inner, renamed, taken, originals)


def _rename(graph: GraphProto, renamed: Mapping[str, str]) -> None:
    """Rename values of a graph, in the subgraphs that read them, too."""
    _rename_own(graph, renamed)
    for node in graph.node if renamed else ():
        for inner in subgraphs(node):
            _rename(inner, renamed)


def _rename_own(graph: GraphProto, renamed: Mapping[str, str]) -> None:
    for node in graph.node if renamed else ():
        for names in (node.input, node.output):
            for i, name in enumerate(names):
                if text(name) in renamed:
                    names[i] = renamed[text(name)]
    if renamed:
        _rename_infos(graph, renamed)


def _rename_infos(graph: GraphProto, renamed: Mapping[str, str]) -> None:
    for info in (*graph.input, *graph.output, *graph.value_info):
        if text(info.name) in renamed:
            info.name = renamed[text(info.name)]
    for tensor in (*graph.initializer, *(s.values for s in graph.sparse_initializer)):
        if text(tensor.name) in renamed:
            tensor.name = renamed[text(tensor.name)]
    for note in graph.quantization_annotation:
        if text(note.tensor_name) in renamed:
            note.tensor_name = renamed[text(note.tensor_name)]
