"""The data model: values in SSA form, ops, blocks and regions.

Ops of a block form a doubly linked list, so that insertion and removal take constant time while a pass walks over them.
A value knows its uses.  Passes change the graph through `mlconv.rewrite` only; the methods here that change it are its
tools.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeAlias, Union

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.dims import Size
from mlconv.ir.types import TensorType, Type

if TYPE_CHECKING:
    from mlconv.provenance.locations import Location

Known: TypeAlias = tuple[Union[Size, None], ...]


class Value:
    """Result of an op or argument of a block.  known: contents of a small integer tensor, flattened, where they can be
    deduced.  replaced: the value that its users took instead.
    """

    __slots__ = ("index", "known", "name", "owner", "replaced", "type", "uses")

    def __init__(self, type_: Type, owner: Op | Block, index: int, name: str = "") -> None:
        self.type = type_
        self.owner = owner
        self.index = index
        self.name = name
        self.uses: dict[tuple[Op, int], None] = {}
        self.known: Known | None = None
        self.replaced: Value | None = None

    @property
    def producer(self) -> Op | None:
        """The op whose result this is; None for a block argument."""
        return self.owner if isinstance(self.owner, Op) else None

    @property
    def tensor(self) -> TensorType:
        """The type, for values that are tensors.  Raises ConversionError TypeMismatch for one that is not."""
        if not isinstance(self.type, TensorType):
            raise ConversionError(Code.TypeMismatch, f"%{self.name} is a {self.type}, not a tensor")
        return self.type

    @property
    def users(self) -> list[Op]:
        """Ops that use the value, each once, in order of first use."""
        return list(dict.fromkeys(op for op, _ in self.uses))

    @property
    def has_one_use(self) -> bool:
        return len(self.uses) == 1

    def replace_by(self, other: Value) -> None:
        """Make every user use `other` instead; the name moves along when `other` has none."""
        if other is self:
            return
        for op, i in self.uses:
            op.operands[i] = other
            other.uses[op, i] = None
        self.uses = {}
        self.replaced, other.replaced = other, None
        if self.name and not other.name and isinstance(other.owner, Op):
            other.name = self.name

    @property
    def successor(self) -> Value:
        """What stands for it now: itself, unless its users took another one."""
        value = self
        while value.replaced is not None and not value.uses:
            value = value.replaced
        return value

    def __repr__(self) -> str:
        return f"<%{self.name or '?'}: {self.type}>"


class Declaration(Protocol):
    """What a class says about its ops: `OpSpec`."""

    @property
    def traits(self) -> frozenset[type[Any]]:
        """Subclasses of `Trait`."""

    @property
    def kinds(self) -> frozenset[type]:
        """Traits, and what these are kinds of."""

    @property
    def text(self) -> str:
        """The declaration, for people."""

    def misfit(self, op: Op) -> str:
        """What an op has that its declaration does not say, or lacks; empty when it fits."""

    def attribute_misfit(self, attributes: dict[str, Any]) -> str:
        """What is wrong with attributes; empty when they fit."""


class Op:
    """An operation.  `operands` may hold None for an absent optional one.  Subclasses: `OpDef` (typed), `OpaqueOp`
    (named by data).
    """

    __slots__ = ("attributes", "block", "location", "next", "operands", "prev", "regions", "results")
    spec: ClassVar[Declaration | None] = None
    name: str

    def __init__(
        self,
        operands: Sequence[Value | None],
        attributes: dict[str, Any],
        result_types: Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        self.operands: list[Value | None] = list(operands)
        self.attributes = attributes
        self.location = location
        self.block: Block | None = None
        self.prev: Op | None = None
        self.next: Op | None = None
        self.regions: list[Region] = list(regions)
        for region in self.regions:
            region.parent = self
        for i, value in enumerate(self.operands):
            if value is not None:
                value.uses[self, i] = None
        self.results: list[Value] = [Value(t, self, i) for i, t in enumerate(result_types)]

    @property
    def result(self) -> Value:
        """The only result.  Raises ValueError when there is not exactly one."""
        (value,) = self.results
        return value

    @property
    def is_used(self) -> bool:
        """Some op uses a result."""
        for value in self.results:  # noqa: SIM110  asked of each op in every walk
            if value.uses:
                return True
        return False

    @property
    def inputs(self) -> list[Value]:
        """The operands that are present."""
        return [v for v in self.operands if v is not None]

    def set_operand(self, i: int, value: Value | None) -> None:
        old = self.operands[i]
        if old is not None:
            del old.uses[self, i]
        self.operands[i] = value
        if value is not None:
            value.uses[self, i] = None

    def set_operands(self, values: Sequence[Value | None]) -> None:
        """Replace the whole operand list."""
        self.drop_operands()
        self.operands = list(values)
        for i, value in enumerate(self.operands):
            if value is not None:
                value.uses[self, i] = None

    def drop_operands(self) -> None:
        for i, value in enumerate(self.operands):
            if value is not None:
                value.uses.pop((self, i), None)
        self.operands = []

    def erase(self) -> None:
        """Take the op out of its block and forget its operands.  Its results must be unused."""
        for region in self.regions:
            region.block.erase_all()
        self.drop_operands()
        if self.block is not None:
            self.block.unlink(self)

    def describe(self) -> str:
        """`core.add (float32[1,3], float32[3])`, for messages."""
        return f"{self.name} ({', '.join('-' if v is None else str(v.type) for v in self.operands)})"

    def __repr__(self) -> str:
        return f"<{self.describe()}>"


class OpaqueOp(Op):
    """An op whose name is data: source ops (`onnx.Conv`, `tf.Conv2D`) and target ops (`tfl.CONV_2D`)."""

    __slots__ = ("name",)

    def __init__(
        self,
        name: str,
        operands: Sequence[Value | None],
        attributes: dict[str, Any],
        result_types: Sequence[Type],
        regions: Sequence[Region] = (),
        location: Location | None = None,
    ) -> None:
        self.name = name
        super().__init__(operands, attributes, result_types, regions, location)


class Yield(Op):
    """Ends a block: the values that the region, or the function, returns."""

    __slots__ = ()
    name = "mlconv.yield"

    def __init__(self, operands: Sequence[Value], location: Location | None = None) -> None:
        super().__init__(operands, {}, (), (), location)


class Block:
    """Arguments, then ops in order; the last op is a `Yield`."""

    __slots__ = ("arguments", "first", "last", "parent", "size")

    def __init__(self, argument_types: Sequence[Type] = (), names: Sequence[str] = ()) -> None:
        self.arguments = [Value(t, self, i) for i, t in enumerate(argument_types)]
        for value, name in zip(self.arguments, names, strict=False):
            value.name = name
        self.first: Op | None = None
        self.last: Op | None = None
        self.size = 0
        self.parent: Region | None = None

    @property
    def ops(self) -> Iterator[Op]:
        """The ops in order.  The current op may be erased or replaced while walking."""
        op = self.first
        while op is not None:
            following = op.next
            yield op
            op = following

    @property
    def terminator(self) -> Yield:
        if not isinstance(self.last, Yield):
            raise ValueError("block does not end in mlconv.yield")
        return self.last

    @property
    def outputs(self) -> list[Value]:
        """The values that the block yields."""
        return self.terminator.inputs

    def add_argument(self, type_: Type, name: str = "") -> Value:
        value = Value(type_, self, len(self.arguments), name)
        self.arguments.append(value)
        return value

    def insert(self, op: Op, before: Op | None = None) -> None:
        """Link op in before another one, or at the end."""
        op.block = self
        after = self.last if before is None else before.prev
        op.prev, op.next = after, before
        if after is None:
            self.first = op
        else:
            after.next = op
        if before is None:
            self.last = op
        else:
            before.prev = op
        self.size += 1

    def unlink(self, op: Op) -> None:
        if op.prev is None:
            self.first = op.next
        else:
            op.prev.next = op.next
        if op.next is None:
            self.last = op.prev
        else:
            op.next.prev = op.prev
        op.block = op.prev = op.next = None
        self.size -= 1

    def erase_all(self) -> None:
        op = self.last
        while op is not None:
            before = op.prev
            op.erase()
            op = before


class Region:
    """One block inside an op, which sees the values around it."""

    __slots__ = ("block", "parent")

    def __init__(self, block: Block) -> None:
        self.block = block
        block.parent = self
        self.parent: Op | None = None


def walk(block: Block) -> Iterator[Op]:
    """All ops of a block and of the regions in it, outer op first.  Iterative: nesting depth is bounded by the file,
    not by the stack.
    """
    stack = [block.first]
    while stack:
        op = stack.pop()
        while op is not None:
            following = op.next
            yield op
            if op.regions and op.block is not None:
                stack.append(following)
                for region in reversed(op.regions[1:]):
                    stack.append(region.block.first)
                following = op.regions[0].block.first
            op = following


def values_of(block: Block) -> Iterator[Value]:
    """All values that a block, and the regions within it, make: arguments, results of ops, outer before inner."""
    yield from block.arguments
    for op in walk(block):
        yield from op.results
        for region in op.regions:
            yield from region.block.arguments


def captures(region: Region) -> list[Value]:
    """Values that the region uses and that are defined outside of it, in order of first use."""
    inside: set[Value] = set()
    found: dict[Value, None] = {}
    inside.update(region.block.arguments)
    for op in walk(region.block):
        for value in op.inputs:
            if value not in inside:
                found.setdefault(value)
        inside.update(op.results)
        for inner in op.regions:
            inside.update(inner.block.arguments)
    return list(found)


def clone_block(source: Block, mapping: dict[Value, Value]) -> Block:
    """A copy of a block; `mapping` takes old values to new ones and is extended.  Values from outside stay as they are
    unless mapped.
    """
    out = Block([v.type for v in source.arguments], [v.name for v in source.arguments])
    mapping.update(zip(source.arguments, out.arguments, strict=True))
    for op in source.ops:
        out.insert(clone_op(op, mapping))
    return out


def clone_op(op: Op, mapping: dict[Value, Value]) -> Op:
    """A detached copy of an op with its operands mapped; its results are added to `mapping`."""
    copy = object.__new__(type(op))
    if isinstance(op, OpaqueOp) and isinstance(copy, OpaqueOp):
        copy.name = op.name
    operands = [None if v is None else mapping.get(v, v) for v in op.operands]
    regions = [Region(clone_block(r.block, mapping)) for r in op.regions]
    Op.__init__(copy, operands, dict(op.attributes), [v.type for v in op.results], regions, op.location)
    for old, new in zip(op.results, copy.results, strict=True):
        new.name, new.known = old.name, old.known
        mapping[old] = new
    return copy
