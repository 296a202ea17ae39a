"""Moving a part of a graph into a region: nodes are copied, and what they use from outside becomes explicit
captures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from mlconv.importers.tf.graph import ARGUMENT, Graph, Node, Port, topological

WHILE = "_While"  # inputs: initial values of the carried variables, then captures; regions: (condition, body)
IF = "_If"  # inputs: predicate, then captures; regions: (else, then)
CASE = "_Case"  # inputs: index, then captures; regions: the branches


class Cutter:
    """Collects regions that share one list of captures.

    given: ports that are parameters of the regions.  alias: ports that stand for another port outside.  inside: tells
    the nodes to copy.
    """

    def __init__(
        self, inside: Callable[[Node], bool], alias: Callable[[Port], Port], given: Iterable[Port] = ()
    ) -> None:
        self._inside, self._alias = inside, alias
        self._given = list(given)
        self.captures: dict[Port, int] = {}
        self.copies: dict[Node, Node] = {}  # copy -> original, for facts that are kept by node
        self._regions: list[tuple[Graph, dict[Port, Port]]] = []

    def cut(self, name: str, roots: list[Port], parameters: Mapping[Port, int]) -> Graph:
        """A region with outputs `roots`.  parameters: ports and the index of the given parameter that they mean
        here.
        """
        arguments = [Node(p.node.name, ARGUMENT, {}, [p.node.outputs[p.slot]]) for p in self._given]
        mapped: dict[Port, Port] = {p: Port(arguments[i], 0) for p, i in parameters.items()}
        graph = Graph(name, list(arguments), arguments)
        stop = _Outside(self._inside, {p.node for p in parameters})
        copied: dict[Node, Node] = {}
        for node in topological([p.node for p in roots if p not in mapped], stop):  # type: ignore[arg-type]
            copy = Node(node.name, node.op, node.attrs, node.outputs, node.function)
            copy.regions = node.regions
            copied[node] = copy
            self.copies[copy] = node
            graph.nodes.append(copy)
            copy.inputs = [self._port(p, copied, mapped, graph) for p in node.inputs]
        graph.outputs = [self._port(p, copied, mapped, graph) for p in roots]
        self._regions.append((graph, mapped))
        return graph

    def _port(self, port: Port, copied: Mapping[Node, Node], mapped: dict[Port, Port], graph: Graph) -> Port:
        if port in mapped:
            return mapped[port]
        if port.node in copied:
            return Port(copied[port.node], port.slot)
        outer = self._alias(port)
        if outer not in mapped:
            self.captures.setdefault(outer, len(self.captures))
            argument = Node(outer.node.name, ARGUMENT, {}, [outer.node.outputs[outer.slot]])
            graph.nodes.append(argument)
            self.copies[argument] = port.node
            mapped[outer] = Port(argument, 0)
        mapped[port] = mapped[outer]
        return mapped[port]

    def close(self) -> list[Port]:
        """Give every region a parameter for every capture, in one order; returns the captured ports."""
        for graph, mapped in self._regions:
            for port in self.captures:
                argument = (
                    mapped[port].node
                    if port in mapped
                    else Node(port.node.name, ARGUMENT, {}, [port.node.outputs[port.slot]])
                )
                if port not in mapped:
                    graph.nodes.append(argument)
                graph.inputs.append(argument)
        return list(self.captures)


class _Outside:
    """A set by rule: nodes that are not copied."""

    def __init__(self, inside: Callable[[Node], bool], parameters: set[Node]) -> None:
        self._inside, self._parameters = inside, parameters

    def __contains__(self, node: object) -> bool:
        return isinstance(node, Node) and (node in self._parameters or not self._inside(node))


class Users:
    """Who uses each node's outputs; kept while ports are redirected."""

    def __init__(self, graph: Graph) -> None:
        self._users: dict[Node, list[tuple[Node, int]]] = {}
        self._graph = graph
        for node in graph.nodes:
            self.add(node)

    def add(self, node: Node) -> None:
        for i, port in enumerate(node.inputs):
            self._users.setdefault(port.node, []).append((node, i))

    def of(self, port: Port) -> list[Node]:
        return [u for u, i in self._users.get(port.node, ()) if u.inputs[i] == port]

    def redirect(self, old: Port, new: Port) -> None:
        """Make all users of `old`, and the graph's outputs, use `new`."""
        for user, i in self._users.get(old.node, ()):
            if user.inputs[i] == old:
                user.inputs[i] = new
                self._users.setdefault(new.node, []).append((user, i))
        self._graph.outputs = [new if p == old else p for p in self._graph.outputs]
