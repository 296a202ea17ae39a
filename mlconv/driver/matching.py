"""Ops of one module that are those of another: by names, by what they do to what they read, by their order."""

from __future__ import annotations

import hashlib
from collections import defaultdict, deque
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TypeAlias

from mlconv.dialects.core.contract import Product
from mlconv.dialects.core.transposed import TransposedConvolution
from mlconv.dialects.core.window import Convolution, known_pads, spatial
from mlconv.ir import recipes
from mlconv.ir.constants import Const
from mlconv.ir.core import Op, Value, Yield
from mlconv.ir.module import Module
from mlconv.ir.shapes import static
from mlconv.provenance.locations import first_name

CONSTANTS = frozenset({"core.constant", "tf.Const", "onnx.Constant", "hlo.constant"})


def constant_of_op(op: Op) -> Const | None:
    """The data of an op that does nothing but hold them."""
    if op.name not in CONSTANTS:
        return None
    return next((v for v in op.attributes.values() if isinstance(v, Const)), None)


def attributes_text(op: Op) -> dict[str, str]:
    """Attributes as texts, of ONNX without those that say what is so without them; of constants, what tells them from
    others.
    """
    defaults = _onnx_defaults(op) if op.name.startswith("onnx.") else {}
    return {
        name: f"{value.dtype.display}{list(value.shape)} {digest_of(value).hex()}"
        if isinstance(value, Const)
        else repr(value)
        for name, value in sorted(_resolved(op).items())
        if name not in ("node_def", "opset_version") and (name not in defaults or defaults[name] != value)
    }


def _onnx_defaults(op: Op) -> dict[str, object]:
    """What the schema of an operator says of attributes that a node leaves out."""
    from onnx import defs, helper

    version = op.attributes.get("opset_version", 1)
    kind = op.name.removeprefix("onnx.")
    if not isinstance(version, int) or not defs.has(kind):
        return {}
    try:
        schema = defs.get_schema(kind, version)
    except defs.SchemaError:
        return {}
    found: dict[str, object] = {}
    for name, attribute in schema.attributes.items():
        if attribute.default_value.type:
            value = helper.get_attribute_value(attribute.default_value)
            found[name] = value.decode() if isinstance(value, bytes) else value
    return found


def order_of(op: Op, i: int, rank: int) -> tuple[int, ...]:
    """The axes of a constant operand in one order, whatever the file has: of filters, and of factors that are stored
    transposed.
    """
    if i == 1 and isinstance(op, (Convolution, TransposedConvolution)):
        order = "OI" + "".join(str(k) for k in range(len(op.w_layout) - 2))
        return tuple(op.w_layout.index(c) for c in order)
    if isinstance(op, Product) and i < 2 and (op.transpose_a, op.transpose_b)[i]:
        return (*range(rank - 2), rank - 1, rank - 2)
    return tuple(range(rank))


def _in_order(op: Op, i: int, constant: Const) -> Const:
    order = order_of(op, i, len(constant.shape))
    return constant if order == tuple(range(len(order))) else recipes.transpose(constant, order)


def _is_constant(value: Value) -> bool:
    return value.producer is not None and constant_of_op(value.producer) is not None


def _resolved(op: Op) -> dict[str, object]:
    """Attributes of an op whose meaning others have, too: pads as numbers, where sizes are known; without those that
    say how constants lie.
    """
    if isinstance(op, Product):
        told = {name for name, x in (("transpose_a", op.a), ("transpose_b", op.b)) if not _is_constant(x)}
        return {name: v for name, v in op.attributes.items() if not name.startswith("transpose_") or name in told}
    if not isinstance(op, (Convolution, TransposedConvolution)):
        return op.attributes
    found = {name: value for name, value in op.attributes.items() if name != "w_layout"}
    x, w = op.x.tensor.shape, op.w.tensor.shape
    window = None if w is None else static(tuple(w[op.w_layout.index(str(k))] for k in range(len(op.strides))))
    if isinstance(op, Convolution) and x is not None and window is not None:
        sizes = tuple(x[axis] for axis in spatial(op.x_layout))
        numbers = known_pads(sizes, window, op.strides, op.dilations, op.pads)
        found["pads"] = op.pads if numbers is None else numbers
    return found


@dataclass(eq=False)
class Node:
    """An op that computes.  index: its place among those of the module.  name: of the source node, or of its result.
    constants: operands that are data, by position.
    """

    op: Op
    index: int
    name: str
    constants: dict[int, tuple[str, Const]]

    @property
    def kind(self) -> str:
        return self.op.name

    @cached_property
    def signature(self) -> Hashable:
        """What it does, whatever it reads: its kind, attributes and the types of its constants."""
        held = tuple((i, c.dtype.name, c.shape) for i, (_, c) in self.constants.items())
        return (self.kind, tuple(attributes_text(self.op).items()), held)


def nodes_of(module: Module) -> list[Node]:
    """The ops of all functions that compute, in order."""
    found: list[Node] = []
    for op in module.walk():
        if isinstance(op, Yield) or constant_of_op(op) is not None:
            continue
        constants = {}
        for i, value in enumerate(op.operands):
            held = None if value is None or value.producer is None else constant_of_op(value.producer)
            if value is not None and value.producer is not None and held is not None:
                constants[i] = (value.name or first_name(value.producer.location), _in_order(op, i, held))
        name = first_name(op.location) or next((v.name for v in op.results if v.name), "")
        found.append(Node(op, len(found), name, constants))
    return found


Key: TypeAlias = Callable[[Node], "Hashable | None"]
"""What tells a node from others; None for one that is not told."""


def _name(node: Node) -> Hashable | None:
    return node.name or None


def _name_and_kind(node: Node) -> Hashable | None:
    return (node.name, node.kind) if node.name else None


def _signature(node: Node) -> Hashable | None:
    return node.signature


def _anything(node: Node) -> Hashable | None:
    return True


class Matching:
    """a, b: nodes of two modules.  of_a: for each node of the first the one of the second, where there is one."""

    def __init__(self, a: Module, b: Module) -> None:
        self.a, self.b = nodes_of(a), nodes_of(b)
        self.of_a: dict[Node, Node] = {}
        self._taken: set[Node] = set()
        self._followed: set[Node] = set()
        self._numbers: dict[Node, int] = {}  # one for each pair, by both of its nodes
        self._inputs = [_inputs(a), _inputs(b)]
        self._outputs = [_outputs(a), _outputs(b)]
        self._by_op = [{n.op: n for n in nodes} for nodes in (self.a, self.b)]
        self._match(_name_and_kind, _name_and_kind)
        self._by_structure()
        while self._match(_signature, _signature):
            self._by_structure()
        self._match(_name, _name)
        self._in_place_of()
        self._by_order()

    def _pair(self, one: Node, other: Node) -> None:
        self._numbers[one] = self._numbers[other] = len(self.of_a)
        self.of_a[one] = other
        self._taken.add(other)

    def _left(self) -> tuple[list[Node], list[Node]]:
        return [n for n in self.a if n not in self.of_a], [n for n in self.b if n not in self._taken]

    def _match(self, key_a: Key, key_b: Key) -> int:
        """Pair those that are the only ones with a key on both sides."""
        left, right = self._left()
        found = 0
        ours, theirs = _unique(left, key_a), _unique(right, key_b)
        for key, node in ours.items():
            if key in theirs:
                self._pair(node, theirs[key])
                found += 1
        return found

    def _by_structure(self) -> None:
        """What does the same to what is the same, forwards and backwards, until nothing more is found.

        Behind a look at all, only what is next to a new pair is looked at: that is one look along each operand.
        """
        self._match(*self._readings(_signature))
        self._match(*self._readers(_signature))
        forwards, backwards = deque(self.of_a), deque[Node]()
        while forwards or backwards:
            one = forwards.popleft() if forwards else backwards.popleft()
            other = self.of_a[one]
            if one not in self._followed:
                self._followed.add(one)
                found = self._behind(one, other)
                backwards.append(one)
            else:
                found = self._in_front(one, other)
            for pair in found:
                self._pair(*pair)
                forwards.append(pair[0])
        self._followed.clear()

    def _behind(self, one: Node, other: Node) -> list[tuple[Node, Node]]:
        """Readers of two nodes that are the same, which do the same to what is the same."""
        readings = self._readings(_signature)
        sides = [
            _unique(
                self._open(dict.fromkeys(user for value in node.op.results for user, _ in value.uses), side),
                readings[side],
            )
            for side, node in enumerate((one, other))
        ]
        return [(node, sides[1][key]) for key, node in sides[0].items() if key in sides[1]]

    def _in_front(self, one: Node, other: Node) -> list[tuple[Node, Node]]:
        """What two nodes that are the same read, where it does the same and has the same readers."""
        keys = self._readers(_signature)
        found: dict[Node, Node] = {}
        for x, y in zip(one.op.operands, other.op.operands, strict=False):
            if x is None or y is None or x.producer is None or y.producer is None:
                continue
            ours, theirs = self._open([x.producer], 0), self._open([y.producer], 1)
            if ours and theirs and keys[0](ours[0]) == keys[1](theirs[0]) and theirs[0] not in found.values():
                found.setdefault(ours[0], theirs[0])
        return list(found.items())

    def _open(self, ops: Iterable[Op], side: int) -> list[Node]:
        """Nodes of one side that have no pair."""
        paired = self._taken if side else self.of_a
        nodes = (self._by_op[side].get(op) for op in ops)
        return [node for node in nodes if node is not None and node not in paired]

    def _in_place_of(self) -> None:
        """What does something else to what is the same, and what something else is done to."""
        self._match(*self._readings(_anything))
        self._match(*self._readers(_anything))

    def _readings(self, what: Key) -> tuple[Key, Key]:
        """Keys of what is done to what is known on both sides."""
        ours, theirs = (_reading(self._by_op[s], self._inputs[s], self._numbers, what) for s in (0, 1))
        return ours, theirs

    def _readers(self, what: Key) -> tuple[Key, Key]:
        """Keys of what is done, and who reads it."""
        ours, theirs = (_read_by(self._by_op[s], self._outputs[s], self._numbers, what) for s in (0, 1))
        return ours, theirs

    def _by_order(self) -> None:
        """Those that do the same, between neighbours that are paired, in their order."""
        left, right = self._left()
        before = [_neighbours(self.a, self.of_a), _neighbours(self.b, {v: k for k, v in self.of_a.items()})]
        waiting: dict[Hashable, list[Node]] = defaultdict(list)
        for node in reversed(right):
            waiting[_place(self._numbers, before[1][node]), node.kind].append(node)
        for node in left:
            queue = waiting[_place(self._numbers, before[0][node]), node.kind]
            if queue:
                self._pair(node, queue.pop())


def _inputs(module: Module) -> dict[Value, Hashable]:
    """Inputs of functions by name."""
    return {v: (f.signature, v.name) for f in module.functions for v in f.inputs}


def _outputs(module: Module) -> dict[Value, list[Hashable]]:
    """Outputs of functions by name."""
    found: dict[Value, list[Hashable]] = defaultdict(list)
    for function in module.functions:
        for name, value in zip(function.output_names, function.outputs, strict=True):
            found[value].append((function.signature, name))
    return found


def _unique(nodes: Iterable[Node], key: Key) -> dict[Hashable, Node]:
    found: dict[Hashable, list[Node]] = defaultdict(list)
    for node in nodes:
        at = key(node)
        if at is not None:
            found[at].append(node)
    return {at: listed[0] for at, listed in found.items() if len(listed) == 1}


def _reading(by_op: dict[Op, Node], inputs: dict[Value, Hashable], pairs: dict[Node, int], what: Key) -> Key:
    """A key of what a node does to what is known on both sides; None where it reads something that is not."""

    def key(node: Node) -> Hashable | None:
        tokens: list[Hashable] = []
        for i, value in enumerate(node.op.operands):
            if value is None or i in node.constants:
                continue
            maker = by_op.get(value.producer) if value.producer is not None else None
            if value in inputs:
                tokens.append((i, inputs[value]))
            elif maker is not None and maker in pairs:
                tokens.append((i, pairs[maker], value.index))
            else:
                return None
        return (what(node), tuple(tokens)) if tokens else None

    return key


def _read_by(by_op: dict[Op, Node], outputs: dict[Value, list[Hashable]], pairs: dict[Node, int], what: Key) -> Key:
    """A key of what a node does and who reads it; None where no reader is known on both sides."""

    def key(node: Node) -> Hashable | None:
        readers = [
            (pairs[by_op[user]], i, value.index)
            for value in node.op.results
            for user, i in value.uses
            if user in by_op and by_op[user] in pairs
        ]
        given = [name for value in node.op.results for name in outputs.get(value, ())]
        return (what(node), tuple(sorted(readers)), tuple(given)) if readers or given else None

    return key


def _place(numbers: dict[Node, int], node: Node | None) -> int:
    """The number of a node's pair; -1 in front of all."""
    return -1 if node is None else numbers[node]


def _neighbours(nodes: list[Node], paired: dict[Node, Node]) -> dict[Node, Node | None]:
    """The last node in front of each that is paired."""
    last: Node | None = None
    found: dict[Node, Node | None] = {}
    for node in nodes:
        found[node] = last
        last = node if node in paired else last
    return found


def digest_of(constant: Const) -> bytes:
    """Of the bytes of a constant, read in blocks."""
    found = hashlib.blake2b(digest_size=16)
    for block in constant.blocks():
        found.update(block)
    return found.digest()
