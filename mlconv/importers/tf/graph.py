"""The graph of a GraphDef or of one library function: nodes, ports, edges; checked, with attributes decoded.

Nothing here is IR yet: TF1 control flow is raised and unused nodes are dropped on this form, then `emit.py` writes
`tf.*` ops.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.tf import ArgDef, find_op
from mlconv.dialects.tf_types import BY_NAME, Element, display
from mlconv.importers.tf.attributes import AttrDecoder, Attributes
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.ir.constants import Const
from mlconv.ir.dtypes import DType
from mlconv.ir.types import OpaqueType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AttrValue, FunctionDef, NodeDef


MAX_ARGUMENTS = 1 << 16
ARGUMENT = "_Arg"  # op of the nodes that stand for a function's parameters
RETURNS = ("_Retval", "_DeviceRetval")  # results of a function body that was saved as a graph; its parameters are:
_GRAPH_ARGUMENTS = ("_Arg", "_DeviceArg")


class Port(NamedTuple):
    """One output of a node."""

    node: Node
    slot: int


class Node:
    """One node.  outputs: element types of all outputs in order (unknown ops: as many as are used)."""

    __slots__ = ("attrs", "controls", "function", "inputs", "name", "op", "outputs", "regions")

    def __init__(self, name: str, op: str, attrs: Attributes, outputs: Sequence[Element], function: str = "") -> None:
        self.name, self.op, self.attrs, self.function = name, op, attrs, function
        self.outputs = list(outputs)
        self.inputs: list[Port] = []
        self.controls: list[Node] = []
        self.regions: tuple[Graph, ...] = ()  # of raised control flow

    def __repr__(self) -> str:
        return f"Node({self.name!r}, {self.op})"


class Graph:
    """Nodes in file order.  inputs: parameter nodes of a function, outputs: its results (both empty for the main
    graph).
    """

    def __init__(self, name: str, nodes: list[Node], inputs: Sequence[Node] = (), outputs: Sequence[Port] = ()) -> None:
        self.name, self.nodes = name, nodes
        self.inputs, self.outputs = list(inputs), list(outputs)


class Signature(NamedTuple):
    """What a call of a library function gives: element types and names of its results, number of its parameters."""

    parameters: int
    results: tuple[Element, ...]
    result_names: tuple[str, ...]


class GraphBuilder:
    """Makes a `Graph` of NodeDefs.  Problems are collected in `engine`; nodes with problems keep what could be read."""

    def __init__(
        self, decoder: AttrDecoder, engine: DiagnosticEngine, debug: DebugInfo, library: Mapping[str, FunctionDef]
    ) -> None:
        self.decoder, self.engine, self.debug, self.library = decoder, engine, debug, library
        self._failed: set[Node] = set()  # nodes whose outputs are not known, because they have problems themselves

    def build(
        self,
        name: str,
        protos: Iterable[NodeDef],
        arguments: Sequence[Node] = (),
        bindings: Mapping[str, AttrValue] | None = None,
        callees: Mapping[str, Signature] | None = None,
    ) -> tuple[Graph, dict[str, Node]]:
        """The graph, and its nodes by name.  `name` is the function's, "" for the main graph."""
        nodes: dict[str, Node] = {a.name: a for a in arguments}
        pairs: list[tuple[Node, NodeDef]] = []
        for proto in protos:
            node = self._node(name, proto, bindings or {}, callees or {})
            if node.name in nodes:
                first = nodes[node.name].op
                self._error(
                    node,
                    ConversionError(
                        Code.NameDefinedTwice, f"duplicate node name '{node.name}': a {first} and a {node.op} have it"
                    ),
                )
                continue
            nodes[node.name] = node
            pairs.append((node, proto))
        for node, proto in pairs:
            if not self._connect(node, proto, nodes) or node in self._failed:
                continue
            try:
                self._check_inputs(node, callees or {})
            except ConversionError as e:
                self._error(node, e)
        return Graph(name, list(nodes.values()), arguments), nodes

    def _error(self, node: Node, error: ConversionError) -> None:
        self.engine.error(error, self.debug.location(node.name, node.function), node.name, f"tf.{node.op}")

    def _node(
        self, function: str, proto: NodeDef, bindings: Mapping[str, AttrValue], callees: Mapping[str, Signature]
    ) -> Node:
        op = find_op(proto.op)
        node = Node(proto.name, proto.op, {}, (), function)
        try:
            node.attrs = self.decoder.decode(proto, op, bindings)
            if op is not None:
                node.outputs = formal_types(op.outputs, node.attrs)
                _check_constant(node)
            elif proto.op in callees:
                node.outputs = list(callees[proto.op].results)
            elif proto.op in _GRAPH_ARGUMENTS and not function:
                node.op, node.outputs = "Placeholder", [node.attrs.get("T", DType.UNKNOWN)]
                node.attrs = {"dtype": node.outputs[0], "shape": None}
            elif proto.op in RETURNS:
                node.outputs = []
            elif proto.op == "_SwitchN":
                node.outputs = _branch_types(node.attrs)
            else:
                node.outputs = [DType.UNKNOWN]  # of an op that nobody registered: as many as are used
        except ConversionError as e:
            self._failed.add(node)
            self._error(node, e)
        return node

    def _connect(self, node: Node, proto: NodeDef, nodes: Mapping[str, Node]) -> bool:
        """Resolve the inputs.  Each that cannot be is reported; false if there is one."""
        found = True
        for text in proto.input:
            try:
                if text.startswith("^"):
                    node.controls.append(self._control(text, node, nodes))
                else:
                    node.inputs.append(self.resolve(text, nodes, f"input '{text}' of node '{node.name}' ({node.op})"))
            except ConversionError as e:
                found = False
                self._error(node, e)
        return found

    def _control(self, text: str, node: Node, nodes: Mapping[str, Node]) -> Node:
        source = nodes.get(text[1:])
        if source is None:
            raise ConversionError(
                Code.InputNotProduced,
                f"control input '{text}' of node '{node.name}' ({node.op}) is produced by no node",
            )
        return source

    def _check_inputs(self, node: Node, callees: Mapping[str, Signature]) -> None:
        """Number and element types, against the op's signature or that of the function it calls."""
        op = find_op(node.op)
        if op is None:
            taken = callees[node.op].parameters if node.op in callees else len(node.inputs)
            if len(node.inputs) != taken:
                raise ConversionError(
                    Code.WrongArity,
                    f"call '{node.name}' gives {len(node.inputs)} arguments, function '{node.op}' takes {taken}",
                )
            return
        wanted = formal_types(op.inputs, node.attrs)
        if len(node.inputs) != len(wanted):
            names = ", ".join(a.name for a in op.inputs)
            given = f"{len(node.inputs)} input{'s' if len(node.inputs) != 1 else ''}"
            raise ConversionError(
                Code.WrongArity, f"node '{node.name}' has {given}, {op.name} takes {len(wanted)} ({names})"
            )
        for i, (port, element) in enumerate(zip(node.inputs, wanted, strict=True)):
            found = port.node.outputs[port.slot] if port.slot < len(port.node.outputs) else DType.UNKNOWN
            if found != element and DType.UNKNOWN not in (found, element):
                message = (
                    f"input {i} of node '{node.name}' ({op.name}) is {display(found)} "
                    f"(from '{port.node.name}'), its signature says {display(element)}"
                )
                raise ConversionError(Code.TypeMismatch, message, operand=i)

    def resolve(self, text: str, nodes: Mapping[str, Node], what: str) -> Port:
        """`node`, `node:1`, or in a function body `node:output_name:1`.  Raises ConversionError InputNotProduced."""
        parts = text.split(":")
        node = nodes.get(parts[0])
        if node is None:
            raise ConversionError(Code.InputNotProduced, f"{what}: there is no node '{parts[0]}'")
        index = _number(parts[-1]) if len(parts) > 1 else 0
        if index is not None and len(parts) == 3:
            index += self._first_of(node, parts[1], what)
        if index is None or len(parts) > 3:
            raise ConversionError(Code.InputNotProduced, f"{what} is not of the form node:number")
        if (
            find_op(node.op) is None
            and node.op != ARGUMENT
            and node.op not in self.library
            and len(node.outputs) <= index < MAX_ARGUMENTS
        ):
            node.outputs += [DType.UNKNOWN] * (index + 1 - len(node.outputs))
        if index >= len(node.outputs) and node not in self._failed:
            raise ConversionError(
                Code.InputNotProduced, f"{what}: node '{node.name}' ({node.op}) has {len(node.outputs)} outputs"
            )
        return Port(node, index)

    def _first_of(self, node: Node, output: str, what: str) -> int:
        """Flat index of the first tensor of a named output argument."""
        op = find_op(node.op)
        if op is None:
            function = self.library.get(node.op)
            names = [a.name for a in function.signature.output_arg] if function is not None else [output]
            if output in names:
                return names.index(output)
        else:
            first = 0
            for argument in op.outputs:
                if argument.name == output:
                    return first
                first += len(_argument_types(argument, node.attrs))
        raise ConversionError(Code.InputNotProduced, f"{what}: {node.op} has no output '{output}'")


def _check_constant(node: Node) -> None:
    value = node.attrs.get("value") if node.op == "Const" else None
    if isinstance(value, Const) and value.dtype is not node.attrs["dtype"]:
        stated = display(node.attrs["dtype"])
        raise ConversionError(
            Code.AttributeInvalid,
            f"constant '{node.name}' has attribute dtype {stated}, its value is {value.dtype.display}",
        )


def _number(text: str) -> int | None:
    return int(text) if text.isdecimal() and len(text) < 8 else None


def formal_types(arguments: Iterable[ArgDef], attrs: Attributes) -> list[Element]:
    """Element types of the tensors of some formal arguments.  Raises ConversionError AttributeInvalid."""
    return [t for a in arguments for t in _argument_types(a, attrs)]


def _argument_types(argument: ArgDef, attrs: Attributes) -> list[Element]:
    if argument.types:
        return list(attrs.get(argument.types, ()))
    element = BY_NAME.get(argument.element) or attrs.get(argument.element, DType.UNKNOWN)
    if not argument.number:
        return [element]
    count = attrs.get(argument.number, 0)
    if not 0 <= count <= MAX_ARGUMENTS:
        raise ConversionError(
            Code.AttributeInvalid, f"attribute '{argument.number}' is {count}: not a number of tensors"
        )
    return [element] * count


def _branch_types(attrs: Attributes) -> list[Element]:
    """Of _SwitchN, which no op list has: its operand, as many times as there are branches."""
    count, element = attrs.get("num_outs"), attrs.get("T")
    if not isinstance(count, int) or not isinstance(element, (DType, OpaqueType)):
        raise ConversionError(Code.AttributeInvalid, f"_SwitchN of {count!r} branches of the element type {element!r}")
    return _argument_types(ArgDef("outputs", "T", "num_outs", ""), attrs)


def topological(
    roots: Iterable[Node], stop: frozenset[Node] | set[Node] = frozenset(), controls: bool = False
) -> list[Node]:
    """Nodes that `roots` depend on through data edges (and control edges with `controls`), producers first; nodes of
    `stop` are not entered.

    A NextIteration closes a loop and is not followed from a Merge.  Raises ConversionError GraphHasCycle on a cycle.
    """
    order: list[Node] = []
    state: dict[Node, int] = {}
    for root in roots:
        stack: list[tuple[Node, Iterator[Node]]] = []
        if state.get(root) is None and root not in stop:
            stack.append((root, _sources(root, controls)))
            state[root] = 1
        while stack:
            node, sources = stack[-1]
            source = next(sources, None)
            if source is None:
                stack.pop()
                state[node] = 2
                order.append(node)
            elif state.get(source) == 1:
                raise _cycle([n for n, _ in stack], source)
            elif source not in state and source not in stop:
                state[source] = 1
                stack.append((source, _sources(source, controls)))
    return order


def _sources(node: Node, controls: bool) -> Iterator[Node]:
    if controls:
        return iter([*node.controls, *(p.node for p in node.inputs)])
    if node.op in ("Merge", "RefMerge"):
        return (p.node for p in node.inputs if p.node.op not in ("NextIteration", "RefNextIteration"))
    return (p.node for p in node.inputs)


def _cycle(path: list[Node], again: Node) -> ConversionError:
    names = [n.name for n in path[path.index(again) :]][::-1]
    shown = " -> ".join([*names[:8], *(["..."] if len(names) > 8 else []), names[0]])
    return ConversionError(
        Code.GraphHasCycle,
        f"the graph has a cycle: {shown}",
        help="only NextIteration nodes of a while loop may close a cycle",
    )
