"""Views and transpositions around elementwise computations: those that undo one another go.

y = g(f(x)) with f a view or a transposition, and g the one back, is computed on x, where what is between is elementwise
and takes nothing else but single numbers.
"""

from __future__ import annotations

from mlconv.ir.types import TensorType
from mlconv.simplifiers.onnx.graph import Graph, Node
from mlconv.simplifiers.onnx.rules import Rules

RULES = Rules()
_MOST = 64
_VIEWS = ("Reshape", "Flatten", "Squeeze", "Unsqueeze")
_UNARY = (
    *("Abs", "Cast", "Ceil", "Celu", "Clip", "Cos", "Elu", "Erf", "Exp", "Floor", "Gelu", "HardSigmoid", "HardSwish"),
    *("LeakyRelu", "Log", "Mish", "Neg", "Not", "Reciprocal", "Relu", "Round", "Selu", "Sigmoid", "Sign", "Sin"),
    *("Softplus", "Softsign", "Sqrt", "Tanh"),
)
_ELEMENTWISE = frozenset({*_UNARY, "Add", "And", "Div", "Mul", "Pow", "Sub"})


@RULES.on(*_VIEWS, "Transpose")
def _there_and_back_around(g: Graph, n: Node) -> bool:
    target = g.type_of(n.output)
    if target is None or target.shape is None or g.model.opset() < 8:
        return False
    region: dict[Node, None] = {}
    leaves: dict[str, Node] = {}
    if not _collect(g, n, target, region, leaves) or not region or not leaves:
        return False
    if not _stays_inside(g, n, region):
        return False
    for node in region:
        node.inputs = [leaves[name].inputs[0] if name in leaves else name for name in node.inputs]
        g.reread(node)
        for name in node.outputs:
            type_ = g.type_of(name)
            if type_ is not None:
                g.note(name, TensorType(type_.dtype, target.shape))
    last = n.inputs[0]
    for name in leaves:
        g.drop(name)
    return g.forward(n, n.output, last)


def _collect(g: Graph, n: Node, target: TensorType, region: dict[Node, None], leaves: dict[str, Node]) -> bool:
    """The nodes between, and the views that they read.  False where something else is read."""
    if g.is_output(n.output) and (g.is_output(n.inputs[0]) or n.inputs[0] not in g.made):
        return False
    between = g.shape(n.inputs[0])
    pending = [n.inputs[0]]
    while pending:
        name = pending.pop()
        node = g.made.get(name)
        if _is_number(g, name, target) or (node is not None and node in region):
            continue
        if node is None or between is None or g.shape(name) != between:
            return False
        if node.key in _ELEMENTWISE and len(node.outputs) == 1 and not node.graphs:
            region[node] = None
            pending.extend(x for x in node.inputs if x)
        elif _undoes(g, n, node, target):
            leaves[name] = node
        else:
            return False
        if len(region) > _MOST:
            return False
    return True


def _is_number(g: Graph, name: str, target: TensorType) -> bool:
    """One element, which is the same for every shape."""
    shape = g.shape(name)
    return shape is not None and all(size == 1 for size in shape) and len(shape) <= len(target.shape or ())


def _undoes(g: Graph, last: Node, first: Node, target: TensorType) -> bool:
    """One node takes what the other makes back to what that reads."""
    if g.shape(first.inputs[0]) != target.shape:
        return False
    if last.op_type != "Transpose":
        return first.key in _VIEWS
    rank = len(target.shape or ())
    back = tuple(reversed(range(rank)))
    one, other = first.integers("perm") or back, last.integers("perm") or back
    return first.key == "Transpose" and [one[a] for a in other] == list(range(rank))


def _stays_inside(g: Graph, n: Node, region: dict[Node, None]) -> bool:
    """Nothing else reads what is between."""
    for node in region:
        for name in node.outputs:
            readers = g.readers.get(name, {})
            if g.is_output(name) or any(r is not n and r not in region for r in readers):
                return False
    return True
