"""TF1 conditionals (Switch, Merge) -> `_If` nodes with regions; of more branches (_SwitchN), `_Case` nodes.

Each node carries the branches it lies in: pairs of a predicate and the side taken, gathered from the Switch nodes above
it, control edges included (a constant of a branch has nothing else).  A Merge joins the sides of the predicate that its
inputs do not share.
"""

from __future__ import annotations

from collections.abc import Iterator

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf_types import Element
from mlconv.importers.tf.cut import CASE, IF, Cutter, Users
from mlconv.importers.tf.graph import ARGUMENT, Graph, Node, Port, topological
from mlconv.ir.constants import make_const
from mlconv.ir.dtypes import DType

Branch = tuple[Port, int]  # the predicate and the output of its Switch: 1 is true, _SwitchN counts them
Branches = frozenset[Branch]
_MANY = "_SwitchN"
_SWITCH = ("Switch", "RefSwitch", _MANY)
_MERGE = ("Merge", "RefMerge")
_PASS = ("Identity", "RefIdentity")


class BranchTable:
    """The branches of every node of a graph, found before any node is moved."""

    def __init__(self, graph: Graph) -> None:
        self._of: dict[Node, Branches] = {}
        self._predicates: dict[Node, Port] = {n: _predicate(n) for n in graph.nodes if _is_cond_switch(n)}
        self._merged: dict[Node, Port] = {}
        self._counts: dict[Port, int] = {}  # branches of the predicates of _SwitchN
        for switch, pred in self._predicates.items():
            if switch.op == _MANY:
                self._counts[pred] = len(switch.outputs)
        if self._predicates:
            for node in _order_with_controls(graph):
                self._of[node] = self._find(node)
            for merge, pred in self._merged.items():
                # a data edge, so that the predicate moves along where only constants are merged
                merge.inputs.append(pred)

    def of(self, node: Node) -> Branches:
        return self._of.get(node, frozenset())

    def of_port(self, port: Port) -> Branches:
        extra = self._side(port)
        return self.of(port.node) | {extra} if extra else self.of(port.node)

    def merged(self, merge: Node) -> Port | None:
        """What names the predicate whose two sides a Merge joins; None when it cannot be told."""
        return self._merged.get(merge)

    def predicate(self, switch: Node) -> Port | None:
        """What names the predicate of a Switch (a port of the graph before anything moved); None for other nodes."""
        return self._predicates.get(switch)

    def count(self, pred: Port) -> int | None:
        """How many branches an index chooses from; None of a predicate that is a truth value."""
        return self._counts.get(pred)

    def follow(self, copies: dict[Node, Node]) -> None:
        """Copied nodes lie where their originals do."""
        for copy, original in copies.items():
            self._of[copy] = self.of(original)
            if original in self._predicates:
                self._predicates[copy] = self._predicates[original]
            if original in self._merged:
                self._merged[copy] = self._merged[original]

    def put(self, node: Node, branches: Branches) -> None:
        self._of[node] = branches

    def _side(self, port: Port) -> Branch | None:
        pred = self._predicates.get(port.node)
        return None if pred is None else (pred, port.slot)

    def _join(self, merge: Node) -> Port | None:
        if len(merge.inputs) < 2:
            return None
        first, *others = (self.of_port(p) for p in merge.inputs)
        apart = [p for p, side in sorted(first, key=_by_name) if self._parts(p, side, others)]
        if apart or len(others) > 1:
            return apart[-1] if apart else None
        candidates = list(dict.fromkeys(p for p, _ in sorted(first ^ others[0], key=_by_name)))
        return candidates[-1] if len(candidates) == 1 else None

    def _parts(self, pred: Port, side: int, others: list[Branches]) -> bool:
        """Each of the inputs of a Merge comes from another side of the predicate."""
        sides = [{k for p, k in branches if p == pred} for branches in others]
        return all(len(k) == 1 for k in sides) and len({side}.union(*sides)) == len(others) + 1

    def _find(self, node: Node) -> Branches:
        if node.op in _MERGE:
            if any(p.node.op.endswith("NextIteration") for p in node.inputs):
                return frozenset().union(*(self.of_port(p) for p in node.inputs if p.node in self._of))
            pred = self._join(node)
            if pred is not None:
                self._merged[node] = pred
            sides = frozenset().union(*(self.of_port(p) for p in node.inputs))
            return frozenset(b for b in sides if b[0] != pred) if pred else sides
        found: frozenset[Branch] = frozenset().union(
            *(self.of_port(p) for p in node.inputs), *(self.of(c) for c in node.controls)
        )
        return found


def _is_cond_switch(node: Node) -> bool:
    return node.op in _SWITCH and len(node.inputs) == 2 and node.inputs[1].node.op != "LoopCond"


def _predicate(switch: Node) -> Port:
    """The predicate of a Switch, behind identities."""
    port = switch.inputs[1]
    while port.node.op in _PASS and port.node.inputs:
        port = port.node.inputs[0]
    return port


def _by_name(branch: Branch) -> tuple[str, int, int]:
    return branch[0].node.name, branch[0].slot, branch[1]


def _order_with_controls(graph: Graph) -> list[Node]:
    """All nodes, producers first, along data and control edges; edges that close a loop are not followed."""
    order: list[Node] = []
    seen: set[Node] = set()
    for root in graph.nodes:
        if root in seen:
            continue
        seen.add(root)
        stack = [(root, _all_sources(root))]
        while stack:
            node, sources = stack[-1]
            source = next(sources, None)
            if source is None:
                order.append(node)
                stack.pop()
            elif source not in seen:
                seen.add(source)
                stack.append((source, _all_sources(source)))
    return order


def _all_sources(node: Node) -> Iterator[Node]:
    if node.op not in _MERGE:
        yield from node.controls
    yield from (p.node for p in node.inputs if not p.node.op.endswith("NextIteration"))


def raise_conds(graph: Graph, table: BranchTable) -> None:
    """Replace the conditionals of `graph` and of the regions in it.  Raises ConversionError ControlFlowUnstructured for
    a Merge that joins no two branches.
    """
    order = topological([p.node for p in graph.outputs])
    for node in order:
        if node.op not in (IF, CASE):
            for region in node.regions:
                raise_conds(region, table)
    if not any(n.op in _MERGE for n in order):
        return
    users = Users(graph)
    for _, merges in sorted(_levels(order).items()):
        groups: dict[Port, list[Node]] = {}
        for merge in merges:
            pred = table.merged(merge)
            if pred is None:
                raise ConversionError(
                    Code.ControlFlowUnstructured,
                    f"Merge node '{merge.name}' does not join the branches of one predicate (its inputs come from "
                    + " and ".join(f"'{p.node.name}'" for p in merge.inputs[:2])
                    + ")",
                )
            groups.setdefault(pred, []).append(merge)
        for pred, group in groups.items():
            _raise_group(graph, pred, group, table, users)


def _levels(order: list[Node]) -> dict[int, list[Node]]:
    """Merge nodes by the largest number of Merge nodes on a path to them: within one level none depends on another."""
    level: dict[Node, int] = {}
    merges: dict[int, list[Node]] = {}
    for node in order:
        depth = max((level.get(p.node, 0) for p in node.inputs), default=0)
        if node.op in _MERGE:
            depth += 1
            merges.setdefault(depth, []).append(node)
        level[node] = depth
    return merges


def _raise_group(graph: Graph, pred: Port, merges: list[Node], table: BranchTable, users: Users) -> None:
    regions: list[Graph] = []
    branch = 0
    count = table.count(pred)

    def is_boundary(node: Node) -> bool:
        return table.predicate(node) == pred

    def inside(node: Node) -> bool:
        return node.op != ARGUMENT and not is_boundary(node) and (pred, branch) in table.of(node)

    cutter = Cutter(inside, lambda p: p.node.inputs[0] if is_boundary(p.node) else p)
    for branch in range(count or 2):
        roots = [m.inputs[_side_index(table, m, pred, branch)] for m in merges]
        regions.append(cutter.cut(merges[0].name, roots, {}))
    indexed = [m for m in merges if users.of(Port(m, 1))]
    for branch, region in enumerate(regions):
        region.outputs += [_index_constant(region, m, _side_index(table, m, pred, branch)) for m in indexed]
    types: list[Element] = [m.outputs[0] for m in merges] + [DType.I32] * len(indexed)
    node = Node(merges[0].name, IF if count is None else CASE, {}, types, merges[0].function)
    node.regions = tuple(regions)
    node.inputs = [merges[0].inputs[-1], *cutter.close()]
    graph.nodes.append(node)
    users.add(node)
    table.follow(cutter.copies)
    table.put(node, table.of(merges[0]))
    for k, merge in enumerate(merges):
        users.redirect(Port(merge, 0), Port(node, k))
    for k, merge in enumerate(indexed):
        users.redirect(Port(merge, 1), Port(node, len(merges) + k))


def _side_index(table: BranchTable, merge: Node, pred: Port, branch: int) -> int:
    """Which input of a Merge comes from the given side.  Raises ConversionError ControlFlowUnstructured where none of
    several does.
    """
    sides = [table.of_port(p) for p in merge.inputs[:-1]]
    for i, side in enumerate(sides):
        if (pred, branch) in side:
            return i
    if table.count(pred) is not None:
        raise ConversionError(
            Code.ControlFlowUnstructured,
            f"Merge node '{merge.name}' has no input from branch {branch} of '{pred.node.name}'",
        )
    return 1 if (pred, 1 - branch) in sides[0] else 0


def _index_constant(region: Graph, merge: Node, index: int) -> Port:
    """`value_index` of a Merge: the number of the input that arrived."""
    node = Node(
        f"{merge.name}/value_index",
        "Const",
        {"value": make_const(index, DType.I32), "dtype": DType.I32},
        [DType.I32],
        merge.function,
    )
    region.nodes.append(node)
    return Port(node, 0)
