"""Loops whose variables get a piece more in every turn, which the loop does not read: they are as large from the start
as they are behind the last turn, and each turn writes its piece into them.  How often such a loop runs follows from
sizes.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Block, Op, Value, values_of
from mlconv.ir.module import Function
from mlconv.passes.growing_loops import Growth, appended_piece, growths, open_axis
from mlconv.passes.loop_limits import (
    Counter,
    Limit,
    always_holds,
    conjuncts,
    counters_of,
    held,
    is_exact,
    number_of_turns,
)
from mlconv.passes.preallocated_scans import add_counter
from mlconv.passes.refine_shapes import forget, learned, refine_shapes
from mlconv.passes.size_names import Names
from mlconv.rewrite import Rewriter, edit
from mlconv.rewrite.core_builder import CoreBuilder


class Filling(NamedTuple):
    """A variable that grows, and what a turn puts behind it."""

    growth: Growth
    piece: Value


def fill_loops(function: Function) -> int:
    """In place; how many variables have their last size from the start."""
    names = Names(function)
    count = _fill_all(function.block, names)
    if count:
        refine_shapes(function.block, names.facts)
    return count


def _fill_all(block: Block, names: Names) -> int:
    count = 0
    for op in list(block.ops):
        for region in op.regions:
            count += _fill_all(region.block, names)
        if isinstance(op, core.While):
            count += _fill(op, names)
    return count


def _fill(loop: core.While, names: Names) -> int:
    places = [
        i for i, v in enumerate(loop.results) if open_axis(v) is not None and not loop.cond.block.arguments[i].uses
    ]
    counters = counters_of(loop) if places else []
    limits = _limits(loop, counters) if counters else None
    found = _fillings(loop, places, counters, names) if limits else []
    if not limits or not found or not all(is_exact(limit, names) for limit in limits):
        return 0
    e = CoreBuilder(Rewriter(loop))
    numbers = [number_of_turns(e, limit) for limit in limits]
    turns = [n for n in numbers if n is not None]
    if len(turns) < len(numbers):
        return 0
    _make_room(e, loop, found, counters, reduce(e.minimum, turns))
    return len(found)


def _limits(loop: core.While, counters: Sequence[Counter]) -> list[Limit] | None:
    """What the loop holds counters to; None where anything else ends it."""
    cond = loop.cond.block
    tests = [t for t in conjuncts(cond.outputs[0]) if not always_holds(t)]
    by_value = {cond.arguments[c.place]: c for c in counters}
    found = [held(test, cond, by_value) for test in tests]
    limits = [Limit(*f, alone=len(tests) == 1) for f in found if f is not None]
    return limits if len(limits) == len(tests) else None


def _fillings(loop: core.While, places: Sequence[int], counters: Sequence[Counter], names: Names) -> list[Filling]:
    """The variables that are empty at first, grow alike in every turn, and that nothing but their growth reads."""
    body = loop.body.block
    saved = learned(values_of(body))
    e = CoreBuilder(Rewriter(body.terminator))
    found = []
    for g in growths(loop, places, counters, names.new(), names):
        made, argument = body.outputs[g.place], body.arguments[g.place]
        if g.first == 0 and g.more > 0 and made.has_one_use and _ends_in(argument, made.producer):
            piece = appended_piece(e, made, argument, g)
            found += [Filling(g, piece)] if piece is not None else []
    forget(saved)
    return found


def _ends_in(argument: Value, last: Op | None) -> bool:
    """Whether all that is computed of a variable is computed for one op."""
    pending, seen = [argument], set[Value]()
    while pending:
        for user in pending.pop().users:
            if user is last:
                continue
            if user.regions or not user.results:
                return False
            pending += [v for v in user.results if v not in seen]
            seen.update(user.results)
    return True


def _make_room(
    e: CoreBuilder, loop: core.While, found: Sequence[Filling], counters: Sequence[Counter], turns: Value
) -> None:
    body = loop.body.block
    place = next((c.place for c in counters if (c.first, c.step) == (0, 1)), None)
    counter = body.arguments[add_counter(loop, turns.tensor.dtype) if place is None else place]
    for (i, axis, _, more), piece in found:
        sizes = e.reshape(turns if more == 1 else e.mul(turns, more), [1])
        room = e.in_room(loop.inits[i], axis, sizes)
        inside = CoreBuilder(Rewriter(body.terminator))
        zero = inside.constant(0, counter.tensor.dtype)
        at = counter if more == 1 else inside.mul(counter, more)
        argument = body.arguments[i]
        for value in (argument, loop.cond.block.arguments[i], loop.results[i]):
            edit.retype(value, room.type)
        begins = [at if k == axis else zero for k in range(len(room.tensor.shape or ()))]
        edit.set_operand(loop, i, room)
        edit.set_operand(body.terminator, i, inside.y(core.UpdateSlice(argument, piece, begins)))
