"""Loops whose condition data decide: numbers that are drawn may never let one end, so that a runtime hangs on them."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from mlconv.diagnostics import Code, ConversionError
from mlconv.dialects import core
from mlconv.interp import run_function
from mlconv.ir.constants import Array
from mlconv.ir.core import Op, walk
from mlconv.ir.module import Function
from mlconv.passes.loop_limits import counters_of, limits_of
from mlconv.passes.trip_count import MAX_TURNS, trip_count
from mlconv.runtime.inputs import random_inputs

_SHORT, _LONG = 1 << 15, 1 << 22  # ops that a draw may take, and the last one: a part of a second, and half a minute
_AS_AN_OP = 256  # elements, read or made, that take as long as an op of few
_DRAWS = 8
SEEDS_APART = 1 << 16


def has_open_loops(function: Function) -> bool:
    """In a function of core ops, a loop runs that neither constants nor a counter ends."""
    return any(map(_is_open, (op for op in walk(function.block) if isinstance(op, core.While))))


def _is_open(loop: core.While) -> bool:
    return trip_count(loop, MAX_TURNS) is None and not any(True for _ in limits_of(loop, counters_of(loop)))


def ends(function: Function, inputs: Mapping[str, Array], most: int) -> bool:
    """The interpreter comes to the end of a function of core ops, or of what it can do, in so many ops of few elements,
    or fewer large ones.
    """
    done = 0

    def count(op: Op, operands: Sequence[Array | None], made: Sequence[Array]) -> Sequence[Array]:
        nonlocal done
        done += 1 + sum(a.size for a in (*operands, *made) if a is not None) // _AS_AN_OP
        if done > most:
            raise _EndlessError
        return made

    try:
        run_function(function, inputs, change=count)
    except _EndlessError:
        return False
    except ConversionError:
        pass  # whoever runs the model meets it
    return True


def ending(
    made: Function, draw: Callable[[int], dict[str, Array]], names: Mapping[str, str] | None = None
) -> dict[str, Array]:
    """Inputs that let a function of core ops end: what `draw` gives for 0, or for a number above.  names: of its inputs
    by those of what is drawn, where these differ.  Raises ConversionError VerificationImpossible, and what `draw`
    raises.
    """
    if not has_open_loops(made):
        return draw(0)
    named = names or {}
    return ended(draw, lambda found, most: ends(made, {named.get(n, n): array for n, array in found.items()}, most))


def drawn_inputs(made: Function, seed: int) -> dict[str, Array]:
    """Random inputs of a function of core ops that let it end.  Raises ConversionError VerificationImpossible."""
    return ending(made, lambda k: random_inputs(made, seed + k * SEEDS_APART))


def ended(
    draw: Callable[[int], dict[str, Array]], lets_end: Callable[[dict[str, Array], int], bool]
) -> dict[str, Array]:
    """What `draw` gives for the first of a few numbers that lets loops end, in so many ops.  Raises ConversionError
    VerificationImpossible.
    """
    for k, most in enumerate(limits(_DRAWS)):
        found = draw(k)
        if lets_end(found, most):
            return found
    raise ConversionError(
        Code.VerificationImpossible,
        f"a loop of the model does not end within {_LONG} ops on inputs that are drawn at random",
        help="give arrays that the model is made for with --data FILE.npz",
    )


def limits(draws: int) -> list[int]:
    """How many ops each of several draws may take: the last one many, as a loop may be long that ends on all."""
    return [_SHORT] * (draws - 1) + [_LONG]


def patient(function: Function, draws: int) -> Callable[[Mapping[str, Array]], bool]:
    """Tells of one draw after the other whether it lets loops end."""
    left = iter(limits(draws))
    return lambda inputs: ends(function, inputs, next(left, _LONG))


class _EndlessError(Exception):
    pass
