"""What observers see in runs of a function on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TypeAlias

import numpy as np

from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.ir.shapes import sizes_of
from mlconv.quantize.observe import Join, K, Observe, Observed, observed

Run: TypeAlias = Callable[[Mapping[str, Array]], Mapping[str, Array]]
Compile: TypeAlias = Callable[[Module], Run]
"""Makes a module of core ops ready to run."""
Sample: TypeAlias = Mapping[str, Array]
GiveSamples: TypeAlias = Callable[[Function], Iterable[Sample]]
CHUNK = 16
"""Samples whose numbers are joined before those of others are: sums do not depend on who runs which chunk."""


@dataclass
class Collector:
    """give: the samples of a function, again each time.  compile: makes a module ready to run.  samples: how many the
    last collection ran on.
    """

    give: GiveSamples
    compile: Compile
    samples: int = 0

    def collect(self, function: Function, wanted: Mapping[K, Value], observe: Observe[K]) -> dict[K, list[Array]]:
        """What `observe` puts behind each value, joined over all samples; empty where there are none."""
        ready: dict[tuple[tuple[int, ...], ...], tuple[Observed[K], Run]] = {}
        found: dict[K, list[Array]] = {}
        self.samples = 0
        for chunk in _chunks(self.give(function)):
            part: dict[K, list[Array]] = {}
            for sample in chunk:
                self.samples += 1
                key = tuple(np.shape(sample[v.name]) for v in function.inputs)
                if key not in ready:
                    sizes = sizes_of((v.tensor.shape for v in function.inputs), key)
                    made = observed(function, wanted, sizes, observe)
                    ready[key] = made, self.compile(made.module)
                made, run = ready[key]
                _join_into(part, _seen(made, run(sample)), made.joins)
            if ready:
                _join_into(found, part, made.joins)
        return found


def _chunks(samples: Iterable[Sample]) -> Iterator[Iterator[Sample]]:
    """Runs of `CHUNK` samples: each must be gone through before the next is asked for."""
    rest = iter(samples)
    for first in rest:
        yield _with(first, islice(rest, CHUNK - 1))


def _with(first: Sample, more: Iterable[Sample]) -> Iterator[Sample]:
    yield first
    yield from more


def _seen(made: Observed[K], outputs: Mapping[str, Array]) -> dict[K, list[Array]]:
    """Sums as float64: there are many."""
    return {
        key: [_wide(outputs[name], join) for name, join in zip(names, made.joins[key], strict=True)]
        for key, names in made.names.items()
    }


def _wide(array: Array, join: Join) -> Array:
    return array.astype(np.float64) if join is Join.SUM else array


def _join_into(found: dict[K, list[Array]], more: Mapping[K, list[Array]], joins: Mapping[K, Sequence[Join]]) -> None:
    for key, arrays in more.items():
        before = found.get(key)
        if before is not None:
            arrays = [join.of(a, b) for join, a, b in zip(joins[key], before, arrays, strict=True)]
        found[key] = arrays
