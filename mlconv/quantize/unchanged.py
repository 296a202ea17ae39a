"""Equalization that leaves the model's outputs as they are: they are compared on samples, and what changes them is
taken back.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function, clone_function
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.collect import Collector, Pool, Programs, Runs, Sample, Work
from mlconv.quantize.equalize import Equalized, equalize
from mlconv.quantize.evaluate import Given, Outside
from mlconv.quantize.ranges import Range
from mlconv.quantize.saved import keys_of

TOLERANCE = 1e-5
"""Of the largest number of an output."""
_SAMPLES = 4  # that outputs are compared on
_MOST_TRIALS = 24  # of parts of an equalization that changes outputs; what is not tried then is taken back


@dataclass(frozen=True)
class Furthest:
    """The work of a chunk: the largest difference of any output from what it should be, over the largest number there.
    wanted: outputs as they should be, of each sample.
    """

    wanted: Sequence[dict[str, Array]]

    def __call__(self, runs: Runs) -> float:
        off, sizes = dict[str, float](), dict[str, float]()
        for (run, sample), wanted in zip(runs, self.wanted, strict=True):
            for name, array in run(sample).items():
                y, t = array.astype(np.float64), wanted[name].astype(np.float64)
                apart = np.where((y == t) | (np.isnan(y) & np.isnan(t)), 0.0, np.abs(y - t))
                off[name] = max(off.get(name, 0.0), float(np.nan_to_num(apart, nan=np.inf).max(initial=0.0)))
                finite = np.abs(t[np.isfinite(t)])
                sizes[name] = max(sizes.get(name, 0.0), float(finite.max(initial=0.0)))
        return max((apart / (sizes[name] or 1.0) for name, apart in off.items()), default=0.0)


class Balanced(NamedTuple):
    """done: what was equalized.  taken_back: values that were not, since outputs would change."""

    done: Equalized
    taken_back: list[Value]


def equalized(
    function: Function, ranges: dict[Value, Range], unlimits: bool, collector: Collector, stage: str
) -> Balanced:
    """Equalize a function, in place, as far as its outputs stay as they are.  ranges: are brought up to date.
    unlimits: as `equalize` takes it.  stage: under which what was decided is saved.
    """
    keys = keys_of(function)
    saved = collector.saved
    if saved is not None:
        back: list[Value] = []

        def may(value: Value) -> bool:
            found = saved.arrays.get((stage, keys[value]), ())
            if any(array.any() for array in found):
                back.append(value)
            return value not in back

        return Balanced(equalize(function, ranges, unlimits, may), back)
    found = _judged(function, ranges, unlimits, collector)
    if collector.kept is not None:
        for value in found.taken_back:
            collector.kept.add(stage, keys[value], [np.asarray(1, np.int64)])
    return found


def _judged(function: Function, ranges: dict[Value, Range], unlimits: bool, collector: Collector) -> Balanced:
    """Parts of an equalization that changes outputs are tried apart."""
    before, original = dict(ranges), clone_function(function)
    done = equalize(function, ranges, unlimits)
    if collector.give is None or not done.number:
        return Balanced(done, [])
    judge = _Judge(original, list(islice(collector.give(function), _SAMPLES)), collector.pool)
    if judge.agrees(function):
        return Balanced(done, [])
    every, groups = done.values, _halves(done.values)
    good: set[Value] = set()
    for _ in range(_MOST_TRIALS):
        _undo(done, ranges, before)
        if not groups:
            break
        group = groups.pop(0)
        done = equalize(function, ranges, unlimits, {*good, *group}.__contains__)
        if judge.agrees(function):
            good.update(group)
        else:
            groups = [*_halves(group), *groups]
    _undo(done, ranges, before)
    eliminate_dead_code(function.block)
    return Balanced(equalize(function, ranges, unlimits, good.__contains__), [v for v in every if v not in good])


def _halves(values: list[Value]) -> list[list[Value]]:
    """Of one value, nothing."""
    middle = len(values) // 2
    return [values[:middle], values[middle:]] if middle else []


def _undo(done: Equalized, ranges: dict[Value, Range], before: dict[Value, Range]) -> None:
    done.undo()
    ranges.clear()
    ranges.update(before)


@dataclass
class _Judge:
    """original: whose outputs on samples others are held to."""

    original: Function
    samples: list[Sample]
    pool: Pool

    def agrees(self, function: Function) -> bool:
        work: Work[float] = Furthest(self._wanted)
        (furthest,) = self.pool.map(work, [Programs(function, self.pool).paired(self.samples)])
        return furthest <= TOLERANCE

    @cached_property
    def _wanted(self) -> list[dict[str, Array]]:
        work: Work[list[dict[str, Array]]] = Given(Outside.of(self.original))
        (wanted,) = self.pool.map(work, [Programs(self.original, self.pool).paired(self.samples)])
        return wanted
