"""Variables that the model assigns while it runs: their reads and writes are emitted as ops of their own, in the order
of the control edges.

TF1's variables are references: an op that takes one reads what it holds when the op runs, a change gives the reference
on, and so does an identity, which shares its memory.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Final

from mlconv.diagnostics import Code, ConversionError
from mlconv.importers.tf.attributes import FunctionRef
from mlconv.importers.tf.functions import Library
from mlconv.importers.tf.graph import Graph, Node, Port
from mlconv.importers.tf.saved_model.variables import (
    CHANGES,
    HANDLES,
    OF_REFERENCES,
    PARTIAL,
    STEPS,
    changed,
    source,
)
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value
from mlconv.ir.types import OpaqueType, TensorType

HANDLE: Final = "AssignedVariable"  # op of the nodes that stand for such a variable
_PREFIX: Final = "tf.variable:"
_REFERENCE: Final = "tf.reference:"
_SILENT: Final = frozenset({"NoOp", "Assert", "PrintV2", "DisableCopyOnRead"})  # reached through control edges alone
_UPDATES: Final = {"AssignAddVariableOp": "AddV2", "AssignSubVariableOp": "Sub"}
# what the gathers and the shape of a variable have become
_READERS: Final = frozenset({"GatherV2", "GatherNd", "Shape"})

Make = Callable[..., list[Value]]


class VariableEffects:
    """initial: value of each assigned variable by name."""

    def __init__(self, library: Library, initial: dict[str, Const]) -> None:
        self.library, self.initial = library, initial

    def roots(self, graph: Graph) -> list[Node]:
        return [
            n
            for n in graph.nodes
            if n.op in CHANGES
            or any(isinstance(a, FunctionRef) and self.library.has(a.name, CHANGES) for a in n.attrs.values())
        ]

    def read(self, node: Node, operands: list[Value], make: Make, builder: Builder, path: str) -> list[Value]:
        """Values with references read, for a node."""
        return [
            v if (name := _named(v, _REFERENCE)) is None else self._read(name, node, make, builder, path)
            for v in operands
        ]

    def emit(
        self, node: Node, operands: Sequence[Value], env: dict[Port, Value], make: Make, builder: Builder, path: str
    ) -> bool:
        if node.op in _SILENT and not node.outputs:
            return True
        if node.op == HANDLE:
            prefix = _REFERENCE if node.attrs["reference"] else _PREFIX
            env[Port(node, 0)] = Value(OpaqueType(prefix + node.attrs["variable"]), Block(), 0)
            return True
        name = _variable(operands)
        if node.op == "ReadVariableOp" and name is None:  # of a variable that never changes
            env[Port(node, 0)] = operands[0]
            return True
        if name is None or node.op not in CHANGES | _READERS | {"ReadVariableOp"}:
            return False
        if node.op == "ReadVariableOp":
            env[Port(node, 0)] = self._read(name, node, make, builder, path)
        elif node.op in _READERS:
            env[Port(node, 0)] = make(
                builder, path, node, [self._read(name, node, make, builder, path), *operands[1:]], node.attrs
            )[0]
        else:
            self._change(name, node, operands, make, builder, path)
            if node.op in OF_REFERENCES:
                env[Port(node, 0)] = operands[0]
        return True

    def _change(
        self, name: str, node: Node, operands: Sequence[Value], make: Make, builder: Builder, path: str
    ) -> None:
        kind = OF_REFERENCES.get(node.op, node.op)
        if kind in STEPS:
            return self._step(kind, node, operands, make, builder, path)
        value = operands[1]
        if kind != "AssignVariableOp":
            value = self._updated(name, kind, operands[1:], node, make, builder, path)
        make(builder, path, node, [value], {"variable": name}, types=[], name="AssignVariableOp")

    def _step(self, kind: str, node: Node, operands: Sequence[Value], make: Make, builder: Builder, path: str) -> None:
        """A step of an optimizer is an op that gives the next values of the variables that it takes."""
        count = STEPS[kind]
        names = [name for value in operands[:count] if (name := _variable([value])) is not None]
        old = [self._read(name, node, make, builder, path) for name in names]
        if len(names) != count:
            raise ConversionError(Code.OpUnsupported, f"{node.op} changes a variable that is not followed")
        types = [self._type(name) for name in names]
        new = make(builder, path, node, [*old, *operands[count:]], node.attrs, types=types, name=kind)
        for name, value in zip(names, new, strict=True):
            make(builder, path, node, [value], {"variable": name}, types=[], name="AssignVariableOp")

    def _updated(
        self, name: str, kind: str, operands: Sequence[Value], node: Node, make: Make, builder: Builder, path: str
    ) -> Value:
        """The variable's next value: the present one, changed."""
        old = self._read(name, node, make, builder, path)
        attrs = node.attrs if kind in PARTIAL else {"T": self.initial[name].dtype}
        return make(
            builder, path, node, [old, *operands], attrs, types=[self._type(name)], name=_UPDATES.get(kind, kind)
        )[0]

    def _type(self, name: str) -> TensorType:
        c = self.initial[name]
        return TensorType(c.dtype, c.shape)

    def _read(self, name: str, node: Node, make: Make, builder: Builder, path: str) -> Value:
        attrs: dict[str, Any] = {"variable": name, "of": self._type(name)}
        return make(builder, path, node, [], attrs, types=[self._type(name)], name="ReadVariableOp")[0]


def _named(value: Value, prefix: str) -> str | None:
    """The variable that a value stands for."""
    t = value.type
    return t.name.removeprefix(prefix) if isinstance(t, OpaqueType) and t.name.startswith(prefix) else None


def _variable(operands: Sequence[Value]) -> str | None:
    return (_named(operands[0], _PREFIX) or _named(operands[0], _REFERENCE)) if operands else None


class Several:
    """Asks one after the other."""

    def __init__(self, parts: Sequence[Any]) -> None:
        self.parts = parts

    def roots(self, graph: Graph) -> list[Node]:
        return [n for part in self.parts for n in part.roots(graph)]

    def read(self, node: Node, operands: list[Value], make: Make, builder: Builder, path: str) -> list[Value]:
        for part in self.parts:
            operands = part.read(node, operands, make, builder, path)
        return operands

    def emit(
        self, node: Node, operands: Sequence[Value], env: dict[Port, Value], make: Make, builder: Builder, path: str
    ) -> bool:
        return any(part.emit(node, operands, env, make, builder, path) for part in self.parts)


def assigned_handles(graph: Graph, library: Library) -> list[Node]:
    """The variable nodes of the main graph that it, or a function that it calls, assigns; in file order."""
    found: set[Node] = set()
    _follow(graph, {Port(n, 0): n for n in graph.nodes if n.op in HANDLES}, library, found, ())
    return [n for n in graph.nodes if n in found]


def _follow(graph: Graph, handles: dict[Port, Node], library: Library, found: set[Node], path: tuple[str, ...]) -> None:
    for node in graph.nodes:
        if node.op in CHANGES:
            found.update(handles[source(port)] for port in changed(node) if source(port) in handles)
        skipped = 1 if node.op in ("If", "StatelessIf", "Case", "StatelessCase") else 0
        for value in node.attrs.values():
            for ref in value if isinstance(value, tuple) and not isinstance(value, FunctionRef) else (value,):
                if not isinstance(ref, FunctionRef) or ref.name in path or not library.has(ref.name, CHANGES):
                    continue
                body = library.graph(ref)
                given = node.inputs[skipped:]
                inner = {
                    Port(p, 0): handles[source(i)]
                    for p, i in zip(body.inputs, given, strict=False)
                    if source(i) in handles
                }
                if inner:
                    _follow(body, inner, library, found, (*path, ref.name))
