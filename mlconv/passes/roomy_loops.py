"""Loops whose variables become shorter along one axis (halves that are joined, boxes of which some are left over), or
longer by amounts that data decide, up to what the user says.

Such a variable has room for as much as there is at the start, or as the user says, and how much of it is there becomes
a variable as well, which is a size in the body and behind the loop.  That a turn leaves no more than there was at the
start must follow from what the body does; a run asks whether it keeps to what the user says.
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


class Roomy(NamedTuple):
    """A variable with room for `most` elements along an axis.  number: the place of the variable that says how many
    there are.  is_asked: the user says how many there may be, and a run asks whether there are no more.
    """

    place: int
    axis: int
    most: Size
    number: int
    is_asked: bool


def close_roomy(loop: core.While, names: Names, name_sizes: NameSizes) -> bool:
    """Put a loop in place of one whose variables have no sizes, in which they have; whether there is one.  name_sizes:
    gives names to the sizes that ops of a block leave open.
    """
    axes = {i: axis for i, v in enumerate(loop.results) if (axis := open_axis(v)) is not None}
    said = {i: names.most(loop.results[i], axis) for i, axis in axes.items()}
    told = {i: _told(loop.inits[i], axis) for i, axis in axes.items()}
    if not axes or any(size is None for size in told.values()):
        return False
    before = names.state()
    copy = clone_op(loop, {})
    assert isinstance(copy, core.While)
    edit.insert(copy, loop)
    plain, roomy = len(copy.results), list[Roomy]()
    for (i, axis), first, most in zip(axes.items(), told.values(), said.values(), strict=True):
        room = first if most is None else most[1]
        assert room is not None  # asked above
        roomy.append(Roomy(i, axis, room, plain + len(roomy), most is not None))
    if not _close(copy, roomy, names, name_sizes):
        edit.erase(copy)
        names.restore(before)
        return False
    values = list(copy.results[:plain])
    e = CoreBuilder(Rewriter(loop))
    for s in roomy:
        values[s.place] = _part(e, copy.results[s.place], copy.results[s.number], s, names)
    edit.replace(loop, values)
    return True


def _told(value: Value, axis: int) -> Size | None:
    shape = value.tensor.shape
    return shape[axis] if shape is not None and is_told(shape) else None


def _close(loop: core.While, roomy: list[Roomy], names: Names, name_sizes: NameSizes) -> bool:
    """Give the variables of a loop room and a count; whether they keep to their room."""
    e = CoreBuilder(Rewriter(loop))
    counts = [_make_room(e, loop, s, names) for s in roomy]
    edit.add_operands(loop, counts)
    for _ in roomy:
        edit.add_result(loop, _COUNT)
    for block in (loop.cond.block, loop.body.block):
        if not _enter(block, loop, roomy, names, name_sizes):
            return False
    body = loop.body.block
    bounds = data_sizes(body)
    for s in roomy:
        made, room = body.outputs[s.place].tensor.shape, loop.inits[s.place].tensor.shape or ()
        if made is None or not is_told(made) or any(n != m for i, (n, m) in enumerate(zip(made, room)) if i != s.axis):
            return False
        if not s.is_asked and not holds(upper(made[s.axis], bounds), "<=", s.most, names.facts):
            return False
    _leave(body, roomy, names)
    for s in roomy:
        edit.retype(loop.results[s.place], loop.inits[s.place].type)
    return True


def _make_room(e: CoreBuilder, loop: core.While, s: Roomy, names: Names) -> Value:
    """A variable starts with all of its room; returns how much of that is there."""
    init = loop.inits[s.place]
    if not s.is_asked:
        return _number(e, init, s.axis)
    part, number = _kept(e, init, s, names)
    edit.set_operand(loop, s.place, e.in_room(part, s.axis, e.constant([s.most], I64)))
    return number


def _kept(e: CoreBuilder, value: Value, s: Roomy, names: Names) -> tuple[Value, Value]:
    """What a variable becomes, and how much that is; a run ends with an error where there is no room for it."""
    number = _number(e, value, s.axis)
    if not s.is_asked or holds((value.tensor.shape or ())[s.axis], "<=", s.most, names.facts):
        return value, number
    size = names.define(e, number, s.most)
    return e.slice_axis(value, s.axis, 0, size), e.scalar(size)


def _number(e: CoreBuilder, value: Value, axis: int) -> Value:
    size = e.dim(value, axis)
    return e.constant(size, I64) if isinstance(size, int) else e.scalar(size)


def _enter(block: Block, loop: core.While, roomy: list[Roomy], names: Names, name_sizes: NameSizes) -> bool:
    """What reads variables reads the part that is there.  False where the block does not take that."""
    numbers = [edit.add_argument(block, _COUNT) for _ in roomy]
    first = block.first
    assert first is not None
    for s, number in zip(roomy, numbers, strict=True):
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


def _part(e: CoreBuilder, whole: Value, number: Value, s: Roomy, names: Names) -> Value:
    part = e.slice_axis(whole, s.axis, 0, names.define(e, number, s.most))
    simplify_types([part], names.facts)
    return part


def _leave(body: Block, roomy: list[Roomy], names: Names) -> None:
    """What the body makes goes to the front of the room."""
    end = body.terminator
    outputs, e = list(body.outputs), CoreBuilder(Rewriter(end))
    for s in roomy:
        made, number = _kept(e, outputs[s.place], s, names)
        begins = [e.constant(0, I64)] * e.rank(made)
        outputs[s.place] = e.y(core.UpdateSlice(body.arguments[s.place], made, begins))
        outputs.append(number)
    edit.set_operands(end, outputs)
