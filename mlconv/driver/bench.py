"""Times of a model in native code, by op and by line of source, beside what this machine could do at best."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple, TypedDict

import numpy as np

from mlconv.codegen.kernels.kind import Kinds, kind_of
from mlconv.codegen.machines.cpus import Cpu
from mlconv.codegen.machines.targets import candidates, target_named
from mlconv.codegen.program.compile import host_cpu
from mlconv.codegen.program.memory import calls, node_of, source_line
from mlconv.codegen.program.roofline import Roofline, measure
from mlconv.codegen.program.work import work
from mlconv.diagnostics import Code, ConversionError
from mlconv.diagnostics.text import json_text
from mlconv.driver.bench_inputs import Given, are_alike
from mlconv.driver.bench_peers import PeerFacts, bench_beside, named_peers
from mlconv.driver.bench_times import WARM_UP, TimeFacts
from mlconv.driver.bench_trace import TracedOp, recorded_call, trace_events
from mlconv.driver.context import context_of
from mlconv.driver.inprocess import InProcess, compiled
from mlconv.driver.options import Options
from mlconv.driver.pipeline import OnStage
from mlconv.driver.running import load_any, pinned
from mlconv.driver.telling import Telling
from mlconv.exporters.native.target import TARGET, NativeOptions
from mlconv.formats.atomic import check_target, write_text
from mlconv.formats.run_files import RunFiles
from mlconv.importers.loaded import LoadedModel
from mlconv.ir.constants import Array
from mlconv.ir.core import Block
from mlconv.ir.module import Module
from mlconv.runtime.measures import Measure
from mlconv.runtime.native import NativeModel
from mlconv.runtime.ports import ports_of

_TRACE = "the trace"
_TRACED_CALLS = 9


class PeakFacts(TypedDict):
    """Of one core, per second.  bandwidth: pairs of an amount of bytes and of bytes per second."""

    flops: float
    bandwidth: list[list[float]]


class OpFacts(TypedDict):
    """share: of the seconds of all ops.  gflops: per second.  peak_percent: least time by the roofline over the
    measured one, of all threads; None for control flow, and where nobody knows what is computed.  by: functions
    of other libraries that compute it.
    """

    op: str
    node: str
    line: str
    seconds: float
    share: float
    flops: int
    bytes: int
    gflops: float
    peak_percent: float | None
    by: list[str]


class LineFacts(TypedDict):
    """line: of source, or a node."""

    line: str
    seconds: float
    share: float


class HeldFacts(TypedDict):
    """How far an output is from a given answer."""

    output: str
    verdict: str
    max_abs: float


class BenchFacts(TypedDict):
    """seconds: of whole calls without recording.  ops: in order.  lines: the longest first.  expected: outputs that
    were held to given answers.  peers: other runtimes, in the same rounds.
    """

    model: str
    cpu: str
    threads: int
    rounds: int
    warm_up: int
    seconds: TimeFacts
    peak: PeakFacts
    ops: list[OpFacts]
    lines: list[LineFacts]
    expected: list[HeldFacts]
    peers: list[PeerFacts]


class Timing(NamedTuple):
    """How a model is timed.  warm_up: calls that do not count.  peers: other runtimes, by name.  trace: a file for what
    was done when, in Trace Event form.
    """

    rounds: int = 30
    threads: int = 1
    warm_up: int = WARM_UP
    peers: Sequence[str] = ()
    trace: str = ""


class Prepared(NamedTuple):
    """A model with fixed sizes, where all runs have the same, and what it is run on.  cpu: the instruction set that it
    is compiled for.  calls: inputs of all runs; the first are timed.
    """

    loaded: LoadedModel
    module: Module
    calls: list[dict[str, Array]]
    cpu: Cpu
    own: NativeOptions
    given: Given

    @property
    def inputs(self) -> dict[str, Array]:
        return self.calls[0]

    def check(self, model: NativeModel, options: Options) -> list[Measure]:
        """What is timed gives the answers that it should.  Raises ConversionError VerificationFailed."""
        if not self.given.expect:
            return []
        from mlconv.runtime.verify import rounds_inside

        outputs, rounds = ports_of(self.loaded.main)[1], rounds_inside(self.loaded.module)
        return self.given.check(model.run, outputs, rounds, self.calls, options, "the native code")

    def tuned(self, options: Options, folder: str) -> Options:
        """Options with which every object that is made has the same choices, tuned once."""
        cache = self.own.tune_cache or (os.path.join(folder, "tune.json") if self.own.tune else "")
        return options.with_settings({"tune_cache": cache}, context_of(options.plugins))


def prepared(path: str, options: Options, seed: int, given: Given | None, telling: Telling) -> Prepared:
    """Read a model and what it is run with.  Raises ConversionError."""
    telling.stage("import")
    own: NativeOptions = options.of_target(TARGET)
    TARGET.claim(own, options.files)
    loaded = load_any(path, options)
    given = given or Given()
    calls = given.calls(loaded, options, seed)
    module = pinned(path, loaded, calls[0], options).module if are_alike(calls) else loaded.module
    cpu = candidates(target_named(""), own.cpu or host_cpu(), "")[-1]
    return Prepared(loaded, module, calls, cpu, own, given)


def bench_model(
    path: str,
    options: Options,
    timing: Timing | None = None,
    seed: int = 0,
    given: Given | None = None,
    on_stage: OnStage | None = None,
) -> BenchFacts:
    """Compile a model for this machine, run it on given or random inputs, and report times.  on_stage: is told what is
    done.  Raises ConversionError, VerificationFailed where it does not give the answers that it should.
    """
    timing, telling = timing or Timing(), Telling(on_stage)
    if timing.rounds < 1 or timing.threads < 1:
        message = f"{timing.rounds} rounds on {timing.threads} threads: expected at least one of each"
        raise ConversionError(Code.UsageError, message)
    if timing.trace:
        check_target(Path(timing.trace), options.files or RunFiles(), _TRACE)
    peers = named_peers(timing.peers)
    model = prepared(path, options, seed, given, telling)
    with tempfile.TemporaryDirectory(prefix="mlconv-") as folder:
        tuned = model.tuned(options, folder)
        plain, recording = (
            compiled(model.module, tuned, timing.threads, stamps=s, progress=telling.compiles()) for s in (False, True)
        )
        held = model.check(plain.model, options)
        rounds, warm_up = timing.rounds, timing.warm_up
        beside = bench_beside(
            path, options, plain.model, model.inputs, peers, timing.threads, rounds, warm_up, folder, telling
        )
    spans = _spans(recording.model, model.inputs, timing.rounds)
    if timing.trace:
        _write_trace(path, recording, model.inputs, timing, options)
    peak = measure(model.cpu)
    ops = _ops(recording.kernels.main.block, spans, peak._replace(flops=peak.flops * timing.threads), recording.kinds)
    return {
        "model": path,
        "cpu": model.cpu.name,
        "threads": timing.threads,
        "rounds": timing.rounds,
        "warm_up": timing.warm_up,
        "seconds": beside.own,
        "peak": {"flops": peak.flops, "bandwidth": [list(b) for b in peak.bandwidth]},
        "ops": ops,
        "lines": _by_line(ops),
        "expected": held_facts(held),
        "peers": beside.peers,
    }


def held_facts(measures: Sequence[Measure]) -> list[HeldFacts]:
    return [{"output": m.name, "verdict": m.verdict.value, "max_abs": m.max_abs} for m in measures]


def _write_trace(path: str, made: InProcess, inputs: dict[str, Array], timing: Timing, options: Options) -> None:
    """Raises ConversionError OutputNotWritable."""
    ops = [TracedOp(op.name, node_of(op), source_line(op)) for op in calls(made.kernels.main.block)]
    call = recorded_call(made, inputs, min(timing.rounds, _TRACED_CALLS))
    text = json_text({"traceEvents": trace_events(call, ops, path), "displayTimeUnit": "ns"})
    write_text(timing.trace, f"{text}\n", options.files, _TRACE)


def _spans(model: NativeModel, inputs: dict[str, Array], rounds: int) -> Array:
    """Least seconds of each call: they are taken on the wall, where other processes count."""
    rows = [recorded(model, inputs) for _ in range(WARM_UP + rounds)]
    spans: Array = np.array(rows[WARM_UP:]).min(axis=0)
    return spans


def recorded(model: NativeModel, inputs: dict[str, Array]) -> Array:
    """Seconds of each kernel in one call."""
    model.run(inputs)
    spans: Array = np.diff(model.stamps[:, 0] * 1_000_000_000 + model.stamps[:, 1]) / 1e9
    return spans


def _ops(block: Block, spans: Array, peak: Roofline, kinds: Kinds) -> list[OpFacts]:
    total = float(spans.sum()) or 1.0
    out: list[OpFacts] = []
    for op, seconds in zip(calls(block), spans.tolist(), strict=True):
        flops, moved = work(op, kinds)
        by = [] if op.regions else [f.name for f in kind_of(op, kinds).foreign(op.problem)]
        plain = not op.regions and (not by or flops)
        percent = 100 * peak.seconds(flops, moved) / seconds if plain and seconds else None
        out.append(
            {
                "op": op.name,
                "node": node_of(op),
                "line": source_line(op),
                "seconds": seconds,
                "share": seconds / total,
                "flops": flops,
                "bytes": moved,
                "gflops": flops / seconds / 1e9 if seconds else 0.0,
                "peak_percent": percent,
                "by": by,
            }
        )
    return out


def _by_line(ops: list[OpFacts]) -> list[LineFacts]:
    """Sums by line of source, by node where the model records none."""
    sums: dict[str, list[float]] = {}
    for op in ops:
        entry = sums.setdefault(op["line"] or op["node"], [0.0, 0.0])
        entry[0] += op["seconds"]
        entry[1] += op["share"]
    return [{"line": k, "seconds": s, "share": share} for k, (s, share) in sorted(sums.items(), key=lambda t: -t[1][0])]
