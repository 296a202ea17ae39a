"""The function library: FunctionDef -> `Graph`, made when it is first called.  Source:
tensorflow/core/framework/function.proto.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.tf_types import Element, element_type
from mlconv.importers.tf.attributes import AttrDecoder, FunctionRef
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.graph import ARGUMENT, Graph, GraphBuilder, Node, Signature
from mlconv.ir.dtypes import DType

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import AttrValue, FunctionDef, FunctionDefLibrary, NodeDef, OpDefArgDef


MAX_NESTING: Final = 64


class Library:
    """Functions of one GraphDef by name."""

    def __init__(
        self,
        proto: FunctionDefLibrary,
        decoder: AttrDecoder,
        engine: DiagnosticEngine,
        debug: DebugInfo,
        structure: Callable[[Graph], None],
    ) -> None:
        self.functions: dict[str, FunctionDef] = {f.signature.name: f for f in proto.function}
        self._builder = GraphBuilder(decoder, engine, debug, self.functions)
        self._structure = structure
        self._graphs: dict[tuple[str, str], Graph] = {}
        self.signatures: dict[str, Signature] = {name: _signature(f) for name, f in self.functions.items()}
        self._sizes: dict[str, int] = {}
        self._callees: dict[str, list[str]] = {}
        self._has: dict[tuple[str, frozenset[str]], bool] = {}

    def size(self, name: str) -> int:
        """How many nodes a function has with those of the functions that it calls, each as often as it is called; calls
        in a cycle count as one node.
        """
        pending, entered = [name], {name}
        while pending:
            current = pending[-1]
            function, called = self.functions.get(current), self._called(current)
            new = [c for c in dict.fromkeys(called) if c not in self._sizes and c not in entered]
            if new and current not in self._sizes:
                pending.extend(new)
                entered.update(new)
                continue
            pending.pop()
            own = 0 if function is None else len(function.node_def)
            self._sizes.setdefault(current, own + sum(self._sizes.get(c, 1) for c in called))
        return self._sizes[name]

    def _called(self, name: str) -> list[str]:
        """Functions that a function calls, each as often as it does."""
        if name not in self._callees:
            function = self.functions.get(name)
            nodes = () if function is None else function.node_def
            self._callees[name] = [c for node in nodes for c in callees(node, self.functions)]
        return self._callees[name]

    def has(self, name: str, ops: frozenset[str]) -> bool:
        """A function, or one that it calls, has one of these ops."""
        if (name, ops) not in self._has:
            pending, entered, found = [name], {name}, False
            while pending and not found:
                current = pending.pop()
                function = self.functions.get(current)
                found = function is not None and any(node.op in ops for node in function.node_def)
                new = [] if found else [c for c in dict.fromkeys(self._called(current)) if c not in entered]
                pending.extend(new)
                entered.update(new)
            self._has[name, ops] = found
        return self._has[name, ops]

    def graph(self, ref: FunctionRef) -> Graph:
        """The body of a function.  Raises ConversionError InputNotProduced when there is none of this name."""
        function = self.functions.get(ref.name)
        if function is None:
            raise ConversionError(
                Code.InputNotProduced, f"function '{ref.name}' is called, but the library does not have it"
            )
        bindings = dict(ref.attrs)
        key = (ref.name, ";".join(f"{k}={v}" for k, v in ref.attrs) if _is_polymorphic(function) else "")
        if key not in self._graphs:
            self._graphs[key] = self._build(function, bindings)
        return self._graphs[key]

    def _build(self, function: FunctionDef, bindings: dict[str, AttrValue]) -> Graph:
        name = function.signature.name
        arguments = [
            Node(a.name, ARGUMENT, {}, [t], name)
            for a in function.signature.input_arg
            for t in _argument_types(a, bindings)
        ]
        graph, nodes = self._builder.build(name, function.node_def, arguments, bindings, self.signatures)
        for result in function.signature.output_arg:
            if result.name not in function.ret:
                raise ConversionError(
                    Code.InputNotProduced, f"function '{name}' does not say where its result '{result.name}' comes from"
                )
            graph.outputs.append(
                self._builder.resolve(function.ret[result.name], nodes, f"result '{result.name}' of function '{name}'")
            )
        self._builder.engine.raise_errors()
        self._structure(graph)
        return graph


def callees(node: NodeDef, functions: dict[str, FunctionDef]) -> list[str]:
    """The functions that a NodeDef calls or has as attributes."""
    names = [node.op] if node.op in functions else []
    for value in node.attr.values():
        names.extend(
            f.name
            for f in ([value.func] if value.WhichOneof("value") == "func" else value.list.func)
            if f.name in functions
        )
    return names


def _is_polymorphic(function: FunctionDef) -> bool:
    return bool(len(function.signature.attr))


def _argument_types(argument: OpDefArgDef, bindings: dict[str, AttrValue]) -> list[Element]:
    number = argument.type
    if argument.type_attr and argument.type_attr in bindings:
        number = bindings[argument.type_attr].type
    if argument.number_attr or argument.type_list_attr:
        raise ConversionError(
            Code.VariantUnsupported, f"function parameter '{argument.name}' stands for a list of tensors"
        )
    return [element_type(number) or DType.UNKNOWN]


def _signature(function: FunctionDef) -> Signature:
    results = tuple(element_type(a.type) or DType.UNKNOWN for a in function.signature.output_arg)
    return Signature(len(function.signature.input_arg), results, tuple(a.name for a in function.signature.output_arg))
