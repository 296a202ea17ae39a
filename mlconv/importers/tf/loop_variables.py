"""Variables of a while loop that need not be carried: those that never change, and those that nobody reads."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mlconv.importers.tf.graph import Graph, Node, Port

_PASS: Final = frozenset({"Identity", "RefIdentity", "StopGradient"})


def invariant_variables(body: Graph, carried: int) -> set[int]:
    """Indices of the variables that the body returns as it got them."""
    return {i for i in range(carried) if _behind_identities(body.outputs[i]) == Port(body.inputs[i], 0)}


def _behind_identities(port: Port) -> Port:
    while port.node.op in _PASS and port.node.inputs:
        port = port.node.inputs[0]
    return port


def live_variables(
    condition: Graph, body: Graph, carried: int, used: set[int], effects: Sequence[Node] = ()
) -> set[int]:
    """Indices of the variables that matter: results in `used`, what the condition and nodes with effects read, and what
    those need in the body.
    """
    live = set(used)
    live |= _parameters_read(condition, [condition.outputs[0].node], set())
    seen: set[Node] = set()
    live |= _parameters_read(body, effects, seen)
    pending = list(live)
    while pending:
        index = pending.pop()
        if index < carried:
            found = _parameters_read(body, [body.outputs[index].node], seen) - live
            live |= found
            pending += found
    return live


def _parameters_read(graph: Graph, roots: Sequence[Node], seen: set[Node]) -> set[int]:
    """Indices of the parameters that `roots` depend on through nodes that are not in `seen` yet."""
    index = {node: i for i, node in enumerate(graph.inputs)}
    found: set[int] = set()
    stack = list(roots)
    while stack:
        node = stack.pop()
        if node in index:
            found.add(index[node])
        elif node not in seen:
            seen.add(node)
            stack += [p.node for p in node.inputs]
    return found
