"""What observers see in runs of a function on samples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from operator import length_hint
from typing import Any, NamedTuple, Protocol, TypeAlias, TypeVar

import numpy as np

from mlconv.diagnostics import Code, ConversionError
from mlconv.ir.constants import Array
from mlconv.ir.core import Value
from mlconv.ir.module import Function, Module
from mlconv.ir.shapes import sizes_of
from mlconv.quantize.bins import counts_of
from mlconv.quantize.observe import Join, K, Observe, Observed, observed
from mlconv.quantize.saved import Findings, keys_of

R = TypeVar("R")
Run: TypeAlias = Callable[[Mapping[str, Array]], Mapping[str, Array]]
Compile: TypeAlias = Callable[[Module], Run]
"""Makes a module of core ops ready to run."""
Sample: TypeAlias = Mapping[str, Array]
GiveSamples: TypeAlias = Callable[[Function], Iterable[Sample]]
OnProgress: TypeAlias = Callable[[int, int], None]
"""Is told how many samples of how many are done; 0 where nobody knows."""
Chunk: TypeAlias = Iterable[tuple[Any, Sample]]
"""Samples, each with the program that is to run it: what `Pool.ready` made."""
Runs: TypeAlias = Iterable[tuple[Run, Sample]]
Work: TypeAlias = Callable[[Runs], R]
"""What is made of a chunk, wherever that is run: by pickle it goes to other processes."""
CHUNK = 16
"""Samples whose numbers are joined before those of others are: sums do not depend on who runs which chunk."""


class Pool(Protocol):
    """Who runs modules of core ops."""

    def ready(self, module: Module, runs: int = 0) -> Any:
        """A module, ready to run.  runs: how often, at most, where that is known."""

    def map(self, work: Work[R], chunks: Iterable[Chunk], /) -> Iterator[R]:
        """What `work` makes of each chunk, in order."""


class InTurn(NamedTuple):
    """This process runs one sample after the other, and holds one at a time."""

    compile: Compile

    def ready(self, module: Module, runs: int = 0) -> Run:
        return self.compile(module)

    def map(self, work: Work[R], chunks: Iterable[Chunk]) -> Iterator[R]:
        return map(work, chunks)


@dataclass
class Collector:
    """give: the samples of a function, again each time; None where there are none.  pool: runs it.  on_progress: of
    what is collected now.  saved: what another run found, which is taken in place of samples.  kept: takes what is
    found, for another run.  samples: how many the last collection ran on.  answers: what a function gave for the
    first of them, where that was asked for.  untold: what was asked for that another run did not look for.
    """

    give: GiveSamples | None
    pool: Pool
    on_progress: OnProgress = field(default=lambda done, total: None)
    saved: Findings | None = None
    kept: Findings | None = None
    samples: int = 0
    answers: list[Answer] = field(default_factory=list)
    untold: set[str] = field(default_factory=set)

    def told(self, function: Function, keys: Iterable[K], stage: str) -> list[K]:
        """The values or ops of which samples tell, or what another run found under a stage."""
        if self.saved is None:
            return [*keys]
        names = keys_of(function)
        found = {key: names[key] for key in keys}  # type: ignore[index]
        untold = {key for key, name in found.items() if (stage, name) not in self.saved.arrays}
        self.untold |= {found[key] for key in untold}
        return [key for key in found if key not in untold]

    def collect(
        self, function: Function, wanted: Mapping[K, Value], observe: Observe[K], stage: str = "", answers: int = 0
    ) -> dict[K, list[Array]]:
        """What `observe` puts behind each value, joined over all samples.  stage: of what another run finds again, by
        keys that are values or ops of the function; empty for what is not saved.  answers: of how many samples the
        function's own outputs are kept.  Raises ConversionError CalibrationMissing where there are no samples,
        CalibrationUnfit.
        """
        keys = keys_of(function) if stage and (self.saved is not None or self.kept is not None) else {}
        if self.saved is not None and stage:
            self.samples = self.saved.samples
            return {key: [*self.saved.of(stage, keys[key])] for key in wanted}  # type: ignore[index]
        found = self._run(function, wanted, observe, answers)
        if self.kept is not None and stage:
            self.kept.samples = self.samples
            for key, arrays in found.items():
                self.kept.add(stage, keys[key], arrays)  # type: ignore[index]
        return found

    def _run(
        self, function: Function, wanted: Mapping[K, Value], observe: Observe[K], answers: int
    ) -> dict[K, list[Array]]:
        if self.give is None:
            raise ConversionError(
                Code.CalibrationMissing,
                "what was saved of a calibration does not tell, and there are no samples",
                help="give samples with --calibration",
            )
        samples = self.give(function)
        programs = Programs(function, self.pool, wanted, observe, length_hint(samples))
        given = self._counted(samples)
        first = next(given, None)
        if first is None:
            raise ConversionError(Code.CalibrationMissing, "the calibration data hold no sample")
        made = programs.observed_for(first)
        joined = Joined(
            {name: join for key in wanted for name, join in zip(made.names[key], made.joins[key], strict=True)}
        )
        found: dict[str, Array] = {}
        given = chain([first], given)
        if answers:
            asked = list(islice(given, answers))
            work = JoinedAndOwn(joined, function.output_names)
            ((found, own),) = self.pool.map(work, [programs.paired(asked)])
            self.answers = [Answer(*pair) for pair in zip(asked, own, strict=True)]
        for part in self.pool.map(joined, map(programs.paired, in_chunks(given))):
            join_into(found, part, joined.joins)
        return {key: [found[name] for name in made.names[key]] for key in wanted}

    def first_endless(self, function: Function) -> str:
        """Which sample has numbers that are not finite, and for which input; empty where none has."""
        for i, sample in enumerate(() if self.give is None else self.give(function)):
            for name, array in sample.items():
                if name in function.input_names and array.dtype.kind in "fV" and not np.isfinite(array).all():
                    return f"those of sample {i}, counted from 0, for input {name!r} are the first in the data"
        return ""

    def _counted(self, samples: Iterable[Sample]) -> Iterator[Sample]:
        self.samples, total = 0, length_hint(samples)
        for sample in samples:
            self.on_progress(self.samples, total)
            yield sample
            self.samples += 1
        self.on_progress(self.samples, self.samples)


class Answer(NamedTuple):
    """outputs: of a function, by name."""

    sample: Sample
    outputs: Mapping[str, Array]


class Programs:
    """A function with observers, made ready to run once for each choice of its sizes.  wanted, observe: as `observed`
    takes them.  runs: how often all of them run, at most, where that is known.
    """

    def __init__(
        self,
        function: Function,
        pool: Pool,
        wanted: Mapping[Any, Value] | None = None,
        observe: Observe[Any] = lambda value, key, e: (),
        runs: int = 0,
    ) -> None:
        self.function, self.pool, self.wanted, self.observe, self.runs = function, pool, wanted or {}, observe, runs
        self._made: dict[tuple[tuple[int, ...], ...], tuple[Observed[Any], Any]] = {}

    def observed_for(self, sample: Sample) -> Observed[Any]:
        return self._for(sample)[0]

    def paired(self, samples: Iterable[Sample]) -> Chunk:
        for sample in samples:
            yield self._for(sample)[1], sample

    def _for(self, sample: Sample) -> tuple[Observed[Any], Any]:
        function = self.function
        key = tuple(np.shape(sample[v.name]) for v in function.inputs)
        if key not in self._made:
            sizes = sizes_of((v.tensor.shape for v in function.inputs), key)
            made = observed(function, self.wanted, sizes, self.observe)
            self._made[key] = made, self.pool.ready(made.module, self.runs)
        return self._made[key]


@dataclass(frozen=True)
class Joined:
    """The work of a chunk: what observers gave, joined.  joins: by output."""

    joins: Mapping[str, Join]

    def __call__(self, runs: Runs) -> dict[str, Array]:
        found: dict[str, Array] = {}
        for run, sample in runs:
            self.join(found, run(sample))
        return found

    def join(self, found: dict[str, Array], outputs: Mapping[str, Array]) -> None:
        join_into(found, {name: _wide(outputs[name], join) for name, join in self.joins.items()}, self.joins)


@dataclass(frozen=True)
class JoinedAndOwn:
    """The work of a chunk: what observers gave, joined, and the function's own outputs of each sample, by name."""

    joined: Joined
    names: Sequence[str]

    def __call__(self, runs: Runs) -> tuple[dict[str, Array], list[dict[str, Array]]]:
        found: dict[str, Array] = {}
        own = []
        for run, sample in runs:
            outputs = run(sample)
            self.joined.join(found, outputs)
            own.append({name: outputs[name] for name in self.names})
        return found, own


def in_chunks(samples: Iterable[Sample]) -> Iterator[Iterator[Sample]]:
    """Runs of `CHUNK` samples: each must be gone through before the next is asked for."""
    rest = iter(samples)
    for first in rest:
        yield chain([first], islice(rest, CHUNK - 1))


def _wide(array: Array, join: Join) -> Array:
    """Sums as float64: there are many.  Numbers that are to be counted, in bins."""
    if join is Join.COUNTS:
        return counts_of(array)
    return array.astype(np.float64) if join is Join.SUM else array


def join_into(found: dict[str, Array], more: Mapping[str, Array], joins: Mapping[str, Join]) -> None:
    for name, array in more.items():
        found[name] = joins[name].of(found[name], array) if name in found else array
