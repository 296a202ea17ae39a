"""The memory plan: each buffer is an input, an output, weights or a part of the one arena, by lifetimes.

A value belongs to a buffer; aliases, and results that take over the buffer of an operand that is not needed any more,
share one.  What a region needs is memory of its op, inside of the arena of the block around it; loop variables live in
the buffers of the loop's results.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import NamedTuple, Protocol

from mlconv.codegen.kernels.kind import KINDS, Kinds, kind_of, scratch_of
from mlconv.codegen.program.packing import ALIGNMENT, Buffer, aligned, pack
from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.dialects.kernel.beyond import beyond
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Op, Value, Yield, walk
from mlconv.ir.data_sizes import data_sizes, upper
from mlconv.ir.dims import Dim, Size, maximum
from mlconv.ir.types import TensorType

_WORD = 4  # bytes
_FILLED = 64  # bytes of a constant, for each that may be filled up in front of it


class Allocation(NamedTuple):
    """kind: `input`, `output`, `weights` or `arena`.  at: position among inputs or outputs, or offset in bytes."""

    kind: str
    at: Size


@dataclass(eq=False, repr=False)
class MemoryPlan:
    """Allocations of all values and of scratch memory, copies that remain at the end of a block, weights in order,
    sizes in bytes.

    starts: copies of what a loop starts with.  symbols: sizes that are known at run time, in the order of their first
    use in the inputs' shapes.  defined: bounds of those that data decide; buffers have room for them.
    """

    allocations: dict[Value, Allocation] = field(default_factory=dict)
    scratch: dict[Op, Allocation] = field(default_factory=dict)
    copies: dict[Block, list[tuple[Value, Allocation]]] = field(default_factory=dict)
    starts: dict[Op, list[tuple[Value, Allocation]]] = field(default_factory=dict)
    weights: list[tuple[Const, int]] = field(default_factory=list)
    symbols: list[str] = field(default_factory=list)
    defined: dict[str, Size] = field(default_factory=dict)
    weight_bytes: int = 0
    arena_bytes: Size = 0


class HasTensor(Protocol):
    """A value, or what says as much of one."""

    @property
    def tensor(self) -> TensorType: ...


def nbytes(value: HasTensor) -> Size:
    size = value.tensor.size
    if size is None:
        raise ConversionError(Code.InternalError, f"{value.tensor} has no size")
    return size * value.tensor.dtype.itemsize


def root(value: Value) -> Value:
    """The value whose buffer this is, as far as aliases go."""
    while isinstance(value.producer, KernelOp) and value.producer.name == "kernel.alias":
        value = value.producer.inputs[0]
    return value


def plan_memory(block: Block, kinds: Kinds = KINDS) -> MemoryPlan:
    """Allocate every value of a block of kernels and of the regions in it.  kinds: see `kind_of`."""
    out = MemoryPlan(defined=data_sizes(block))
    _allocate_weights(block, out)
    for i, value in enumerate(block.arguments):
        out.allocations[value] = Allocation("input", i)
        for size in value.tensor.shape or ():
            out.symbols += [s for s in sorted(size.symbols()) if s not in out.symbols] if isinstance(size, Dim) else []
    layout = _Layout(block, kinds, False, bounds=out.defined)
    _resolve(layout, 0, [Allocation("output", i) for i in range(len(block.outputs))], out)
    out.arena_bytes = layout.size
    for op in walk(block):
        if isinstance(op, KernelOp) and op.name == "kernel.alias":
            out.allocations[op.result] = out.allocations[root(op.result)]
    return out


class BlockMemory(NamedTuple):
    """What one block takes by itself, in bytes.  scratch: of ops that need memory of their own.  elsewhere: results
    that are made in the memory of what the block yields.
    """

    size: Size
    scratch: dict[Op, Size]
    elsewhere: frozenset[Value]


def block_memory(
    block: Block,
    kinds: Kinds = KINDS,
    carried: bool = False,
    test: bool = False,
    inner: Mapping[Op, Size] | None = None,
) -> BlockMemory:
    """The memory of a block in the order of its ops.  carried, test: see `region_roles`.  inner: what the regions of
    ops take, where that is known.
    """
    layout = _Layout(block, kinds, carried, test, inner, data_sizes(block))
    scratch = {op: buffer.size for op, buffer in layout.scratch.items()}
    return BlockMemory(layout.size, scratch, frozenset(v for v, b in layout.of.items() if b.yielded >= 0))


def region_roles(op: Op) -> list[tuple[bool, bool]]:
    """Of each region: whether its arguments are loop variables, in the memory of the loop's results, and whether it is
    the test of a loop, whose condition is read at once.
    """
    loop = op.name == "kernel.while"
    return [(loop, loop and i == 0) for i in range(len(op.regions))]


def _allocate_weights(block: Block, out: MemoryPlan) -> None:
    """Constants in the order of their ops, and behind the last one what is read there."""
    room: dict[Const, int] = {}
    places: list[core.Constant] = []
    for op in walk(block):
        if isinstance(op, core.Constant):
            places.append(op)
            room.setdefault(op.value, 0)
        elif isinstance(op, KernelOp):
            for i, value in enumerate(op.inputs):
                maker = root(value).producer
                if isinstance(maker, core.Constant):
                    room[maker.value] = max(room[maker.value], beyond(op.problem, i))
    mean = sum(c.nbytes for c in room) // max(1, len(room))
    offsets: dict[Const, int] = {}
    end = 0
    for constant, more in room.items():
        offsets[constant] = -(-end // _alignment(constant, mean)) * _alignment(constant, mean)
        end = offsets[constant] + constant.nbytes
        out.weight_bytes = max(out.weight_bytes, end + more)
    out.weights = list(offsets.items())
    out.allocations.update((op.y, Allocation("weights", offsets[op.value])) for op in places)


def _alignment(constant: Const, mean: int) -> int:
    """Where long constants begin, or those of a network whose constants are long, a line of a cache does; in front of
    others not much is filled up.  mean: bytes of a constant.
    """
    least = max(_WORD, constant.dtype.itemsize)
    return min(ALIGNMENT, max(least, 1 << (max(constant.nbytes, mean) // _FILLED).bit_length() >> 1))


class _Layout:
    """Buffers of one block, with offsets from where its memory begins.

    carried, test: see `region_roles`.  known: what the regions of some ops take, which are not looked at then.  bounds:
    of sizes that data decide.
    """

    def __init__(
        self,
        block: Block,
        kinds: Kinds,
        carried: bool,
        test: bool = False,
        known: Mapping[Op, Size] | None = None,
        bounds: Mapping[str, Size] | None = None,
    ) -> None:
        self.block, self.kinds, self.test = block, kinds, test
        self.bounds = bounds or {}
        self.known = known or {}
        self.size: Size = 0
        self.inner: dict[Op, list[_Layout]] = {}
        self.scratch: dict[Op, Buffer] = {}
        self.buffers: list[Buffer] = []
        self.of: dict[Value, Buffer] = {}
        self.order = list(block.ops)
        self.end = len(self.order)
        self.last = self._last_uses()
        if carried:
            for i, value in enumerate(block.arguments):
                buffer = Buffer(self._room(value), -1, self.last.get(value, -1), [value], False, i)
                self.of[value] = buffer
        for time, op in enumerate(self.order):
            if isinstance(op, KernelOp):
                self._add(op, time)
        if not test:
            self._pin()
        self.size = pack([b for b in self.buffers if b.yielded < 0])

    def _room(self, value: Value) -> Size:
        """Bytes that a value takes at most."""
        return upper(nbytes(value), self.bounds)

    def _last_uses(self) -> dict[Value, int]:
        """When a buffer is read for the last time, by root values; a region reads while its op runs."""
        last: dict[Value, int] = {}
        for time, op in enumerate(self.order):
            for value in op.inputs:
                last[root(value)] = self.end if isinstance(op, Yield) else time
            for region in op.regions:
                for inside in walk(region.block):
                    for value in inside.inputs:
                        last[root(value)] = time
        return last

    def _add(self, op: KernelOp, time: int) -> None:
        if op.name == "kernel.alias":
            return
        for i, value in enumerate(op.results):
            given = self._given(op, i, time)
            if given is None:
                given = Buffer(self._room(value), time, time, [])
                self.buffers.append(given)
            given.values.append(value)
            given.dies = max(time, self.last.get(value, time))
            self.of[value] = given
        need: Size = 0
        if op in self.known:
            need = self.known[op]
        elif op.regions:
            roles = zip(op.regions, region_roles(op), strict=True)
            self.inner[op] = [_Layout(r.block, self.kinds, *role, bounds=self.bounds) for r, role in roles]
            for layout in self.inner[op]:
                need = maximum(need, aligned(layout.size))
        else:
            need = upper(scratch_of(op, self.kinds), self.bounds)
        if need != 0:
            self.scratch[op] = Buffer(need, time, time, [])
            self.buffers.append(self.scratch[op])

    def _given(self, op: KernelOp, i: int, time: int) -> Buffer | None:
        """The buffer of an operand that result i may take over: nobody reads it from here on."""
        at = i if op.name == "kernel.while" else -1
        if i == 0 and not op.regions:
            at = kind_of(op, self.kinds).reused(op.problem)
        if at < 0:
            return None
        source = root(op.inputs[at])
        buffer = self.of.get(source)
        if (
            buffer is None
            or buffer.size != self._room(op.results[i])
            or any(self.last.get(v, -1) > time for v in buffer.values)
        ):
            return None
        if sum(self.of.get(root(v)) is buffer for v in op.inputs) > 1 or any(
            root(v) in buffer.values for v in _read_inside(op)
        ):
            return None
        if not buffer.owned and not self._stays(op.results[i], buffer.yielded):
            return None
        return buffer

    def _stays(self, value: Value, i: int) -> bool:
        """A loop variable's memory may be used for a value that no other variable gets: it would be copied when this
        one has its next value already.
        """
        return all(k == i for k, v in enumerate(self.block.outputs) if root(v) is value)

    def _pin(self) -> None:
        """What the block yields is made where it is wanted, unless a loop variable is still read there."""
        arguments = {b.yielded: b for b in self.of.values() if not b.owned}
        taken = set()
        for i, value in enumerate(self.block.outputs):
            buffer = self.of.get(root(value))
            if (
                buffer is None
                or not buffer.owned
                or buffer.yielded >= 0
                or i in taken
                or buffer.size != self._room(value)
            ):
                continue
            if i not in arguments or arguments[i].dies < buffer.born:
                buffer.yielded = i
                taken.add(i)


def _read_inside(op: KernelOp) -> Iterable[Value]:
    """What the regions of an op read."""
    for region in op.regions:
        for inside in walk(region.block):
            yield from inside.inputs


def _resolve(layout: _Layout, base: Size, targets: list[Allocation], out: MemoryPlan) -> None:
    """Absolute allocations.  base: where the block's memory begins; targets: of its results."""
    for value, buffer in layout.of.items():
        out.allocations[value] = (
            targets[buffer.yielded] if buffer.yielded >= 0 else Allocation("arena", base + buffer.at)
        )
    for op, buffer in layout.scratch.items():
        out.scratch[op] = Allocation("arena", base + buffer.at)
    copies = out.copies[layout.block] = []
    for i, value in enumerate(() if layout.test else layout.block.outputs):
        buffer_of = layout.of.get(root(value))
        if nbytes(value) != 0 and (buffer_of is None or buffer_of.yielded != i):
            copies.append((value, targets[i]))
    for op, inner in layout.inner.items():
        results = [out.allocations[v] for v in op.results]
        start: Size = layout.scratch[op].at + base if op in layout.scratch else 0
        if op.name == "kernel.while":
            own = [out.allocations.get(root(v)) for v in op.inputs]
            out.starts[op] = [
                (v, p) for v, p, o in zip(op.inputs, results, own, strict=True) if nbytes(v) != 0 and p != o
            ]
        for part in inner:
            _resolve(part, start, results, out)
