"""Times of a native object as it was written: nothing is compiled, and sizes that a run gives stay open."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TypedDict

from mlconv.codegen.program.compile import host_cpus
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.answers import check_given, given
from mlconv.driver.bench import HeldFacts, held_facts
from mlconv.driver.bench_inputs import Given
from mlconv.driver.bench_times import WARM_UP, TimeFacts, clock_of, interleaved, time_facts
from mlconv.driver.options import Options, flag_name
from mlconv.driver.pipeline import OnStage
from mlconv.driver.sides import object_ports
from mlconv.driver.telling import Telling
from mlconv.exporters.native.target import TARGET, NativeOptions
from mlconv.ir.constants import Array
from mlconv.runtime.native import NativeModel, load_native
from mlconv.runtime.pairing import Drawing, Pair
from mlconv.runtime.ports import Port

_OF_COMPILING = ("cpu", "tune", "tune_cache", "extern")


class ThreadTimes(TypedDict):
    """Of whole calls; how many times faster the fastest one is than that with the first number of threads."""

    threads: int
    seconds: TimeFacts
    speedup: float


class ObjectTimes(TypedDict):
    """cpu: the instruction set that the object chooses here.  shapes: of the inputs that are timed.  expected: outputs
    that were held to given answers.
    """

    model: str
    cpu: str
    rounds: int
    warm_up: int
    shapes: dict[str, list[int]]
    times: list[ThreadTimes]
    expected: list[HeldFacts]


def bench_object(
    path: str,
    options: Options,
    rounds: int = 30,
    threads: Sequence[int] = (1,),
    warm_up: int = WARM_UP,
    seed: int = 0,
    asked: Given | None = None,
    on_stage: OnStage | None = None,
) -> ObjectTimes:
    """Run a native object with each number of threads, in turn, on given or random inputs.  options: shapes say how
    large inputs are whose sizes are open.  on_stage: is told what is done.

    Raises ConversionError UsageError for what is asked of models only, VerificationFailed where the object does not
    give the answers that it should, and what loading it raises.
    """
    asked, telling = asked or Given(), Telling(on_stage)
    options.check_plain(f"{path}, which is native code", ("shapes",))
    own: NativeOptions = options.of_target(TARGET)
    for name in _OF_COMPILING:
        if getattr(own, name):
            raise ConversionError(
                Code.UsageError, f"--{flag_name(name)} does not apply to {path}, which is native code"
            )
    telling.stage("load")
    models = [load_native(path, n, [own.library] if own.library else []) for n in threads]
    inputs, outputs = object_ports(models[0].interface)
    calls = _calls(models[0], inputs, options, seed, asked)
    measures = [asked.check(m.run, outputs, m.interface.rounds, calls, options, path) for m in models]
    telling.still("time")
    runs: list[Callable[[], object]] = [partial(model.run, calls[0]) for model in models]
    clock = clock_of(max(threads))
    found = [time_facts(times, clock) for times in interleaved(runs, rounds, warm_up, clock, woken=len(runs) > 1)]
    return {
        "model": path,
        "cpu": _chosen(models[0]),
        "rounds": rounds,
        "warm_up": warm_up,
        "shapes": {name: list(array.shape) for name, array in calls[0].items()},
        "times": [
            {"threads": n, "seconds": facts, "speedup": found[0]["best"] / facts["best"]}
            for n, facts in zip(threads, found, strict=True)
        ],
        "expected": held_facts(measures[0]),
    }


def _calls(
    model: NativeModel, inputs: Sequence[Port], options: Options, seed: int, asked: Given
) -> list[dict[str, Array]]:
    check_given(asked.data, asked.expect)
    if asked.data:
        if options.shapes:
            raise ConversionError(Code.UsageError, "--shape is of random inputs, and --data has sizes of its own")
        return given(asked.data, inputs, inputs, options)
    pairs = [Pair(port, port) for port in inputs if not port.is_variable]
    return [Drawing(seed, options.sizes_given(), model.interface.ranges).inputs(pairs)]


def _chosen(model: NativeModel) -> str:
    """The last of the object's instruction sets that this machine has is what it takes."""
    here, names = host_cpus(), model.facts.get("cpus")
    own = [name for name in names if name in here] if isinstance(names, list) else []
    return str(own[-1]) if own else model.interface.cpu
