"""How the time of a model in native code grows with the number of samples in a call."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import TypedDict

from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.bench_times import TimeFacts, clock_of, interleaved, time_facts
from mlconv.driver.inprocess import compiled
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage
from mlconv.driver.running import load_any
from mlconv.driver.telling import Telling
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.types import TensorType
from mlconv.runtime.loop_ends import drawn_inputs


class BatchFacts(TypedDict):
    """batch: samples of a call.  seconds: of calls.  samples_per_second: by the median."""

    batch: int
    seconds: TimeFacts
    samples_per_second: float


class BatchesFacts(TypedDict):
    """axes: names of inputs whose first axis is the batch."""

    model: str
    threads: int
    rounds: int
    axes: list[str]
    batches: list[BatchFacts]


def bench_batches(
    path: str,
    options: Options,
    rounds: int,
    threads: int,
    batches: Sequence[int],
    warm_up: int,
    seed: int = 0,
    on_stage: OnStage | None = None,
) -> BatchesFacts:
    """Compile a model for each number of samples, and time them in turn on random inputs.

    Inputs whose first axis is a size that is known at run time take the batch there.  on_stage: is told what is
    done.  Raises ConversionError UsageError for a model that has none.
    """
    telling = Telling(on_stage)
    telling.stage("import")
    loaded = load_any(path, options)
    axes = _batched(loaded)
    if not axes:
        raise ConversionError(
            Code.UsageError,
            "no input has a first axis whose size is known at run time: there is no batch to vary",
            help="name the sizes of one call with --shape NAME=...",
        )
    ready = []
    for batch in batches:
        shapes = {**options.shapes, **{name: (batch, *shape[1:]) for name, shape in axes.items()}}
        pinned = load_any(path, replace(options, shapes=shapes))
        inputs = drawn_inputs(pinned.main, seed)
        ready.append((compiled(pinned.module, options, threads, progress=telling.compiles()).model, inputs))
    telling.still("time")
    clock = clock_of(threads)
    times = interleaved([partial(model.run, inputs) for model, inputs in ready], rounds, warm_up, clock)
    found: list[BatchFacts] = []
    for batch, own in zip(batches, times, strict=True):
        facts = time_facts(own, clock)
        found.append({"batch": batch, "seconds": facts, "samples_per_second": batch * facts["per_second"]})
    return {"model": path, "threads": threads, "rounds": rounds, "axes": list(axes), "batches": found}


def _batched(loaded: LoadedModel) -> dict[str, tuple[int | str, ...]]:
    """Shapes of inputs whose first axis is open."""
    found: dict[str, tuple[int | str, ...]] = {}
    for value in loaded.main.inputs:
        t = value.type
        if isinstance(t, TensorType) and t.shape and not isinstance(t.shape[0], int):
            found[value.name] = tuple(size if isinstance(size, int) else size.name or str(size) for size in t.shape)
    return found
