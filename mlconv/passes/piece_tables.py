"""What is computed of few numbers that are repeated along sizes of the run is looked up in one table: the masks of
shifted windows, which are written piece by piece, cut into windows and compared, are one of a few for each window.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Final, NamedTuple, TypeAlias

import numpy as np

from mlconv.dialects import core
from mlconv.dialects.core.binary import Compare
from mlconv.dialects.core.shape import const_of
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import SizeFacts, holds
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import OpDef
from mlconv.ir.traits import Elementwise, has_trait
from mlconv.ir.types import TensorType
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder, Part
from mlconv.rewrite.index_forms import difference
from mlconv.rewrite.pieces import Pieces, Runs, combined, joined, looked_up, of_array, reshaped, spread, transposed
from mlconv.rewrite.size_values import SizeValues

_READ = 1 << 14  # elements of a constant that is looked at
_MOST = 1 << 17  # elements of a table: masks of windows of 12 by 12 have 83 thousand
_TYPES: Final = frozenset({DType.F32, DType.F16, DType.BOOL, DType.I8, DType.I32, DType.I64})


def look_up_repeated(function: Function) -> int:
    """In place; returns how many tensors are looked up.  Sizes of inputs are taken not to be 0."""
    block = function.block
    sizes = {n for v in block.arguments if isinstance(v.type, TensorType) for n in v.type.shape or ()}
    there = [Relation(n, ">=", 1) for n in sorted((n for n in sizes if isinstance(n, Dim)), key=str)]
    found = _Found(function.facts.where.and_also(there))
    for op in block.ops:
        found.add(op)
    shared = 0
    for value in found.last():
        if not 0 < _elements(found.of[value]) <= _MOST:
            continue
        tables = _Tables(value, found.of[value])
        if tables.ops < len(found.alone(value)):
            edit.replace_uses(value, tables.made(block.arguments))
            shared += 1
    return shared


class _Found:
    """What ops of a block give, as far as it is pieces.  facts: that hold where anything comes in."""

    def __init__(self, facts: SizeFacts) -> None:
        self.facts = facts
        self.of: dict[Value, Pieces] = {}

    def add(self, op: Op) -> None:
        if not isinstance(op, OpDef) or len(op.results) != 1 or not isinstance(op.results[0].type, TensorType):
            return
        (y,) = op.results
        if (
            y.tensor.dtype not in _TYPES
            or y.tensor.is_static
            or y.tensor.quant is not None
            or y.tensor.shape is None
            or not is_told(y.tensor.shape)
        ):
            return
        pieces = self._of(op)
        if pieces is not None and pieces.is_open:
            self.of[y] = pieces

    def _of(self, op: OpDef) -> Pieces | None:
        shape = op.results[0].tensor.shape or ()
        if isinstance(op, core.BroadcastTo):
            x = self._operand(op.x)
            return None if x is None else spread(x, shape)
        if isinstance(op, Compare) and not any(v in self.of for v in op.inputs):
            return _told_by_place(op, self.facts)
        if not any(v in self.of for v in op.inputs):
            return None
        if isinstance(op, (core.Reshape, core.ExpandDims, core.Squeeze)):
            return reshaped(self.of[op.x], shape) if op.x in self.of else None
        if isinstance(op, core.Transpose):
            return transposed(self.of[op.x], op.perm)
        if isinstance(op, core.Gather) and op.batch_dims:
            return None
        if not isinstance(op, (core.Gather, core.Concat, core.Cast)) and not has_trait(op, Elementwise):
            return None
        operands = [self._operand(v) for v in op.inputs]
        known = [p for p in operands if p is not None]
        if len(known) < len(operands):
            return None
        if isinstance(op, core.Gather):
            return looked_up(known[0], known[1], op.axis % (op.x.tensor.rank or 1))
        return joined(known) if isinstance(op, core.Concat) else combined(op.eval, known, self.facts)

    def _operand(self, value: Value) -> Pieces | None:
        constant = const_of(value)
        if constant is None or value.tensor.quant is not None:
            return self.of.get(value)
        return of_array(constant.view()) if 0 < constant.size <= _READ and constant.dtype in _TYPES else None

    def last(self) -> list[Value]:
        """Those that something else reads."""
        return [v for v in self.of if any(not op.results or op.results[0] not in self.of for op in _readers(v))]

    def alone(self, value: Value) -> set[Op]:
        """Ops that make a value and nothing else."""
        assert value.producer is not None
        found = {value.producer}
        pending = [value.producer]
        while pending:
            for v in pending.pop().inputs:
                op = v.producer
                if op is not None and v in self.of and op not in found and found.issuperset(_readers(v)):
                    found.add(op)
                    pending.append(op)
        return found


def _readers(value: Value) -> list[Op]:
    """Ops that read the elements."""
    return [op for op in value.users if not isinstance(op, core.ShapeOf)]


def _told_by_place(op: Compare, facts: SizeFacts) -> Pieces | None:
    """A comparison of positions along one axis with a place."""
    apart, shape = difference(op), op.y.tensor.shape or ()
    if apart is None or len(apart.steps) != 1:
        return None
    ((axis, step),) = apart.steps.items()
    axis %= len(shape)
    if step not in (1, -1) or any(n != 1 for i, n in enumerate(shape) if i != axis):
        return None
    turn = -apart.offset if step == 1 else apart.offset
    signs = np.asarray([-1, 0, 1]) * step
    values = np.asarray(op.eval(signs, np.zeros_like(signs)))
    edges = [0, *([turn] if values[0] != values[1] else []), *([turn + 1] if values[1] != values[2] else [])]
    runs = tuple(b - a for a, b in zip(edges, [*edges[1:], shape[axis]], strict=True))
    if any(not (n >= 0 if isinstance(n, int) else holds(n, ">=", 0, facts)) for n in runs):
        return None
    kinds = values[[0, *([1] if values[0] != values[1] else []), *([2] if values[1] != values[2] else [])]]
    return Pieces(kinds, (runs,), tuple(int(i == axis) for i in range(len(shape))))


def _elements(pieces: Pieces) -> int:
    """Of a table that has all of what is repeated a known number of times."""
    open_runs = [any(isinstance(n, Dim) for n in runs) for runs in pieces.axes]
    return math.prod(
        len(runs) if is_open else sum(n for n in runs if isinstance(n, int))
        for runs, is_open in zip(pieces.axes, open_runs, strict=True)
    )


class _Repeated(NamedTuple):
    """Rows of elements that are repeated `times` times, as one axis."""

    times: Size
    length: int


_Places: TypeAlias = "Runs | _Repeated | None"


class _Tables:
    """A value as a table and what is looked up along each of its axes, if anything."""

    def __init__(self, value: Value, pieces: Pieces) -> None:
        self.value = value
        self.table = pieces.table
        self.places: list[_Places] = []
        self.is_merged = False
        for group in pieces.by_dimension():
            self._add(group)

    def _add(self, group: Sequence[Runs]) -> None:
        first = len(self.places)
        is_open = [any(isinstance(n, Dim) for n in runs) for runs in group]
        for i, runs in enumerate(group):
            if not is_open[i]:
                self.table = np.repeat(self.table, np.asarray(runs, np.int64), first + i)
        if any(is_open[1:]) or (any(is_open) and len(group) > 1 and len(group[0]) > 1):
            self.is_merged = True
            self.places += [runs if is_open[i] else None for i, runs in enumerate(group)]
            return
        sizes = self.table.shape
        self.table = self.table.reshape(*sizes[:first], -1, *sizes[first + len(group) :])
        if not any(is_open):
            self.places.append(None)
        elif len(group) == 1:
            self.places.append(group[0])
        else:
            self.places.append(_Repeated(group[0][0], self.table.shape[first]))

    @property
    def ops(self) -> int:
        """How many ops it takes to look the value up."""
        apart = {places for places in self.places if places is not None}
        rows = sum(2 if isinstance(p, _Repeated) else min(len(p), 2) for p in apart)
        return rows + sum(places is not None for places in self.places) + self.is_merged

    def made(self, inputs: Sequence[Value]) -> Value:
        """In front of the op that makes the value."""
        op = self.value.producer
        assert op is not None and op.block is not None and op.location is not None
        e = CoreBuilder(Builder(op.block, op.location, op))
        y = e.constant(np.ascontiguousarray(self.table), self.value.tensor.dtype)
        vectors: dict[_Places, Value] = {}
        for axis, places in enumerate(self.places):
            if places is None:
                continue
            if places not in vectors:
                vectors[places] = _vector(e, places, inputs)
            y = e.y(core.Gather(y, vectors[places], axis=axis, from_start=True))
        shape = self.value.tensor.shape or ()
        if not self.is_merged:
            return y
        if sum(isinstance(n, Dim) for n in shape) == 1:
            return e.reshape(y, [n if isinstance(n, int) else -1 for n in shape])
        return e.reshape(y, [_size(e, n, inputs) for n in shape])


def _vector(e: CoreBuilder, places: Runs | _Repeated, inputs: Sequence[Value]) -> Value:
    """The places of all coordinates along an axis."""
    if isinstance(places, _Repeated):
        row = e.constant(np.arange(places.length), DType.I64)
        return e.reshape(e.broadcast_to(row, [_size(e, places.times, inputs), places.length]), [-1])
    parts: list[Value] = []
    fixed: list[int] = []
    for place, run in enumerate(places):
        if isinstance(run, int):
            fixed += [place] * run
            continue
        parts += [e.constant(np.asarray(fixed), DType.I64)] if fixed else []
        parts.append(e.broadcast_to(e.constant(place, DType.I64), [_size(e, run, inputs)]))
        fixed = []
    return e.concat([*parts, *([e.constant(np.asarray(fixed), DType.I64)] if fixed else [])], 0)


def _size(e: CoreBuilder, size: Size, inputs: Sequence[Value]) -> Part:
    """A size as what ops take."""
    if isinstance(size, int):
        return size

    def axis_size(value: Value, axis: int) -> Value:
        known = e.dim(value, axis)
        return e.constant(known, DType.I64) if isinstance(known, int) else e.scalar(known)

    return e.reshape(SizeValues(e, inputs, axis_size, lambda n: e.constant(n, DType.I64), "a table").of(size), [1])
