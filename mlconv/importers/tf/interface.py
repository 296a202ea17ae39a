"""Which tensors are the inputs and outputs of a frozen graph: found from its structure, or named by the user."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final, NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.hints import nearest
from mlconv.dialects.tf_types import Element
from mlconv.importers.pinned import check_pinned
from mlconv.importers.tf.cut_shapes import port_shape
from mlconv.importers.tf.graph import RETURNS, Graph, Node, Port
from mlconv.ir.dims import Dim, Size
from mlconv.ir.types import Shape

# Ops whose results nobody wants as outputs of a model, though nothing reads them.
NO_RESULT: Final = frozenset(
    {
        "NoOp",
        "Assert",
        "Print",
        "PrintV2",
        "Const",
        "Placeholder",
        "PlaceholderV2",
        "PlaceholderWithDefault",
        "SaveV2",
        "RestoreV2",
        "CheckNumerics",
        "MergeV2Checkpoints",
        "TensorArrayCloseV3",
        "LookupTableImportV2",
        "LookupTableImport",
        "HashTableV2",
        "HashTable",
    }
)
_FIRST_ONLY: Final = frozenset({"FusedBatchNorm", "FusedBatchNormV2", "FusedBatchNormV3"})  # the rest is for training
_PLACEHOLDERS: Final = ("Placeholder", "PlaceholderV2")


class Input(NamedTuple):
    """One input of the model: the port it replaces, its name, and its shape (None: unknown rank)."""

    port: Port
    name: str
    element: Element
    shape: Shape | None


def find_outputs(graph: Graph, nodes: Mapping[str, Node], outputs: Sequence[str] | None) -> list[tuple[Port, str]]:
    """The output ports and their names.  outputs: names as `node` or `node:0`; None to find them.

    Raises ConversionError NoOutputs (no outputs), NameNotFound (a name is not in the graph).
    """
    targets = [_named_port(n, nodes, "output") for n in outputs] if outputs else _returned(graph) or _sinks(graph)
    if not targets:
        raise ConversionError(
            Code.NoOutputs, "the graph has no outputs: no node is a result", help="name them with --outputs NODE:0"
        )
    return [(p, _port_name(p)) for p in targets]


def named_inputs(nodes: Mapping[str, Node], inputs: Sequence[str] | None) -> list[Port]:
    """The ports that the user names as inputs.  Raises ConversionError NameNotFound."""
    return [_named_port(n, nodes, "input") for n in inputs or ()]


def reachable(graph: Graph, targets: Sequence[Port], stop: set[Node], controls: bool = True) -> list[Node]:
    """The nodes that `targets` depend on, through data edges and, unless told otherwise, control edges, in file order;
    what stands before `stop` is not entered.
    """
    needed = set[Node]()
    stack = [p.node for p in targets]
    while stack:
        node = stack.pop()
        if node in needed:
            continue
        needed.add(node)
        if node not in stop:
            stack += [p.node for p in node.inputs]
            stack += node.controls if controls else ()
    return [n for n in graph.nodes if n in needed]


def restrict(graph: Graph, targets: Sequence[Port], named: Sequence[Port]) -> None:
    """Drop the nodes that `targets` do not depend on."""
    graph.nodes = reachable(graph, [*targets, *named], cut_nodes(named))


def find_inputs(
    order: Sequence[Node], named: list[Port], shapes: Mapping[str, Sequence[int | str | None]] | None
) -> list[Input]:
    """Inputs: those that the user names, then the placeholders that are needed, in file order.

    order: the needed nodes.  shapes: sizes by input name; None or -1 for a dynamic one.  Raises ConversionError
    NameNotFound.
    """
    cut = {p.node for p in named}
    found = named + [Port(n, 0) for n in order if n.op in _PLACEHOLDERS and n not in cut]
    given = {_canonical(n): s for n, s in (shapes or {}).items()}
    listed = [_input(p, given.pop(_port_name(p), None)) for p in found]
    if given:
        raise _unknown(next(iter(given)), "--shape", [i.name for i in listed])
    return listed


def cut_nodes(ports: Sequence[Port]) -> set[Node]:
    """Nodes all of whose outputs are inputs of the model: what feeds them is not needed."""
    named = set(ports)
    return {p.node for p in ports if all(Port(p.node, i) in named for i in range(len(p.node.outputs)))}


def _returned(graph: Graph) -> list[Port]:
    """What `_Retval` nodes return, in the order of their `index`."""
    returns = [n for n in graph.nodes if n.op in RETURNS and n.inputs]
    return [n.inputs[0] for n in sorted(returns, key=lambda n: int(n.attrs.get("index", 0)))]


def _sinks(graph: Graph) -> list[Port]:
    """Results of the nodes that nothing reads; nodes that only control edges leave count when there are no others."""
    read = {p.node for n in graph.nodes for p in n.inputs}
    controlled = {c for n in graph.nodes for c in n.controls}
    ends = [n for n in graph.nodes if n not in read and n.outputs and n.op not in NO_RESULT]
    free = [n for n in ends if n not in controlled]
    return [Port(n, i) for n in free or ends for i in range(1 if n.op in _FIRST_ONLY else len(n.outputs))]


def _canonical(name: str) -> str:
    _, colon, tail = name.rpartition(":")
    return name if colon and tail.isdecimal() else f"{name}:0"


def _port_name(port: Port) -> str:
    return f"{port.node.name}:{port.slot}"


def _named_port(name: str, nodes: Mapping[str, Node], what: str) -> Port:
    head, _, tail = _canonical(name).rpartition(":")
    node = nodes.get(head)
    if node is None or len(tail) > 6:
        raise _unknown(name, f"--{what}s", nodes)
    index = int(tail)
    if index >= len(node.outputs):
        raise ConversionError(
            Code.NameNotFound, f"{what} '{name}': node '{head}' ({node.op}) has {len(node.outputs)} outputs"
        )
    return Port(node, index)


def _unknown(name: str, flag: str, known: Mapping[str, Node] | Sequence[str]) -> ConversionError:
    close = nearest(name.rpartition(":")[0] or name, list(known)[:2000], 3)
    hint = f"did you mean {' or '.join(close)}?" if close else "`mlconv inspect` lists the names"
    return ConversionError(Code.NameNotFound, f"{flag} names '{name}', which the graph does not have", help=hint)


def _input(port: Port, given: Sequence[int | str | None] | None) -> Input:
    node = port.node
    sizes: Sequence[int | str | None] | None = given
    if node.op in (*_PLACEHOLDERS, "PlaceholderWithDefault"):
        declared = node.attrs.get("shape")
        sizes = declared if given is None else given
        check_pinned(node.name, sizes or (), declared or None)  # old graphs write an unknown shape as that of a scalar
    elif given is None:
        sizes = port_shape(port)
    return Input(port, _port_name(port), node.outputs[port.slot], input_shape(node.name, sizes))


def input_shape(name: str, sizes: Sequence[int | str | None] | None) -> Shape | None:
    """Sizes as given, None or -1 becoming symbols named after the input and the axis; None: the rank is not known."""
    return None if sizes is None else tuple(_dimension(name, i, s) for i, s in enumerate(sizes))


def _dimension(name: str, axis: int, size: int | str | None) -> Size:
    if isinstance(size, str):
        return int(size) if size.lstrip("-").isdecimal() and int(size) >= 0 else Dim.symbol(size)
    return Dim.symbol(f"{name}_{axis}") if size is None or size < 0 else size
