"""Where every buffer lives: input, output, weights or a place in the arena, by lifetimes."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.dialects.kernel import KernelOp
from mlconv.ir.constants import Const
from mlconv.ir.core import Block, Value

ALIGNMENT = 64


class Place(NamedTuple):
    """kind: `input`, `output`, `weights`, `arena` or `none` (no elements).  at: position among inputs or outputs, or offset in bytes."""

    kind: str
    at: int


@dataclass(slots=True)
class Plan:
    """Places of all values, copies (value, output) that remain at the end, weights in order, sizes in bytes."""

    places: dict[Value, Place] = field(default_factory=dict)
    scratch: dict[KernelOp, Place] = field(default_factory=dict)
    copies: list[tuple[Value, int]] = field(default_factory=list)
    weights: list[tuple[Const, int]] = field(default_factory=list)
    weight_bytes: int = 0
    arena_bytes: int = 0


def aligned(n: int) -> int:
    return -(-n // ALIGNMENT) * ALIGNMENT


def nbytes(value: Value) -> int:
    size = value.tensor.size
    if not isinstance(size, int):
        raise ConversionError(Code.MLC0901, f"{value.type} has no size")
    return size * value.tensor.dtype.itemsize


def root(value: Value) -> Value:
    """The value whose buffer this is."""
    while isinstance(value.producer, KernelOp) and value.producer.name == "kernel.alias":
        value = value.producer.inputs[0]
    return value


def plan(block: Block) -> Plan:
    """Place every value of a block of kernels."""
    out = Plan()
    for i, value in enumerate(block.arguments):
        out.places[value] = Place("input", i)
    _place_outputs(block, out)
    _place_weights(block, out)
    _place_arena(block, out)
    for op in block.ops:
        if isinstance(op, KernelOp) and op.name == "kernel.alias":
            out.places[op.result] = out.places[root(op.result)]
    return out


def _place_outputs(block: Block, out: Plan) -> None:
    """An output is written where it is asked for by the kernel that makes it; inputs, constants and second uses are copied."""
    for i, value in enumerate(block.outputs):
        source = root(value)
        if isinstance(source.producer, KernelOp) and source not in out.places:
            out.places[source] = Place("output", i)
        elif nbytes(value):
            out.copies.append((value, i))


def _place_weights(block: Block, out: Plan) -> None:
    seen: dict[Const, int] = {}
    for op in block.ops:
        if not isinstance(op, core.Constant):
            continue
        if op.value not in seen:
            seen[op.value] = out.weight_bytes
            out.weights.append((op.value, out.weight_bytes))
            out.weight_bytes += aligned(op.value.nbytes)
        out.places[op.y] = Place("weights", seen[op.value])


def _place_arena(block: Block, out: Plan) -> None:
    """Largest first, at the lowest offset that is free during the whole life."""
    born: dict[Value, int] = {}
    dies: dict[Value, int] = {}
    order = list(block.ops)
    for time, op in enumerate(order):
        if isinstance(op, KernelOp) and op.name != "kernel.alias" and op.result not in out.places:
            born[op.result] = dies[op.result] = time
        for value in op.inputs:
            if root(value) in born:
                dies[root(value)] = time
    needs: list[tuple[int, int, int, Value | KernelOp]] = [(aligned(nbytes(v)), born[v], dies[v], v) for v in born]
    needs += [(aligned(op.scratch), i, i, op) for i, op in enumerate(order) if isinstance(op, KernelOp) and op.scratch]
    taken: list[tuple[int, int, int, int]] = []
    for size, start, end, owner in sorted(needs, key=lambda n: (-n[0], n[1])):
        offset = 0
        for low, high, first, last in sorted(taken):
            if first <= end and start <= last and low < offset + size and offset < high:
                offset = high
        taken.append((offset, offset + size, start, end))
        if isinstance(owner, KernelOp):
            out.scratch[owner] = Place("arena", offset)
        else:
            out.places[owner] = Place("arena", offset)
        out.arena_bytes = max(out.arena_bytes, offset + size)
