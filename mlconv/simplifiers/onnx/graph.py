"""A graph of an ONNX model that is being rewritten: nodes in an order in which they can run, who makes and who reads
each value, constants as handles.

Messages of nodes that nothing changes stay as they are.  Subgraphs are graphs of their own, which see the names around
them.  Source: onnx docs/IR.md.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from mlconv.diagnostics import ConversionError
from mlconv.exporters.onnx.types import fill_attribute
from mlconv.formats.protos import onnx_pb
from mlconv.importers.onnx.fields import text
from mlconv.importers.onnx.nodes import nodes_of, ordered, producers
from mlconv.importers.onnx.read import OnnxFile
from mlconv.ir.constants import Array, Const
from mlconv.ir.core import Value
from mlconv.ir.types import Shape, TensorType
from mlconv.simplifiers.facts import NOTHING, Fact

if TYPE_CHECKING:
    from onnx.onnx_ml_pb2 import GraphProto, NodeProto, TensorProto

KNOWN_DOMAINS = frozenset(
    {"", "ai.onnx", "ai.onnx.ml", "ai.onnx.training", "ai.onnx.preview.training", "com.microsoft"}
)
"""Domains whose operators do nothing else than compute."""
SMALL = 1 << 12
"""Elements of a constant that rules look at."""


@dataclass(slots=True, eq=False)
class Node:
    """A node.  graphs: of its attributes, by name.  reads: names that it and its subgraphs take from the graph, with
    how often.  made: by a rule, under the name of the node that it is made of.
    """

    proto: NodeProto
    op_type: str
    domain: str
    inputs: list[str]
    outputs: list[str]
    graphs: dict[str, list[Graph]] = field(default_factory=dict)
    reads: Counter[str] = field(default_factory=Counter)
    made: bool = False

    @property
    def key(self) -> str:
        """`Conv`; with its domain, `com.microsoft.Gelu`."""
        return f"{self.domain}.{self.op_type}" if self.domain else self.op_type

    @property
    def output(self) -> str:
        """The first result."""
        return self.outputs[0]

    def has(self, i: int) -> bool:
        """Input i is there."""
        return i < len(self.inputs) and bool(self.inputs[i])

    def attribute(self, name: str, default: object = None) -> object:
        """An attribute of numbers or text as Python has it."""
        for a in self.proto.attribute:
            if a.name == name:
                if a.type == a.INT:
                    return int(a.i)
                if a.type == a.FLOAT:
                    return float(a.f)
                if a.type == a.STRING:
                    return a.s.decode("utf-8", "replace")
                if a.type == a.INTS:
                    return tuple(int(i) for i in a.ints)
                if a.type == a.FLOATS:
                    return tuple(float(x) for x in a.floats)
        return default

    def integer(self, name: str, default: int) -> int:
        """An attribute that is an integer."""
        found = self.attribute(name, default)
        return found if isinstance(found, int) else default

    def integers(self, name: str) -> tuple[int, ...] | None:
        """An attribute that is a list of integers."""
        found = self.attribute(name)
        return found if isinstance(found, tuple) and all(isinstance(i, int) for i in found) else None

    def has_attribute(self, name: str) -> bool:
        return any(a.name == name for a in self.proto.attribute)

    def set_attribute(self, name: str, value: object) -> None:
        """Set an attribute; None takes it away."""
        kept = [a for a in self.proto.attribute if a.name != name]
        if len(kept) < len(self.proto.attribute):
            copies = [type(a).FromString(a.SerializeToString()) for a in kept]
            del self.proto.attribute[:]
            self.proto.attribute.extend(copies)
        if value is not None:
            fill_attribute(self.proto.attribute.add(), name, value)


@dataclass(slots=True)
class Tensor:
    """An initializer.  proto: its message as the file has it; None of one that is new.  digest: of its contents."""

    constant: Const | None
    proto: TensorProto | None = None
    digest: Hashable | None = None


@dataclass(slots=True)
class Model:
    """What the graphs of a model share.

    overridable: initializers that a caller may replace.  functions: operators that the model defines itself.  listed:
    initializers are listed as inputs, too (IR versions before 4).  growth: bytes that a constant may take beyond the
    nodes that it stands for.  pinned: types of inputs whose sizes the user gives.  restated: values that have other
    types than the file states.  inputs: of the main graph, as facts have them.  originals: what values of subgraphs
    were called whose names others had, too.  applied: how often each rule was.
    """

    file: OnnxFile
    facts: dict[str, Fact]
    overridable: frozenset[str]
    functions: frozenset[tuple[str, str]]
    listed: bool
    growth: int
    names: set[str] = field(default_factory=set)
    pinned: dict[str, TensorType] = field(default_factory=dict)
    restated: set[str] = field(default_factory=set)
    inputs: list[Value] = field(default_factory=list)
    originals: dict[str, str] = field(default_factory=dict)
    applied: Counter[str] = field(default_factory=Counter)

    def opset(self, domain: str = "") -> int:
        return self.file.opsets.get(domain, 1)

    def fresh(self, base: str) -> str:
        """A name that nothing has."""
        name, k = base, 0
        while name in self.names:
            k += 1
            name = f"{base}_{k}"
        self.names.add(name)
        return name


class Graph:
    """One graph.  parent: of a subgraph."""

    def __init__(self, proto: GraphProto, model: Model, parent: Graph | None = None) -> None:
        self.proto, self.model, self.parent = proto, model, parent
        self.inputs = dict.fromkeys(text(v.name) for v in proto.input)
        self.outputs = [text(v.name) for v in proto.output]
        self.tensors: dict[str, Tensor] = {text(t.name): Tensor(None, t) for t in proto.initializer}
        self.sparse = {text(s.values.name): s for s in proto.sparse_initializer}
        self.infos = list(proto.value_info)
        self.nodes: list[Node] = []
        self.made: dict[str, Node] = {}
        self.held: Counter[str] = Counter(self.outputs)
        self.uses: Counter[str] = Counter(self.outputs)
        self.readers: dict[str, dict[Node, None]] = {}
        self.gone: set[Node] = set()
        self.pending: list[Node] | None = None
        self._load()

    def _load(self) -> None:
        protos = nodes_of(self.proto.node)
        errors: list[ConversionError] = []
        made = producers(protos, [], "the graph", errors.append)
        for found in ordered(protos, made, errors.append):
            node = Node(found.proto, found.op_type, found.domain, list(found.inputs), list(found.outputs))
            for a in found.proto.attribute:
                graphs = [a.g] if a.HasField("g") else list(a.graphs)
                if graphs:
                    node.graphs[a.name] = [Graph(g, self.model, self) for g in graphs]
            self._enter(node)
            self.nodes.append(node)
        if errors:
            raise errors[0]

    # What there is

    @property
    def root(self) -> Graph:
        return self if self.parent is None else self.parent.root

    def names(self) -> Iterator[str]:
        """All that the graph defines, its subgraphs too."""
        yield from self.tensors
        yield from self.sparse
        yield from (n for n in self.inputs if n not in self.tensors)
        yield from (n for n in self.made if n)
        for graph in self.subgraphs():
            yield from graph.names()

    def subgraphs(self) -> Iterator[Graph]:
        for node in self.nodes:
            for graphs in node.graphs.values():
                yield from graphs

    def home(self, name: str) -> Graph | None:
        """The graph that defines a name, from here outwards."""
        graph: Graph | None = self
        while graph is not None:
            if name in graph.made or name in graph.tensors or name in graph.inputs or name in graph.sparse:
                return graph
            graph = graph.parent
        return None

    def maker(self, name: str) -> Node | None:
        """The node of this graph or one around it that makes a value."""
        home = self.home(name)
        return home.made.get(name) if home is not None else None

    def constant(self, name: str) -> Const | None:
        """The constant that a name stands for."""
        home = self.home(name) if name else None
        if home is None or name in home.made or name in self.model.overridable:
            return None
        tensor = home.tensors.get(name)
        if tensor is None:
            return None
        if tensor.constant is None and tensor.proto is not None:
            tensor.constant = self.model.file.tensors.read(tensor.proto, name)
        return tensor.constant

    def array(self, name: str) -> Array | None:
        """A small constant as an array."""
        found = self.constant(name)
        return None if found is None or found.size > SMALL else found.view()

    def integers(self, name: str) -> list[int] | None:
        """A small constant of integers, flattened."""
        array = self.array(name)
        return None if array is None or array.dtype.kind not in "iub" else [int(i) for i in array.reshape(-1)]

    def listed(self, node: Node, attribute: str, i: int) -> list[int] | None:
        """Integers from an attribute, or from the input that it became."""
        found = node.integers(attribute)
        if found is not None:
            return list(found)
        return self.integers(node.inputs[i]) if node.has(i) else None

    def fact(self, name: str) -> Fact:
        constant = self.constant(name)
        if constant is not None:
            return Fact(TensorType(constant.dtype, constant.shape))
        return self.model.facts.get(name, NOTHING)

    def type_of(self, name: str) -> TensorType | None:
        return self.fact(name).type

    def shape(self, name: str) -> Shape | None:
        type_ = self.type_of(name)
        return None if type_ is None else type_.shape

    def rank(self, name: str) -> int | None:
        shape = self.shape(name)
        return None if shape is None else len(shape)

    def is_output(self, name: str) -> bool:
        return self.held[name] > 0

    def once(self, name: str) -> bool:
        """The value is read once, by a node of the graph that makes it, and is no output."""
        home = self.home(name)
        return home is self and self.uses[name] == 1 and not self.is_output(name)

    def sole(self, name: str, *kinds: str) -> Node | None:
        """The node of one of these kinds that makes a value which nothing else reads."""
        node = self.made.get(name)
        if node is None or node.key not in kinds or not self.once(name):
            return None
        return node if all(not o or o == name or not self.uses[o] for o in node.outputs) else None

    def one(self, name: str, *kinds: str) -> Node | None:
        """The node of one of these kinds that makes a value."""
        node = self.maker(name)
        return node if node is not None and node.key in kinds else None

    # Changes

    def _enter(self, node: Node) -> None:
        reads: Counter[str] = Counter(n for n in node.inputs if n)
        for graphs in node.graphs.values():
            for graph in graphs:
                reads.update(graph.free())
        node.reads = reads
        for name, count in reads.items():
            self.uses[name] += count
            self.readers.setdefault(name, {})[node] = None
        for name in node.outputs:
            if name:
                self.made[name] = node

    def free(self) -> Counter[str]:
        """Names that the graph takes from around it."""
        own = self.made.keys() | self.tensors.keys() | self.inputs.keys() | self.sparse.keys()
        return Counter({n: c for n, c in self.uses.items() if n not in own and c > 0})

    def _leave(self, node: Node) -> None:
        for name, count in node.reads.items():
            self.uses[name] -= count
            self.readers.get(name, {}).pop(node, None)
        for name in node.outputs:
            if self.made.get(name) is node:
                del self.made[name]

    def reread(self, node: Node) -> None:
        """A node's inputs or subgraphs have changed."""
        self._leave(node)
        self._enter(node)

    def emit(
        self, op_type: str, inputs: Sequence[str], outputs: Sequence[str], like: Node, **attributes: object
    ) -> Node:
        """A new node at the place of the one that is looked at.  like: whose name and notes it takes."""
        proto: NodeProto = onnx_pb().NodeProto()
        proto.op_type = op_type
        for name in ("name", "doc_string"):
            if getattr(like.proto, name):
                setattr(proto, name, getattr(like.proto, name))
        proto.metadata_props.extend(like.proto.metadata_props)
        node = Node(proto, op_type, "", list(inputs), list(outputs), made=True)
        for name, value in attributes.items():
            if value is not None:
                fill_attribute(proto.attribute.add(), name, value)
        self.place(node)
        return node

    def place(self, node: Node) -> None:
        """Put a node at the place of the one that is looked at."""
        self._enter(node)
        if self.pending is None:
            self.nodes.append(node)
        else:
            self.pending.append(node)

    def adopt(self, branch: Graph, named: Mapping[str, str]) -> None:
        """Take the nodes of a subgraph.  named: results that get other names."""
        for old, new in named.items():
            branch.made[old].outputs = [new if n == old else n for n in branch.made[old].outputs]
            branch.substitute(old, new)
            if old in self.model.facts:
                self.model.facts.setdefault(new, self.model.facts[old])
        for node in branch.nodes:
            if node not in branch.gone:
                for graphs in node.graphs.values():
                    for graph in graphs:
                        graph.parent = self
                self.place(node)

    def copy(self, like: Node, inputs: Sequence[str], outputs: Sequence[str]) -> Node:
        """A node with another's attributes, at the place of the one that is looked at."""
        node = self.emit(like.op_type, inputs, outputs, like)
        node.domain = like.domain
        node.proto.attribute.extend(like.proto.attribute)
        return node

    def remove(self, node: Node) -> None:
        """Take a node away, and those that only it reads."""
        stack = [node]
        while stack:
            last = stack.pop()
            if last in self.gone:
                continue
            self.gone.add(last)
            self._leave(last)
            for name in last.reads:
                maker = self.made.get(name)
                if maker is not None and maker not in self.gone and self.is_dead(maker):
                    stack.append(maker)

    def retire(self, node: Node) -> None:
        """Take a node away whose results another one makes by now."""
        self.gone.add(node)
        self._leave(node)

    def is_dead(self, node: Node) -> bool:
        """Nothing reads it, and it may go: it is of a domain whose operators do nothing else than compute."""
        return self.is_plain(node) and not any(self.uses[n] for n in node.outputs if n)

    def is_plain(self, node: Node) -> bool:
        """An operator of a known domain, none that the model defines."""
        return node.domain in KNOWN_DOMAINS and (node.domain, node.op_type) not in self.model.functions

    def set_input(self, node: Node, i: int, name: str) -> None:
        """Make a node read another value; what nothing reads then goes."""
        old = node.inputs[i]
        node.inputs[i] = name
        self.reread(node)
        self.drop(old)

    def drop(self, name: str) -> None:
        """Take away the maker of a value, if nothing reads it."""
        maker = self.made.get(name)
        if maker is not None and self.is_dead(maker):
            self.remove(maker)

    def add(self, constant: Const, base: str, exact: bool = False) -> str:
        """A new initializer; returns its name.  exact: which is `base`."""
        name = base if exact else self.model.fresh(base)
        self.tensors[name] = Tensor(constant)
        return name

    def forward(self, node: Node, old: str, new: str) -> bool:
        """Make all that read a result of a node read another value, and take the node away.  False where that cannot
        be: an output has its own name, and what it stands for has another that must stay.
        """
        if any(n != old and self.uses[n] for n in node.outputs if n):
            return False
        if self.is_output(old):
            maker = self.made.get(new)
            if maker is None or self.is_output(new) or self.held[old] > 1:
                return False
            self.retire(node)
            self._rename(maker, new, old)
            return True
        self.substitute(old, new)
        self.remove(node)
        return True

    def substitute(self, old: str, new: str) -> None:
        """All that read one value read another; not the outputs of this graph."""
        for reader in list(self.readers.get(old, ())):
            reader.inputs = [new if n == old else n for n in reader.inputs]
            for graphs in reader.graphs.values():
                for graph in graphs:
                    graph.substitute_free(old, new)
            self.reread(reader)

    def substitute_free(self, old: str, new: str) -> None:
        """The same for a name from around the graph, which outputs of subgraphs may be, too."""
        for i, name in enumerate(self.outputs):
            if name == old:
                self.rename_output(i, new)
        self.substitute(old, new)

    def rename_output(self, i: int, new: str) -> None:
        """Outputs of subgraphs are known by their place."""
        for counts in (self.uses, self.held):
            counts[self.outputs[i]] -= 1
            counts[new] += 1
        self.outputs[i] = new

    def _rename(self, maker: Node, old: str, new: str) -> None:
        """A value of this graph takes the name of an output, which nothing makes any longer."""
        maker.outputs = [new if n == old else n for n in maker.outputs]
        self.made.pop(old, None)
        self.made[new] = maker
        if new not in self.model.facts and old in self.model.facts:
            self.model.facts[new] = self.model.facts[old]
        self.substitute(old, new)

    def become(self, node: Node, constants: Sequence[Const | None]) -> None:
        """Results of a node become initializers of their names."""
        kept = [(n, c) for n, c in zip(node.outputs, constants, strict=True) if n and c is not None]
        self.remove(node)
        for name, constant in kept:
            self.tensors[name] = Tensor(constant)

    def note(self, name: str, type_: TensorType | None) -> None:
        """The type of a new value, or of one that has another now: what the file states of it is no longer true."""
        self.model.restated.add(name)
        if type_ is not None:
            self.model.facts[name] = Fact(type_)
