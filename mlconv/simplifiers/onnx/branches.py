"""Branches that are decided: the nodes of the one that runs stand in the place of the If."""

from __future__ import annotations

from mlconv.formats.protos import onnx_pb
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules

RULES = Rules()


@RULES.on("If")
def _decided_branch(g: Graph, n: Node) -> bool:
    fact = g.fact(n.inputs[0])
    condition = g.array(n.inputs[0]) if fact.constant is None else fact.constant.view()
    if condition is None or condition.size != 1 or "then_branch" not in n.graphs or "else_branch" not in n.graphs:
        return False
    branch = n.graphs["then_branch" if condition.reshape(-1)[0] else "else_branch"][0]
    if branch.sparse or len(branch.outputs) < len(n.outputs):
        return False
    given = list(zip(n.outputs, branch.outputs, strict=False))
    condition_name = n.inputs[0]
    g.retire(n)
    g.tensors.update(branch.tensors)
    g.infos.extend(branch.infos)
    named: dict[str, str] = {}
    for outer, inner in given:
        if outer and inner in branch.made and inner not in named:
            named[inner] = outer
    g.adopt(branch, named)
    for outer, inner in given:
        if outer and named.get(inner) != outer:
            made = Node(onnx_pb().NodeProto(op_type="Identity"), "Identity", "", [named.get(inner, inner)], [outer])
            g.place(made)
    for name in dict.fromkeys([condition_name, *n.reads]):
        g.drop(name)
    return True
