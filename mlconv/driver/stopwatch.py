"""Native code is timed in this process, on one thread."""

from __future__ import annotations

import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import NamedTuple

import numpy as np

from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.program.compile import host_cpus
from mlconv.codegen.program.memory import calls as calls_of
from mlconv.codegen.program.tune import processor
from mlconv.diagnostics import Code, ConversionError
from mlconv.driver.context import Context
from mlconv.driver.inprocess import compiled
from mlconv.driver.options import Options
from mlconv.exporters.native.target import TARGET, NativeOptions
from mlconv.ir.constants import Array
from mlconv.ir.module import Module
from mlconv.provenance.locations import Location
from mlconv.quantize.collect import Sample
from mlconv.quantize.stopwatch import Call, Timed
from mlconv.runtime.native import NativeModel

_ROUNDS, _SECONDS, _LEAST, _WARM_UP = (20, 200), 2.0, 4e-4, 3


class _Program(NamedTuple):
    """locations: of the calls that are timed, in order; None where none are."""

    model: NativeModel
    locations: list[Location | None] | None


class NativeStopwatch:
    """Compiles as the options of the target say, for the instruction set that this machine takes."""

    def __init__(self, options: Options, context: Context, machine: str) -> None:
        given = {**options.target, "tune": False}
        self.options = replace(options, target=given, dump_ir="", print_ir_after="", verify_each=False)
        self.context, self.machine = context, machine

    def _ready(self, module: Module, calls: bool) -> _Program:
        made = compiled(module, self.options, stamps=calls, context=self.context, quantized=True)
        return _Program(made.model, [op.location for op in calls_of(made.kernels.main.block)] if calls else None)

    def timed(self, modules: Iterable[Module], sample: Sample, calls: bool) -> list[Timed]:
        programs = [self._ready(module, calls) for module in modules]
        least = [np.inf] * len(programs)
        spans: list[Array | None] = [None] * len(programs)
        feeds = [{name: sample[name] for name, _, _ in program.model.inputs} for program in programs]
        rounds, times = _rounds(programs, feeds)
        for done in range(_WARM_UP + rounds):
            for i, program in enumerate(programs):
                seconds = _seconds(program, feeds[i], times)
                if done < _WARM_UP:
                    continue
                least[i] = min(least[i], seconds)
                if program.locations is not None:
                    stamps = program.model.stamps
                    own = np.diff(stamps[:, 0] * 1_000_000_000 + stamps[:, 1])
                    known = spans[i]
                    spans[i] = own if known is None else np.minimum(known, own)
        return [_told(*each) for each in zip(programs, least, spans, strict=True)]


def _seconds(program: _Program, feed: Mapping[str, Array], times: int) -> float:
    """Of a run, over so many."""
    started = time.thread_time()
    for _ in range(times):
        program.model.run(feed)
    return (time.thread_time() - started) / times


def _rounds(programs: Sequence[_Program], feeds: Sequence[Mapping[str, Array]]) -> tuple[int, int]:
    """As many as take about two seconds for each program, and how often each is run in one: long enough to be
    measured.
    """
    spent = sum(_seconds(*each, 1) for each in zip(programs, feeds, strict=True)) / len(programs)
    times = max(1, int(_LEAST / max(spent, 1e-7)))
    fewest, most = _ROUNDS
    return int(min(max(_SECONDS / max(spent * times, 1e-6), fewest), most)), times


def _told(program: _Program, seconds: float, spans: Array | None) -> Timed:
    if program.locations is None or spans is None:
        return Timed(seconds)
    calls = [Call(place, span / 1e9) for place, span in zip(program.locations, spans.tolist(), strict=True)]
    return Timed(seconds, calls)


def native_stopwatch(options: Options, context: Context) -> NativeStopwatch:
    """Raises ConversionError TargetUnavailable for code that this machine does not run."""
    own: NativeOptions = options.of_target(TARGET)
    machine, here, had = target_named(own.machine), target_named(""), host_cpus()
    cpus = candidates(machine, own.cpu, own.features)
    known = [cpu for cpu in cpus if cpu.name in had]
    is_here = (machine.arch, machine.format) == (here.arch, here.format)
    if not is_here or (here.dispatch and (not known or (own.cpu and cpus[-1].name not in had))):
        asked = f"{machine.triple}{', ' + own.cpu if own.cpu else ''}"
        raise ConversionError(
            Code.TargetUnavailable,
            f"--quantize auto with --max-drop goes by time, and code for {asked} cannot be timed on this machine",
            help="give a scheme, such as --quantize int8, which --max-drop takes by what layers cost in bits; or a "
            "recipe that --save-recipe wrote on that machine",
        )
    return NativeStopwatch(options, context, processor(known[-1] if known else cpus[-1]))
