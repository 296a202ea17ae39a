"""All rules on all graphs of a model, until none applies."""

from __future__ import annotations

import heapq
from collections.abc import Iterator

from mlconv.simplifiers.onnx import (
    branches,
    chains,
    constants,
    identities,
    products,
    regions,
    shapes,
    transposes,
    weights,
)
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.merging import merge_equal, share_constants
from mlconv.simplifiers.onnx.rules import Rules

_FAMILIES = (constants, identities, branches, shapes, chains, transposes, regions, weights, products)
_ROUNDS = 40
_AT_ONE_NODE = 8


def all_rules(skipped: frozenset[str] = frozenset()) -> Rules:
    """skipped: names of rules that are left out."""
    return Rules.merged((family.RULES for family in _FAMILIES), skipped)


def simplify_graph(g: Graph, rules: Rules) -> None:
    """Rewrite a graph and its subgraphs in place.  Each round is linear in nodes; the number of rounds is bounded."""
    for _ in range(_ROUNDS):
        changed = _sweep(g, rules)
        changed |= share_constants(g)
        changed |= merge_equal(g)
        for node in g.nodes:
            for graphs in node.graphs.values():
                for graph in graphs:
                    simplify_graph(graph, rules)
            if node.graphs:
                g.reread(node)
        changed |= _take_dead(g)
        if not changed:
            return


def _sweep(g: Graph, rules: Rules) -> bool:
    """Each node once, with the rules that apply to it."""
    nodes, g.pending, changed = g.nodes, [], False
    g.nodes = g.pending
    for node in nodes:
        for _ in range(_AT_ONE_NODE):
            if node in g.gone or not _apply(g, node, rules):
                break
            changed = True
        if node not in g.gone:
            g.pending.append(node)
    g.pending = None
    g.nodes = _in_order([n for n in g.nodes if n not in g.gone], g)
    return changed


def _apply(g: Graph, node: Node, rules: Rules) -> bool:
    for rule in rules.of(node) if g.is_plain(node) else ():
        if rule.apply(g, node):
            g.model.applied[rule.name] += 1
            return True
    return False


def _in_order(nodes: list[Node], g: Graph) -> list[Node]:
    """Each node behind those that it reads, else as they stand."""
    index = {node: i for i, node in enumerate(nodes)}
    waiting = [0] * len(nodes)
    readers: dict[int, list[int]] = {}
    for i, node in enumerate(nodes):
        sources = {index[g.made[name]] for name in node.reads if name in g.made}
        waiting[i] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(i)
    ready = [i for i, count in enumerate(waiting) if not count]
    found: list[Node] = []
    while ready:
        i = heapq.heappop(ready)
        found.append(nodes[i])
        for reader in readers.get(i, ()):
            waiting[reader] -= 1
            if not waiting[reader]:
                heapq.heappush(ready, reader)
    return found


def _take_dead(g: Graph) -> bool:
    """Nodes that nothing reads, the last ones first."""
    before = len(g.gone)
    for node in reversed(g.nodes):
        if node not in g.gone and g.is_dead(node):
            g.remove(node)
    g.nodes = [n for n in g.nodes if n not in g.gone]
    return len(g.gone) > before


def count_nodes(g: Graph) -> Iterator[str]:
    """The operators of all nodes, subgraphs included."""
    for node in g.nodes:
        yield node.key
        for graphs in node.graphs.values():
            for graph in graphs:
                yield from count_nodes(graph)
