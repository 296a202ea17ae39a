"""The fewest layers in more bits with which a model loses no more than it may.

Layers are ordered by what they lose when they alone are quantized, for what it costs to keep them: how many of the
first of them are needed is found by bisection, and those that are not needed are given back.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from mlconv.ir.module import Module
from mlconv.quantize.collect import CHUNK
from mlconv.quantize.evaluate import Judge
from mlconv.quantize.layers import ladder_of
from mlconv.quantize.recipe import Recipe, Rule
from mlconv.quantize.scheme import Scheme
from mlconv.quantize.trials import Trials

_MOST_GIVEN_BACK = 12  # trials of giving back a layer
_OTHERS = 3  # ways that are made where the best one loses more than it did
_FEW = 3  # layers in 16 bits that no layer of floats is better than
_WORK = 1 << 34  # multiply-adds that are worth while to see what one layer loses
_FEWEST = 4  # samples for that
Schemes = Mapping[int, Scheme]
"""Of layers that have one of their own, by number."""
Tell = Callable[[str, int, int], None]
"""Is told what is done now, and how many of how many are done; 0 where nobody knows."""


class Tried(NamedTuple):
    """A way to quantize.  worse: than the float model, in units of the score."""

    schemes: Schemes
    score: float
    worse: float


@dataclass
class Search:
    """limit: how much worse a score may be.  tried: all ways so far.  Layers that a rule names stay as it says."""

    trials: Trials
    judge: Judge
    limit: float
    tell: Tell
    tried: list[Tried] = field(default_factory=list)

    def found(self) -> Tried:
        """The cheapest way that was found within the limit; where there is none, the one that loses least."""
        self.tell("score of the float model", 0, 0)
        _ = self.judge.float_score
        first = self._try({})
        if self._is_met(first):
            return first
        losses = self._losses()
        good = []
        for step in range(max((len(ladder_of(self._base(i))) for i in losses), default=0)):
            worth = {i: loss / max(self._cost(i, self._above(i, step)), 1) for i, loss in losses.items()}
            order = sorted(losses, key=lambda i: -worth[i])
            way = self._fewest(order, step)
            if way is not None:
                good.append(self._given_back(way, order))
                if len(good[-1].schemes) <= _FEW:
                    break
        if good:
            return min(good, key=lambda way: self.cost(way.schemes))
        return min(self.tried, key=lambda way: (way.worse, self.cost(way.schemes)))

    def others(self, way: Tried) -> list[Tried]:
        """A few more ways that were within the limit, from the cheapest to the dearest.  Channels are brought to like
        ranges for the layers that are quantized, so that a way which is made anew may lose more than it did here.
        """
        met = [other for other in self.tried if self._is_met(other) and other is not way]
        met.sort(key=lambda other: self.cost(other.schemes))
        return [*met[: _OTHERS - 1], *met[_OTHERS - 1 :][-1:]]

    def cost(self, schemes: Schemes) -> float:
        return sum(self._cost(i, scheme) for i, scheme in schemes.items())

    def recipe(self, way: Tried) -> Recipe:
        """That quantizes in this way."""
        recipe, layers = self.trials.quantizer.recipe, self.trials.layers
        own = tuple(Rule(layers[i].selector, scheme) for i, scheme in sorted(way.schemes.items()))
        return replace(recipe, rules=(*recipe.rules, *own))

    def _base(self, number: int) -> Scheme:
        return self.trials.scheme_of_layer(self.trials.layers[number])

    def _above(self, number: int, step: int) -> Scheme:
        """What a layer has on a step of its ladder, or on its last one."""
        ladder = ladder_of(self._base(number))
        return ladder[min(step, len(ladder) - 1)]

    def _cost(self, number: int, scheme: Scheme) -> float:
        return self.trials.layers[number].cost(self._base(number), scheme)

    def _is_met(self, way: Tried) -> bool:
        return way.worse <= self.limit

    def _try(self, schemes: Schemes) -> Tried:
        known = next((way for way in self.tried if way.schemes == schemes), None)
        if known is not None:
            return known
        self.tell("quantized copies of the model", len(self.tried), 0)
        score = self.judge.score(self.trials.with_schemes(schemes))
        way = Tried(dict(schemes), score, self.judge.worse(score, self.judge.float_score))
        self.tried.append(way)
        return way

    @cached_property
    def free(self) -> list[int]:
        """Layers that no rule names."""
        return [i for i, layer in enumerate(self.trials.layers) if not self.trials.is_ruled(layer)]

    def _losses(self) -> dict[int, float]:
        """What each layer loses alone, of those that are free."""

        def copies() -> Iterator[Module]:
            for done, i in enumerate(self.free):
                self.tell("what each layer loses", done, len(self.free))
                yield self.trials.with_one(i)

        macs = sum(layer.macs for layer in self.trials.layers)
        found = self.judge.losses(copies(), min(max(_WORK // max(macs, 1), _FEWEST), CHUNK))
        return dict(zip(self.free, found, strict=True))

    def _fewest(self, order: Sequence[int], step: int) -> Tried | None:
        """The fewest first layers of an order that are enough on a step of their ladders; None where all are not."""
        best = self._try(self._first(order, len(order), step))
        if not self._is_met(best):
            return None
        low, high = 0, len(order)  # too few, enough
        while high - low > 1:
            middle = (low + high) // 2
            way = self._try(self._first(order, middle, step))
            low, high = (low, middle) if self._is_met(way) else (middle, high)
            best = way if self._is_met(way) else best
        return best

    def _first(self, order: Sequence[int], count: int, step: int) -> Schemes:
        return {i: self._above(i, step) for i in order[:count]}

    def _given_back(self, way: Tried, order: Iterable[int]) -> Tried:
        """The same without layers that are not needed, and others in fewer bits, the least useful first."""
        wanted = [i for i in reversed(list(order)) if i in way.schemes]
        for i in itertools.islice(wanted, _MOST_GIVEN_BACK):
            fewer = self._try({j: scheme for j, scheme in way.schemes.items() if j != i})
            if self._is_met(fewer):
                way = fewer
                continue
            cheaper = ladder_of(self._base(i))[0]
            if cheaper != way.schemes[i]:
                other = self._try({**way.schemes, i: cheaper})
                way = other if self._is_met(other) else way
        return way
