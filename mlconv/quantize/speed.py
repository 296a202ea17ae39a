"""The fastest way to quantize within what a model may lose, by time on the machine that the code is for.

Each scheme is timed for all layers, kernel by kernel.  The best single scheme is the fastest that loses no more than it
may.  Mixtures are made of what the schemes took layer by layer, for what they lose layer by layer; those that promise
to be faster are scored, the fastest of them that loses no more than it may is timed, and stretches of it that turn out
slower than in the best single scheme are given back.  What is left of mixtures takes turns with the best single scheme:
the result is a mixture only where it is clearly faster.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import NamedTuple

from mlconv.ir.module import Module
from mlconv.provenance.locations import origins
from mlconv.quantize.budget import Tell
from mlconv.quantize.choose import PRODUCTS
from mlconv.quantize.collect import Collector, Sample
from mlconv.quantize.costs import least
from mlconv.quantize.evaluate import Judge
from mlconv.quantize.layers import Layer
from mlconv.quantize.mixture import Mixture, Option, frontier, mixture_of, runs
from mlconv.quantize.outcome import Row
from mlconv.quantize.quantizer import Quantizer
from mlconv.quantize.recipe import Recipe, Rule
from mlconv.quantize.report import LayerTimes, SchemeTime, Speed
from mlconv.quantize.scheme import SCHEMES, Scheme
from mlconv.quantize.stopwatch import Call, Stopwatch, Timed, shared, together
from mlconv.quantize.trials import Trials

CANDIDATES = ("int8", "dynamic-range", "int4", "bfloat16", "float")
"""Schemes that a layer may get; of equal ones the first."""
_PROMISING, _CLEARLY = 0.995, 0.99  # of the time of the best single scheme: what is tried, and what is taken
_LUCK = 1.03  # of two times of a layer that may be the same
_REFINED = 2  # mixtures that are made of one that was timed
MIXTURE = "mixture"


class Way(NamedTuple):
    """A way to quantize.  name: of a scheme, or of a mixture.  base: of layers that have none of their own; changed:
    those of others, by text.
    """

    name: str
    base: Scheme
    changed: Mapping[str, Scheme]

    @property
    def is_mixture(self) -> bool:
        return self.name.startswith(MIXTURE)

    def recipe(self, asked: Recipe, layers: Sequence[Layer]) -> Recipe:
        """That quantizes in this way."""
        base = self.base.with_granularity(asked.scheme.granularity) if asked.scheme.block and self.base.rounds else None
        own = tuple(Rule(x.selector, self.changed[x.selector.text]) for x in layers if x.selector.text in self.changed)
        return replace(asked, scheme=base or self.base, rules=(*asked.rules, *own), is_automatic=False)


class Scored(NamedTuple):
    """worse: than the float model, in units of the score."""

    way: Way
    score: float
    worse: float


class Fastest(NamedTuple):
    """The way that was found.  calls: of its kernels.  is_met: it loses no more than it may."""

    scored: Scored
    recipe: Recipe
    calls: Sequence[Call]
    is_met: bool
    report: Speed
    trials: int


@dataclass
class SpeedSearch:
    """quantizer: of a recipe.  module: stays as it is.  collector: has samples to measure losses with, the first of
    which code is timed with.  limit: how much worse a score may be.
    """

    quantizer: Quantizer
    module: Module
    judge: Judge
    collector: Collector
    stopwatch: Stopwatch
    limit: float
    tell: Tell
    scored: list[Scored] = field(default_factory=list)
    times: dict[str, Timed] = field(default_factory=dict)
    compiled: int = 0
    _trials: dict[tuple[bool, bool], Trials] = field(default_factory=dict)

    def found(self) -> Fastest:
        """Raises what `Trials` does, and what compiling for the machine raises."""
        singles = [Way(name, SCHEMES[name], {}) for name in CANDIDATES]
        self._time(singles)
        best = self._best_single(singles)
        if best is None:
            least_worse = min(self.scored, key=lambda s: (s.worse, self.times[s.way.name].seconds))
            return self._told(least_worse, {}, "no scheme loses so little; this one loses least", {})
        losses = self._losses(best.way)
        mixtures = self._mixtures(best, losses)
        chosen, raced = self._raced(best, mixtures)
        if chosen.way.is_mixture:
            why = "it is faster than the best single scheme, and loses no more than it may"
        elif mixtures:
            why = "no mixture of schemes was clearly faster than this one"
        else:
            why = "no mixture of schemes that loses no more than it may promised to be faster"
        return self._told(chosen, losses, why, raced)

    @property
    def layers(self) -> list[Layer]:
        return self._for(Way("", SCHEMES["int8"], {})).layers

    @cached_property
    def sample(self) -> Sample:
        """Raises ConversionError CalibrationMissing where there is none."""
        return self.judge.first_sample

    # -- ways ------------------------------------------------------------------------------------

    def _for(self, way: Way) -> Trials:
        """Copies that are prepared alike."""
        recipe = replace(self.quantizer.recipe, scheme=way.base)
        schemes = (*recipe.schemes, *way.changed.values())
        key = any(s.rounds for s in schemes), any(s.is_static for s in schemes)
        if key not in self._trials:
            self._trials[key] = Trials(replace(self.quantizer, recipe=recipe), self.module)
        return self._trials[key]

    def _made(self, way: Way, nearest: bool) -> Module:
        return self._for(way).with_base(way.recipe(self.quantizer.recipe, ()).scheme, way.changed, nearest)

    def _score(self, way: Way) -> Scored:
        self.tell("quantized copies of the model", len(self.scored), 0)
        float_score = self.judge.float_score
        plain = way.base.name == "float" and not way.changed and not self.quantizer.recipe.rules
        score = float_score if plain else self.judge.score(self._made(way, nearest=False))
        self.scored.append(Scored(way, score, self.judge.worse(score, float_score)))
        return self.scored[-1]

    def _time(self, ways: Sequence[Way]) -> None:
        """By kernel, together."""
        timed = self.stopwatch.timed(self._ready(ways), self.sample, calls=True)
        self.times.update({way.name: each for way, each in zip(ways, timed, strict=True)})

    def _ready(self, ways: Sequence[Way]) -> Iterator[Module]:
        for i, way in enumerate(ways):
            self.tell("code to time", i, len(ways))
            self.compiled += 1
            yield self._made(way, nearest=True)
        self.tell("times", 0, 0)

    def _best_single(self, singles: Sequence[Way]) -> Scored | None:
        """The fastest that loses no more than it may: slower ones need no score."""
        for way in sorted(singles, key=lambda way: self.times[way.name].seconds):
            scored = self._score(way)
            if scored.worse <= self.limit:
                return scored
        return None

    # -- mixtures --------------------------------------------------------------------------------

    def _losses(self, best: Way) -> dict[str, dict[str, float]]:
        """Own losses of layers, by scheme; of schemes that some layer is faster with than with the best single one."""
        found: dict[str, dict[str, float]] = {}
        mine = self._seconds(best.name)
        for name in CANDIDATES:
            own = self._seconds(name)
            faster = (sum(own[i] * _LUCK - mine[i] for i in group) < 0 for group in self.groups)
            if name != "float" and (name == best.name or any(faster)):
                self.tell(f"what layers lose with {name}", 0, 0)
                self.compiled += 1
                found[name] = self._for(Way("", SCHEMES[name], {})).losses(SCHEMES[name], self.collector)
        return found

    @cached_property
    def _owners(self) -> list[tuple[list[str], int]]:
        return [(_names(layer), layer.macs) for layer in self.layers]

    def _seconds(self, name: str) -> list[float]:
        """Of each layer."""
        return shared(self.times[name].calls, self._owners)[0]

    def _rule_of(self, layer: Layer) -> Scheme | None:
        """What a user's rule says of a layer."""
        found = (rule.scheme for rule in reversed(self.quantizer.recipe.rules) if rule.selector.matches(layer.ops[0]))
        return next(found, None)

    @cached_property
    def groups(self) -> list[list[int]]:
        """Layers that have a kernel together in one of the schemes get one scheme."""
        return together((timed.calls for timed in self.times.values()), self._owners)

    def _options(self, best: Way, losses: Mapping[str, Mapping[str, float]]) -> list[list[Option]]:
        """Of each group.  The best single scheme stands first, and times that may be the same count as its own or
        more.
        """
        names = [best.name, *(n for n in (*losses, "float") if n != best.name)]
        by_name = {name: self._seconds(name) for name in names}
        texts = [layer.selector.text for layer in self.layers]
        options = []
        for group in self.groups:
            is_fixed = all(self._rule_of(self.layers[i]) is not None for i in group)
            options.append(
                [
                    Option(
                        SCHEMES[name],
                        sum(by_name[name][i] for i in group) * (1 if name == best.name else _LUCK),
                        sum(losses.get(name, {}).get(texts[i], 0.0) for i in group),
                    )
                    for name in (names[:1] if is_fixed else names)
                ]
            )
        return options

    def _mixtures(self, best: Scored, losses: Mapping[str, Mapping[str, float]]) -> list[Scored]:
        """Mixtures that were timed, and lose no more than they may; the last ones are made of those before."""
        options = self._options(best.way, losses)
        numbers = [_numbers(self.layers[group[-1]]) for group in self.groups]
        if not options:
            return []
        single = mixture_of(options, numbers, (0,) * len(options))
        worth = [m for m in frontier(options, numbers) if m.seconds < _PROMISING * single.seconds]
        worth = [m for m in worth if len(set(m.chosen)) > 1]
        found = self._fastest_met(worth, options)
        good: list[Scored] = []
        while found is not None and len(good) <= _REFINED:
            mixture, scored = found
            self._time([scored.way])
            good.append(scored)
            found = self._given_back(mixture, scored.way, options, numbers)
        return good

    def _fastest_met(self, worth: Sequence[Mixture], options: list[list[Option]]) -> tuple[Mixture, Scored] | None:
        """By bisection: each mixture loses less than the one before, and takes longer."""
        low, high, found = -1, len(worth), None
        middle = 0  # the fastest of all is tried first
        while high - low > 1:
            scored = self._score(self._way(worth[middle], options))
            if scored.worse <= self.limit:
                high, found = middle, (worth[middle], scored)
            else:
                low = middle
            middle = (low + high) // 2
        return found

    def _given_back(
        self, mixture: Mixture, way: Way, options: list[list[Option]], numbers: Sequence[int]
    ) -> tuple[Mixture, Scored] | None:
        """The mixture without stretches of layers that took longer in it than in the best single scheme; None where
        there are none, or where that loses too much.
        """
        own = self._seconds(way.name)
        real, single = [sum(own[i] for i in group) for group in self.groups], [group[0].seconds for group in options]
        chosen = list(mixture.chosen)
        for run in runs([layer[i].scheme for layer, i in zip(options, chosen, strict=True)]):
            if chosen[run.start] and sum(real[i] for i in run) >= sum(single[i] for i in run):
                chosen[run.start : run.stop] = [0] * len(run)
        if tuple(chosen) == mixture.chosen or not any(chosen):
            return None
        fewer = mixture_of(options, numbers, tuple(chosen))
        scored = self._score(self._way(fewer, options))
        return (fewer, scored) if scored.worse <= self.limit else None

    def _way(self, mixture: Mixture, options: list[list[Option]]) -> Way:
        """Layers with the base scheme have no rule: int8 where there is any, as what lies between layers of integers
        has it, else what most have.
        """
        chosen = [group[i].scheme for group, i in zip(options, mixture.chosen, strict=True)]
        found = {i: scheme for group, scheme in zip(self.groups, chosen, strict=True) for i in group}
        schemes = {i: found[i] for i in sorted(found) if self._rule_of(self.layers[i]) is None}
        static = next((s for s in schemes.values() if s.is_static), None)
        rounding = [s for s in schemes.values() if s.rounds]
        base = static or Counter(rounding or schemes.values()).most_common(1)[0][0]
        changed = {self.layers[i].selector.text: s for i, s in schemes.items() if s != base}
        number = 1 + sum(s.way.is_mixture for s in self.scored)
        return Way(f"{MIXTURE} {number}", base, changed)

    def _raced(self, best: Scored, mixtures: Sequence[Scored]) -> tuple[Scored, dict[str, float]]:
        """What is fastest as it will be written, with milliseconds of those that took turns: the fastest mixture, and
        single schemes that may be as fast as the best one.
        """
        fastest = sorted(mixtures, key=lambda s: self.times[s.way.name].seconds)[:1]
        singles = [best, *self._rivals(best)]
        if len(singles) + len(fastest) == 1:
            return best, {}
        racers = [*singles, *fastest]
        modules = self._ready([s.way for s in racers])
        seconds = [t.seconds for t in self.stopwatch.timed(modules, self.sample, calls=False)]
        raced = {s.way.name: 1e3 * t for s, t in zip(racers, seconds, strict=True)}
        first = min(range(len(singles)), key=seconds.__getitem__)
        mixed = bool(fastest) and seconds[-1] < _CLEARLY * seconds[first]
        return racers[-1] if mixed else singles[first], raced

    def _rivals(self, best: Scored) -> list[Scored]:
        """Other single schemes that lose no more than they may, and took hardly longer."""
        known = {s.way.name for s in self.scored}
        near = (name for name in CANDIDATES if self.times[name].seconds < _LUCK * self.times[best.way.name].seconds)
        scored = [self._score(Way(name, SCHEMES[name], {})) for name in near if name not in known]
        return [s for s in scored if s.worse <= self.limit]

    # -- what is told ----------------------------------------------------------------------------

    def _told(
        self, chosen: Scored, losses: Mapping[str, Mapping[str, float]], why: str, raced: dict[str, float]
    ) -> Fastest:
        way, layers = chosen.way, self.layers
        scores = {s.way.name: s for s in self.scored}
        rows = []
        for name, timed in self.times.items():
            known = scores.get(name)
            met = None if known is None else known.worse <= self.limit
            score, worse = (None, None) if known is None else (known.score, known.worse)
            rows.append(SchemeTime(name, 1e3 * timed.seconds, score, worse, met))
        by_name = {name: self._seconds(name) for name in self.times}
        times = [
            LayerTimes(
                layer.selector.text,
                way.changed.get(layer.selector.text, self._rule_of(layer) or way.base).name,
                {name: 1e3 * seconds[i] for name, seconds in by_name.items()},
                {name: _decibels(found.get(layer.selector.text)) for name, found in losses.items()},
            )
            for i, layer in enumerate(layers)
        ]
        others = shared(self.times[way.name].calls, self._owners)[1]
        report = Speed(self.stopwatch.machine, rows, raced, way.name, why, self.compiled, times, 1e3 * others)
        recipe = way.recipe(self.quantizer.recipe, layers)
        is_met = chosen.worse <= self.limit
        return Fastest(chosen, recipe, self.times[way.name].calls, is_met, report, len(self.scored))


def tell_times(rows: Iterable[Row], calls: Iterable[Call]) -> None:
    """Put into layers of the report what their kernels take."""
    rows = list(rows)
    seconds, _ = shared(calls, [([*origins(row.place)], row.layer.macs or 0) for row in rows])
    for row, own in zip(rows, seconds, strict=True):
        row.layer.milliseconds = 1e3 * own


def _names(layer: Layer) -> list[str]:
    """Origins of a layer's products."""
    products = any(isinstance(op, PRODUCTS) for op in layer.ops)
    found = (op for op in layer.ops if isinstance(op, PRODUCTS) or not products)
    return [name for op in found for name in origins(op.location)]


def _numbers(layer: Layer) -> int:
    """That a layer gives, sizes that are open counted as 1."""
    return math.prod(least(layer.ops[-1].results[0]) or ())


def _decibels(loss: float | None) -> float | None:
    return None if not loss else -10 * math.log10(loss)
