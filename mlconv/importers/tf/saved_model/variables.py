"""Which checkpoint tensor each variable of a graph holds, read from the graph's own restore ops.

TF1 meta graphs restore in the main graph (RestoreV2 -> Assign), TF2 ones in a function that the saver's restore op
calls with the variables' handles.  Both are followed; a variable that nothing restores is an error only if the
signature reads it.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects.tf_types import Element
from mlconv.importers.tf.attributes import FunctionRef
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import Graph, Node, Port
from mlconv.ir.constants import Const, make_const
from mlconv.ir.dtypes import DType
from mlconv.ir.recipes import slices

HANDLES: Final = frozenset({"VarHandleOp", "VariableV2", "Variable", "AutoReloadVariable"})
_ASSIGN: Final = frozenset({"AssignVariableOp", "Assign"})
_PASS: Final = frozenset({"Identity", "Cast", "IdentityN"})
_RESTORES: Final = frozenset({"RestoreV2"})
_CALLS: Final = frozenset({"PartitionedCall", "StatefulPartitionedCall"})
PARTIAL: Final = frozenset(  # changes of a part of a variable
    {f"ResourceScatter{kind}" for kind in ("Update", "Add", "Sub", "Mul", "Div", "Min", "Max")}
    | {f"ResourceScatterNd{kind}" for kind in ("Update", "Add", "Sub", "Min", "Max")}
    | {"ResourceStridedSliceAssign"}
)
_SLOTS: Final = {
    "GradientDescent": 1,
    **dict.fromkeys(("Momentum", "KerasMomentum", "Adagrad", "AdagradV2"), 2),
    **dict.fromkeys(("Adam", "AdaMax", "RMSProp", "Adadelta", "Ftrl", "FtrlV2"), 3),
    **dict.fromkeys(("AdamWithAmsgrad", "CenteredRMSProp"), 4),
}
STEPS: Final = {f"Resource{form}{name}": count for name, count in _SLOTS.items() for form in ("Apply", "SparseApply")}
"""How many variables, the first operands, the steps of optimizers change."""
OF_REFERENCES: Final = {
    "Assign": "AssignVariableOp",
    "AssignAdd": "AssignAddVariableOp",
    "AssignSub": "AssignSubVariableOp",
    **{name.removeprefix("Resource"): name for name in (*PARTIAL, *STEPS)},
}
"""Changes of TF1's variables, and those of resource variables that do the same."""
CHANGES: Final = (
    frozenset({"AssignVariableOp", "AssignAddVariableOp", "AssignSubVariableOp"})
    | PARTIAL
    | frozenset(STEPS)
    | frozenset(OF_REFERENCES)
)
REFERENCES: Final = HANDLES - {"VarHandleOp"}  # TF1's variables, which are tensors to whoever reads them
Key = tuple[str, str]  # checkpoint key, shape-and-slice specification


def restored_keys(graph: Graph, library: Library) -> dict[Node, Key]:
    """Checkpoint key of each variable node of the main graph."""
    found: dict[Node, Key] = {}
    _Restores(library, found).collect(graph, {}, 0)
    return found


class _Restores:
    """Follows restore ops.  texts: contents of the string constants that were met."""

    def __init__(self, library: Library, found: dict[Node, Key]) -> None:
        self.library, self.found = library, found
        self.texts: dict[Port, list[str] | None] = {}

    def collect(self, graph: Graph, handles: dict[Port, Node], depth: int) -> None:
        """handles: what the parameters of a function stand for in the main graph."""
        for node in graph.nodes:
            if node.op in HANDLES:
                handles[Port(node, 0)] = node
        for node in graph.nodes:
            if node.op in _ASSIGN and len(node.inputs) >= 2:
                variable = handles.get(source(node.inputs[0]))
                key = self.restored(node.inputs[1])
                if variable is not None and key is not None:
                    self.found.setdefault(variable, key)
            elif node.op in _CALLS and depth < 4 and _restores(node, self.library):
                body = self.library.graph(node.attrs["f"])
                # a call that gives another number is told when it is inlined
                given = zip(body.inputs, node.inputs, strict=False)
                inner = {Port(p, 0): handles[source(i)] for p, i in given if source(i) in handles}
                self.collect(body, inner, depth + 1)

    def restored(self, port: Port) -> Key | None:
        """The key that a value is restored from."""
        port = source(port)
        if port.node.op not in _RESTORES or len(port.node.inputs) < 3:
            return None
        names, specifications = (self.strings(source(p)) for p in port.node.inputs[1:3])
        if names is None or port.slot >= len(names):
            return None
        return names[port.slot], specifications[port.slot] if specifications and port.slot < len(specifications) else ""

    def strings(self, port: Port) -> list[str] | None:
        if port not in self.texts:
            value = port.node.attrs.get("value")
            items = value.view().reshape(-1).tolist() if isinstance(value, Const) else None
            self.texts[port] = (
                None
                if items is None
                else [t.decode("utf-8", "replace") if isinstance(t, bytes) else str(t) for t in items]
            )
        return self.texts[port]


def _restores(node: Node, library: Library) -> bool:
    ref = node.attrs.get("f")
    return isinstance(ref, FunctionRef) and library.has(ref.name, _RESTORES)


def source(port: Port) -> Port:
    """Where a value comes from, behind ops that hand it on."""
    while port.node.op in _PASS and port.node.inputs:
        port = port.node.inputs[port.slot if port.node.op == "IdentityN" else 0]
    return port


def sliced(whole: Const, specification: str, key: str) -> Const:
    """The part of a partitioned variable that `specification` names: `20 10 0,5:-` is rows 0 to 5 of [20, 10]
    (tensorflow/core/framework/tensor_slice.h).
    """
    if not specification.strip():
        return whole
    box = specification.split()[-1].split(":")
    if len(box) != len(whole.shape):
        raise ConversionError(
            Code.ConstantInvalid,
            f"slice {specification!r} of variable {key!r} does not fit its shape {list(whole.shape)}",
        )
    begin, end = [], []
    for part, size in zip(box, whole.shape, strict=True):
        if re.fullmatch(r"-|\d{1,18},\d{1,18}", part) is None:
            raise ConversionError(
                Code.ConstantInvalid, f"slice {specification!r} of variable {key!r} is not of the form begin,length"
            )
        start, _, length = part.partition(",")
        low = 0 if part == "-" else int(start)
        high = size if part == "-" else low + int(length)
        if not 0 <= low <= high <= size:
            raise ConversionError(
                Code.ConstantInvalid,
                f"slice {specification!r} of variable {key!r} leaves its shape {list(whole.shape)}",
            )
        begin.append(low)
        end.append(high)
    return slices(whole, tuple(begin), tuple(end))


def freeze(graph: Graph, value_of: Callable[[Node], Const], keep_reads: bool = False) -> None:
    """Make variables and what reads them plain: a handle becomes a constant, a read passes it on, a gather from a
    variable is a gather.

    keep_reads: reads stay, for models that assign some of their variables.
    """
    for node in list(graph.nodes):
        if node.op in HANDLES:
            value = value_of(node)
            node.op, node.attrs, node.outputs = "Const", {"value": value, "dtype": value.dtype}, [value.dtype]
        elif node.op == "ReadVariableOp" and not keep_reads:
            node.op = "Identity"
        elif node.op == "ResourceGather":
            _as_gather(graph, node, int(node.attrs.get("batch_dims", 0)))
        elif node.op == "ResourceGatherNd":
            node.op, node.attrs = (
                "GatherNd",
                {"Tparams": node.attrs.get("dtype"), "Tindices": node.attrs.get("Tindices")},
            )
        elif node.op == "VariableShape":
            node.op = "Shape"
        elif node.op in ("VarIsInitializedOp", "IsVariableInitialized"):
            node.op, node.inputs = "Const", []
            node.attrs = {"value": make_const(np.asarray(True)), "dtype": DType.BOOL}


def _as_gather(graph: Graph, node: Node, batch_dims: int) -> None:
    dtypes: list[Element] = [DType.I32]
    axis = Node(
        f"{node.name}/axis",
        "Const",
        {"value": make_const(np.asarray(batch_dims, np.int32)), "dtype": DType.I32},
        dtypes,
        node.function,
    )
    graph.nodes.append(axis)
    attrs: dict[str, Any] = {
        "batch_dims": batch_dims,
        "Tparams": node.attrs.get("dtype"),
        "Tindices": node.attrs.get("Tindices"),
        "Taxis": DType.I32,
    }
    node.op, node.attrs = "GatherV2", attrs
    node.inputs = [*node.inputs[:2], Port(axis, 0)]


def changed(node: Node) -> list[Port]:
    """The variables that a node of CHANGES changes."""
    return node.inputs[: STEPS.get(OF_REFERENCES.get(node.op, node.op), 1)]
