"""Which scheme each layer of a chain gets: the least time for what is lost."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from typing import NamedTuple

from mlconv.quantize.scheme import Scheme

_BORDER_SECONDS = 2.5e-10  # to round a number, or to make a float of it, from and to a second-level cache
_STEPS = 64  # prices of what is lost that are looked at


class Option(NamedTuple):
    """A scheme for a layer.  loss: squares of the error over squares of the result."""

    scheme: Scheme
    seconds: float
    loss: float


Options = Sequence[Sequence[Option]]
"""Of each layer, in order; at least one."""


class Mixture(NamedTuple):
    """A number of an option for each layer.  seconds, loss: what is to be expected of all."""

    chosen: tuple[int, ...]
    seconds: float
    loss: float


def frontier(options: Options, numbers: Sequence[int]) -> list[Mixture]:
    """Mixtures that are the fastest for what they lose, the fastest first: each loses less than the one before it.
    numbers: that each layer gives, which are rounded, or made floats, where its neighbour asks for that.
    """
    least = min((o.loss for layer in options for o in layer if o.loss > 0), default=0.0)
    spent = sum(max(o.seconds for o in layer) for layer in options)
    prices = [0.0]
    if least and spent:
        most = 2 * spent / least  # a second, though it were all of them, is worth less than the least loss
        low = min(1e-6, most)
        prices += [low * (most / low) ** (i / (_STEPS - 1)) for i in range(_STEPS)]
    found: list[Mixture] = []
    for price in prices:
        mixture = cheapest(options, numbers, lambda o, price=price: o.seconds + price * o.loss)  # type: ignore[misc]
        if not found or mixture.loss < found[-1].loss:
            found.append(mixture)
    return found


def cheapest(options: Options, numbers: Sequence[int], cost: Callable[[Option], float]) -> Mixture:
    """The mixture of least cost, by dynamic programming along the chain; of equal ones that of the first options."""
    best = [cost(o) for o in options[0]] if options else []
    back: list[list[int]] = []
    for i in range(1, len(options)):
        before, step, came = best, [], []
        for option in options[i]:
            ways = [
                total + _border(options[i - 1][j], option, numbers[i - 1]) for j, total in enumerate(before)
            ]  # what lies in between is rounded there and back
            j = min(range(len(ways)), key=ways.__getitem__)
            step.append(ways[j] + cost(option))
            came.append(j)
        best = step
        back.append(came)
    chosen = [min(range(len(best)), key=best.__getitem__)] if best else []
    for came in reversed(back):
        chosen.append(came[chosen[-1]])
    return mixture_of(options, numbers, tuple(reversed(chosen)))


def mixture_of(options: Options, numbers: Sequence[int], chosen: tuple[int, ...]) -> Mixture:
    """A mixture, with what is to be expected of it."""
    taken = [layer[i] for layer, i in zip(options, chosen, strict=True)]
    borders = sum(_border(a, b, n) for a, b, n in zip(taken, taken[1:], numbers, strict=False))
    return Mixture(chosen, sum(o.seconds for o in taken) + borders, sum(o.loss for o in taken))


def runs(schemes: Sequence[Scheme]) -> list[range]:
    """Runs of layers that have one scheme."""
    starts = [i for i in range(len(schemes)) if not i or schemes[i] != schemes[i - 1]]
    return [range(a, b) for a, b in itertools.pairwise([*starts, len(schemes)])]


def _border(a: Option, b: Option, numbers: int) -> float:
    """Seconds of what lies between two layers."""
    return numbers * _BORDER_SECONDS if a.scheme.is_static != b.scheme.is_static else 0.0
