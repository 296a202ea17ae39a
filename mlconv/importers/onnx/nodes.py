"""Order and reach of the nodes of one graph: what each reads (also inside its subgraphs) and writes, cycles, and what
the outputs need.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.locations import node_location

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, NodeProto


_GRAPH, _GRAPHS = 5, 10
_SHOWN = 6


@dataclass(eq=False, repr=False, slots=True)
class Node:
    """A NodeProto with its names decoded.  inputs may hold "" (absent); reads: inputs and names that its subgraphs take
    from outside.
    """

    proto: NodeProto
    index: int
    name: str
    op_type: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    reads: tuple[str, ...]

    @property
    def label(self) -> str:
        """How messages call the node: its name, else its operator and first output."""
        return self.name or f"{self.op_type}({next((o for o in self.outputs if o), '')})"


def nodes_of(protos: Iterable[NodeProto]) -> list[Node]:
    """The nodes of a graph or function, as stored."""
    return [_node(proto, i) for i, proto in enumerate(protos)]


def _node(proto: NodeProto, index: int) -> Node:
    inputs = tuple(map(text, proto.input))
    reads = dict.fromkeys(n for n in inputs if n)
    for graph in subgraphs(proto):
        reads.update(dict.fromkeys(free_names(graph)))
    domain = text(proto.domain)
    return Node(
        proto,
        index,
        text(proto.name),
        text(proto.op_type),
        "" if domain == "ai.onnx" else domain,
        inputs,
        tuple(map(text, proto.output)),
        tuple(reads),
    )


def subgraphs(proto: NodeProto) -> Iterator[GraphProto]:
    """The GraphProtos among a node's attributes."""
    for attribute in proto.attribute:
        if attribute.type == _GRAPH or attribute.HasField("g"):
            yield attribute.g
        elif attribute.type == _GRAPHS:
            yield from attribute.graphs


def free_names(graph: GraphProto) -> dict[str, None]:
    """Names that a subgraph uses and does not define, in order of first use.  Depth is bounded by the parser's limit on
    nesting.
    """
    defined = (
        {text(t.name) for t in graph.initializer}
        | {text(t.values.name) for t in graph.sparse_initializer}
        | {text(v.name) for v in graph.input}
    )
    free: dict[str, None] = {}
    used: dict[str, None] = {}
    for proto in graph.node:
        defined.update(map(text, proto.output))
        used.update(dict.fromkeys(text(n) for n in proto.input if n))
        for inner in subgraphs(proto):
            used.update(free_names(inner))
    used.update(dict.fromkeys(text(v.name) for v in graph.output))
    free.update((name, None) for name in used if name not in defined)
    return free


Report = Callable[[ConversionError], None]


def producers(nodes: Sequence[Node], defined: Iterable[str], graph: str, report: Report) -> dict[str, Node]:
    """Which node makes each value.  A name that is defined twice is reported (NameDefinedTwice); the first one
    counts.
    """
    made: dict[str, Node] = {}
    taken = set(defined)
    for node in nodes:
        for name in node.outputs:
            if not name:
                continue
            if name in taken:
                first = f"node '{made[name].label}'" if name in made else "an input or initializer"
                report(
                    ConversionError(
                        Code.NameDefinedTwice,
                        f"duplicate name: value '{name}' of {graph} is "
                        f"produced by {first} and again by node '{node.label}'",
                        location=node_location(node.proto, node.label, ()),
                    )
                )
                continue
            taken.add(name)
            made[name] = node
    return made


def ordered(nodes: Sequence[Node], made: dict[str, Node], report: Report) -> list[Node]:
    """Nodes so that each comes after those it reads; file order where that holds.  A cycle is reported (GraphHasCycle),
    its nodes and what follows them come last.
    """
    waiting = [0] * (max((n.index for n in nodes), default=-1) + 1)
    readers: dict[int, list[Node]] = {}
    ready: list[int] = []
    by_index = {n.index: n for n in nodes}
    for node in nodes:
        sources = {made[name].index for name in node.reads if name in made and made[name].index in by_index}
        waiting[node.index] = len(sources)
        for source in sources:
            readers.setdefault(source, []).append(node)
        if not sources:
            ready.append(node.index)
    result: list[Node] = []
    heapq.heapify(ready)
    while ready:
        node = by_index[heapq.heappop(ready)]
        result.append(node)
        for reader in readers.get(node.index, ()):
            waiting[reader.index] -= 1
            if waiting[reader.index] == 0:
                heapq.heappush(ready, reader.index)
    if len(result) < len(nodes):
        left = [n for n in nodes if waiting[n.index] > 0]
        report(_cycle_error(left, made))
        result += left
    return result


def _cycle_error(left: list[Node], made: dict[str, Node]) -> ConversionError:
    """Walks from a node that could not be placed to one it waits for, until a node comes again."""
    stuck = {n.index for n in left}
    path: dict[int, Node] = {}
    node = left[0]
    while node.index not in path:
        path[node.index] = node
        node = next(made[name] for name in node.reads if name in made and made[name].index in stuck)
    labels = [n.label for n in path.values()]
    cycle = labels[list(path).index(node.index) :][::-1]
    shown = " -> ".join([*cycle[:_SHOWN], *(["..."] if len(cycle) > _SHOWN else []), cycle[0]])
    return ConversionError(
        Code.GraphHasCycle,
        f"the graph has a cycle: {shown}",
        help="an ONNX graph must be acyclic; loops are written with Loop or Scan",
        location=node_location(node.proto, node.label, ()),
    )


def needed(nodes: Sequence[Node], made: dict[str, Node], targets: Iterable[str], stop: frozenset[str]) -> list[Node]:
    """Nodes that the target values depend on, in file order; values in `stop` are given and are not looked behind."""
    seen: set[int] = set()
    pending = [made[t] for t in targets if t in made and t not in stop]
    while pending:
        node = pending.pop()
        if node.index in seen:
            continue
        seen.add(node.index)
        pending.extend(made[name] for name in node.reads if name in made and name not in stop)
    return [n for n in nodes if n.index in seen]
