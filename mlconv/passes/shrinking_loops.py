"""Loops whose variables become shorter along one axis: halves that are joined, boxes of which some are left over.

Such a variable stays as large as it is at the start, and how much of it is there becomes a variable as well, which is a
size in the body and behind the loop.  That a turn leaves no more than there was at the start must follow from what the
body does.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Block, Value, clone_op
from mlconv.ir.data_sizes import data_sizes, upper
from mlconv.ir.dims import Size
from mlconv.ir.dtypes import DType
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import holds
from mlconv.ir.types import TensorType
from mlconv.passes.growing_loops import open_axis
from mlconv.passes.refine_shapes import refine_shapes, simplify_types
from mlconv.passes.size_names import Names
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder

I64 = DType.I64
_COUNT = TensorType(I64, ())
NameSizes = Callable[[Block, Names], None]


class Shrinkage(NamedTuple):
    """A variable with `first` elements along an axis at the start.  number: the place of the variable that says how
    many there are.
    """

    place: int
    axis: int
    first: Size
    number: int


def close_shrinking(loop: core.While, names: Names, name_sizes: NameSizes) -> bool:
    """Put a loop in place of one whose variables have no sizes, in which they have; whether there is one.  name_sizes:
    gives names to the sizes that ops of a block leave open.
    """
    axes = {i: axis for i, v in enumerate(loop.results) if (axis := open_axis(v)) is not None}
    told = {i: _told(loop.inits[i], axis) for i, axis in axes.items()}
    if not axes or any(size is None for size in told.values()):
        return False
    before = names.state()
    copy = clone_op(loop, {})
    assert isinstance(copy, core.While)
    edit.insert(copy, loop)
    plain = len(copy.results)
    shrunk = [
        Shrinkage(i, axis, size, plain + k) for k, (i, axis) in enumerate(axes.items()) if (size := told[i]) is not None
    ]
    if not _close(copy, shrunk, names, name_sizes):
        edit.erase(copy)
        names.restore(before)
        return False
    values = list(copy.results[:plain])
    e = CoreBuilder(Rewriter(loop))
    for s in shrunk:
        values[s.place] = _part(e, copy.results[s.place], copy.results[s.number], s, names)
    edit.replace(loop, values)
    return True


def _told(value: Value, axis: int) -> Size | None:
    shape = value.tensor.shape
    return shape[axis] if shape is not None and is_told(shape) else None


def _close(loop: core.While, shrunk: list[Shrinkage], names: Names, name_sizes: NameSizes) -> bool:
    """Give the variables of a loop room and a count; whether they keep to their room."""
    e = CoreBuilder(Rewriter(loop))
    counts = [_number(e, loop.inits[s.place], s.axis) for s in shrunk]
    edit.add_operands(loop, counts)
    for _ in shrunk:
        edit.add_result(loop, _COUNT)
    for block in (loop.cond.block, loop.body.block):
        if not _enter(block, loop, shrunk, names, name_sizes):
            return False
    body = loop.body.block
    bounds = data_sizes(body)
    for s in shrunk:
        made, room = body.outputs[s.place].tensor.shape, loop.inits[s.place].tensor.shape or ()
        if made is None or not is_told(made) or any(n != m for i, (n, m) in enumerate(zip(made, room)) if i != s.axis):
            return False
        if not holds(upper(made[s.axis], bounds), "<=", s.first, names.facts):
            return False
    _leave(body, shrunk)
    for s in shrunk:
        edit.retype(loop.results[s.place], loop.inits[s.place].type)
    return True


def _number(e: CoreBuilder, value: Value, axis: int) -> Value:
    size = e.dim(value, axis)
    return e.constant(size, I64) if isinstance(size, int) else e.scalar(size)


def _enter(block: Block, loop: core.While, shrunk: list[Shrinkage], names: Names, name_sizes: NameSizes) -> bool:
    """What reads variables reads the part that is there.  False where the block does not take that."""
    numbers = [edit.add_argument(block, _COUNT) for _ in shrunk]
    first = block.first
    assert first is not None
    for s, number in zip(shrunk, numbers, strict=True):
        argument = block.arguments[s.place]
        users = list(argument.uses)
        edit.retype(argument, loop.inits[s.place].type)
        if users:
            part = _part(CoreBuilder(Rewriter(first)), argument, number, s, names)
            for user, place in users:
                edit.set_operand(user, place, part)
    try:
        refine_shapes(block, names.facts)
    except ConversionError:
        return False
    name_sizes(block, names)
    return True


def _part(e: CoreBuilder, whole: Value, number: Value, s: Shrinkage, names: Names) -> Value:
    part = e.slice_axis(whole, s.axis, 0, names.define(e, number, s.first))
    simplify_types([part], names.facts)
    return part


def _leave(body: Block, shrunk: list[Shrinkage]) -> None:
    """What the body makes goes to the front of the room."""
    end = body.terminator
    outputs, e = list(body.outputs), CoreBuilder(Rewriter(end))
    for s in shrunk:
        made = outputs[s.place]
        begins = [e.constant(0, I64)] * e.rank(made)
        outputs[s.place] = e.y(core.UpdateSlice(body.arguments[s.place], made, begins))
        outputs.append(_number(e, made, s.axis))
    edit.set_operands(end, outputs)
