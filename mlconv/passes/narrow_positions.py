"""Positions as int32: what `range` counts over axes fits, and targets compute sizes and indices in 32 bits.

Tensors of positions that are known at run time, and what is computed of them by sums, limits and choices, change their
type together where nothing besides sees it.  So do the places of anchors, `range(w) * (W // w)`, which lie in an image.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Op, Value
from mlconv.ir.dims import Size, sole_atom
from mlconv.ir.dtypes import DType
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

_MOVING = (
    core.Reshape,
    core.ExpandDims,
    core.Squeeze,
    core.Transpose,
    core.BroadcastTo,
    core.Tile,
    core.Slice,
)
_COMPUTING = (core.Add, core.Sub, core.Minimum, core.Maximum, core.Neg, core.Abs, core.Sign, core.Clamp)
_LOOKING = (core.Gather, core.GatherElements, core.GatherNd)
_LARGEST = 1 << 30
_READ = 1 << 16


def narrow_positions(block: Block) -> int:
    """Make int64 positions int32; returns how many values have changed their type."""
    groups = _Groups()
    pending = [op.y for op in block.ops if isinstance(op, core.Range) and _is_wide(op.y) and not op.y.tensor.is_static]
    for value in pending:
        groups.add(value)
    while pending:
        value = pending.pop()
        for op in value.users:
            made = _made(op, value)
            if made is None:
                groups.refuse(value)
                continue
            for other in _read(op, made):
                if other in groups.parents:
                    groups.join(value, other)
            for y in made:
                if y not in groups.parents:
                    groups.add(y)
                    pending.append(y)
                groups.join(value, y)
    for value in list(groups.parents):
        if not all(v in groups.parents or _is_small(v) for v in _operands(value.producer)):
            groups.refuse(value)
        for op in value.users:
            if isinstance(op, Compare) and not all(v in groups.parents or _is_small(v) for v in op.inputs):
                groups.refuse(value)
    for value in list(groups.parents):  # comparisons of two groups
        for op in value.users:
            if isinstance(op, Compare):
                for other in op.inputs:
                    if other in groups.parents:
                        groups.join(value, other)
    return _narrow(groups.accepted())


def _is_wide(value: Value) -> bool:
    t = value.type
    return isinstance(t, TensorType) and t.dtype is DType.I64 and t.quant is None


def _made(op: Op, value: Value) -> list[Value] | None:
    """What becomes int32 along with an operand; None where the op needs it as it is."""
    if isinstance(op, _MOVING):
        return [op.results[0]] if op.operands[0] is value and value not in op.operands[1:] else None
    if isinstance(op, core.Select):
        return None if op.cond is value else [op.y]
    if isinstance(op, _COMPUTING) or (isinstance(op, core.Mul) and _is_within_axis(op)):
        return [op.results[0]]
    if isinstance(op, core.Concat):
        return [op.y]
    if isinstance(op, (Compare, core.ShapeOf)):
        return []
    if isinstance(op, core.Cast):
        return []
    return [] if isinstance(op, _LOOKING) and op.x is not value else None


def _is_within_axis(op: core.Mul) -> bool:
    """A range that begins at 0 times how often its length fits into an axis of an argument."""
    for positions, factor in ((op.a, op.b), (op.b, op.a)):
        source = positions
        while isinstance(source.producer, _MOVING):
            source = source.producer.x
        counted, known = source.producer, known_ints(factor)
        if not isinstance(counted, core.Range) or known is None or len(known) != 1:
            continue
        start, length, step = (_one(v) for v in (counted.start, counted.limit, counted.step))
        times = None if known[0] is None else sole_atom(known[0])
        if (start, step) == (0, 1) and times is not None and times.applies("floordiv") and times.args[1] == length:
            return op.block is not None and _is_axis(op.block, times.args[0])
    return False


def _one(value: Value) -> Size | None:
    """The number that a tensor holds."""
    known = known_ints(value)
    return known[0] if known is not None and len(known) == 1 else None


def _is_axis(block: Block, size: Size) -> bool:
    return any(isinstance(v.type, TensorType) and size in (v.type.shape or ()) for v in block.arguments)


def _read(op: Op, made: list[Value]) -> list[Value]:
    """Operands whose type is that of the results."""
    return [v for v in op.inputs if made] if not isinstance(op, _MOVING) else []


def _operands(op: Op | None) -> list[Value]:
    """Operands of an op that become int32 with its result."""
    if op is None or isinstance(op, core.Range):
        return [] if op is None else list(op.inputs)
    if isinstance(op, _MOVING):
        return [op.inputs[0]]
    return [v for v in op.inputs if _is_wide(v)]


def _is_small(value: Value) -> bool:
    """A size, or constants that int32 holds with room for sums, as they are or repeated."""
    if isinstance(value.producer, _MOVING) and value.has_one_use and not value.tensor.is_static:
        return _is_small(value.producer.x)
    constant = const_of(value)
    if constant is not None:
        return constant.size <= _READ and bool((np.abs(constant.view().astype(np.float64)) < _LARGEST).all())
    known = known_ints(value)
    return known is not None and None not in known


class _Groups:
    """Values whose types change together."""

    def __init__(self) -> None:
        self.parents: dict[Value, Value] = {}
        self.refused: set[Value] = set()

    def add(self, value: Value) -> None:
        self.parents[value] = value

    def root(self, value: Value) -> Value:
        while self.parents[value] is not value:
            self.parents[value] = self.parents[self.parents[value]]
            value = self.parents[value]
        return value

    def join(self, a: Value, b: Value) -> None:
        a, b = self.root(a), self.root(b)
        if a is not b:
            self.parents[b] = a
            if b in self.refused:
                self.refused.add(a)

    def refuse(self, value: Value) -> None:
        self.refused.add(self.root(value))

    def accepted(self) -> dict[Value, None]:
        return {v: None for v in self.parents if self.root(v) not in self.refused}


def _narrow(values: dict[Value, None]) -> int:
    for value in values:
        edit.retype(value, TensorType(DType.I32, value.tensor.shape))
    for op in dict.fromkeys(op for v in values for op in _around(v)):
        for i, operand in enumerate(op.operands):
            if operand is not None and operand not in values and _is_wide(operand) and _changes(op, i):
                edit.set_operand(op, i, _as_int32(op, operand))
    return len(values)


def _around(value: Value) -> Iterable[Op]:
    if value.producer is not None:
        yield value.producer
    yield from (op for op in value.users if isinstance(op, Compare))


def _changes(op: Op, i: int) -> bool:
    """Whether an operand has the type of the others, or of the result."""
    return not isinstance(op, _MOVING) or i == 0


def _as_int32(op: Op, value: Value) -> Value:
    assert op.block is not None and op.location is not None
    e = CoreBuilder(Builder(op.block, op.location, op))
    constant = const_of(value)
    moved = value.producer
    if isinstance(moved, _MOVING) and not value.tensor.is_static:
        edit.set_operand(moved, 0, _as_int32(moved, moved.x))
        edit.retype(value, TensorType(DType.I32, value.tensor.shape))
        return value
    if constant is not None:
        return e.constant(constant.view().astype(np.int32), DType.I32)
    return e.cast(value, DType.I32)
