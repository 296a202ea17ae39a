"""Observers: ops behind what makes a value, whose results a run of the model gives beside its own."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from enum import Enum
from typing import Generic, NamedTuple, TypeAlias, TypeVar

import numpy as np

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.constants import Array, Splat
from mlconv.ir.core import Block, Op, Region, Value, clone_block, walk
from mlconv.ir.dims import Dim, Size, substitute
from mlconv.ir.dtypes import DType
from mlconv.ir.module import Function, Module
from mlconv.ir.shapes import static
from mlconv.ir.types import TensorType
from mlconv.passes.refine_shapes import refine_shapes
from mlconv.passes.state import begin_anew
from mlconv.provenance.locations import Location
from mlconv.rewrite import edit
from mlconv.rewrite.core_builder import CoreBuilder

K = TypeVar("K")


class Join(Enum):
    """How one number comes of two: of turns of a loop, and of samples."""

    LEAST = (core.Minimum, np.inf, np.minimum)
    LARGEST = (core.Maximum, -np.inf, np.maximum)
    SUM = (core.Add, 0.0, np.add)
    COUNTS = (None, 0, np.add)  # of a value as it is, outside of loops: how many of its numbers are in each bin

    def op(self, x: Value, y: Value) -> core.Minimum | core.Maximum | core.Add:
        made: core.Minimum | core.Maximum | core.Add = self.value[0](x, y)
        return made

    @property
    def neutral(self) -> float:
        """What stands for no turn."""
        number: float = self.value[1]
        return number

    def of(self, x: Array, y: Array) -> Array:
        """Of channels that differ in number, least and largest numbers are those of all."""
        if x.shape != y.shape:
            x, y = self.value[2].reduce(x, axis=None), self.value[2].reduce(y, axis=None)
        return np.asarray(self.value[2](x, y))


Seen: TypeAlias = Sequence[tuple[Value, Join]]
Observe: TypeAlias = Callable[[Value, K, CoreBuilder], Seen]


class Observed(NamedTuple, Generic[K]):
    """module: a copy of a function, which gives what observers saw behind its own outputs.  names: of these.  joins:
    how they come of several.
    """

    module: Module
    names: dict[K, list[str]]
    joins: dict[K, list[Join]]


def observed(
    function: Function, wanted: Mapping[K, Value], sizes: Mapping[str, int], observe: Observe[K]
) -> Observed[K]:
    """A copy of a function with observers, whose runs are independent: variables hold what they begin with.

    wanted: the value that each is of.  sizes: of symbols.  observe: makes what an observer gives, behind its value.
    """
    mapping: dict[Value, Value] = {}
    block = clone_block(function.block, mapping)
    copy = Function(function.name, block, list(function.output_names), function.signature, function.location)
    bind_sizes(copy, sizes)
    refine_shapes(block, copy.facts.where)
    made = Observed[K](Module([copy]), {}, {})
    outputs = list(block.outputs)
    for i, (key, value) in enumerate(wanted.items()):
        seen = observe(mapping[value], key, CoreBuilder(behind(mapping[value], function.location)))
        made.names[key] = [f"seen.{i}.{k}" for k in range(len(seen))]
        made.joins[key] = [join for _, join in seen]
        outputs += [brought_out(*pair) for pair in seen]
        copy.output_names += made.names[key]
    edit.set_operands(block.terminator, outputs)
    copy.facts.variables = function.facts.variables
    begin_anew(copy)
    return made


def behind(value: Value, location: Location) -> Builder:
    """A builder right behind what makes a value.  location: where that has none."""
    maker = value.producer
    if maker is None:
        assert isinstance(value.owner, Block)
        return Builder(value.owner, location, value.owner.first)
    assert maker.block is not None
    return Builder(maker.block, maker.location or location, maker.next)


def brought_out(value: Value, join: Join) -> Value:
    """Numbers of each turn of the loops around them, or of a branch, as numbers in the outermost block."""
    block = block_of(value)
    while block.parent is not None and block.parent.parent is not None:
        around = block.parent.parent
        value = _out_of(value, around, block.parent, join)
        block = block_of(value)
    return value


def block_of(value: Value) -> Block:
    """Whose argument it is, or whose op makes it."""
    owner = value.owner if isinstance(value.owner, Block) else value.owner.block
    assert owner is not None
    return owner


def _out_of(value: Value, around: Op, region: Region, join: Join) -> Value:
    """A value of a region as a result of the op that the region is of."""
    assert around.block is not None and around.location is not None
    outside = Builder(around.block, around.location, around)
    start = _full(outside, value, join.neutral)
    if isinstance(around, core.While):
        argument = edit.add_argument(around.body.block, value.type)
        edit.add_argument(around.cond.block, value.type)
        inside = Builder(region.block, around.location, region.block.terminator)
        joined = inside.emit(join.op(argument, value)).y
        edit.add_operands(region.block.terminator, [joined])
        edit.add_operands(around, [start])
    else:
        for other in around.regions:
            inside = Builder(other.block, around.location, other.block.terminator)
            given = value if other is region else _full(inside, value, join.neutral)
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
