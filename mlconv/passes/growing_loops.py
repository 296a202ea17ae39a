"""Loops whose variables grow: by a few elements along one axis in every turn, as sequences that are decoded do.

Such a variable becomes a tensor with room for as much as there can be behind the last turn, and how much of it is there
follows from the number of turns so far, which is a size in the body.  What the body appends is written behind what is
there; whoever reads the variable reads the part that is there.  The most turns follow from the sizes of inputs and from
constants, by a counter that the condition compares with a limit, perhaps besides what data decide; or the user says how
large a variable may become.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from mlconv.diagnostics import ConversionError
from mlconv.dialects import core
from mlconv.ir.core import Block, Value, values_of
from mlconv.ir.dims import Dim, Size
from mlconv.ir.dtypes import DType
from mlconv.ir.facts import Condition
from mlconv.ir.shapes import is_told, with_size
from mlconv.ir.size_facts import holds
from mlconv.ir.size_relations import Relation
from mlconv.ir.spec import known_ints
from mlconv.ir.types import TensorType
from mlconv.passes.loop_limits import Counter, counters_of, turns_of
from mlconv.passes.preallocated_scans import add_counter
from mlconv.passes.refine_shapes import forget, learned, refine_shapes, simplify_types
from mlconv.passes.size_names import Names
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder

I64 = DType.I64


class Growth(NamedTuple):
    """A variable that has `first` elements along an axis at the start, and `more` with every turn."""

    place: int
    axis: int
    first: Size
    more: int

    def after(self, turns: Size) -> Size:
        """How many there are after so many turns."""
        return self.first + turns * self.more


def close_loop(loop: core.While, names: Names) -> None:
    """Give the variables of a loop that grow a size, in place; those stay of which it cannot be told."""
    places = {i: axis for i, v in enumerate(loop.results) if (axis := open_axis(v)) is not None}
    counters = counters_of(loop) if places else []
    e = CoreBuilder(Rewriter(loop))
    found = turns_of(e, loop, counters, names) if places else None
    if found is None:
        told = [most for i, axis in places.items() if (most := names.most(loop.results[i], axis)) is not None]
        if not told:
            return
        found = e.constant(max(high for _, high in told), I64), False
    turns, alone = found
    turn = names.new()
    grown = growths(loop, list(places), counters, turn, names)
    if not grown:
        grown = _growths_of_some(e, loop, turns, list(places), counters, turn, names)
    if grown:
        _Closing(loop, turns, alone, names).close(turn, grown)


def open_axis(value: Value) -> int | None:
    """The one axis of which nothing is known."""
    shape = (value.type.shape if isinstance(value.type, TensorType) else None) or ()
    found = [i for i, d in enumerate(shape) if isinstance(d, Dim) and not d.is_known]
    return found[0] if len(found) == 1 else None


# -- what grows -------------------------------------------------------------------------------------


def growths(
    loop: core.While, places: Sequence[int], counters: Sequence[Counter], turn: str, names: Names
) -> list[Growth]:
    """How variables grow: what the body makes of as much as there is after so many turns.  Types in the body have sizes
    with the number of turns then, or stay as they were where nothing was found.
    """
    saved = learned(values_of(loop.body.block))
    number = Dim.symbol(turn)
    start = [g for i in places if (g := _start(loop, i)) is not None]
    for found in (_seen(loop, start, counters, 0, names), start):  # as in the first turn, or by one in each
        for _ in range(3):  # those that are not told, and others, may depend on one another
            forget(saved)
            told = _seen(loop, found, counters, number, names)
            if told == found and found:
                return found
            found = told
    forget(saved)
    return []


def _growths_of_some(
    e: CoreBuilder,
    loop: core.While,
    turns: Value,
    places: Sequence[int],
    counters: Sequence[Counter],
    turn: str,
    names: Names,
) -> list[Growth]:
    """How variables grow that are not empty to begin with, which a run asks: there is a last element of such a one."""
    firsts = [g.first for i in places if (g := _start(loop, i)) is not None]
    asked = [d for d in dict.fromkeys(firsts) if isinstance(d, Dim) and not holds(d, ">=", 1, names.facts)]
    before = names.facts
    names.facts = before.and_also(Relation(d, ">=", 1) for d in asked)
    grown = growths(loop, places, counters, turn, names) if asked else []
    if not grown:
        names.facts = before
        return []
    most = (known_ints(turns) or (0,))[0] or 0
    names.ask(e, turns, most, [Condition("least", d, 1) for d in asked])
    return grown


def _start(loop: core.While, place: int) -> Growth | None:
    axis = open_axis(loop.results[place])
    shape = loop.inits[place].tensor.shape
    if axis is None or shape is None or not is_told((shape[axis],)):
        return None
    return Growth(place, axis, shape[axis], 1)


def _seen(
    loop: core.While, grown: Sequence[Growth], counters: Sequence[Counter], number: Size, names: Names
) -> list[Growth]:
    """What of these the body shows to grow, and by how much, in the turn of a number; its types have sizes then."""
    body = loop.body.block
    for g in grown:
        argument = body.arguments[g.place]
        before = loop.inits[g.place].tensor.shape or ()
        edit.retype(argument, argument.tensor.with_shape(with_size(before, g.axis, g.after(number))))
    for place, first, step in counters:
        body.arguments[place].known = (number * step + first,)
    try:
        refine_shapes(body, names.facts)
    except ConversionError:
        return []  # the body does not take what it would be given
    found = []
    for g in grown:
        size = (body.outputs[g.place].tensor.shape or ())[g.axis : g.axis + 1]
        more = size[0] - g.after(number) if size and is_told((size[0],)) else None
        if isinstance(more, int) and more >= 0:
            found.append(g._replace(more=more))
    return found


# -- room for it ------------------------------------------------------------------------------------


class _Closing:
    """A loop whose variables that grow get room."""

    def __init__(self, loop: core.While, turns: Value, alone: bool, names: Names) -> None:
        self.loop, self.turns, self.alone, self.names = loop, turns, alone, names
        self.starts = list(loop.inits)
        self.most = (known_ints(turns) or (0,))[0] or 0

    def close(self, turn: str, grown: Sequence[Growth]) -> None:
        e = CoreBuilder(Rewriter(self.loop))
        rooms = [self._room(e, g) for g in grown]
        number = add_counter(self.loop, I64)
        for block in (self.loop.body.block, self.loop.cond.block):
            self._enter(block, turn if block is self.loop.body.block else self.names.new(), grown, rooms, number)
        for g, room in zip(grown, rooms, strict=True):
            edit.set_operand(self.loop, g.place, room)
        self._leave(grown, number)

    def _room(self, e: CoreBuilder, g: Growth) -> Value:
        """What a variable starts with, in a tensor that has room for what follows."""
        init = self.starts[g.place]
        room = e.in_room(init, g.axis, self._size(e, g, e.reshape(self.turns, [1])))
        simplify_types([room], self.names.facts)
        return room

    def _size(self, e: CoreBuilder, g: Growth, turns: Value) -> Value:
        """How much of a variable is there after so many turns."""
        more = turns if g.more == 1 else e.mul(turns, g.more)
        first = e.dim(self.starts[g.place], g.axis) if not isinstance(g.first, int) else g.first
        return more if first == 0 else e.add(more, first)

    def _enter(self, block: Block, turn: str, grown: Sequence[Growth], rooms: Sequence[Value], number: int) -> None:
        """What reads variables reads the part that is there; the body writes behind it."""
        first, is_body = block.first, block is self.loop.body.block
        if first is None or not (is_body or any(block.arguments[g.place].uses for g in grown)):
            for g, room in zip(grown, rooms, strict=True):
                edit.retype(block.arguments[g.place], room.type)
            return
        e = CoreBuilder(Rewriter(first))
        bound = self.most - 1 if is_body else self.most
        turns = self.names.define(e, block.arguments[number], bound, turn)
        for g, room in zip(grown, rooms, strict=True):
            argument = block.arguments[g.place]
            users = list(argument.uses)
            edit.retype(argument, room.type)
            size = self._size(e, g, turns)
            part = e.slice_axis(argument, g.axis, 0, size)
            simplify_types([part], self.names.facts)
            for user, place in users:
                edit.set_operand(user, place, part)
            if is_body:
                self._write(g, part, size)

    def _write(self, g: Growth, part: Value, size: Value) -> None:
        """What the body makes of a variable goes into its room, the appended part alone where that is all."""
        body = self.loop.body.block
        made, end = body.outputs[g.place], body.terminator
        e = CoreBuilder(Rewriter(end))
        begins = [e.constant(0, I64)] * e.rank(made)
        appended = appended_piece(e, made, part, g)
        if appended is not None:
            begins[g.axis] = e.scalar(size)
        room = e.y(core.UpdateSlice(body.arguments[g.place], made if appended is None else appended, begins))
        edit.set_operand(end, g.place, room)

    def _leave(self, grown: Sequence[Growth], number: int) -> None:
        """Whoever reads a result reads what is there."""
        users = {g: list(self.loop.results[g.place].uses) for g in grown}
        following = self.loop.next
        for g in grown:
            edit.retype(self.loop.results[g.place], self.loop.inits[g.place].type)
        if self.alone or following is None:
            return
        e = CoreBuilder(Rewriter(following))
        turns = self.names.define(e, self.loop.results[number], self.most)
        for g, uses in users.items():
            result = self.loop.results[g.place]
            part = e.slice_axis(result, g.axis, 0, self._size(e, g, turns))
            simplify_types([part], self.names.facts)
            for user, place in uses:
                edit.set_operand(user, place, part)


def appended_piece(e: CoreBuilder, made: Value, part: Value, g: Growth) -> Value | None:
    """What stands behind the part that was there, when the body does no more than append it."""
    op = made.producer
    if isinstance(op, core.Concat) and op.axis == g.axis and op.xs[0] is part and len(op.xs) > 1:
        return e.concat(op.xs[1:], g.axis)
    if (
        isinstance(op, core.ScatterNd)
        and op.reduction == "none"
        and isinstance(op.data.producer, core.Pad)
        and op.data.producer.x is part
        and g.axis == 0
        and op.indices.tensor.shape == (1, 1)
        and _number(op.indices) == (part.tensor.shape or (None,))[0]
    ):
        return op.updates
    return None


def _number(value: Value) -> Size | None:
    """What a tensor of one element holds."""
    while isinstance(value.producer, (core.Reshape, core.ExpandDims, core.Cast)):
        value = value.producer.x
    return (known_ints(value) or (None,))[0]
