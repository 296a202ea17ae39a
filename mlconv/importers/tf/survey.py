"""What can be said of a graph that has problems: the kinds of its ops.

No values can be traced through it, so the survey has the ops alone.  Each is marked as broken: legalization passes it
over, and reports the kinds that no rule knows.  So one run tells both what is wrong with the graph and what would be
refused once it is mended.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from mlconv.diagnostics import Code, ConversionError, DiagnosticEngine
from mlconv.dialects.source import BROKEN, SourceOp
from mlconv.importers.tf.attributes import FunctionRef
from mlconv.importers.tf.debug_info import DebugInfo
from mlconv.importers.tf.emit import IMPORTED
from mlconv.importers.tf.functions import Library, callees
from mlconv.importers.tf.graph import Graph, Node
from mlconv.importers.tf.interface import NO_RESULT, find_outputs, reachable
from mlconv.ir.builder import Builder
from mlconv.ir.core import Yield
from mlconv.ir.module import Function
from mlconv.provenance.locations import NameLocation

if TYPE_CHECKING:
    from mlconv.formats.graph_messages import FunctionDef, NodeDef


_LEFT_OUT: Final = IMPORTED | NO_RESULT


# what the user named is not in the graph: nothing says which ops are needed
_WRONG_USE: Final = (Code.NoOutputs, Code.NameNotFound)


def note(engine: DiagnosticEngine | None, error: ConversionError) -> DiagnosticEngine:
    """The engine, which has been told the error that ended an import; raises the error when there is no engine, or
    nothing to look for besides.
    """
    if engine is None or error.code in _WRONG_USE:
        raise error
    if not error.diagnostics:  # else it is that of errors which the engine has
        engine.error(error)
    return engine


def survey(
    graph: Graph, nodes: Mapping[str, Node], outputs: Sequence[str] | None, library: Library, debug: DebugInfo
) -> Function:
    """A function of the ops that the outputs depend on, with those of the functions that they call; one op of each kind
    for each function.

    graph, nodes: as they were read, without raised control flow.  outputs: their names; None to find them.  Where there
    are none to be found, all ops count.
    """
    location = NameLocation("main")
    function = Function.create("main", [], [], location)
    builder = Builder(function.block, location)
    called: dict[str, None] = {}
    seen: set[tuple[str, str]] = set()

    def add(kind: str, name: str, body: str, path: str) -> None:
        if kind not in _LEFT_OUT and kind not in library.functions and (kind, body) not in seen:
            seen.add((kind, body))
            builder.location = debug.location(name, body, path)
            builder.emit(SourceOp(f"tf.{kind}", (), {BROKEN: True}, ()))

    for node in _needed(graph, nodes, outputs):
        add(node.op, node.name, "", node.name)
        called.update(dict.fromkeys(_called(node, library)))
    pending = list(called)
    while pending:
        body = library.functions[pending.pop()]
        name = body.signature.name
        for proto in _needed_protos(body):
            add(proto.op, proto.name, name, f"{name}/{proto.name}")
            new = [c for c in callees(proto, library.functions) if c not in called]
            called.update(dict.fromkeys(new))
            pending += dict.fromkeys(new)
    function.block.insert(Yield([], location))
    return function


def _called(node: Node, library: Library) -> list[str]:
    """The functions of the library that a node calls, or has as attributes."""
    values: list[Any] = [FunctionRef(node.op)]
    for value in node.attrs.values():
        values += value if isinstance(value, tuple) and not isinstance(value, FunctionRef) else [value]
    return [v.name for v in values if isinstance(v, FunctionRef) and v.name in library.functions]


def _needed(graph: Graph, nodes: Mapping[str, Node], outputs: Sequence[str] | None) -> list[Node]:
    """The nodes that the outputs depend on through data, in file order; all where there are none to be found."""
    try:
        wanted = [p for p, _ in find_outputs(graph, nodes, outputs)]
    except ConversionError:  # has nothing to do with the problems of the graph, or follows from them
        return graph.nodes
    return reachable(graph, wanted, set(), controls=False)


def _needed_protos(function: FunctionDef) -> Iterable[NodeDef]:
    """The nodes of a function that its results depend on through data."""
    by_name = {proto.name: proto for proto in function.node_def}
    needed, stack = set[str](), [text.partition(":")[0] for text in function.ret.values()]
    while stack:
        name = stack.pop()
        if name in by_name and name not in needed:
            needed.add(name)
            # a control input starts with ^, which no name does
            stack += [text.partition(":")[0] for text in by_name[name].input]
    return (proto for proto in function.node_def if proto.name in needed)
