"""How often a loop runs that counts: a variable grows by the same number with every turn, and the condition holds it to
a limit, at once or in the body for the next turn, as integers or as the floats that they are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from mlconv.dialects import core
from mlconv.ir.core import Block, Value
from mlconv.ir.dtypes import EXACT_INTEGERS, DType
from mlconv.ir.facts import Condition
from mlconv.ir.shapes import is_told
from mlconv.ir.size_facts import holds
from mlconv.ir.spec import known_ints
from mlconv.passes.size_names import Names
from mlconv.passes.trip_count import MAX_TURNS, trip_count
from mlconv.rewrite import constant_array
from mlconv.rewrite.core_builder import CoreBuilder

I64 = DType.I64
NO_LIMIT = (1 << 31) - 1


class Counter(NamedTuple):
    """A variable that is a number, and grows by `step` with every turn."""

    place: int
    first: int
    step: int


class Limit(NamedTuple):
    """The loop goes on as long as a counter is less than a limit.  alone: nothing else ends it.  least: so many turns
    run before that is asked; more: and so many after it is not.  exact: up to where it is held to the limit itself.
    """

    counter: Counter
    limit: Value
    exact: int | None
    alone: bool
    least: int = 0
    more: int = 0


def counters_of(loop: core.While) -> list[Counter]:
    found = []
    for place, init in enumerate(loop.inits):
        first, step = known_ints(init), _step(loop, place)
        if step is not None and first is not None and len(first) == 1 and isinstance(first[0], int):
            found.append(Counter(place, first[0], step))
    return found


def turns_of(e: CoreBuilder, loop: core.While, counters: Sequence[Counter], names: Names) -> tuple[Value, bool] | None:
    """The most turns, int64, and whether there are no less; None where they do not follow from sizes and constants.
    Of a limit that floats hold, a run asks.
    """
    exact = trip_count(loop, MAX_TURNS)
    if exact is not None:
        return e.constant(exact, I64), True
    for limit in limits_of(loop, counters):
        turns = number_of_turns(e, limit)
        if turns is None:
            continue
        stop = (known_ints(limit.limit) or (0,))[0] or 0
        if limit.exact is not None and limit.alone and not is_exact(limit, names):
            most = (known_ints(turns) or (0,))[0] or 0
            names.ask(e, turns, most, [Condition("least", limit.exact, stop)])
        return turns, limit.alone
    return None


def is_exact(limit: Limit, names: Names) -> bool:
    """Whether the loop ends at the limit itself, not at the float beside it."""
    stop = (known_ints(limit.limit) or (None,))[0]
    return limit.exact is None or (stop is not None and holds(stop, "<=", limit.exact, names.facts) is True)


def limits_of(loop: core.While, counters: Sequence[Counter]) -> Iterator[Limit]:
    """What the condition holds counters to, or the body, for the condition of the next turn."""
    cond, body = loop.cond.block, loop.body.block
    tests = [t for t in conjuncts(cond.outputs[0]) if not always_holds(t)]
    for test in tests:
        if test not in cond.arguments:
            found = held(test, cond, {cond.arguments[c.place]: c for c in counters})
            if found is not None:
                yield Limit(*found, alone=len(tests) == 1)
            continue
        place = cond.arguments.index(test)
        first = constant_array(loop.inits[place])
        later = [t for t in conjuncts(body.outputs[place]) if not always_holds(t)]
        alone = len(tests) == len(later) == 1 and first is not None and bool(first)
        for more, values in enumerate((body.outputs, body.arguments)):
            for t in later:
                found = held(t, body, {values[c.place]: c for c in counters})
                if found is None:
                    continue
                if len(tests) == len(later) == 1 and not more and _holds_first(loop.inits[place], *found[:2]):
                    yield Limit(*found, alone=True)
                else:
                    yield Limit(*found, alone, least=1, more=more)


def _holds_first(test: Value, counter: Counter, limit: Value) -> bool:
    """What says whether there is a first turn holds the counter to the same limit as what says it of others."""
    if not isinstance(test.producer, core.Less):
        return False
    first = constant_array(test.producer.a)
    same = _integer(test.producer.b)[0] is limit
    return same and first is not None and first.size == 1 and first.flat[0] == counter.first


def held(test: Value, block: Block, counters: Mapping[Value, Counter]) -> tuple[Counter, Value, int | None] | None:
    """The counter that a comparison in a block holds to a limit, and the limit, which is the same in all turns; and up
    to where floats that are compared in their places tell these apart.
    """
    if isinstance(test.producer, core.Less):
        less, limit = test.producer.inputs
    elif isinstance(test.producer, core.Greater):
        limit, less = test.producer.inputs
    else:
        return None
    (less, _), (limit, exact) = _integer(less), _integer(limit)
    counter, made = counters.get(less), limit.producer
    is_outside = limit not in block.arguments and (made is None or made.block is not block)
    return (counter, limit, exact) if counter is not None and (is_outside or isinstance(made, core.Constant)) else None


def _integer(number: Value) -> tuple[Value, int | None]:
    """The integer that a float was, and up to where floats tell integers apart."""
    op = number.producer
    if isinstance(op, core.Cast) and op.dtype in EXACT_INTEGERS and op.x.tensor.dtype.is_int:
        return op.x, EXACT_INTEGERS[op.dtype]
    return number, None


def always_holds(test: Value) -> bool:
    """A limit that says that there is none, as exporters write it."""
    limit = (known_ints(test.producer.b) or (None,))[0] if isinstance(test.producer, core.Less) else None
    return isinstance(limit, int) and limit >= NO_LIMIT


def conjuncts(test: Value) -> Iterator[Value]:
    """What must hold for a test to; `a and b` of Python is a branch that asks for b where a holds."""
    left, seen = [(test, False)], set[Value]()
    while left:
        one, is_told = left.pop()
        op = one.producer
        if is_told:
            yield one
        elif one in seen:
            continue
        elif isinstance(op, core.And):
            left += [(part, False) for part in reversed(op.inputs)]
        else:
            left.append((one, True))
            if isinstance(op, core.If):
                otherwise = constant_array(op.orelse.block.outputs[op.results.index(one)])
                left += [(op.cond, False)] if otherwise is not None and not otherwise.any() else []
        seen.add(one)


def _step(loop: core.While, place: int) -> int | None:
    """What the body adds to a variable."""
    argument, following = loop.body.block.arguments[place], loop.body.block.outputs[place].producer
    if not isinstance(following, core.Add) or argument not in following.inputs:
        return None
    other = known_ints(next((v for v in following.inputs if v is not argument), argument))
    step = other[0] if other is not None and len(other) == 1 else None
    return step if isinstance(step, int) and step > 0 else None


def number_of_turns(e: CoreBuilder, limit: Limit) -> Value | None:
    """The most turns, int64, in front of the loop; None where they do not follow from sizes."""
    _, first, step = limit.counter
    stop = (known_ints(limit.limit) or (None,))[0]
    if stop is None or not is_told((stop,)):
        return None
    end = e.constant(stop, I64) if isinstance(stop, int) else e.cast(e.scalar(limit.limit), I64)
    left = e.sub(end, first)
    if step != 1:
        left = e.y(core.FloorDiv(e.add(left, step - 1), e.constant(step, I64)))
    turns = e.maximum(e.add(left, limit.more) if limit.more else left, limit.least)
    found = (known_ints(turns) or (None,))[0]
    return turns if found is not None and is_told((found,)) else None
