"""Observers: ops behind what makes a value, whose results a run of the model gives beside its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Splat
from mlconv.ir.core import Block, Op, Region, Value, clone_block, walk
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.passes.refine_shapes import refine_shapes
from mlconv.provenance.locations import Location
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

K = TypeVar("K")
Observe: TypeAlias = Callable[[Value, K, CoreBuilder], Sequence[Value]]
Join: TypeAlias = type[core.Minimum] | type[core.Maximum] | type[core.Add]


class Observer(NamedTuple):
    """low, high: names of outputs.  axis: of the value, along which there is a number for each slice."""

    value: Value
    axis: int | None
    low: str
    high: str


class Observed(NamedTuple):
    """module: a copy of a function, which gives the outputs of observers behind its own."""

    module: Module
    observers: list[Observer]


def observed(function: Function, wanted: Mapping[Value, int | None], sizes: Mapping[str, int]) -> Observed:
    """A copy of a function with observers of least and largest numbers.  wanted: values with the axis of channels.
    sizes: of symbols.
    """
    keys = {value: value for value in wanted}
    made = observed_by(function, keys, sizes, lambda value, key, e: _range_of(value, wanted[key], e))
    return Observed(made.module, [o._replace(axis=wanted[o.value]) for o in made.observers])


def observed_by(
    function: Function, wanted: Mapping[K, Value], sizes: Mapping[str, int], observe: Observe[K]
) -> Observed:
    """A copy of a function with observers of values, each of which gives two outputs.  observe: makes these behind a
    value.
    """
    mapping: dict[Value, Value] = {}
    block = clone_block(function.block, mapping)
    copy = Function(function.name, block, list(function.output_names), function.signature, function.location)
    bind_sizes(copy, sizes)
    refine_shapes(block, copy.facts.where)
    found, outputs = [], list(block.outputs)
    for i, (key, value) in enumerate(wanted.items()):
        observer = Observer(value, None, f"low.{i}", f"high.{i}")
        outputs += observe(mapping[value], key, CoreBuilder(behind(mapping[value], function.location)))
        copy.output_names += [observer.low, observer.high]
        found.append(observer)
    edit.set_operands(block.terminator, outputs)
    return Observed(Module([copy]), found)


def behind(value: Value, location: Location) -> Builder:
    """A builder right behind what makes a value.  location: where that has none."""
    maker = value.producer
    if maker is None:
        assert isinstance(value.owner, Block)
        return Builder(value.owner, location, value.owner.first)
    assert maker.block is not None
    return Builder(maker.block, maker.location or location, maker.next)


def _range_of(value: Value, axis: int | None, e: CoreBuilder) -> list[Value]:
    """The least and the largest number of a value, in the function's own block."""
    axes = tuple(i for i in range(value.tensor.rank or 0) if i != axis)
    low, high = e.y(core.ReduceMin(value, axes=axes)), e.y(core.ReduceMax(value, axes=axes))
    return [brought_out(low, core.Minimum, np.inf), brought_out(high, core.Maximum, -np.inf)]


def brought_out(value: Value, join: Join, nothing: float) -> Value:
    """A number of each turn of the loops around it, or of a branch, as one number in the outermost block.  nothing:
    what stands for no turn.
    """
    block = _block_of(value)
    while block.parent is not None and block.parent.parent is not None:
        around = block.parent.parent
        value = _out_of(value, around, block.parent, join, nothing)
        block = _block_of(value)
    return value


def _block_of(value: Value) -> Block:
    owner = value.owner if isinstance(value.owner, Block) else value.owner.block
    assert owner is not None
    return owner


def _out_of(value: Value, around: Op, region: Region, join: Join, nothing: float) -> Value:
    """A value of a region as a result of the op that the region is of."""
    assert around.block is not None and around.location is not None
    outside = Builder(around.block, around.location, around)
    start = _full(outside, value, nothing)
    if isinstance(around, core.While):
        argument = edit.add_argument(around.body.block, value.type)
        edit.add_argument(around.cond.block, value.type)
        inside = Builder(region.block, around.location, region.block.terminator)
        joined = inside.emit(join(argument, value)).y
        edit.add_operands(region.block.terminator, [joined])
        edit.add_operands(around, [start])
    else:
        for other in around.regions:
            inside = Builder(other.block, around.location, other.block.terminator)
            given = value if other is region else _full(inside, value, nothing)
            edit.add_operands(other.block.terminator, [given])
    return edit.add_result(around, value.type)


def _full(builder: Builder, like: Value, number: float) -> Value:
    shape = static(like.tensor.shape) or ()
    return builder.emit(core.Constant(value=Splat(np.asarray(number, np.float32), DType.F32, shape))).y


def bind_sizes(function: Function, sizes: Mapping[str, Size]) -> None:
    """Symbols stand for numbers in all types of a function."""
    if not sizes:
        return
    values = [*function.inputs]
    for op in walk(function.block):
        values += op.results
        for region in op.regions:
            values += region.block.arguments
    for value in values:
        t = value.type
        if isinstance(t, TensorType) and t.shape is not None and not t.is_static:
            edit.retype(value, t.with_shape(tuple(_bound(d, sizes) for d in t.shape)))
        if value.known is not None:
            value.known = tuple(None if k is None else _bound(k, sizes) for k in value.known)


def _bound(size: Size, sizes: Mapping[str, Size]) -> Size:
    return substitute(size, sizes) if isinstance(size, Dim) else size


def symbols_in(inputs: Sequence[Value], shapes: Mapping[str, tuple[int, ...]]) -> dict[str, int]:
    """What the symbols in the types of inputs are for arrays of some shapes."""
    pairs = ((d, n) for v in inputs for d, n in zip(v.tensor.shape or (), shapes[v.name], strict=True))
    return {str(d): n for d, n in pairs if isinstance(d, Dim)}
