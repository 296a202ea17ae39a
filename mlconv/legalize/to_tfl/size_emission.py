"""The ops of vectors of sizes, made of plans."""

from __future__ import annotations

from typing import Final, NamedTuple, Protocol

import numpy as np

from mlconv.dialects.tfl import TflOp
from mlconv.dialects.tfl_types import TYPE_NAMES
from mlconv.ir.builder import Builder
from mlconv.ir.core import Op, Value
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import static
from mlconv.ir.types import Shape, TensorType
from mlconv.legalize.to_tfl.builder import TflBuilder
from mlconv.legalize.to_tfl.size_needs import Need
from mlconv.legalize.to_tfl.size_plans import (
    Apply,
    Cast,
    FromTable,
    Pack,
    Picked,
    Piece,
    Plan,
    ShapeOf,
    Split,
    Told,
    cover,
    factors,
    is_planned,
    leaves_of,
)
from mlconv.rewrite import constant_array

_FEW: Final = 2  # matrices are gathered one by one


class Planned(Protocol):
    """How each need is computed.  axes: values that have a size, and which axis it is; place: of ops."""

    axes: dict[Size, tuple[Value, int]]
    plans: dict[Need, Told]
    place: dict[Op, int]


class Emission:
    """The ops of plans, each once.  Tables are made where they are read first."""

    def __init__(self, planner: Planned) -> None:
        self.planner = planner
        self.made: dict[Plan, Value] = {}
        self.pieces: dict[Split, list[Value]] = {}
        self.matrices: dict[tuple[Plan, Shape], dict[tuple[int, ...], Value | None]] = {}
        self.tables: dict[DType, _Table] = {}
        needs = list(planner.plans)
        for need in needs:
            key = _matrix_of(planner.plans[need].plan, need.value.tensor)
            if key is not None:
                self.matrices.setdefault(key[:2], {})[key[2]] = None
        self.wanted = {need: set(leaves_of(planner.plans[need].plan)) for need in needs}
        self.e: TflBuilder
        self.at: Op

    def start(self, need: Need) -> None:
        """What follows stands before the first reader of a need."""
        producer = need.value.producer
        location = producer.location if producer is not None else need.at.location
        assert need.at.block is not None and location is not None
        self.at = need.at
        self.e = TflBuilder(Builder(need.at.block, location, need.at))

    def value(self, plan: Plan) -> Value:
        if plan not in self.made:
            self.made[plan] = self._emitted(plan)
        return self.made[plan]

    def shaped(self, plan: Plan, type_: TensorType) -> Value:
        """A plan as a tensor of rank 2 at most: a vector, but of pads."""
        shape = static(type_.shape)
        if type_.rank == 2 and isinstance(plan, Apply) and plan not in self.made:
            a, b = self.shaped(plan.a, type_), self.shaped(plan.b, type_)
            return self.e.one(plan.builtin, [a, b], a.type)
        key = _matrix_of(plan, type_)
        if key is not None and len(self.matrices.get(key[:2], ())) > _FEW:
            return self._matrix(*key)
        made = self.value(plan)
        gather = made.producer
        if type_.rank != 2 or shape is None:
            return made
        places = (
            constant_array(gather.operands[1]) if isinstance(gather, TflOp) and gather.builtin == "GATHER" else None
        )
        if places is None or not isinstance(gather, TflOp):
            return self.e.reshape(made, shape)
        indices = self.e.constant(places.reshape(shape), DType.I32)
        return self.e.one("GATHER", [gather.operands[0], indices], made.tensor.with_shape(shape), axis=0, batch_dims=0)

    def _matrix(self, whole: Plan, shape: Shape, at: tuple[int, ...]) -> Value:
        """One of several matrices of a shape, which are gathered together."""
        made = self.matrices[whole, shape]
        if made[at] is None:
            e, source, count = self.e, self.value(whole), len(made)
            indices = e.constant(np.asarray([*made]).reshape(count, *static(shape) or ()), DType.I32)
            every = source.tensor.with_shape((count, *shape))
            together = e.one("GATHER", [source, indices], every, axis=0, batch_dims=0)
            types = [every.with_shape(shape)] * count
            made.update(zip(made, e.tfl("UNPACK", [together], types, num=count, axis=0), strict=True))
        found = made[at]
        assert found is not None
        return found

    def _emitted(self, plan: Plan) -> Value:
        e = self.e
        if isinstance(plan, Picked):
            whole = self.value(plan.whole)
            indices = e.i(plan.at[0]) if plan.scalar else e.ints(plan.at)
            type_ = whole.tensor.with_shape(() if plan.scalar else (len(plan.at),))
            return e.one("GATHER", [whole, indices], type_, axis=0, batch_dims=0)
        if isinstance(plan, Piece):
            return self._pieces(plan.of)[plan.at]
        if isinstance(plan, ShapeOf):
            type_ = TensorType(plan.dtype, (len(plan.value.tensor.shape or ()),))
            return e.one("SHAPE", [plan.value], type_, out_type="INT32" if plan.dtype is DType.I32 else "INT64")
        if isinstance(plan, FromTable):
            return self._gathered(plan)
        if isinstance(plan, Cast):
            x = self.value(plan.plan)
            options = {"in_data_type": "INT32", "out_data_type": TYPE_NAMES[plan.dtype]}
            return e.one("CAST", [x], TensorType(plan.dtype, x.tensor.shape), **options)
        if isinstance(plan, Pack):
            numbers = [self.value(n) for n in plan.numbers]
            type_ = numbers[0].tensor.with_shape((len(numbers),))
            return e.one("PACK", numbers, type_, axis=0, values_count=len(numbers))
        assert isinstance(plan, Apply)  # a split is read by its pieces
        a, b = self.value(plan.a), self.value(plan.b)
        return e.one(plan.builtin, [a, b], a.type)

    def _pieces(self, split: Split) -> list[Value]:
        if split not in self.pieces:
            e, whole = self.e, self.value(split.whole)
            if split.lengths is None:
                count = whole.tensor.static_shape()[0]
                types = [whole.tensor.with_shape(())] * count
                self.pieces[split] = e.tfl("UNPACK", [whole], types, num=count, axis=0)
            else:
                types = [whole.tensor.with_shape((n,)) for n in split.lengths]
                operands = [whole, e.ints(split.lengths), e.i(0)]
                self.pieces[split] = e.tfl("SPLIT_V", operands, types, num_splits=len(types))
        return self.pieces[split]

    def _gathered(self, plan: FromTable) -> Value:
        numbers = [s for s in plan.sizes if isinstance(s, int)]
        if len(numbers) == len(plan.sizes):
            array = factors(numbers, plan.dtype)
            return self.e.constant(array.reshape(()) if plan.scalar else array, plan.dtype)
        table = self._table(plan)
        at = [table.sizes.index(s) for s in plan.sizes]
        if not plan.scalar and at == list(range(len(table.sizes))):
            return table.value
        indices = self.e.i(at[0]) if plan.scalar else self.e.ints(at)
        type_ = TensorType(plan.dtype, () if plan.scalar else (len(at),))
        return self.e.one("GATHER", [table.value, indices], type_, axis=0, batch_dims=0)

    def _table(self, plan: FromTable) -> _Table:
        """A table that has all sizes of a plan: a shape, the one that there is, or a new one with all that is in view
        of what plans that follow want.
        """
        made = [p.value for p in self.made if isinstance(p, ShapeOf) and p.dtype is plan.dtype]
        own = [self.planner.axes[s][0] for s in plan.sizes if isinstance(s, Dim)]
        table = self.tables.get(plan.dtype)
        for value in made if table is not None and set(plan.sizes) <= set(table.sizes) else (*made, *own):
            shape = value.tensor.shape or ()
            if set(plan.sizes) <= set(shape):
                return _Table(self.value(ShapeOf(value, plan.dtype)), list(shape))
        if table is not None and set(plan.sizes) <= set(table.sizes):
            return table
        wanted: dict[Size, None] = {}
        for told in self.wanted.values():
            wanted.update((s, None) for dtype, s in told if dtype is plan.dtype and self._in_view(s))
        self.tables[plan.dtype] = table = self._joined(sorted(wanted, key=str), plan.dtype)
        return table

    def _in_view(self, size: Size) -> bool:
        if isinstance(size, int):
            return True
        producer = self.planner.axes[size][0].producer
        return producer is None or self.planner.place[producer] < self.planner.place[self.at]

    def _joined(self, wanted: list[Size], dtype: DType) -> _Table:
        values = list(dict.fromkeys(self.planner.axes[s][0] for s in wanted if isinstance(s, Dim)))
        values = cover(values, {s for s in wanted if isinstance(s, Dim)})
        parts = [self.value(ShapeOf(v, dtype)) for v in values]
        sizes = [s for v in values for s in v.tensor.shape or ()]
        numbers = [s for s in wanted if isinstance(s, int) and s not in sizes]
        if numbers:
            parts.append(self.e.constant(factors(numbers, dtype), dtype))
        sizes += numbers
        if len(parts) == 1:
            return _Table(parts[0], sizes)
        return _Table(self.e.one("CONCATENATION", parts, TensorType(dtype, (len(sizes),)), axis=0), sizes)


def _matrix_of(plan: Plan, type_: TensorType) -> tuple[Plan, Shape, tuple[int, ...]] | None:
    """The vector that a matrix is picked from, its shape, and the places; None of one that LiteRT plans before it runs,
    as it does a GATHER alone.
    """
    shape = type_.shape
    if not isinstance(plan, Picked) or type_.rank != 2 or shape is None or static(shape) is None:
        return None
    return None if is_planned(plan.whole) else (plan.whole, shape, plan.at)


class _Table(NamedTuple):
    """A vector of many sizes."""

    value: Value
    sizes: list[Size]
