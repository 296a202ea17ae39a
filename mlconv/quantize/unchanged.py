"""Equalization that leaves the model's outputs as they are: that is proved, or else they are compared on samples, and
what changes them is taken back.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function
from mlconv.passes.dce import eliminate_dead_code
from mlconv.quantize.collect import Answer, Collector, Pool, Programs, Runs, Work
from mlconv.quantize.equalize import Equalized, equalize, undo
from mlconv.quantize.exponents import Powers
from mlconv.quantize.ranges import Range
from mlconv.quantize.saved import keys_of

ANSWERS = 4
"""How many samples' outputs are compared."""
TOLERANCE = 1e-5
"""Of the largest number of an output."""
_MOST_TRIALS = 24  # of parts of an equalization that changes outputs; what is not tried then is taken back


@dataclass(frozen=True)
class Furthest:
    """The work of a chunk: the largest difference of any output from what it should be, over the largest number there.
    wanted: outputs as they should be, of each sample.
    """

    wanted: Sequence[Mapping[str, Array]]

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
    function: Function,
    ranges: dict[Value, Range],
    unlimits: bool,
    collector: Collector,
    stage: str,
    stored: bool = False,
) -> Balanced:
    """Equalize a function, in place, as far as its outputs stay as they are: the collector's answers.  ranges: are
    brought up to date.  unlimits, stored: as `equalize` takes them.  stage: under which what was decided is saved.
    """
    keys = keys_of(function)
    saved = collector.saved
    if saved is not None:
        back: dict[Value, None] = {}

        def may(value: Value) -> bool:
            found = saved.arrays.get((stage, keys[value]), ())
            if any(array.any() for array in found):
                back[value] = None
            return value not in back

        return Balanced(equalize(function, ranges, unlimits, may, stored), [*back])
    found = _judged(function, ranges, unlimits, collector, stored)
    if collector.kept is not None:
        for value in found.taken_back:
            collector.kept.add(stage, keys[value], [np.asarray(1, np.int64)])
    return found


def _judged(
    function: Function, ranges: dict[Value, Range], unlimits: bool, collector: Collector, stored: bool
) -> Balanced:
    """Parts of an equalization that changes outputs are tried apart."""
    before = dict(ranges)
    done = equalize(function, ranges, unlimits, stored=stored)
    if collector.give is None or not done.number:
        return Balanced(done, [])
    assert collector.answers, "ranges come of runs"
    judge = _Judge(function, before, collector.answers, collector.pool)
    if judge.agrees(done, ranges):
        return Balanced(done, [])
    every, groups = done.values, _halves(done.values)
    good: set[Value] = set()
    for _ in range(_MOST_TRIALS):
        undo(done, ranges, before)
        if not groups:
            break
        group = groups.pop(0)
        done = equalize(function, ranges, unlimits, {*good, *group}.__contains__, stored)
        if judge.agrees(done, ranges):
            good.update(group)
        else:
            groups = [*_halves(group), *groups]
    undo(done, ranges, before)
    eliminate_dead_code(function.block)
    return Balanced(
        equalize(function, ranges, unlimits, good.__contains__, stored), [v for v in every if v not in good]
    )


def _halves(values: list[Value]) -> list[list[Value]]:
    """Of one value, nothing."""
    middle = len(values) // 2
    return [values[:middle], values[middle:]] if middle else []


@dataclass
class _Judge:
    """spans: ranges of the function's values before anything changed.  answers: that its outputs are held to."""

    function: Function
    spans: Mapping[Value, Range]
    answers: Sequence[Answer]
    pool: Pool

    def agrees(self, done: Equalized, ranges: Mapping[Value, Range]) -> bool:
        return self._is_proved(done, ranges) or self._is_seen()

    def _is_proved(self, done: Equalized, ranges: Mapping[Value, Range]) -> bool:
        return Powers(done.constants, done.limits, (self.spans, ranges)).reach_outputs(self.function)

    def _is_seen(self) -> bool:
        work: Work[float] = Furthest([a.outputs for a in self.answers])
        chunk = Programs(self.function, self.pool, runs=len(self.answers)).paired(a.sample for a in self.answers)
        (furthest,) = self.pool.map(work, [chunk])
        return furthest <= TOLERANCE
