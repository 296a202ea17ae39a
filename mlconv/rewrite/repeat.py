"""Loops that rules make: some values, a step that gives the next ones, a bound on the turns."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from mlconv.dialects import core
from mlconv.ir.builder import Builder
from mlconv.ir.core import Block, Region, Value, Yield
from mlconv.ir.dtypes import DType
from mlconv.rewrite.core_builder import CoreBuilder, Part

Step = Callable[[CoreBuilder, Value, Sequence[Value]], Sequence[Value]]
Going = Callable[[CoreBuilder, Sequence[Value]], Value]


def repeat(
    n: CoreBuilder, count: Part, carried: Sequence[Value], step: Step, going: Going | None = None
) -> list[Value]:
    """What `step(builder, turn, values)` makes of the values in `count` turns, or as long as `going(builder, values)`,
    a bool scalar, holds.  The turn is an int32 scalar; types stay as they are.
    """
    limit = n.constant(count, DType.I32) if isinstance(count, int) else n.scalar(n.cast(count, DType.I32))
    inits = [n.constant(0, DType.I32), *carried]
    cond, body = Block([v.type for v in inits]), Block([v.type for v in inits])
    inner = CoreBuilder(Builder(cond, n.builder.location))
    more = inner.less(cond.arguments[0], limit)
    if going is not None:
        more = inner.logical_and(more, going(inner, cond.arguments[1:]))
    inner.emit(Yield([more]))
    inner = CoreBuilder(Builder(body, n.builder.location))
    turn, *values = body.arguments
    made = step(inner, turn, values)
    inner.emit(Yield([inner.add(turn, 1), *made]))
    return list(n.ys(core.While(inits, cond=Region(cond), body=Region(body))))[1:]
